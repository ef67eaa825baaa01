//! Code that was changed: what is in both is found again, and only what is not is told.

use serde_json::Value as Json;

use crate::{Compared, both, line, line_of};

fn told(change: (&str, &str)) -> (Compared, String) {
    let (folder, text) = both("Steps", change, &[]);
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    assert_eq!(compared.footer()["more"], false);
    (compared, text)
}

/// The events of differences that one side alone has, `SIDE effect`.
fn alone(compared: &Compared) -> Vec<String> {
    let differences = compared.of("difference").into_iter();
    let alone = differences.filter_map(|of| {
        let side = of["only"].as_str()?;
        Some(format!("{side} {}", of["effect"].as_str()?))
    });
    alone.collect()
}

#[test]
fn calls_are_found_again_behind_one_that_was_left_out() {
    let new = "if (round != 2) step(round);";
    let (compared, text) = told(("            step(round);", &format!("            {new}")));
    assert_eq!(compared.alone("left"), ["step"]);
    assert!(compared.alone("right").is_empty(), "{:?}", compared.parts);
    let calls = compared.differences("call");
    let [left_out] = calls[..] else {
        panic!("{calls:?}")
    };
    assert_eq!(left_out["only"], "left");
    // The condition that was put in is the first difference, and has no counterpart.
    let first = compared.of("divergence")[0];
    assert_eq!(first["aspect"], "control");
    assert_eq!(first["effect"], "branch");
    assert_eq!(first["only"], "right");
    assert_eq!(line(first, "right"), Some(line_of(&text, new)));
    // Its sum is another from then on.
    let sums = compared.differences("write");
    assert!(sums.iter().any(|of| of["what"] == "value"), "{sums:?}");
}

#[test]
fn calls_are_found_again_in_every_round_of_a_long_loop() {
    let jdk = jhyde_integration::jdks().swap_remove(0);
    let folder = jhyde_integration::Folder::new();
    let text = crate::source("compare", "Steps");
    let long = crate::replaced(&text, "ROUNDS = 5", "ROUNDS = 2000");
    let changed = crate::replaced(
        &long,
        "done += twice(round);",
        "done += twice(round); twice(7);",
    );
    crate::record(&folder, &jdk, ("right", "Steps"), &long, &[]);
    crate::record(&folder, &jdk, ("wrong", "Steps"), &changed, &[]);
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    // One call of each round, and nothing else, whichever way 2,000 rounds are cut into pieces.
    assert_eq!(
        compared.number("differences"),
        2000,
        "{}",
        compared.footer()
    );
    // What is printed at the end is longer than what is kept of a text.
    assert!(compared.number("unknown") < 9, "{}", compared.footer());
    let more = compared.of("more");
    assert_eq!(more.len(), 1);
    assert_eq!(more[0]["differences"], 2000 - 8);
    assert_eq!(compared.alone("right"), ["twice"; 8]);
    assert!(compared.alone("left").is_empty());
}

#[test]
fn what_was_put_in_is_told_and_the_rest_is_equal() {
    let (compared, text) = told(("        spin();", "        spin(); twice(150);"));
    assert_eq!(alone(&compared), ["right call"]);
    assert_eq!(compared.number("differences"), 1, "{}", compared.footer());
    assert_eq!(compared.number("unknown"), 0, "{}", compared.footer());
    let first = compared.of("divergence")[0];
    assert_eq!(line(first, "right"), Some(line_of(&text, "twice(150)")));
    assert_eq!(compared.of("divergence").len(), 1);
    // What it is in has a row, and so has it: main, around, twice.
    assert_eq!(compared.of("call").len(), 3);
    assert_eq!(compared.alone("right"), ["twice"]);
}

#[test]
fn a_variable_put_in_is_the_only_difference() {
    let (compared, _) = told(("int mixed = 1;", "int mixed = 1; int extra = 7;"));
    assert_eq!(alone(&compared), ["right write"]);
    assert_eq!(compared.number("differences"), 1, "{}", compared.footer());
    assert_eq!(compared.number("unknown"), 0, "{}", compared.footer());
}

#[test]
fn a_loop_is_passed_by_however_long_it_is() {
    let (compared, text) = told(("i < 5", "i < 40000"));
    // What comes behind it is found again: no call is told to be on one side alone.
    assert!(compared.differences("call").is_empty());
    assert!(compared.alone("left").is_empty() && compared.alone("right").is_empty());
    let first = compared.of("divergence")[0];
    assert_eq!(first["aspect"], "control");
    assert_eq!(line(first, "left"), Some(line_of(&text, "i < 40000")));
    // All of its rounds are told, and none is called equal.
    assert!(compared.number("differences") >= 3 * 39995);
    let twice: Vec<&Json> = compared.of("call");
    assert!(twice.iter().all(|call| call["left"]["method"] != "twice"));
}

#[test]
fn a_condition_that_went_two_ways_is_one_difference() {
    let (compared, text) = told(("i < 4", "i < 4 && i > -1 && i != 3"));
    let first = compared.of("divergence")[0];
    assert_eq!(first["aspect"], "control");
    assert_eq!(
        line(first, "right"),
        Some(line_of(&text, "i < 4 && i > -1"))
    );

    let (compared, text) = told(("object != null", "object == null"));
    let first = compared.of("divergence")[0];
    assert_eq!(first["effect"], "branch", "{first}");
    assert!(first["only"].is_null(), "{first}");
    let line_of = line_of(&text, "object == null");
    assert_eq!(
        ["left", "right"].map(|side| line(first, side)),
        [Some(line_of); 2]
    );
}

