//! `jhyde debug` and `jhyde sql` as a person sees them: in a terminal (a pty, which `script` of util-linux makes), with colours,
//! line editing and a prompt that names the call.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

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

/// Longer than anything of this takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// What comes, as it comes.
fn read(mut screen: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = screen.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

/// `jhyde` in a terminal of its own.
struct Terminal {
    process: Child,
    keyboard: ChildStdin,
    screen: Receiver<Vec<u8>>,
    /// All that was shown, with control sequences.
    shown: Vec<u8>,
    /// Up to where of the text without them somebody has looked.
    seen: usize,
}

impl Terminal {
    fn open(folder: &Folder, words: &str) -> Self {
        let line = format!(
            "exec '{}' --data '{}' {words}",
            binary("jhyde").display(),
            folder.data().display()
        );
        let mut process = Command::new("script")
            .args(["-qfec", &line, "/dev/null"])
            .env("TERM", "xterm-256color")
            .env("COLUMNS", "160")
            .env("XDG_STATE_HOME", folder.data().with_file_name("state"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script (Debian package bsdutils) can be started");
        Self {
            keyboard: process.stdin.take().expect("an input"),
            screen: read(process.stdout.take().expect("an output")),
            process,
            shown: Vec::new(),
            seen: 0,
        }
    }

    /// What is new on the screen once it ends so; none if it does not before all ends.
    fn until(&mut self, end: &str) -> Option<String> {
        self.once(|fresh| fresh.trim_end().ends_with(end))
    }

    /// What is new on the screen once this is in it.
    fn shows(&mut self, what: &str) -> String {
        self.once(|fresh| fresh.contains(what))
            .unwrap_or_else(|| panic!("{what} is never shown"))
    }

    fn once(&mut self, is_so: impl Fn(&str) -> bool) -> Option<String> {
        loop {
            let text = plain(&String::from_utf8_lossy(&self.shown));
            let fresh = &text[self.seen..];
            if is_so(fresh) {
                let fresh = fresh.to_owned();
                self.seen = text.len();
                return Some(fresh);
            }
            match self.screen.recv_timeout(PATIENCE) {
                Ok(more) => self.shown.extend(more),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("nothing more is shown: {fresh:?}"),
            }
        }
    }

    fn press(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).expect("it listens");
    }

    /// All that it showed, once it has ended by itself.
    fn close(mut self) -> String {
        assert!(self.process.wait().expect("it ends").success());
        String::from_utf8_lossy(&self.shown).into_owned()
    }
}

/// Talks to `jhyde debug ms` with these words ahead of the answers; gives the calls asked and all that was shown.
fn talk(folder: &Folder, strategy: &str) -> (Vec<String>, String) {
    let mut terminal = Terminal::open(folder, &format!("debug ms --strategy {strategy}"));
    let mut asked = Vec::new();
    // The prompt is the last thing on the screen: `MergeSort.merge #2> `.
    while let Some(fresh) = terminal.until(">") {
        let last = fresh.trim_end().rsplit('\n').next().unwrap_or_default();
        let call = last
            .trim_end_matches('>')
            .trim_start_matches("MergeSort.")
            .to_owned();
        let wrong = matches!(call.as_str(), "main #0" | "sort #0" | "merge #2");
        asked.push(call);
        terminal.press(if wrong { b"invalid\n" } else { b"v\n" });
    }
    (asked, terminal.close())
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

#[test]
fn statements_are_asked_one_after_another() {
    let jdk = jdks().swap_remove(0);
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
    let mut terminal = Terminal::open(&folder, "sql ms --all");
    terminal.shows(">");
    // In two lines, its column completed by Tab. A line is drawn anew with each key: what is shown behind it tells that it was answered.
    terminal.press(
        b"SELECT count(*) AS number FROM calls\nWHERE metho\t_id > 0 AND class = 'MergeSort';\n",
    );
    let told = terminal.shows("seen up to event");
    assert!(
        told.contains("WHERE method\u{7}_id > 0"),
        "completed as far as it is one: {told:?}"
    );
    assert!(told.contains("NUMBER\n     7\n"), "{told:?}");
    for (keys, told) in [
        ("SELECT methd FROM calls;\n", "did you mean method"),
        (".tables children\n", "  (of_call) "),
        (" SELECT upper('a secret');\n", "A SECRET"),
    ] {
        terminal.press(keys.as_bytes());
        terminal.shows(told);
    }
    // One that does not end, interrupted once it has begun, and the way out behind it.
    terminal.press(
        b"WITH RECURSIVE n(i) AS (SELECT 7000001 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;\n",
    );
    terminal.shows("\n7000300\n");
    terminal.press(&[3]);
    terminal.shows("interrupted");
    terminal.press(b".quit\n");
    assert_eq!(terminal.until("nothing like this"), None);
    terminal.close();
    let file = folder
        .data()
        .with_file_name("state")
        .join("jhyde/sql-history");
    let kept = std::fs::read_to_string(&file).expect("it is kept");
    assert!(
        kept.contains("methd") && !kept.contains("a secret"),
        "{kept}"
    );
    let mode = std::fs::metadata(&file)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}
