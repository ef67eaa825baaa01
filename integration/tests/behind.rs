//! What a long recording's calls ran is read behind the questions of a session: somebody is asked before, and nobody has to wait
//! for it who deletes the recording or ends the daemon.

use std::path::Path;

use jhyde_integration::compiled::compile;
use jhyde_integration::session::Talk;
use jhyde_integration::{Folder, jdks};
use serde_json::{Value, json};

fn is_by_methods(question: &Value) -> bool {
    let notes = question["notes"].as_array().into_iter().flatten();
    let mut notes = notes.filter_map(Value::as_str);
    notes.any(|note| note.contains("this question goes by methods alone"))
}

fn begin(folder: &Folder, recording: &str) -> (Talk, Value) {
    let mut talk = Talk::begin(folder, recording, &["--no-known"]);
    let question = talk.hear();
    (talk, question)
}

#[test]
fn somebody_is_asked_before_all_is_read() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let classes = folder.data().with_file_name("kernels");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/kernels");
    compile(&jdk, &sources, &classes);
    let path = classes.display().to_string();
    let words = ["-cp", &path, "Kernels", "sort", "2"].map(str::to_owned);
    for name in ["first", "second"] {
        let options = ["--engine", "probe", "--level", "full"];
        let run = folder.launch(&jdk, name, &options, &words);
        assert!(run.status.success(), "{}", run.stderr);
    }
    let events = folder.json(&["show", "first"]).remove(0)["events"].clone();
    assert!(events.as_u64() > Some(1 << 24), "{events}");
    let (mut talk, question) = begin(&folder, "first");
    assert!(is_by_methods(&question), "{question}");
    // Nobody answers faster than it can be read for ever: some question goes by what calls ran.
    let mut asked = question;
    let mut answers = 0;
    while is_by_methods(&asked) {
        assert!(answers < 10_000 && asked["type"] == "question", "{asked}");
        asked = talk.say(&json!({"answer": "unknown"}));
        answers += 1;
    }
    assert_eq!(asked["type"], "question", "{asked}");
    talk.leave();
    // What is read behind is in nobody's way.
    let (talk, question) = begin(&folder, "second");
    assert!(is_by_methods(&question), "{question}");
    talk.leave();
    folder.ask(&["delete", "second"]);
    folder.end_daemon();
}
