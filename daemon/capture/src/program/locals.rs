//! Local variables over the slots that they lie in.
//!
//! A variable table (JVMS 4.7.13) may have several entries for one variable: compilers write one for each branch that gives a variable
//! its value which was declared without any. Two loops with an `i` of their own have two entries, too, and those are two variables.

use std::ops::Range;

use jhyde_bytecode::{Code, DefUse, FlowGraph, MethodDescriptor, Variables};
use jhyde_trace::{LocalVariable, MethodInfo};

/// Where a variable table says that a variable lies in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    slot: u16,
    range: Range<u32>,
    /// The variable, by its position in the method's list.
    variable: u16,
}

impl Place {
    fn at(entry: &LocalVariable, variable: u16) -> Self {
        Self {
            slot: entry.slot,
            range: entry.start..entry.start.saturating_add(entry.length),
            variable,
        }
    }

    /// The variable that a slot holds at a bytecode index, if the table names one.
    pub(crate) fn variable_in(places: &[Self], slot: u16, index: u32) -> Option<u16> {
        let mut places = places.iter();
        let found = places.find(|place| place.slot == slot && place.range.contains(&index));
        found.map(|place| place.variable)
    }
}

/// Makes one variable of the entries that are one, and says where each lies.
pub(crate) fn united(info: &mut MethodInfo) -> Vec<Place> {
    let groups = groups(info).unwrap_or_else(|| (0..info.variables.len()).collect());
    let (mut all, mut places): (Vec<LocalVariable>, _) = (Vec::new(), Vec::new());
    let mut numbers = vec![None; info.variables.len()];
    for (entry, &group) in info.variables.iter().zip(&groups) {
        let number = *numbers[group].get_or_insert_with(|| {
            all.push(entry.clone());
            all.len() - 1
        });
        // A method has at most 65,535 entries.
        places.push(Place::at(entry, u16::try_from(number).unwrap_or(u16::MAX)));
        let whole = &mut all[number];
        let end_of = |entry: &LocalVariable| entry.start.saturating_add(entry.length);
        let end = end_of(whole).max(end_of(entry));
        whole.start = whole.start.min(entry.start);
        whole.length = end - whole.start;
    }
    info.variables = all;
    places
}

/// For each entry the first one of its variable; `None`: each is one of its own.
fn groups(info: &MethodInfo) -> Option<Vec<usize>> {
    let table = &info.variables;
    let is_alike = |one: &LocalVariable, other: &LocalVariable| {
        one.slot == other.slot && one.name == other.name && one.descriptor == other.descriptor
    };
    let mut pairs = table.iter().enumerate();
    if !pairs.any(|(at, one)| table[at + 1..].iter().any(|other| is_alike(one, other))) {
        return None;
    }
    // What a class file says may be anything.
    let in_code = |entry: &LocalVariable| entry.start.checked_add(entry.length).is_some();
    if !table.iter().all(in_code) {
        return None;
    }
    let code = Code::decode(&info.code).ok()?;
    let descriptor = MethodDescriptor::parse(&info.descriptor).ok()?;
    let is_static = info.is_static();
    let this = (!is_static).then_some((0, 1));
    let parameters = descriptor.parameter_slots(is_static);
    let entry: Vec<_> = this
        .into_iter()
        .chain(parameters.map(|(slot, kind)| (slot, kind.slots())))
        .collect();
    // Handlers are not known here: what is assigned in one only, and read behind it, is what another way gave a value to as well.
    let graph = FlowGraph::new(&code, &[]).ok()?;
    let def_use = DefUse::new(&code, &graph, &entry).ok()?;
    let entries: Vec<_> = table.iter().map(entry_of).collect();
    let variables = Variables::with_def_use(&entries, &code, &def_use);
    let first = |entry: &LocalVariable| {
        let range = (entry.start, entry.start + entry.length);
        let mut all = variables.all().iter();
        let own = all.find(|own| {
            own.slot == entry.slot && own.name == entry.name && own.ranges.contains(&range)
        })?;
        table.iter().position(|other| {
            let range = (other.start, other.start + other.length);
            is_alike(entry, other) && own.ranges.contains(&range)
        })
    };
    let groups: Vec<usize> = table.iter().map(first).collect::<Option<_>>()?;
    // Between the entries of one variable its slot is nobody else's.
    let is_taken = |at: usize, group: usize| {
        let of = table.iter().zip(&groups).filter(|(_, of)| **of == group);
        let ends = of.map(|(entry, _)| entry.start + entry.length);
        let end = ends.max().unwrap_or_default();
        let starts = table.iter().zip(&groups).filter(|(_, of)| **of == group);
        let start = starts
            .map(|(entry, _)| entry.start)
            .min()
            .unwrap_or_default();
        let mut others = table.iter().zip(&groups).filter(|(_, of)| **of != group);
        others.any(|(other, _)| {
            other.slot == table[at].slot && other.start < end && start < other.start + other.length
        })
    };
    let kept = groups.iter().enumerate();
    let kept = kept.map(|(at, &group)| match is_taken(at, group) {
        true => at,
        false => group,
    });
    Some(kept.collect())
}

