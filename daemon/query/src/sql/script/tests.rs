//! What comes out of texts, and where it came from.

use proptest::prelude::*;

use super::fuzzing::{go_through, go_through_script};
use super::*;

/// What is run, and what is defined, each in a line.
fn told(text: &str) -> Result<Vec<String>, Problem> {
    let mut script = Script::new(text);
    let mut all = Vec::new();
    while let Some(step) = script.next()? {
        all.push(match step {
            Step::Run(expanded) => expanded.text.trim().to_owned(),
            Step::Define(function) => {
                let names = |all: &[Argument]| {
                    all.iter()
                        .map(|one| one.name.clone())
                        .collect::<Vec<_>>()
                        .join(",")
                };
                format!(
                    "{}({}) -> ({}): {}",
                    function.name,
                    names(&function.arguments),
                    names(&function.columns),
                    function.body.text
                )
            }
        });
    }
    Ok(all)
}

fn said(text: &str) -> (usize, String) {
    let problem = told(text).expect_err(text);
    assert_eq!(problem.source.module, None);
    (problem.at, problem.reason)
}

#[test]
fn statements_are_taken_apart_and_macros_written_out() {
    let text = "CREATE MACRO twice(x) AS ($x + $x);
        CREATE MACRO all_of(what, from_) AS SELECT $what FROM $from_;
        CREATE FUNCTION f(a INTEGER, b TEXT) RETURNS TABLE(c INT) AS SELECT twice!($a) WHERE $b = ';';
        ; SELECT TWICE!(twice!(1)), 'twice!(2)'; -- twice!(3)
        all_of!(max(a, b), (SELECT 1, 2))";
    assert_eq!(
        told(text).unwrap(),
        [
            "f(a,b) -> (c): SELECT ($a + $a) WHERE $b = ';'",
            "SELECT ((1 + 1) + (1 + 1)), 'twice!(2)';",
            "-- twice!(3)\n        SELECT max(a, b) FROM  (SELECT 1, 2)",
        ]
    );
    // An argument is written where the macro is used: its `$x` is that place's.
    let text = "CREATE MACRO inner(x) AS [$x]; CREATE MACRO outer_(x) AS inner!(<$x>) $x; SELECT outer_!(1)";
    assert_eq!(
        told(text).unwrap(),
        ["SELECT [$x] 1"],
        "a quoted name is no parameter"
    );
    let text = "CREATE MACRO inner(x) AS ($x); CREATE MACRO outer_(x) AS inner!($x + 1) * $x; SELECT outer_!(2)";
    assert_eq!(told(text).unwrap(), ["SELECT (2 + 1) * 2"]);
}

