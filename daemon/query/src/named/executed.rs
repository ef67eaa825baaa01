//! Was a line executed, and which way did its conditions go?
//!
//! That something of a line is recorded shows that it ran. That nothing is recorded does not show that it did not: some
//! lines leave no trace (`break;`). So "no" needs more: no way of control from where the method's calls were led to the
//! line, where at a condition only those ways count that are recorded, and behind a call only what one came back from, and else all.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use jhyde_bytecode::{Code, CoverageEdges, Instruction, Opcode};
use jhyde_store::records::{CallRecord, Direction, MethodEvent, MethodRef};
use jhyde_trace::{CallId, ClassInfo, Event, EventKind, Level, MethodId, Timestamp};
use rustc_hash::FxHashMap;

use super::reached::{Reached, Went, reached};
use super::yes_no::full_name;
use crate::answer::Row;
use crate::error::Result;
use crate::prepared::{Ask, wrong};
use crate::sight::Sight;

/// `executed`.
pub(crate) fn executed(ask: &Ask<'_>, take: &mut dyn FnMut(Row) -> Result<()>) -> Result<()> {
    let given = ask.needed("line");
    let parsed = given.rsplit_once(':').and_then(|(class, line)| {
        let line: u32 = line.parse().ok()?;
        Some((class, line))
    });
    let Some((class, line)) = parsed else {
        return Err(wrong(
            "line",
            given,
            "a line is written Class:LINE, such as MergeSort:53",
        ));
    };
    let classes = ask.classes("line", class)?;
    let lines: BTreeSet<u32> = classes
        .iter()
        .flat_map(|class| &class.methods)
        .flat_map(|method| method.lines.iter().map(|entry| entry.line))
        .collect();
    // A line of the class's file may be one of a class in it, or around it, too: that of an anonymous class's constructor.
    let mut others = of_the_file(ask, &classes)?;
    others.retain(|other| classes.iter().all(|class| class.id != other.id));
    let mut on_line = methods_on(&classes, line);
    on_line.extend(methods_on(&others, line));
    if on_line.is_empty() {
        let code = match (lines.first(), lines.last()) {
            (Some(first), Some(last)) => format!(
                "no code of the class stands there; it has code from line {first} to {last}, and of classes of its file that were never loaded nothing is \
                 recorded"
            ),
            _ => "the class has no table of lines, or is outside the scope: where its code stands is not recorded".to_owned(),
        };
        return Err(wrong("line", given, code));
    }
    let sight = Sight::of(ask)?;
    for method in on_line {
        of_method(ask, &sight, &method, line, take)?;
    }
    Ok(())
}

/// The methods of classes that have code on a line.
fn methods_on(classes: &[Arc<ClassInfo>], line: u32) -> Vec<MethodRef> {
    let mut found = Vec::new();
    for class in classes {
        for (position, method) in class.methods.iter().enumerate() {
            if method.lines.iter().any(|entry| entry.line == line) {
                found.push(MethodRef {
                    class: Arc::clone(class),
                    position,
                });
            }
        }
    }
    found
}

/// The classes that were compiled from the files of these: those that are in one class of the outermost level with them (JVMS 4.7.6: a
/// compiler names them by it and a `$`), and whose file has the same name.
fn of_the_file(ask: &Ask<'_>, classes: &[Arc<ClassInfo>]) -> Result<Vec<Arc<ClassInfo>>> {
    let recording = ask.history.recording();
    let outermost = |name: &str| name.split('$').next().unwrap_or_default().to_owned();
    let file = |class: &ClassInfo| (outermost(&class.name), class.source_file.clone());
    let files: BTreeSet<_> = classes.iter().map(|class| file(class)).collect();
    let mut found = Vec::new();
    for id in recording.classes() {
        let class = recording.class(id)?;
        found.extend(class.filter(|class| files.contains(&file(class))));
    }
    Ok(found)
}