fn entry_of(entry: &LocalVariable) -> jhyde_bytecode::LocalVariable {
    jhyde_bytecode::LocalVariable {
        start: entry.start,
        length: entry.length,
        name: entry.name.clone(),
        descriptor: entry.descriptor.clone(),
        signature: None,
        slot: entry.slot,
    }
}

#[cfg(test)]
mod tests {
    use jhyde_trace::MethodId;

    use super::*;

    fn entry(name: &str, slot: u16, range: Range<u32>) -> LocalVariable {
        LocalVariable {
            start: range.start,
            length: range.end - range.start,
            slot,
            name: name.to_owned(),
            descriptor: "I".to_owned(),
        }
    }

    fn method(code: &[u8], variables: Vec<LocalVariable>) -> MethodInfo {
        MethodInfo {
            id: MethodId(1),
            name: "f".to_owned(),
            descriptor: "(I)I".to_owned(),
            modifiers: 0x0008,
            lines: Vec::new(),
            variables,
            code: code.to_vec(),
        }
    }

    /// `int r; if (c != 0) r = 1; else r = 2; return r;`, as javac writes it.
    #[test]
    fn a_variable_that_is_assigned_on_two_branches_is_one() {
        let code = [
            0x1a, // 0: iload_0
            0x99, 0, 8,    // 1: ifeq 9
            0x04, // 4: iconst_1
            0x3c, // 5: istore_1
            0xa7, 0, 5,    // 6: goto 11
            0x05, // 9: iconst_2
            0x3c, // 10: istore_1
            0x1b, // 11: iload_1
            0xac, // 12: ireturn
        ];
        let table = vec![
            entry("c", 0, 0..13),
            entry("r", 1, 6..9),
            entry("r", 1, 11..13),
        ];
        let mut info = method(&code, table);
        let places = united(&mut info);
        assert_eq!(info.variables, [entry("c", 0, 0..13), entry("r", 1, 6..13)]);
        let at = |index| Place::variable_in(&places, 1, index);
        // Where it has no value for certain it is none that can be read.
        assert_eq!([at(6), at(9), at(11)], [Some(1), None, Some(1)]);
        assert_eq!(Place::variable_in(&places, 0, 3), Some(0));
    }

    /// `{ int i = 1; g(i); } { int i = 2; return i; }`
    #[test]
    fn variables_of_two_blocks_stay_two() {
        let code = [
            0x04, // 0: iconst_1
            0x3c, // 1: istore_1
            0x1b, // 2: iload_1
            0x57, // 3: pop
            0x05, // 4: iconst_2
            0x3c, // 5: istore_1
            0x1b, // 6: iload_1
            0xac, // 7: ireturn
        ];
        let table = vec![entry("i", 1, 2..4), entry("i", 1, 6..8)];
        let mut info = method(&code, table.clone());
        let places = united(&mut info);
        let each = (0..).zip(&table).map(|(at, entry)| Place::at(entry, at));
        assert_eq!(places, each.collect::<Vec<_>>());
        assert_eq!(info.variables, table);
    }

    #[test]
    fn a_table_that_is_no_table_stays_as_it_is() {
        let table = vec![entry("r", 1, 6..9), entry("r", 1, u32::MAX - 1..u32::MAX)];
        let mut info = method(&[0xff, 0xff], table.clone());
        united(&mut info);
        assert_eq!(info.variables, table);
    }
}
