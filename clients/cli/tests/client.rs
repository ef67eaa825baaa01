//! The binary against a daemon that knows one small recording by heart: what it writes, what it
//! understands, how it ends.

mod common;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// Runs `jhyde` with a daemon; `input` is its standard input.
async fn jhyde(arguments: &[&str], input: &str) -> Output {
    let address = common::serve().await.to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_jhyde"));
    command.args(arguments).args(["--daemon", &address]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let input = input.to_owned();
    tokio::task::spawn_blocking(move || {
        let mut child = command.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap()
    })
    .await
    .unwrap()
}

fn text(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn messages(output: &Output) -> Vec<Value> {
    text(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn types(messages: &[Value]) -> Vec<&str> {
    messages
        .iter()
        .filter_map(|message| message["type"].as_str())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_for_people() {
    let output = jhyde(&["tree", "demo"], "").await;
    let expected = "\
MergeSort.main #0 () = void  [1.1]  MergeSort.java:11
└─ MergeSort.sort #0 () = void  [1.2]  MergeSort.java:22
   ├─ MergeSort.merge #0 () = void  [1.3]  MergeSort.java:33
   └─ MergeSort.merge #1 () = void  [1.4]  MergeSort.java:44
";
    assert_eq!(text(&output), expected);
    let folded = jhyde(&["tree", "demo", "--depth", "2"], "").await;
    assert_eq!(text(&folded).lines().count(), 2);
    assert!(text(&folded).contains("… 2 calls below"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_by_pages() {
    let first = jhyde(&["tree", "demo", "--limit", "3"], "").await;
    assert!(
        text(&first).ends_with("--page 3 goes on, --all shows all\n"),
        "{}",
        text(&first)
    );
    let json = jhyde(&["tree", "demo", "--limit", "3", "--json"], "").await;
    let lines = messages(&json);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3]["next_page"], "3");
    let rest = jhyde(
        &["tree", "demo", "--limit", "3", "--page", "3", "--json"],
        "",
    )
    .await;
    assert_eq!(messages(&rest)[0]["id"], "1.4");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_for_programs() {
    let output = jhyde(&["tree", "demo", "--all", "--json"], "").await;
    let calls = messages(&output);
    let ids = calls
        .iter()
        .map(|call| call["id"].as_str().unwrap())
        .collect::<Vec<_>>();
    assert_eq!(ids, ["1.1", "1.2", "1.3", "1.4"]);
    assert_eq!(calls[3]["invocation"], 1);
    assert_eq!(calls[0]["parent"], "1.0");
}

#[tokio::test(flavor = "multi_thread")]
async fn coverage_for_people_and_for_programs() {
    let output = jhyde(&["coverage", "demo", "merge #1"], "").await;
    let expected = "\
MergeSort.merge #1 () = void  [1.4]  MergeSort.java:44
  3 edges
    FROM                  TO                 BYTECODE  CALLS
    entry              →  MergeSort.java:33  → @0      1,200
    MergeSort.java:33  →  MergeSort.java:35  @4 → @7       1
                       →  MergeSort.java:40  @4 → @20      2
  5 chains
    NAME  DEFINED AT                 USED AT            BYTECODE     CALLS
    la    entry                      MergeSort.java:35  → @8             2
    i     MergeSort.java:33          MergeSort.java:35  @3 → @9 @14      1
    a[]   MergeSort.java:22 in sort  MergeSort.java:35  @3 → @12         1
    …[]   MergeSort.java:22 in sort  MergeSort.java:35  @3 → @15         2
";
    assert_eq!(text(&output), expected);
    let output = jhyde(&["coverage", "demo", "1.4", "--json"], "").await;
    let told = messages(&output);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["call"]["id"], "1.4");
    assert_eq!(told[0]["edges"][0]["from"], Value::Null);
    assert_eq!(told[0]["chains"].as_array().unwrap().len(), 5);
    assert_eq!(told[0]["chains"][2]["declaration"], "element");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_goes_away_is_no_failure() {
    let address = common::serve().await.to_string();
    let jhyde = env!("CARGO_BIN_EXE_jhyde");
    let script = format!(
        "'{jhyde}' tree demo --method many --all --json --daemon {address} | head -n 1; echo ${{PIPESTATUS[0]}}"
    );
    let output = tokio::task::spawn_blocking(move || {
        Command::new("bash").args(["-c", &script]).output().unwrap()
    })
    .await
    .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().nth(1), Some("0"), "{text}");
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_finds_the_buggy_call() {
    let answers = "{\"answer\":\"invalid\"}\n{\"answer\":\"invalid\"}\n{\"answer\":\"valid\"}\n{\"answer\":\"invalid\"}\n";
    let output = jhyde(
        &["debug", "demo", "--strategy", "top-down", "--json"],
        answers,
    )
    .await;
    let said = messages(&output);
    assert_eq!(
        types(&said),
        ["question", "question", "question", "question", "found"]
    );
    let asked = said
        .iter()
        .map(|message| message["call"]["id"].as_str().unwrap())
        .collect::<Vec<_>>();
    assert_eq!(asked, ["1.1", "1.2", "1.3", "1.4", "1.4"]);
    assert_eq!(said[0]["suspicious"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_errs_is_told_and_asked_again() {
    let lines = "nonsense\n{\"answer\":\"perhaps\"}\n{\"answer\":\"valid\",\"call\":\"none#9\"}\n{\"undo\":true}\n\n{\"answer\":\"valid\",\"call\":\"main#0\"}\n";
    let output = jhyde(&["debug", "demo", "--json"], lines).await;
    let said = messages(&output);
    let mut expected = vec!["question"];
    expected.extend(["error", "question"].repeat(4));
    expected.push("none");
    assert_eq!(types(&said), expected);
    assert_eq!(said[5]["message"], "there is no call 'none#9'");
    assert_eq!(said.last().unwrap(), &serde_json::json!({"type": "none"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_may_not_know_or_not_go_on() {
    let unknown = "{\"answer\":\"unknown\"}\n".repeat(4);
    let output = jhyde(&["debug", "demo", "--json", "--details"], &unknown).await;
    let said = messages(&output);
    assert_eq!(types(&said).last(), Some(&"undecided"));
    assert_eq!(said[4]["calls"].as_array().unwrap().len(), 4);
    assert_eq!(said[0]["outcome"]["objects"][0]["rows"][0]["changed"], true);
    let left = jhyde(&["debug", "demo", "--json"], "").await;
    assert_eq!(types(&messages(&left)), ["question", "left"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_of_any_page_are_told_once() {
    // Of the first page there are none; the two others say the same.
    let history = |more: &'static [&str]| async move {
        jhyde(&[&["history", "demo", "pkg.A.F"], more].concat(), "").await
    };
    let all = messages(&history(&["--json"]).await);
    let notes = json!({"notes": ["a block is damaged"]});
    assert_eq!((all.len(), all.last()), (4, Some(&notes)));
    let said = text(&history(&["--all"]).await);
    assert_eq!(said.matches("! a block is damaged").count(), 1, "{said}");
    let page = messages(&history(&["--json", "--page", "1"]).await);
    assert_eq!(page[1..], [notes, json!({"next_page": "2"})]);
    let first = messages(&history(&["--json", "--limit", "1"]).await);
    assert_eq!(first[1..], [json!({"next_page": "1"})]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_through_a_pipe() {
    let lines = "i\nbogus\nmerge #0 valid\nhistory c[1]\nat 1.2\nup\nundo\nmerge#1 invalid\n";
    let output = jhyde(&["debug", "demo"], lines).await;
    let said = text(&output);
    for expected in [
        "? MergeSort.main #0 ()",
        "c  int[2] array#3 {9, 7}",
        "MergeSort.main #0 is invalid; 4 calls are suspicious",
        "'bogus' is not known",
        "MergeSort.merge #0 is valid; 3 calls are suspicious",
        "array#3[1]",
        "· MergeSort.main #0 ()",
        "the last answer is taken back; 4 calls are suspicious",
        "The buggy call: MergeSort.merge #1 ()",
        "MergeSort.java:44",
        "jhyde history demo 'array#3[0]'",
        "jhyde debug demo --session s1",
    ] {
        assert!(
            said.contains(expected),
            "'{expected}' is missing in:\n{said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_when_asked_for() {
    let output = jhyde(&["call", "demo", "merge#1", "--color", "always"], "").await;
    assert!(
        text(&output).contains("\u{1b}[31m7\u{1b}[0m"),
        "{}",
        text(&output)
    );
    let plain = jhyde(&["call", "demo", "merge#1"], "").await;
    assert!(!text(&plain).contains('\u{1b}'));
    assert!(text(&plain).contains("was {9, 7}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_opened_where_asked() {
    let closed = jhyde(&["state", "demo", "merge#1"], "").await;
    assert!(
        text(&closed).contains("~") && !text(&closed).contains("[1]"),
        "{}",
        text(&closed)
    );
    let opened = jhyde(&["state", "demo", "merge#1", "--expand", "c", "--json"], "").await;
    let rows = &messages(&opened)[0]["rows"];
    assert_eq!(rows[0]["children"][0]["end"], 7);
    let wrong = jhyde(&["state", "demo", "merge#1", "--expand", "d"], "").await;
    assert_eq!(wrong.status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_say_what_went_wrong() {
    let missing = jhyde(&["call", "demo", "none#9"], "").await;
    assert_eq!(missing.status.code(), Some(3));
    assert_eq!(
        String::from_utf8(missing.stderr).unwrap(),
        "jhyde: there is no call 'none#9'\n"
    );
    let not_built = jhyde(&["classes", "demo"], "").await;
    assert_eq!(not_built.status.code(), Some(6));
    // The last --daemon would win; none is needed to see that this one is refused.
    let nobody = Command::new(env!("CARGO_BIN_EXE_jhyde"))
        .args(["list", "--daemon", "127.0.0.1:1"])
        .output()
        .unwrap();
    assert_eq!(nobody.status.code(), Some(5));
    let errors = String::from_utf8(nobody.stderr).unwrap();
    assert!(errors.contains("refused"), "{errors}");
    assert_eq!(errors.lines().count(), 1);
}
