//! Drawing calls that come in preorder as a tree.
//!
//! Recursion that goes deep is folded: from a method's sixteenth call inside itself on, one line stands for all that is
//! below. So a tree is never much wider than a program is deep, and the thousands of levels of a list walked by
//! recursion are one line. Where a tree is deep all the same, or shown unfolded, levels that do not fit are a number.

use std::collections::VecDeque;

use jhyde_proto::v1::Call;

use super::{Detail, call_line, call_name, count, ended, plural, shorten, width};
use crate::output::{Look, Paint};

/// A method's calls inside itself that are shown, the outermost ones.
const MOST_OF_A_METHOD: usize = 16;
/// Levels that are drawn where no terminal says how much room there is.
const MOST_LEVELS: usize = 40;
/// Columns of one level.
const LEVEL: usize = 3;

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
    /// Fold deep recursion.
    folding: bool,
    /// Depth of the tree's root in the thread's tree.
    base: Option<u32>,
    /// The calls of the list in which the next one may lie, folded ones among them. A level is one of these: where calls are left out,
    /// the depth is more.
    path: Vec<Around>,
    /// For each open ancestor that is shown, whether more children follow it.
    open: Vec<Open>,
    /// What the line to come stands for.
    folded: Option<Folded>,
    has_folded: bool,
    thread: Option<String>,
}

/// A call in which others lie.
#[derive(Clone, Copy, Debug)]
struct Around {
    depth: u32,
    /// The last number below it, so far.
    last: u64,
    has_ended: bool,
}

impl Around {
    fn of(call: &Call, number: u64) -> Self {
        Self {
            depth: call.depth,
            last: number.saturating_add(call.descendants),
            has_ended: call.exit.is_some(),
        }
    }

    /// Does a call that began later lie in it?
    fn holds(&self, call: &Call, number: u64) -> bool {
        call.depth > self.depth && (number <= self.last || !self.has_ended)
    }
}

#[derive(Debug)]
struct Open {
    is_last_child: bool,
    /// Its method, to see that it is called again below.
    method: Method,
}

/// Class, name and descriptor.
type Method = (String, String, String);

