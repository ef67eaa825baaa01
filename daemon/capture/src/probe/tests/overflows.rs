//! Programs that run out of stack: what a call of the scope had no room for did not begin, and all else is told.

use super::*;

const WAYS: [&str; 15] = [
    "plain",
    "interface",
    "default",
    "toString",
    "hashCode",
    "compareTo",
    "constructor",
    "chained",
    "regex",
    "lambda",
    "synchronized",
    "block",
    "finally",
    "wide",
    "stubborn",
];

/// What static fields of the program were written last.
fn last_written(list: &List) -> BTreeMap<String, String> {
    let mut teller = Teller::new(list);
    let mut all = BTreeMap::new();
    for event in &list.events {
        if let EventKind::Write { variable, value } = &event.kind
            && matches!(variable, Variable::Static { .. })
        {
            all.insert(teller.variable(variable), teller.value(value));
        }
    }
    all
}

fn overflows(options: &[&str], ways: &[&str]) {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Overflows"));
        for &way in ways {
            let mut run = options.to_vec();
            run.extend(["Overflows", way]);
            let recorded = record_of(jdk, folder.path(), &run, EngineKind::Probe, (&[], &[]));
            let of = format!("{way} {options:?} {jdk:?}");
            let printed = &recorded.printed;
            let gaps = recorded
                .list
                .events
                .iter()
                .filter_map(|event| match &event.kind {
                    EventKind::Gap { reason, .. } => Some(reason.as_str()),
                    _ => None,
                });
            let gaps: Vec<&str> = gaps.collect();
            assert!(gaps.is_empty(), "{of}: {gaps:?}\n{printed}");
            let fails = printed.matches("out of stack in the program").count();
            assert_eq!(
                fails + printed.matches("returned").count(),
                4,
                "{of}: {printed}"
            );
            assert!(way == "stubborn" || fails == 4, "{of}: {printed}");
            let last = printed.lines().last().unwrap_or_default();
            let count = |word: &str| {
                let before = last.split(word).next().unwrap_or_default();
                before
                    .trim()
                    .rsplit(' ')
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            };
            let written = last_written(&recorded.list);
            for field in ["begun", "held"] {
                let told = written.get(&format!("Overflows.{field}"));
                let told = told.map_or("0", |told| {
                    told.trim_start_matches("Int(").trim_end_matches(')')
                });
                assert_eq!(told, count(field), "{of}: {printed}");
            }
            let entered = |list: &List| {
                let teller = Teller::new(list);
                let enters = list.events.iter().filter_map(|event| match &event.kind {
                    EventKind::Enter { method, .. } => Some(teller.method(*method)),
                    _ => None,
                });
                enters.filter(|name| name.contains(".down(")).count()
            };
            if [
                "plain",
                "interface",
                "default",
                "toString",
                "hashCode",
                "compareTo",
            ]
            .contains(&way)
            {
                assert_eq!(entered(&recorded.list).to_string(), count("begun"), "{of}");
            }
        }
    }
}

#[test]
fn overflows_are_told_to_the_last_call() {
    overflows(&[], &WAYS);
}

#[test]
fn overflows_of_code_that_is_not_compiled() {
    overflows(
        &["-Xint"],
        &["plain", "toString", "hashCode", "block", "stubborn"],
    );
}

/// Where the program throws them itself, each step is known.
#[test]
fn errors_of_the_jvm_that_a_program_throws() {
    own("Errors");
}
