//! Standing orders, `[[watch]]` in the configuration of `jhyded serve`: a JVM is recorded whenever it is up, whoever was there first,
//! and what names no JVM or is not allowed is said.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use jhyde_integration::ticker::{
    PATIENCE, Ticker, assert_readable, ended, has_calls, recording, until,
};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// `jhyded serve` with a configuration of its own, and its log.
struct Daemon {
    child: Child,
    log: Receiver<String>,
    config: PathBuf,
}

impl Daemon {
    fn serve(folder: &Folder, text: &str) -> Self {
        Self::serve_with(folder, text, &[])
    }

    fn serve_with(folder: &Folder, text: &str, options: &[&str]) -> Self {
        let config = folder.data().with_file_name("standing.toml");
        fs::write(&config, text).expect("it is written");
        let file = config.display().to_string();
        let mut child = folder
            .jhyded(&["serve", "--config", &file, "--log", "info"])
            .args(options)
            .stderr(Stdio::piped())
            .spawn()
            .expect("jhyded can be started");
        let lines = BufReader::new(child.stderr.take().expect("its log")).lines();
        let (send, log) = channel();
        // It is read to its end, whoever listens.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        let daemon = Self { child, log, config };
        daemon.says("serving");
        daemon
    }

    /// Waits for a line of its log.
    fn says(&self, words: &str) -> String {
        loop {
            let line = self.log.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("it never says {words:?}"));
            if line.contains(words) {
                return line;
            }
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let killed = Command::new("kill").args([name, &pid]).status();
        assert!(killed.expect("kill can be started").success());
    }

    /// Gives it another configuration.
    fn reload(&self, text: &str) {
        fs::write(&self.config, text).expect("it is written");
        self.signal("-HUP");
        self.says("the configuration was read anew");
    }