/// Calls that are not shown, because a method was called too often inside itself.
#[derive(Debug)]
struct Folded {
    /// The method.
    method: Method,
    /// The outermost of them stand on this level.
    level: usize,
    /// How many, all methods counted.
    calls: u64,
    /// The levels of the method's own calls among them.
    deepest: u32,
    /// The innermost call of the method, the first if there are several.
    innermost: Box<Call>,
    outermost: u32,
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
            folding: true,
            base: None,
            path: Vec::new(),
            open: Vec::new(),
            folded: None,
            has_folded: false,
            thread: None,
        }
    }

    /// The same with every level of recursion.
    #[must_use]
    pub fn unfolded(self) -> Self {
        Self {
            folding: false,
            ..self
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
                lines.extend(self.end(detail));
                self.thread = Some(thread.to_owned());
                self.base = None;
                self.path.clear();
                self.open.clear();
                lines.extend(heads(&call));
            }
            if self.flat {
                lines.push(call_line(&call, detail, 0, self.paint));
                continue;
            }
            self.base.get_or_insert(call.depth);
            while self
                .path
                .pop_if(|around| !around.holds(&call, number))
                .is_some()
            {}
            let level = self.path.len();
            self.path.push(Around::of(&call, number));
            if self.fold(&call, level) {
                continue;
            }
            lines.extend(self.fold_line(Some(level), detail));
            self.open.truncate(level);
            if self.is_too_often(&call) {
                self.folded = Some(Folded::beginning(call, level));
                continue;
            }
            lines.push(self.line(&call, number, level, &calls, detail));
        }
        lines
    }

    /// Behind the last page: the line for what is folded, if it has not been told yet.
    pub fn end(&mut self, detail: Detail) -> Option<String> {
        self.fold_line(None, detail)
    }

    /// Does a line stand for more than one call?
    pub fn has_folded(&self) -> bool {
        self.has_folded
    }

    /// The line for what is folded, before a call on the next level that is shown.
    fn fold_line(&mut self, next: Option<usize>, detail: Detail) -> Option<String> {
        let folded = self.folded.take()?;
        self.has_folded = true;
        let is_last_child = next.is_none_or(|next| next < folded.level);
        let branch = self.branch(folded.level, is_last_child, detail);
        let room = detail.indented(width(&branch)).room;
        let text = folded.text();
        let text = match room {
            Some(room) => shorten(&text, room).into_owned(),
            None => text,
        };
        let branch = self.paint.text(Look::Faint, branch);
        Some(format!("{branch}{}", self.paint.text(Look::Hint, text)))
    }

    /// Adds a call to those that are folded, if it is below them.
    fn fold(&mut self, call: &Call, level: usize) -> bool {
        match &mut self.folded {
            Some(folded) if level > folded.level => folded.add(call),
            // A second call of the method on that level belongs to them, too.
            Some(folded) if level == folded.level && folded.method == method(call) => {
                folded.add(call);
            }
            _ => return false,
        }
        true
    }

    /// Is it called inside too many calls of its own method?
    fn is_too_often(&self, call: &Call) -> bool {
        // Most trees are not that deep at all.
        if !self.folding || self.open.len() < MOST_OF_A_METHOD {
            return false;
        }
        let method = method(call);
        let above = self.open.iter().filter(|open| open.method == method);
        above.count() >= MOST_OF_A_METHOD
    }

    fn line(
        &mut self,
        call: &Call,
        number: u64,
        level: usize,
        ahead: &VecDeque<Call>,
        detail: Detail,
    ) -> String {
        let this = Around::of(call, number);
        let is_last_child = self.is_last(call, this, level, ahead);
        let branch = self.branch(level, is_last_child, detail);
        let detail = detail.indented(width(&branch));
        let branch = self.paint.text(Look::Faint, branch);
        let folded = match self.max_depth {
            Some(max) if call.depth.saturating_sub(self.base.unwrap_or(0)) + 1 >= max => {
                call.descendants
            }
            _ => 0,
        };
        self.open.push(Open {
            is_last_child,
            method: method(call),
        });
        format!("{branch}{}", call_line(call, detail, folded, self.paint))
    }

    /// What stands before a call on this level.
    fn branch(&self, level: usize, is_last_child: bool, detail: Detail) -> String {
        let most = detail.room.map_or(MOST_LEVELS, |room| room / 2 / LEVEL);
        if level > most {
            return format!("{}({level}) ", "·  ".repeat(most.saturating_sub(2)));
        }
        let mut branch = String::new();
        // The roots of a subtree hang on nothing.
        for ancestor in self.open.iter().take(level).skip(1) {
            branch.push_str(if ancestor.is_last_child {
                "   "
            } else {
                "│  "
            });
        }
        if level > 0 {
            branch.push_str(if is_last_child { "└─ " } else { "├─ " });
        }
        branch
    }

    fn is_last(&self, call: &Call, this: Around, level: usize, ahead: &VecDeque<Call>) -> bool {
        let (thread, _) = split(&call.id);
        let parent = level.checked_sub(1).and_then(|above| self.path.get(above));
        for next in ahead {
            let (next_thread, number) = split(&next.id);
            let beside = match parent {
                Some(parent) => parent.holds(next, number),
                None => next.depth >= call.depth,
            };
            if next_thread != thread || !beside {
                return true;
            }
            if !this.holds(next, number) {
                return false;
            }
        }
        parent.is_none_or(|parent| this.last >= parent.last)
    }
}

impl Folded {
    fn beginning(call: Call, level: usize) -> Self {
        Self {
            method: method(&call),
            level,
            calls: 1,
            deepest: call.depth,
            outermost: call.depth,
            innermost: Box::new(call),
        }
    }

