//! `jhyde state`: the variables of a call at two times, opened as far as asked.

use std::pin::Pin;

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{ExpandObjectRequest, GetStateRequest, NodeState, RowKind, StateRow, Value};

use super::{Context, Notes, call_argument, notes};
use crate::args::StateArgs;
use crate::client::Client;
use crate::error::Error;
use crate::json::{Node, Opened, StateJson};
use crate::output::{Look, Output};
use crate::text::{Cell, Detail, Table, head, row_name, state_cells};

/// Fields or elements asked for when an object is opened.
const ROWS_OF_AN_OBJECT: u32 = 200;
/// Objects opened for one answer: `--depth 64` on a graph must end.
const MOST_OPENED: usize = 2000;

/// Shows the state.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn state(context: &mut Context, args: &StateArgs) -> Result<(), Error> {
    let request = GetStateRequest {
        recording: args.recording.clone(),
        call: call_argument(&args.call),
        from: args.from,
        to: args.at,
        budget: 0,
        ..GetStateRequest::default()
    };
    let mut state = context
        .client
        .history
        .get_state(request)
        .await?
        .into_inner();
    let mut rows = std::mem::take(&mut state.rows);
    if args.no_statics {
        rows.retain(|row| row.kind() != RowKind::Static);
    }
    let mut opening = Opening {
        client: &context.client,
        recording: &args.recording,
        from: state.from,
        to: state.to,
        expand: &args.expand,
        used: vec![false; args.expand.len()],
        left: MOST_OPENED,
        path: Vec::new(),
        notes: Notes::default(),
    };
    opening.notes.add(std::mem::take(&mut state.notes));
    let nodes = opening.nodes(rows, args.depth).await?;
    let unused = opening.used.iter().position(|used| !used);
    if let Some(name) = unused.and_then(|index| args.expand.get(index)) {
        return Err(Error::Usage(format!(
            "no row is called '{name}' or refers to it; jhyde state {} {} shows the rows",
            args.recording, args.call
        )));
    }
    let exhausted = opening.left == 0;
    state.notes = opening.notes.into();
    if context.out.json {
        return context.out.object(&StateJson {
            state: &state,
            nodes: &nodes,
        });
    }
    show(&state, &nodes, &mut context.out)?;
    if exhausted {
        let text = format!("… {MOST_OPENED} objects are open; --expand opens single ones");
        let text = context.out.paint.text(Look::Hint, text);
        context.out.line(text)?;
    }
    Ok(())
}

struct Opening<'a> {
    client: &'a Client,
    recording: &'a str,
    from: u64,
    to: u64,
    expand: &'a [String],
    /// Which of `expand` were met.
    used: Vec<bool>,
    left: usize,
    /// Objects that are open above the current row: cycles end at them.
    path: Vec<u64>,
    /// Those of the state, and of each object that was opened.
    notes: Notes,
}

type Nodes<'f> = Pin<Box<dyn Future<Output = Result<Vec<Node>, Error>> + Send + 'f>>;

impl Opening<'_> {
    fn nodes(&mut self, rows: Vec<StateRow>, depth: u32) -> Nodes<'_> {
        Box::pin(async move {
            let mut nodes = Vec::with_capacity(rows.len());
            for row in rows {
                let named = self.is_named(&row);
                let mut node = Node {
                    row,
                    opened: Vec::new(),
                    open_above: false,
                };
                if depth > 0 || named {
                    self.open(&mut node, depth.saturating_sub(1)).await?;
                }
                nodes.push(node);
            }
            Ok(nodes)
        })
    }

    fn is_named(&mut self, row: &StateRow) -> bool {
        let references = [&row.start, &row.end].map(|side| reference(side.as_ref()));
        let mut named = false;
        for (name, used) in self.expand.iter().zip(&mut self.used) {
            let id = name
                .split_once('#')
                .and_then(|(_, id)| id.parse::<u64>().ok());
            let is_it = row.name == *name
                || row_name(row) == *name
                || row.variable == super::variable_argument(name)
                || (id.is_some() && references.contains(&id));
            if is_it {
                *used = true;
                named = true;
            }
        }
        named
    }

    /// One object on both sides has one inside; two objects have two.
    async fn open(&mut self, node: &mut Node, depth: u32) -> Result<(), Error> {
        let start = reference(node.row.start.as_ref());
        let end = reference(node.row.end.as_ref());
        let sides = if start == end {
            [(None, start), (None, None)]
        } else {
            [(Some("start"), start), (Some("end"), end)]
        };
        for (side, id) in sides {
            let Some(id) = id else { continue };
            if self.path.contains(&id) {
                node.open_above = true;
                continue;
            }
            if self.left == 0 {
                continue;
            }
            self.left -= 1;
            let request = ExpandObjectRequest {
                recording: self.recording.to_owned(),
                object: id,
                from: self.from,
                to: self.to,
                page_size: ROWS_OF_AN_OBJECT,
                page_token: String::new(),
                budget: 0,
                ..ExpandObjectRequest::default()
            };
            let inside = self
                .client
                .history
                .clone()
                .expand_object(request)
                .await?
                .into_inner();
            self.notes.add(inside.notes);
            self.path.push(id);
            let nodes = self.nodes(inside.rows, depth).await?;
            self.path.pop();
            node.opened.push(Opened {
                side,
                nodes,
                cut: !inside.next_page_token.is_empty(),
            });
        }
        Ok(())
    }
}

