//! A recording whose daemon was killed says in every answer that touches its end that it was cut there.

use jhyde_integration::cut::cut;
use jhyde_integration::{Folder, jdks};

const NAME: &str = "cut";

/// What `jhyde WORDS` printed on both of its outputs, whether it refused or not.
fn said(folder: &Folder, words: &[&str]) -> String {
    let output = folder.jhyde(words).output();
    let output = output.expect("jhyde can be started");
    [output.stdout, output.stderr]
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .concat()
}

#[test]
fn answers_that_touch_the_end_of_a_cut_recording_say_so() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    cut(&folder, &jdk, NAME, "3000");

    let shown = folder.json(&["show", NAME]);
    assert_eq!(shown[0]["state"], "cut", "{shown:?}");
    let events = shown[0]["events"].as_u64().expect("a number");
    let last = (events - 1).to_string();
    let end = format!("the recording was cut after event {last} (");
    let calls = folder.json(&["tree", NAME, "--all"]);
    let call = |open: bool| {
        let found = calls.iter().find(|call| {
            call["boundary"] == false && call["exit"].is_null() == open && call["id"].is_string()
        });
        found.and_then(|call| call["id"].as_str()).expect("a call")
    };
    let (main, ended) = (call(true), call(false));
    let everywhere = "fx.Steady.total";
    let touching: [&[&str]; 14] = [
        &["tree", NAME, "--all"],
        &["tree", NAME, main, "--depth", "1", "--all"],
        &["call", NAME, main],
        &["state", NAME, main],
        &["coverage", NAME, main],
        &["events", NAME, main, "--all"],
        &["events", NAME, "--from", &last],
        &["events", NAME, "--follow", "--from", &last],
        &["step", NAME, &last],
        &["where", NAME],
        &["threads", NAME],
        &["classes", NAME],
        &["debug", NAME],
        &["history", NAME, everywhere, "--newest"],
    ];
    for words in touching {
        for json in [false, true] {
            let words = [words, if json { &["--json"][..] } else { &[] }].concat();
            let told = said(&folder, &words);
            assert_eq!(told.matches(&end).count(), 1, "{words:?}: {told}");
            assert!(!told.contains("still running"), "{words:?}: {told}");
        }
    }
    let elsewhere: [&[&str]; 5] = [
        &["tree", NAME, "--limit", "3"],
        &["call", NAME, ended],
        &["state", NAME, ended],
        &["events", NAME, ended, "--all"],
        &["events", NAME, "--from", "0", "--limit", "1"],
    ];
    for words in elsewhere {
        let told = said(&folder, words);
        assert!(!told.contains("cut after"), "{words:?}: {told}");
    }
}