#[test]
fn an_exception_on_one_side_is_told() {
    let old = "return \"tried \" + value;";
    let new = "if (value > 3) throw new IllegalStateException(\"no \" + value); return \"tried \" + value;";
    let (compared, text) = told((old, new));
    let thrown = compared.differences("exception");
    assert!(!thrown.is_empty());
    assert!(
        thrown
            .iter()
            .any(|of| line(of, "right") == Some(line_of(&text, new)))
    );
    // The call ended in another way, and so it is said.
    assert!(thrown.iter().any(|of| of["only"].is_null()), "{thrown:?}");
    let caught = thrown
        .iter()
        .filter(|of| of["right"]["event"]["kind"] == "caught");
    assert_eq!(caught.count(), 1);
}

#[test]
fn an_object_that_is_born_otherwise_differs_once() {
    let (compared, text) = told((
        "new StringBuilder(\"made\")",
        "new java.util.ArrayList<>(3)",
    ));
    let objects = compared.differences("object");
    let [made] = objects[..] else {
        panic!("{objects:?}")
    };
    assert_eq!(line(made, "right"), Some(line_of(&text, "ArrayList<>(3)")));
    // It is used four times, as what the other one is.
    assert!(compared.differences("argument").is_empty());
}

#[test]
fn a_value_is_told_where_it_is_another_first() {
    let change = ("return value * 2;", "return value == 3 ? 7 : value * 2;");
    let (compared, text) = told(change);
    let value = compared.of("divergence");
    let value: Vec<&&Json> = value.iter().filter(|of| of["aspect"] == "value").collect();
    let [value] = value[..] else {
        panic!("{value:?}")
    };
    assert_eq!(value["effect"], "result");
    assert_eq!(line(value, "right"), Some(line_of(&text, change.1)));
    for side in ["left", "right"] {
        let chain = value[side]["chain"].as_array().expect("a chain");
        let methods: Vec<&str> = chain
            .iter()
            .filter_map(|call| call["method"].as_str())
            .collect();
        assert_eq!(methods, ["main", "work", "twice"]);
        let state = value[side]["state"].as_array().expect("a state");
        let given = state.iter().find(|row| row["name"] == "value");
        assert_eq!(given.expect("the parameter")["value"], 3);
    }
}

#[test]
fn a_case_that_is_put_in_moves_no_other_one() {
    // The one that is put in makes another kind of table of it.
    let old = "static String attempt(int value) {";
    let with = |cases: &str| {
        format!(
            "static int kind(int value) {{ switch (value) {{ {cases} default: return 1; }} }}\n    {old}"
        )
    };
    let jdk = jhyde_integration::jdks().swap_remove(0);
    let folder = jhyde_integration::Folder::new();
    let use_it = "twice(300); for (int i = 3; i < 7; i++) kind(i);";
    let text = crate::replaced(&crate::source("compare", "Steps"), "twice(300);", use_it);
    for (name, cases) in [
        ("right", "case 4: return 40; case 5: return 50;"),
        (
            "wrong",
            "case -70000: return 7; case 4: return 40; case 5: return 50;",
        ),
        ("other", "case 4: return 40;"),
    ] {
        let text = crate::replaced(&text, old, &with(cases));
        crate::record(&folder, &jdk, (name, "Steps"), &text, &[]);
    }
    Compared::new(&folder, &["right", "wrong", "--all"]).assert_equal();
    // One that was taken out is told.
    let compared = Compared::new(&folder, &["right", "other", "--all"]);
    let branches = compared.differences("branch");
    assert_eq!(branches.len(), 1, "{:?}", compared.parts);
    let first = compared.of("divergence")[0];
    assert_eq!(first["effect"], "branch", "{first}");
}

#[test]
fn lambdas_that_captured_other_values_differ_once() {
    let lambda = "java.util.function.IntUnaryOperator add = adding(3); int all = 0; for (int i = 0; i < 4; i++) all += given(add, i);";
    let text = crate::replaced(&crate::source("compare", "Steps"), "twice(300);", lambda);
    let text = crate::replaced(
        &text,
        "static String attempt(int value) {",
        "static java.util.function.IntUnaryOperator adding(int more) { return value -> value + more; }\n    \
         static int given(java.util.function.IntUnaryOperator of, int value) { return value; }\n    static String attempt(int value) {",
    );
    let changed = crate::replaced(
        &text,
        "return value -> value + more;",
        "int one = more + 1; return value -> value + one;",
    );
    let jdk = jhyde_integration::jdks().swap_remove(0);
    let folder = jhyde_integration::Folder::new();
    for (name, text) in [("right", &text), ("again", &text), ("wrong", &changed)] {
        crate::record(&folder, &jdk, (name, "Steps"), text, &[]);
    }
    Compared::new(&folder, &["right", "again", "--all"]).assert_equal();
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    let told = |effect: &str| compared.differences(effect).len();
    // Its call site is given what it captures. It is met where it is yielded; that it is given on, four times, is no difference.
    assert_eq!(told("argument"), 1, "{:?}", compared.parts);
    assert_eq!(told("result"), 1, "{:?}", compared.parts);
}