    fn add(&mut self, call: &Call) {
        self.calls += 1;
        if call.depth > self.deepest && method(call) == self.method {
            self.deepest = call.depth;
            *self.innermost = call.clone();
        }
    }

    /// `… 2,984 levels deeper, 2,990 calls; the innermost: List.size #2999 = 0  [1.3001]`.
    fn text(&self) -> String {
        let levels = u64::from(self.deepest - self.outermost) + 1;
        let innermost = format!(
            "{} {}",
            call_name(&self.innermost),
            shorten(&ended(&self.innermost), 20)
        );
        format!(
            "… {} deeper, {}; innermost [{}] {}",
            match levels {
                1 => "1 level".to_owned(),
                levels => format!("{} levels", count(levels)),
            },
            plural(self.calls, "call"),
            self.innermost.id,
            innermost.trim_end()
        )
    }
}

fn method(call: &Call) -> Method {
    (
        call.class.clone(),
        call.method.clone(),
        call.descriptor.clone(),
    )
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

    #[test]
    fn what_lies_in_a_call_that_is_left_out_hangs_on_the_one_around_that() {
        // 3, on depth 1, is left out.
        let calls = vec![
            call(1, 0, 5),
            call(2, 1, 0),
            call(4, 2, 1),
            call(5, 3, 0),
            call(6, 1, 0),
        ];
        let lines = draw(vec![calls], None);
        assert!(lines[2].starts_with("├─ A.m2"), "{lines:?}");
        assert!(lines[3].starts_with("├─ A.m4"), "{lines:?}");
        assert!(lines[4].starts_with("│  └─ A.m5"), "{lines:?}");
        assert!(lines[5].starts_with("└─ A.m6"), "{lines:?}");
    }

    fn draw(pages: Vec<Vec<Call>>, max_depth: Option<u32>) -> Vec<String> {
        let mut drawing = TreeDrawing::new(Paint::new(false), max_depth, false);
        let mut detail = Detail::list(None);
        detail.place = false;
        let mut lines = Vec::new();
        for page in pages {
            let mut heads = |call: &Call| Some(format!("thread of {}", call.id));
            lines.extend(drawing.page(page, detail, &mut heads));
        }
        lines.extend(drawing.end(detail));
        lines
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

    /// A list walked by recursion, a call of another method at the end, and one behind it.
    fn recursion(levels: u32) -> Vec<Call> {
        let mut calls: Vec<Call> = (0..levels)
            .map(|level| Call {
                method: "walk".into(),
                invocation: level.into(),
                ..call(u64::from(level) + 1, level, u64::from(levels - level))
            })
            .collect();
        calls.push(call(u64::from(levels) + 1, levels, 0));
        calls
    }

    #[test]
    fn deep_recursion_is_one_line() {
        let lines = draw(vec![recursion(3000)], None);
        assert_eq!(lines.len(), 1 + MOST_OF_A_METHOD + 1, "{lines:#?}");
        assert!(
            lines[17].ends_with(
                "└─ … 2,984 levels deeper, 2,985 calls; innermost [1.3000] A.walk #2999"
            ),
            "{}",
            lines[17]
        );
        let mut whole = recursion(3000);
        let second = whole.split_off(1000);
        assert_eq!(draw(vec![whole, second], None), lines, "pages do not show");
        // As deep as methods usually are inside themselves is not deep.
        assert_eq!(draw(vec![recursion(16)], None).len(), 18);
    }

    #[test]
    fn levels_that_do_not_fit_are_a_number() {
        let mut drawing = TreeDrawing::new(Paint::new(false), None, false).unfolded();
        let detail = Detail::list(Some(80));
        let lines = drawing.page(recursion(3000), detail, &mut |_| None);
        assert_eq!(lines.len(), 3001);
        assert!(
            lines.iter().all(|line| width(line) <= 80),
            "{}",
            lines[2000]
        );
        assert!(
            lines[2000].contains("(2000) A.walk #2000"),
            "{}",
            lines[2000]
        );
    }
}
