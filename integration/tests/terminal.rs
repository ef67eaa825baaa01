//! `jhyde debug` as a person sees it: in a terminal (a pty, which `script` of util-linux makes), with colours,
//! line editing and a prompt that names the call.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use jhyde_integration::tools::binary;
use jhyde_integration::{Folder, jdks};

/// Text without the terminal's control sequences (ECMA-48: ESC [ parameters final byte).
fn plain(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            if rest.next_if_eq(&'[').is_some() {
                while rest.next_if(|c| !('@'..='~').contains(c)).is_some() {}
                rest.next();
            }
        } else if c != '\r' {
            kept.push(c);
        }
    }
    kept
}

/// Talks to `jhyde debug ms` with these words ahead of the answers; gives the calls asked and all that was shown.
fn talk(folder: &Folder, strategy: &str) -> (Vec<String>, String) {
    let line = format!(
        "'{}' --data '{}' debug ms --strategy {strategy}",
        binary("jhyde").display(),
        folder.data().display()
    );
    let mut session = Command::new("script")
        .args(["-qfec", &line, "/dev/null"])
        .env("TERM", "xterm-256color")
        .env("COLUMNS", "160")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script (Debian package bsdutils) can be started");
    let mut keyboard = session.stdin.take().expect("an input");
    let mut screen = session.stdout.take().expect("an output");
    let (mut shown, mut answered, mut asked) = (Vec::new(), 0, Vec::new());
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = screen.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..count]);
        let text = plain(&String::from_utf8_lossy(&shown));
        let fresh = &text[answered..];
        // The prompt is the last thing on the screen: `MergeSort.merge #2> `.
        if let Some(call) = fresh
            .trim_end()
            .rsplit('\n')
            .next()
            .and_then(|last| last.strip_suffix('>'))
        {
            let call = call.trim_start_matches("MergeSort.").to_owned();
            let wrong = matches!(call.as_str(), "main #0" | "sort #0" | "merge #2");
            asked.push(call);
            answered = text.len();
            keyboard
                .write_all(if wrong { b"invalid\n" } else { b"v\n" })
                .expect("it listens");
        }
    }
    session.wait().expect("it ends");
    (asked, String::from_utf8_lossy(&shown).into_owned())
}

#[test]
fn a_session_in_a_terminal_finds_the_buggy_call() {
    for jdk in jdks() {
        let folder = Folder::new();
        let path = jdk.classes("mergesort").display().to_string();
        let arguments = ["-cp".to_owned(), path, "MergeSort".to_owned()];
        let run = folder.launch(
            &jdk,
            "ms",
            &["--level", "state", "--include", "MergeSort"],
            &arguments,
        );
        assert!(run.status.success(), "{}", run.stderr);
        let all = [
            "main #0",
            "sort #0",
            "distribute #0",
            "merge #0",
            "merge #1",
            "distribute #1",
            "merge #2",
        ];
        for (strategy, order) in [("top-down", &all[..]), ("divide-and-query", &all[1..])] {
            let (asked, shown) = talk(&folder, strategy);
            assert_eq!(asked, order, "{strategy}: {shown}");
            assert!(shown.contains("\u{1b}["), "no colours: {shown}");
            let end = plain(&shown);
            let end = end.rsplit("merge #2>").next().unwrap_or_default();
            assert!(
                end.contains("merge #2") && end.contains("MergeSort.java"),
                "the end names call and place: {end}"
            );
            folder.json(&["sessions", "ms"]);
        }
    }
}
