//! Drawing calls that come in preorder as a tree.

use std::collections::VecDeque;

use jhyde_proto::v1::Call;

use super::{Detail, call_line};
use crate::output::Paint;

/// One page of a tree, or many, one after the other.
///
/// Which branch is the last one under its parent is seen by looking ahead in the page; at its end it
/// follows from the numbers (a call's descendants have the numbers behind its own).
#[derive(Debug)]
pub struct TreeDrawing {
    paint: Paint,
    /// Deepest level shown, if some are folded.
    max_depth: Option<u32>,
    /// Calls of a filtered list stand below each other without branches.
    flat: bool,
    /// Depth of the tree's root in the thread's tree.
    base: Option<u32>,
    /// For each open ancestor: the last number below it, and whether more children follow it.
    open: Vec<Open>,
    thread: Option<String>,
}

#[derive(Debug)]
struct Open {
    last: u64,
    is_last_child: bool,
}

/// Writes a thread's head when the thread changes.
pub type ThreadHeads<'a> = &'a mut dyn FnMut(&Call) -> Option<String>;

impl TreeDrawing {
    /// A tree; `max_depth` counts levels as the question did.
    pub fn new(paint: Paint, max_depth: Option<u32>, flat: bool) -> Self {
        Self {
            paint,
            max_depth,
            flat,
            base: None,
            open: Vec::new(),
            thread: None,
        }
    }

    /// The lines of the next page.
    pub fn page(
        &mut self,
        calls: Vec<Call>,
        detail: Detail,
        heads: ThreadHeads<'_>,
    ) -> Vec<String> {
        let mut calls = VecDeque::from(calls);
        let mut lines = Vec::with_capacity(calls.len());
        while let Some(call) = calls.pop_front() {
            let (thread, number) = split(&call.id);
            if self.thread.as_deref() != Some(thread) {
                self.thread = Some(thread.to_owned());
                self.base = None;
                self.open.clear();
                lines.extend(heads(&call));
            }
            lines.push(self.line(&call, number, &calls, detail));
        }
        lines
    }

    fn line(&mut self, call: &Call, number: u64, ahead: &VecDeque<Call>, detail: Detail) -> String {
        if self.flat {
            return call_line(call, detail, 0, self.paint);
        }
        let base = *self.base.get_or_insert(call.depth);
        let level = call.depth.saturating_sub(base) as usize;
        self.open.truncate(level);
        let last = number.saturating_add(call.descendants);
        let is_last_child = self.is_last(call, number, last, ahead);
        let mut line = String::new();
        // The roots of a subtree hang on nothing.
        for ancestor in self.open.iter().skip(1) {
            line.push_str(if ancestor.is_last_child {
                "   "
            } else {
                "│  "
            });
        }
        if level > 0 {
            line.push_str(if is_last_child { "└─ " } else { "├─ " });
        }
        let detail = detail.indented(super::width(&line));
        let line = self.paint.text(crate::output::Look::Faint, line);
        let folded = match self.max_depth {
            Some(max) if level as u32 + 1 >= max => call.descendants,
            _ => 0,
        };
        self.open.push(Open {
            last,
            is_last_child,
        });
        format!("{line}{}", call_line(call, detail, folded, self.paint))
    }

    fn is_last(&self, call: &Call, number: u64, last: u64, ahead: &VecDeque<Call>) -> bool {
        let (thread, _) = split(&call.id);
        for next in ahead {
            let (next_thread, next_number) = split(&next.id);
            if next_thread != thread || next.depth < call.depth {
                return true;
            }
            if next.depth == call.depth && next_number > number {
                return false;
            }
        }
        self.open.last().is_none_or(|parent| last >= parent.last)
    }
}

/// `1.7` is number 7 of thread 1.
fn split(id: &str) -> (&str, u64) {
    let (thread, number) = id.split_once('.').unwrap_or((id, "0"));
    (thread, number.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: u64, depth: u32, descendants: u64) -> Call {
        Call {
            id: format!("1.{number}"),
            class: "demo.A".into(),
            method: format!("m{number}"),
            depth,
            descendants,
            exit: Some(99),
            ..Call::default()
        }
    }

    fn draw(pages: Vec<Vec<Call>>, max_depth: Option<u32>) -> Vec<String> {
        let mut drawing = TreeDrawing::new(Paint::new(false), max_depth, false);
        let detail = Detail {
            place: false,
            ..Detail::list(None)
        };
        pages
            .into_iter()
            .flat_map(|page| {
                let mut heads = |call: &Call| Some(format!("thread of {}", call.id));
                drawing.page(page, detail, &mut heads)
            })
            .collect()
    }

    fn example() -> Vec<Call> {
        vec![
            call(1, 0, 5),
            call(2, 1, 2),
            call(3, 2, 0),
            call(4, 2, 0),
            call(5, 1, 1),
            call(6, 2, 0),
        ]
    }

    const DRAWN: [&str; 7] = [
        "thread of 1.1",
        "A.m1 #0 ()",
        "├─ A.m2 #0 ()",
        "│  ├─ A.m3 #0 ()",
        "│  └─ A.m4 #0 ()",
        "└─ A.m5 #0 ()",
        "   └─ A.m6 #0 ()",
    ];

    #[test]
    fn branches_join_where_they_should() {
        assert_eq!(draw(vec![example()], None), DRAWN);
    }

    #[test]
    fn pages_do_not_show() {
        for cut in 1..6 {
            let mut first = example();
            let second = first.split_off(cut);
            assert_eq!(draw(vec![first, second], None), DRAWN, "cut at {cut}");
        }
    }

    #[test]
    fn folded_calls_are_counted() {
        let lines = draw(
            vec![vec![call(1, 0, 5), call(2, 1, 2), call(5, 1, 1)]],
            Some(2),
        );
        assert_eq!(
            lines[1..],
            [
                "A.m1 #0 ()",
                "├─ A.m2 #0 ()  … 2 calls below",
                "└─ A.m5 #0 ()  … 1 call below"
            ]
        );
    }

    #[test]
    fn a_subtree_begins_at_the_left() {
        let lines = draw(
            vec![vec![call(2, 1, 2), call(3, 2, 0), call(4, 2, 0)]],
            None,
        );
        assert_eq!(lines[1..], ["A.m2 #0 ()", "├─ A.m3 #0 ()", "└─ A.m4 #0 ()"]);
    }
}