fn of_method(
    ask: &Ask<'_>,
    sight: &Sight,
    method: &MethodRef,
    line: u32,
    take: &mut dyn FnMut(Row) -> Result<()>,
) -> Result<()> {
    let info = method.method();
    let ranges = ranges_of(method, line);
    let is_on = |index: u32| ranges.iter().any(|range| range.contains(&index));
    let code = Code::decode(&info.code).ok();
    let mut walk = Walk {
        ask,
        sight,
        code: code.as_ref(),
        is_on: &is_on,
        went: Went::default(),
        visits: FxHashMap::default(),
    };
    walk.begin(info.id)?;
    for event in ask
        .history
        .recording()
        .events_of_method(info.id, ask.span.range())
    {
        ask.history.check()?;
        if let Some(event) = ask.readable(event)? {
            walk.take(&event);
        }
    }
    let mut went = walk.went;
    let of = Some((method.class.id, info.id));
    let edges_hidden = sight.hides(ask, Level::Full, of);
    let reached = match &code {
        Some(code) if !went.blind => reached(ask, code, &went, edges_hidden.is_none())?,
        _ => Reached::Unknown,
    };
    let is_called = !went.begins.is_empty() || went.blind;
    // Why control may have been there although nothing tells of it.
    let untraced = match reached {
        _ if !is_called => None,
        Reached::All(indexes) if !indexes.iter().any(|index| is_on(*index)) => None,
        Reached::All(_) => Some(edges_hidden.clone().unwrap_or_else(|| {
            "what is recorded does not tell whether control came there from the code before it"
                .to_owned()
        })),
        Reached::Unknown => Some("where control was is not recorded".to_owned()),
    };
    // What ran is counted by what it left: at lower levels not each time leaves something.
    let hidden = match went.line.count {
        0 => sight.hides(ask, Level::Calls, None).or(untraced),
        _ => edges_hidden.clone(),
    };
    let name = full_name(method);
    take(
        went.line
            .clone()
            .row(format!("line {line} of {name}"), hidden),
    )?;
    let Some(code) = code else { return Ok(()) };
    let outcomes = CoverageEdges::new(&code);
    let mut ways: BTreeSet<(u32, u32)> = BTreeSet::new();
    for edge in outcomes.edges() {
        ways.extend(
            edge.from
                .filter(|from| is_on(*from))
                .map(|from| (from, edge.to)),
        );
    }
    for (from, to) in ways {
        let place = match info.line_of(to) {
            Some(line) => format!("line {line} (index {to})"),
            None => format!("index {to}"),
        };
        let what = format!("line {line}: the condition at index {from} led to {place}");
        let found = went.edges.remove(&(from, to)).unwrap_or_default();
        let hidden = match is_called {
            false => sight.hides(ask, Level::Calls, None),
            true => edges_hidden.clone(),
        };
        take(found.row(what, hidden))?;
    }
    Ok(())
}

/// Ranges of bytecode indexes that stand on a line.
fn ranges_of(method: &MethodRef, line: u32) -> Vec<Range<u32>> {
    let info = method.method();
    let entries = info.lines.iter().enumerate();
    let on_line = entries.filter(|(_, entry)| entry.line == line);
    let range = |(at, entry): (usize, &jhyde_trace::LineEntry)| {
        let end = info.lines.get(at + 1).map_or(u32::MAX, |next| next.start);
        entry.start..end
    };
    on_line.map(range).collect()
}

/// Goes through what the calls of a method did, in the order of time.
struct Walk<'a> {
    ask: &'a Ask<'a>,
    sight: &'a Sight,
    code: Option<&'a Code>,
    is_on: &'a dyn Fn(u32) -> bool,
    went: Went,
    /// Of each call that runs.
    visits: FxHashMap<CallId, Visit>,
}

impl Walk<'_> {
    /// The calls of the method that ran when the span began: where they were then.
    fn begin(&mut self, method: MethodId) -> Result<()> {
        let recording = self.ask.history.recording();
        let from = self.ask.span.from;
        let Some(before) = from.0.checked_sub(1) else {
            return Ok(());
        };
        // Of what was cut off nothing is told; what ran on from there is.
        let before = Timestamp(before).max(recording.kept_from());
        for thread in recording.thread_ids() {
            let innermost = recording.innermost_call(thread, before)?;
            if innermost.is_root() {
                continue;
            }
            for call in recording.path(innermost)? {
                if call.method == method && !call.boundary && call.enter < from {
                    self.ran_before(&call);
                }
            }
        }
        Ok(())
    }

    fn ran_before(&mut self, call: &CallRecord) {
        self.went.calls_unseen = true;
        let before = call.enter..self.ask.span.from;
        let recording = self.ask.history.recording();
        let mut back = recording.own_events(call.id, before, Direction::Backward);
        let last = back.find_map(|event| place_after(&event.ok()?.event, call.id));
        self.went.blind |= last.is_none();
        // What it does in the span on the line where it was is a visit of the span.
        let visit = Visit {
            first: None,
            last: last.unwrap_or_default(),
        };
        self.went.begins.extend(last);
        self.visits.insert(call.id, visit);
    }

    /// An event of a call of the method, or the beginning of a call that it makes.
    fn take(&mut self, row: &MethodEvent) {
        self.come(row);
        if row.event.call == row.call && matches!(row.event.kind, EventKind::Exit { .. }) {
            self.visits.remove(&row.call);
        }
    }

    fn come(&mut self, row: &MethodEvent) {
        let (call, event) = (row.call, &row.event);
        let is_own = event.call == call;
        let went = &mut self.went;
        if let EventKind::Enter {
            already_running, ..
        } = event.kind
            && is_own
        {
            match already_running {
                true => went.blind = true,
                false => {
                    went.begins.insert(0);
                }
            }
            self.visits.insert(call, Visit::default());
        }
        let visit = self.visits.entry(call).or_insert_with(|| {
            // Its beginning is lost.
            went.blind = true;
            Visit::default()
        });
        if let EventKind::Enter { call_site, .. } = event.kind
            && !is_own
        {
            match call_site {
                Event::NO_INDEX => went.calls_unseen = true,
                place => went.calls.entry(place).or_default().add(event.call),
            }
        }
        let Some(index) = place_of(event, call) else {
            return;
        };
        let is_certain = self.sight.is_certain(self.ask, call.thread, row.timestamp);
        let doubt = || format!("what is told of {} may be false", row.timestamp);
        let behind = passed(self.code, event, call);
        for (position, index) in [index].into_iter().chain(behind).enumerate() {
            let is_new = visit.come(index, (self.is_on)(index), position > 0);
            match (is_new, is_certain) {
                (false, _) => {}
                (true, true) => went.line.add(row.timestamp),
                (true, false) => went.line.doubt(doubt),
            }
        }
        match event.kind {
            EventKind::Edge { from, to } if is_own => {
                let edge = went.edges.entry((from, to)).or_default();
                match is_certain {
                    true => edge.add(row.timestamp),
                    false => edge.doubt(doubt),
                }
            }
            EventKind::Caught { .. } if is_own => {
                went.handlers.insert(index);
            }
            _ => {}
        }
    }
}

