//! Exports as Prolog facts, loaded by SWI-Prolog and asked with the rules of `daemon/query/prolog/javata.pl`.

use std::process::Command;

use jhyde_integration::{Folder, jdks};

use super::{ledger, record_delivery, rows};

/// What Prolog says to a goal; each answer is a line.
pub(super) fn asked(folder: &Folder, options: &[&str], goal: &str) -> Vec<String> {
    let file = folder.data().join("run.pl");
    let _ = std::fs::remove_file(&file);
    let path = file.display().to_string();
    folder.ask(&[&["export", "--jel", "run", &path], options].concat());
    let rules = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../daemon/query/prolog/javata.pl"
    );
    let goal = format!("forall({goal}, (print(X), nl))");
    let output = Command::new("swipl")
        .args(["-q", "-g", &goal, "-t", "halt", &path, rules])
        .output()
        .expect("swipl is missing: apt-get install swi-prolog-nox");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{goal}: {said}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_null_is_followed_in_prolog_too() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    record_delivery(&folder, jdk);
    let ask = |goal: &str| asked(&folder, &[], goal);
    let thrown = ask("where_exception_is_thrown(main, event(_, _, X))");
    let object = thrown[0]
        .split("o(")
        .nth(1)
        .and_then(|rest| rest.split(')').next())
        .unwrap_or_default();
    let this = format!("o({object})");
    assert_eq!(
        thrown,
        [format!(
            "methodcall(l('Delivery.java',18),{this},hand,[null])"
        )]
    );
    let chain = ask(
        "(event(E, main, exception(_, _, _, uncaught)), full_detail_call_chain(E, C), \
          member(event(_, _, methodcall(_, _, M, A)), C), X = M-A)",
    );
    assert_eq!(
        chain[..4],
        ["hand-[null]", "carry-[null]", "begin-[]", "'<init>'-[]"]
    );
    let before = ask(
        "(event(E, main, methodcall(_, _, carry, _)), pre_event_called_methods(E, P), \
          member([_, event(_, _, methodexit(_, _, _, M, V))], P), X = M-V)",
    );
    assert_eq!(before, ["'<init>'-void", "fetch-null"]);
    // A local is told of where its line has been passed.
    let steps = ask("(event(_, _, step(l(_, 10), L)), member(lv(parcel, V), L), X = V)");
    assert_eq!(steps, ["null"]);
    // Numbers rise, and each event has its timestamp.
    let numbers =
        ask("(findall(I, event(I, _, _), L), sort(L, L), findall(I, at(I, _), L), X = rising)");
    assert_eq!(numbers, ["rising"]);
}

#[test]
fn prolog_and_jhyde_query_agree() {
    let jdk = &jdks()[0];
    let folder = ledger(jdk, "full");
    let ask = |goal: &str| asked(&folder, &[], goal);
    let totals = rows(&folder, &["field-history", "Ledger.total"]);
    let told: Vec<_> = totals
        .iter()
        .map(|row| format!("{}-{}", row["event"], row["value"]))
        .collect();
    let written = ask("(event(E, _, setfield(_, _, total, V)), at(E, T), X = T-V)");
    assert_eq!(written, told);
    // Around each event, the same calls.
    let chains = ask(
        "(at(E, T), full_detail_call_chain(E, C), findall(N, (member(event(I, _, _), C), at(I, N)), L), X = T-L)",
    );
    assert!(chains.len() > 40, "{chains:?}");
    for line in chains.iter().step_by(5) {
        let (at, enters) = line.split_once('-').expect("a pair");
        let chain = rows(&folder, &["call-chain", at]);
        let told: Vec<_> = chain
            .iter()
            .map(|row| row["call"]["enter"].to_string())
            .collect();
        assert_eq!(enters, format!("[{}]", told.join(",")), "{at}");
    }
    // The state of an object; with defaults each field has a value.
    let special = rows(&folder, &["instances", "Special"]).remove(0);
    let object = special["object"]["object"].to_string();
    let goal = format!(
        "(findall(I, event(I, _, _), L), last(L, E), object_state(E, 'Special', {object}, S), member([_, F, V], S), number(V), X = F-V)"
    );
    let known = ask(&goal);
    assert!(
        known.contains(&"total-4".to_owned()) && !known.contains(&"bonus-0".to_owned()),
        "{known:?}"
    );
    let known = asked(&folder, &["--defaults"], &goal);
    assert!(
        known.contains(&"total-4".to_owned()) && known.contains(&"bonus-0".to_owned()),
        "{known:?}"
    );
    // What ended by an exception that was caught has no exit; it is told otherwise, and encloses nothing behind.
    let left = ask("(left(C, _, _), event(C, _, methodcall(_, _, X, _)))");
    assert_eq!(left, ["refuse"]);
    // Calls out of the scope only when they are asked for.
    let outside = "event(_, _, methodcall(_, _, parseInt, [X]))";
    assert_eq!(ask(outside), [] as [&str; 0]);
    assert_eq!(asked(&folder, &["--boundary"], outside).len(), 2);
    let texts = ask("(text(O, '12'), event(_, _, methodcall(_, _, read, [O])), X = found)");
    assert_eq!(texts, ["found"]);
    let arrays = ask(
        "(event(E, _, methodcall(_, _, firstBig, _)), N is E + 1, event(N, _, datastructure(_, X)))",
    );
    assert_eq!(arrays, ["[1,2,8,3]"]);
}
