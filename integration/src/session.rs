//! Whole sessions of `jhyde debug --json` with an oracle in Rust, and the programs that they are about.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::Folder;

/// One session by a script: what it was asked, and the last line.
#[derive(Debug)]
pub struct Session {
    /// The calls of the questions.
    pub asked: Vec<Value>,
    /// The notes of all lines, each once.
    pub notes: Vec<String>,
    /// The last line.
    pub last: Value,
}

impl Session {
    /// What was answered without asking.
    pub fn known(&self) -> Vec<&Value> {
        let known = self.last["known"].as_array();
        known.into_iter().flatten().collect()
    }

    /// The methods of the questions, with their invocations: `off#2`.
    pub fn calls(&self) -> Vec<String> {
        self.asked.iter().map(named).collect()
    }
}

/// A call as people name it: `off#2`.
pub fn named(call: &Value) -> String {
    let method = call["method"].as_str().unwrap_or_default();
    format!("{method}#{}", call["invocation"])
}

/// A conversation with `jhyde debug RECORDING --json`, line by line.
#[derive(Debug)]
pub struct Talk {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Talk {
    /// Begins it; its first line is to be heard.
    ///
    /// # Panics
    /// When `jhyde` cannot be started, as all of this panics when it does not speak.
    pub fn begin(folder: &Folder, recording: &str, more: &[&str]) -> Self {
        let words = [&["debug", recording, "--json"], more].concat();
        let mut process = folder
            .jhyde(&words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("jhyde can be started");
        let input = process.stdin.take().expect("an input");
        let output = BufReader::new(process.stdout.take().expect("an output")).lines();
        Self {
            process,
            input,
            output,
        }
    }

    /// The next line.
    ///
    /// # Panics
    /// When there is none.
    pub fn hear(&mut self) -> Value {
        let line = self.output.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    }

    /// The line that follows what is said.
    ///
    /// # Panics
    /// When there is none.
    pub fn say(&mut self, line: &Value) -> Value {
        writeln!(self.input, "{line}").expect("it listens");
        self.hear()
    }

    /// Ends it: the session is kept.
    ///
    /// # Panics
    /// When `jhyde` does not end.
    pub fn leave(self) {
        let Self {
            mut process, input, ..
        } = self;
        drop(input);
        process.wait().expect("it ends");
    }
}

/// Plays a session with an oracle over calls, once the lines of a beginning were said.
///
/// # Panics
/// When the session refuses something, or does not end well.
pub fn play(
    folder: &Folder,
    words: &[&str],
    beginning: &[Value],
    oracle: impl Fn(&Value) -> &'static str,
) -> Session {
    let mut all = vec!["debug"];
    all.extend(words);
    all.push("--json");
    let mut running = folder
        .jhyde(&all)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let mut input = running.stdin.take().expect("an input");
    let output = BufReader::new(running.stdout.take().expect("an output"));
    let mut session = Session {
        asked: Vec::new(),
        notes: Vec::new(),
        last: Value::Null,
    };
    let mut beginning = beginning.iter();
    for line in output.lines() {
        session.last = serde_json::from_str(&line.expect("text")).expect("JSON");
        for note in session.last["notes"].as_array().into_iter().flatten() {
            let note = note.as_str().expect("words").to_owned();
            if !session.notes.contains(&note) {
                session.notes.push(note);
            }
        }
        match session.last["type"].as_str() {
            Some("question") => {
                let line = beginning.next().cloned().unwrap_or_else(|| {
                    let call = session.last["call"].clone();
                    let answer = oracle(&call);
                    session.asked.push(call);
                    json!({"answer": answer})
                });
                writeln!(input, "{line}").expect("it is read");
            }
            Some("error") => panic!("{}", session.last),
            _ => break,
        }
    }
    drop(input);
    assert!(running.wait().expect("it ends").success());
    session
}

/// What `jhyde` says when it refuses these words; its code.
///
/// # Panics
/// When it does not refuse.
pub fn refused(folder: &Folder, words: &[&str]) -> (String, Option<i32>) {
    let refused = folder
        .jhyde(words)
        .stdin(Stdio::null())
        .output()
        .expect("jhyde can be started");
    assert!(!refused.status.success(), "{words:?} was not refused");
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    (error, refused.status.code())
}