/// A stay of control on the line, which may go back and forth on it: that of a `for` comes from behind its body to the step, and
/// from there to the test.
#[derive(Debug, Default)]
struct Visit {
    /// The first instruction of the line that it was at; none while control is elsewhere.
    first: Option<u32>,
    last: u32,
}

impl Visit {
    /// Control comes to an instruction. Does a new visit of the line begin? So it does where a jump leads back to what was
    /// done already: each round of a loop that stands on one line is one.
    fn come(&mut self, index: u32, is_on: bool, is_jump: bool) -> bool {
        let is_back = is_jump && index <= self.last;
        self.last = index;
        let Some(first) = self.first.filter(|_| is_on) else {
            self.first = is_on.then_some(index);
            return is_on;
        };
        self.first = Some(first.min(index));
        is_back && index >= first
    }
}

/// Where control surely went behind an event of a call: the way of a condition, or what comes behind an instruction that
/// stored a value, and from there on as far as jumps lead forwards that nothing decides.
fn passed(code: Option<&Code>, event: &Event, call: CallId) -> Vec<u32> {
    let mut passed = Vec::new();
    let instruction = |index| code.and_then(|code| code.at(index));
    let mut next = match event.kind {
        _ if event.call != call => None,
        EventKind::Edge { to, .. } => Some(to),
        EventKind::Write { .. } => instruction(event.index)
            .filter(|stored| is_store(stored.opcode))
            .map(Instruction::next),
        _ => None,
    };
    while let Some(index) = next {
        passed.push(index);
        // A jump back is an edge of its own: the round of a loop ends there.
        let jump = instruction(index).filter(|jump| jump.opcode.is_goto());
        let target = jump.and_then(|jump| jump.targets().first().copied());
        next = target.filter(|target| *target > index);
    }
    passed
}

/// Does it store a value that was computed, into a local, a field or an element? It has done so when the write is recorded.
fn is_store(opcode: Opcode) -> bool {
    const PUT_STATIC: u8 = 0xb3;
    const PUT_FIELD: u8 = 0xb5;
    const INCREMENT: u8 = 0x84;
    matches!(
        opcode as u8,
        0x36..=0x56 | INCREMENT | PUT_STATIC | PUT_FIELD
    )
}

/// Where in a call something happened that the call did; nothing where that is not known.
fn place_of(event: &Event, call: CallId) -> Option<u32> {
    let index = match &event.kind {
        EventKind::Enter { .. } if event.call == call => 0,
        EventKind::Enter { call_site, .. } => *call_site,
        _ if event.call != call => return None,
        EventKind::Gap { .. } | EventKind::Snapshot { .. } => return None,
        kind if kind.is_found() => return None,
        EventKind::Edge { from, .. } => *from,
        _ => event.index,
    };
    (index != Event::NO_INDEX).then_some(index)
}

/// Where control goes on behind it.
fn place_after(event: &Event, call: CallId) -> Option<u32> {
    match event.kind {
        EventKind::Edge { to, .. } if event.call == call => Some(to),
        _ => place_of(event, call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_a_loop_on_one_line_are_visits_and_the_step_of_a_for_is_none() {
        let count = |come: &[(u32, bool, bool)]| {
            let mut visit = Visit::default();
            let new = come
                .iter()
                .filter(|(index, is_on, is_jump)| visit.come(*index, *is_on, *is_jump));
            new.count()
        };
        // `while (x) y++;` three times round.
        let round = [(4, true, false), (9, true, false), (4, true, true)];
        assert_eq!(count(&[round, round].concat()), 3);
        // `for (…; …; i++) {` with its body on other lines, twice round.
        let around = [
            (14, false, false),
            (22, true, true),
            (25, true, false),
            (4, true, true),
        ];
        assert_eq!(
            count(&[&[(2, true, false), (4, true, false)][..], &around, &around].concat()),
            3
        );
    }
}