/// The object behind a value that has an inside worth opening: strings and boxes are shown whole.
fn reference(value: Option<&Value>) -> Option<u64> {
    match &value?.kind {
        Some(Kind::Object(object)) if object.text.is_none() && object.content.is_none() => {
            Some(object.id)
        }
        _ => None,
    }
}

fn show(state: &NodeState, nodes: &[Node], out: &mut Output) -> Result<(), Error> {
    if let Some(call) = &state.call {
        out.line(head(call, Detail::alone(out.width), out.paint))?;
    }
    let (from, to) = (format!("at {}", state.from), format!("at {}", state.to));
    let mut table = Table::new(&["", "VARIABLE", "TYPE", &from, &to]).indented(2);
    fill(&mut table, nodes, 0);
    if table.is_empty() {
        let nothing = out.paint.text(Look::Faint, "  no variables are known");
        out.line(nothing)?;
    } else {
        table.write(out)?;
    }
    notes(&state.notes, out)
}

fn fill(table: &mut Table, nodes: &[Node], depth: usize) {
    let indent = "  ".repeat(depth);
    for node in nodes {
        let mut cells = state_cells(&node.row, &indent);
        if node.open_above {
            cells.push(Cell::with(Look::Faint, "(open above)"));
        }
        table.row(cells);
        for opened in &node.opened {
            let deeper = match opened.side {
                Some(side) => {
                    let title = format!("{indent}  <{side} value>");
                    table.row(vec!["".into(), Cell::with(Look::Faint, title)]);
                    depth + 2
                }
                None => depth + 1,
            };
            if opened.nodes.is_empty() {
                let nothing = format!(
                    "{}(nothing inside, as far as this recording tells)",
                    "  ".repeat(deeper)
                );
                table.row(vec!["".into(), Cell::with(Look::Faint, nothing)]);
            }
            fill(table, &opened.nodes, deeper);
            if opened.cut {
                let more = format!("{}… more", "  ".repeat(deeper));
                table.row(vec!["".into(), Cell::with(Look::Hint, more)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Paint;

    fn row(name: &str) -> StateRow {
        StateRow {
            kind: RowKind::Field.into(),
            name: name.into(),
            changed: true,
            ..StateRow::default()
        }
    }

    #[test]
    fn two_objects_have_two_insides() {
        let leaf = |name| Node {
            row: row(name),
            opened: Vec::new(),
            open_above: false,
        };
        let opened = vec![
            Opened {
                side: Some("start"),
                nodes: vec![leaf("x")],
                cut: false,
            },
            Opened {
                side: Some("end"),
                nodes: vec![leaf("y")],
                cut: true,
            },
        ];
        let node = Node {
            row: row("a"),
            opened,
            open_above: false,
        };
        let json = serde_json::to_value(&node).unwrap();
        assert_eq!(json["start_children"][0]["name"], "x");
        assert_eq!(json["end_children"][0]["name"], "y");
        assert_eq!(json["cut"], true);

        let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let mut out = Output::to(Shared(lines.clone()), Paint::new(false), false);
        show(&NodeState::default(), &[node], &mut out).unwrap();
        let text = String::from_utf8(lines.lock().unwrap().clone()).unwrap();
        for part in ["a", "<start value>", "x", "<end value>", "y", "… more"] {
            assert!(text.contains(part), "{text}");
        }
    }

    struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl std::io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
}
