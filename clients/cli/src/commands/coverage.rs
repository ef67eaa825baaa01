//! `jhyde coverage`: what a call covered.

use std::collections::HashMap;

use jhyde_proto::v1::{CallCoverage, CoveredChain, CoveredEdge, GetCoverageRequest, Place};

use super::{Context, call_argument, notes};
use crate::args::CoverageArgs;
use crate::error::Error;
use crate::json::CoverageJson;
use crate::output::{Look, Output};
use crate::progress;
use crate::text::{Cell, Detail, Table, call_line, clean, count, place, plural, simple_class};

/// Shows the coverage of one call.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn coverage(context: &mut Context, args: &CoverageArgs) -> Result<(), Error> {
    let request = GetCoverageRequest {
        recording: args.recording.clone(),
        call: call_argument(&args.call),
    };
    let bar = progress::spinner("reading what calls covered");
    let answer = context.client.debugging.get_coverage(request).await;
    bar.finish_and_clear();
    let coverage = answer?.into_inner();
    let out = &mut context.out;
    if out.json {
        return out.object(&CoverageJson::from(&coverage));
    }
    show(&coverage, out)
}

fn show(coverage: &CallCoverage, out: &mut Output) -> Result<(), Error> {
    if let Some(call) = &coverage.call {
        out.line(call_line(call, Detail::list(out.width), 0, out.paint))?;
    }
    notes(&coverage.notes, out)?;
    let counts = Counts::of(coverage);
    title(plural(coverage.edges.len() as u64, "edge"), out)?;
    edges(&coverage.edges, counts).write(out)?;
    title(plural(coverage.chains.len() as u64, "chain"), out)?;
    let chains = chains(&coverage.chains, counts);
    if chains.is_empty() {
        return Ok(());
    }
    chains.write(out)
}

fn title(text: String, out: &mut Output) -> Result<(), Error> {
    let text = out.paint.text(Look::Hint, text);
    out.line(format!("  {text}"))
}

/// One row per edge; a place that control left by several ways is named once.
fn edges(edges: &[CoveredEdge], counts: Counts) -> Table {
    let mut table = Table::new(&["FROM", "", "TO", "BYTECODE", "CALLS"]).indented(4);
    let mut before: Option<&Place> = None;
    for edge in edges {
        let from = match &edge.from {
            None => "entry".to_owned(),
            same if same.as_ref() == before => String::new(),
            Some(from) => place(from),
        };
        before = edge.from.as_ref();
        let to = edge.to.as_ref();
        table.row(vec![
            Cell::new(from),
            Cell::with(Look::Faint, "→"),
            Cell::new(to.map(place).unwrap_or_default()),
            indexes(before, [to]),
            counts.cell(edge.calls),
        ]);
    }
    table
}

/// One row per definition, name and line that uses it: the code of a line may read a variable several times.
fn chains(chains: &[CoveredChain], counts: Counts) -> Table {
    let mut rows: Vec<Vec<&CoveredChain>> = Vec::new();
    let mut known = HashMap::new();
    for chain in chains {
        let key = (&chain.name, defined_at(chain), used_at(chain), chain.calls);
        let index = chain.defined.as_ref().and_then(|place| place.index);
        let row = *known.entry((key, index)).or_insert(rows.len());
        match rows.get_mut(row) {
            Some(same) => same.push(chain),
            None => rows.push(vec![chain]),
        }
    }
    let heading = ["NAME", "DEFINED AT", "USED AT", "BYTECODE", "CALLS"];
    let mut table = Table::new(&heading).indented(4);
    for row in rows {
        let Some(first) = row.first() else { continue };
        let used = row.iter().map(|chain| chain.used.as_ref());
        table.row(vec![
            Cell::with(Look::Strong, name(first)),
            Cell::new(defined_at(first)),
            Cell::new(used_at(first)),
            indexes(first.defined.as_ref(), used),
            counts.cell(first.calls),
        ]);
    }
    table
}

fn name(chain: &CoveredChain) -> String {
    let name = clean(&chain.name);
    // Of an array that has no plain name, only the brackets are told.
    match name.starts_with('[') {
        true => format!("…{name}"),
        false => name.into_owned(),
    }
}

fn used_at(chain: &CoveredChain) -> String {
    chain.used.as_ref().map(place).unwrap_or_default()
}

/// Where the variable got its value, with the method if it is another than the call's.
fn defined_at(chain: &CoveredChain) -> String {
    let Some(defined) = &chain.defined else {
        return "outside".to_owned();
    };
    if chain.by_entry {
        return "entry".to_owned();
    }
    let at = place(defined);
    let same = |is: fn(&Place) -> &str| chain.used.as_ref().map(is) == Some(is(defined));
    let same_class = same(|place| &place.class);
    let same_method = same_class && same(|place| &place.method) && same(|place| &place.descriptor);
    // Without a line, the place itself says the method.
    if same_method || defined.line.is_none() {
        at
    } else if same_class {
        format!("{at} in {}", clean(&defined.method))
    } else {
        let class = simple_class(&defined.class);
        format!("{at} in {}.{}", clean(class), clean(&defined.method))
    }
}

/// The bytecode indexes of both ends: one line may hold several conditions and reads.
fn indexes<'a>(from: Option<&Place>, to: impl IntoIterator<Item = Option<&'a Place>>) -> Cell {
    let index = |place: Option<&Place>| Some(format!("@{}", place?.index?));
    let to: Vec<_> = to.into_iter().filter_map(index).collect();
    let text = format!("{} → {}", index(from).unwrap_or_default(), to.join(" "));
    Cell::with(Look::Faint, text.trim())
}

/// How numbers of calls look.
#[derive(Clone, Copy)]
struct Counts {
    /// Other calls of the method could have covered the same.
    others: bool,
}

impl Counts {
    fn of(coverage: &CallCoverage) -> Self {
        let others = coverage.edges.iter().any(|edge| edge.calls > 1);
        Self { others }
    }

    /// What no other call of several covered stands out: it is what one looks for.
    fn cell(self, calls: u64) -> Cell {
        let look = match calls {
            1 if self.others => Look::ChangedBelow,
            _ => Look::Plain,
        };
        Cell::number(count(calls)).looking(look)
    }
}