    fn end(mut self) {
        self.signal("-TERM");
        let status = self.child.wait().expect("it ends");
        let log: Vec<String> = self.log.iter().collect();
        assert!(status.success(), "{status}: {log:?}");
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody listens at, just now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn entry(port: u16) -> String {
    format!(
        "[[watch]]\naddress = \"localhost:{port}\"\nname = \"ticks\"\nlevel = \"state\"\ninclude = [\"fx.*\"]\n"
    )
}

fn ticker(jdk: &Jdk, port: u16) -> Ticker {
    let agent = format!("server=y,suspend=n,address=127.0.0.1:{port}");
    let mut ticker = Ticker::start(jdk, &agent);
    ticker.listens_again();
    ticker
}

fn continues(recording: &Value) -> Option<&str> {
    let notes = recording["notes"].as_array().expect("notes");
    let mut notes = notes.iter().filter_map(Value::as_str);
    notes.find_map(|note| note.strip_prefix("standing order: continues "))
}

#[test]
fn a_jvm_is_recorded_whenever_it_is_up() {
    for jdk in jdks() {
        let folder = Folder::new();
        let port = free_port();
        let daemon = Daemon::serve(&folder, &entry(port));
        daemon.says("waits for a JVM");

        // It comes, and goes; the next one is waited for.
        let first = ticker(&jdk, port);
        let told = until(&folder, "ticks", "recorded", has_calls);
        assert_eq!(told["level"], "state", "{told}");
        assert_eq!(continues(&told), None, "{told}");
        first.end();
        let told = until(&folder, "ticks", "ended", ended);
        assert_eq!(told["state"], "complete", "{told}");
        assert_readable(&folder, "ticks");
        let mut second = ticker(&jdk, port);
        let told = until(&folder, "ticks-2", "recorded", has_calls);
        assert_eq!(continues(&told), Some("ticks"), "{told}");

        // The daemon goes, and comes; the JVM runs on.
        daemon.end();
        second.listens_again();
        let daemon = Daemon::serve(&folder, &entry(port));
        let told = until(&folder, "ticks-3", "recorded", has_calls);
        assert_eq!(continues(&told), Some("ticks-2"), "{told}");
        let told = recording(&folder, "ticks-2").expect("it is kept");
        assert_eq!(told["state"], "detached", "{told}");

        // Whoever ends it by hand means it, until the configuration is read anew.
        folder.ask(&["detach", "ticks-3"]);
        daemon.says("the order rests");
        second.listens_again();
        daemon.reload(&entry(port));
        let told = until(&folder, "ticks-4", "recorded", has_calls);
        assert_eq!(continues(&told), Some("ticks-3"), "{told}");

        // An entry that is taken out is followed no more; what is being made goes on.
        daemon.reload("");
        let told = recording(&folder, "ticks-4").expect("it is there");
        assert_eq!(told["state"], "running", "{told}");
        second.end();
        until(&folder, "ticks-4", "ended", ended);
        let mut second = ticker(&jdk, port);
        second.ticks(1500);
        assert_eq!(recording(&folder, "ticks-5"), None);

        // One that is added is followed.
        daemon.reload(&entry(port).replace("\"ticks\"", "\"again\""));
        let told = until(&folder, "again", "recorded", has_calls);
        assert_eq!(continues(&told), None, "{told}");
        folder.ask(&["stop", "again"]);
        second.ticks(3);
        second.end();
        daemon.end();
    }
}

#[test]
fn whose_jvms_may_be_recorded_holds_for_standing_orders() {
    let jdk = jdks().remove(0);
    let folder = Folder::new();
    let port = free_port();
    let mut ticker = ticker(&jdk, port);
    let forbidden = format!("[attach]\nhosts = [\"192.0.2.0/24\"]\n{}", entry(port));
    let daemon = Daemon::serve(&folder, &forbidden);
    let line = daemon.says("a standing order cannot be followed");
    assert!(line.contains("attach.hosts"), "{line}");
    ticker.ticks(3);
    assert_eq!(recording(&folder, "ticks"), None);
    // Allowed, it goes on by itself.
    daemon.reload(&entry(port));
    until(&folder, "ticks", "recorded", has_calls);
    daemon.end();
    // A daemon that a client started follows none, and ends when nobody needs it.
    ticker.listens_again();
    let client = Daemon::serve_with(&folder, &entry(port), &["--idle-exit", "10m"]);
    ticker.ticks(1500);
    assert_eq!(recording(&folder, "ticks-2"), None);
    client.end();
    ticker.end();
}

#[test]
fn a_configuration_says_what_is_wrong_with_an_entry() {
    let folder = Folder::new();
    let config = folder.data().with_file_name("checked.toml");
    let check = |text: &str| {
        fs::write(&config, text).expect("it is written");
        let file = config.display().to_string();
        let output = folder.jhyded(&["config", "check", &file]).output();
        let output = output.expect("jhyded can be started");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), told)
    };
    assert_eq!(check(&entry(5005)).0, Some(0), "{}", check(&entry(5005)).1);
    let good = entry(5005);
    for (text, word) in [
        (good.replace("localhost:5005", "localhost"), "HOST:PORT"),
        (good.replace("\"state\"", "\"most\""), "most"),
        (good.replace("\"ticks\"", "\"-x y\""), "its name"),
        (good.replace("level", "levle"), "levle"),
        (format!("{good}at_limit = \"explode\"\n"), "explode"),
        (format!("{good}max_bytes = \"much\"\n"), "much"),
        (format!("{good}{good}"), "two entries"),
    ] {
        let (code, told) = check(&text);
        assert_eq!(code, Some(3), "{text}: {told}");
        assert!(told.contains(word), "{text}: {told}");
        assert!(told.contains("checked.toml"), "{text}: {told}");
    }

    // A daemon that runs keeps what it has.
    let port = free_port();
    let daemon = Daemon::serve(&folder, &entry(port));
    fs::write(&daemon.config, entry(port).replace("\"state\"", "\"most\"")).expect("written");
    daemon.signal("-HUP");
    let line = daemon.says("the configuration is as it was");
    assert!(line.contains("most"), "{line}");
    let jdk = jdks().remove(0);
    let ticker = ticker(&jdk, port);
    until(&folder, "ticks", "recorded", has_calls);
    ticker.end();
    daemon.end();
}