#[test]
fn each_part_is_where_it_was_written() {
    let text = "CREATE MACRO m(x) AS 1 + $x + oops; SELECT m!( here )";
    let mut script = Script::new(text);
    let Some(Step::Run(expanded)) = script.next().unwrap() else {
        panic!("it is a statement");
    };
    assert_eq!(expanded.text, " SELECT 1 +  here  + oops");
    for word in ["SELECT", "here", "oops", "1 +"] {
        let at = expanded.text.find(word).unwrap();
        let (source, origin) = expanded.origin(at).unwrap();
        assert_eq!(
            (source.module, origin),
            (None, text.find(word).unwrap()),
            "{word}"
        );
    }
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    for (text, at, reason) in [
        ("SELECT m!(1)", "m!", "there is no macro m"),
        (
            "CREATE MACRO sum_(a, b) AS $a; SELECT sum_!(1)",
            "sum_!",
            "takes 2 (a, b), and is given 1",
        ),
        (
            "CREATE MACRO none() AS 1; SELECT none!(1)",
            "none!",
            "takes 0 (), and is given 1",
        ),
        (
            "CREATE MACRO m(a) AS $a; SELECT m!(1",
            "m!(1",
            "a ) is missing",
        ),
        (
            "CREATE MACRO m(a) AS $b",
            "$b",
            "$b is no argument: there are $a",
        ),
        ("CREATE MACRO m() AS ?1", "?1", "there are none"),
        ("CREATE MACRO m(a, A) AS 1", "A)", "stands there twice"),
        (
            "CREATE MACRO loop_() AS loop_!(); SELECT loop_!()",
            "loop_!(); SELECT",
            "does one use itself",
        ),
        (
            "CREATE FUNCTION f(a) RETURNS TABLE(b TEXT) AS SELECT 1",
            ") RETURNS",
            "a type is expected here",
        ),
        (
            "CREATE FUNCTION f(a BLOB) RETURNS TABLE(b TEXT) AS SELECT 1",
            "BLOB",
            "INTEGER, REAL or TEXT",
        ),
        (
            "CREATE FUNCTION f() RETURNS INTEGER AS SELECT 1",
            "INTEGER",
            "TABLE is expected",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE() AS SELECT 1",
            "f()",
            "returns no columns",
        ),
        (
            "CREATE FUNCTION f(a TEXT) RETURNS TABLE(A TEXT) AS SELECT 1",
            "f(a",
            "an argument and a column",
        ),
        (
            "CREATE FUNCTION calls() RETURNS TABLE(a TEXT) AS SELECT 1",
            "calls",
            "there is a table calls already",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE(a TEXT) AS SELECT 1; CREATE FUNCTION F() RETURNS TABLE(a TEXT) AS SELECT 1",
            "F()",
            "there is a function F already",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE(a TEXT) AS SELECT $x",
            "$x",
            "is no argument: there are none",
        ),
        (
            "CREATE FUNCTION größe() RETURNS TABLE(a TEXT) AS SELECT 1",
            "größe",
            "a function's name is expected",
        ),
        (
            "INCLUDE MODULE std.call",
            "std.call",
            "did you mean std.calls",
        ),
        ("INCLUDE MODULE xyz;", "xyz", "there are std."),
        ("INCLUDE MODULE std.calls SELECT", "SELECT", "; is expected"),
    ] {
        let (found, told) = said(text);
        assert_eq!(found, text.find(at).unwrap(), "{text}: {told}");
        assert!(told.contains(reason), "{text}: {told}");
    }
    let (at, told) = said("CREATE MACRO m(a) AS");
    assert_eq!(
        (at, told.as_str()),
        (20, "what it stands for is expected here")
    );
}

#[test]
fn what_grows_without_end_is_refused() {
    let mut text = "CREATE MACRO m0() AS x;".to_owned();
    for n in 1..=30 {
        text.push_str(&format!("CREATE MACRO m{n}() AS m{0}!() m{0}!();", n - 1));
    }
    assert!(
        said(&format!("{text} SELECT m30!()"))
            .1
            .contains("100000 macros")
    );
    let long = "'".to_owned() + &"y".repeat(100_000) + "'";
    let many = "m!(), ".repeat(11);
    let text = format!("CREATE MACRO m() AS {long}; SELECT {many} 1");
    assert!(said(&text).1.contains("longer than"));
}

#[test]
fn modules_are_included_once_and_define_only() {
    let mut script = Script::new("INCLUDE MODULE std.calls; INCLUDE MODULE std.calls; SELECT 1");
    let mut names = Vec::new();
    let mut ran = 0;
    while let Some(step) = script.next().unwrap() {
        match step {
            Step::Define(function) => names.push(function.name),
            Step::Run(expanded) => {
                assert_eq!(expanded.text, " SELECT 1");
                ran += 1;
            }
        }
    }
    let mut once = names.clone();
    once.dedup();
    assert!(!names.is_empty() && ran == 1);
    assert_eq!(once, names);
}

#[test]
fn many_functions_of_much_are_refused_before_they_fill_the_memory() {
    let mut text = format!(
        "CREATE MACRO much() AS '{}';",
        "x".repeat(LONGEST - 200_000)
    );
    for at in 0..1000 {
        text.push_str(&format!(
            "CREATE FUNCTION f{at}() RETURNS TABLE(a TEXT) AS SELECT much!();"
        ));
    }
    let mut script = Script::new(&text);
    let mut defined = 0;
    let problem = loop {
        match script.next() {
            Ok(Some(_)) => defined += 1,
            Ok(None) => panic!("all {defined} were taken"),
            Err(problem) => break problem,
        }
    };
    assert!(problem.reason.contains("have more than"), "{problem:?}");
    assert!((5..20).contains(&defined), "{defined}");
    assert!(
        text[problem.at..].starts_with("CREATE FUNCTION"),
        "{problem:?}"
    );
}

proptest! {
    /// Whatever is written: see `fuzzing`.
    #[test]
    fn any_text_is_gone_through(text in "[A-Za-z_!$'\"`\\[\\]();,.?@:/* \n0-9é-]{0,80}") {
        go_through(&text);
    }

    #[test]
    fn any_bytes_are_gone_through(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        go_through_script(&bytes);
    }
}
