//! Clients of a daemon that is somebody else's: over TCP, with a token.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use jhyde_integration::scraped::Scraped;
use jhyde_integration::{Folder, jdks};

/// A daemon of a folder; killed with the test.
struct Daemon(Child, String);

impl Daemon {
    fn serve(folder: &Folder) -> Self {
        let mut command = folder.jhyded(&["serve", "--listen", "127.0.0.1:0", "--log", "info"]);
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("jhyded can be started");
        let mut lines = BufReader::new(child.stderr.take().expect("its log")).lines();
        let serving = lines.by_ref().map_while(Result::ok);
        let serving = serving.into_iter().find(|line| line.contains("serving"));
        let serving = serving.expect("it serves");
        std::thread::spawn(move || lines.for_each(drop));
        let address = serving
            .split('"')
            .find(|part| part.starts_with("127.0.0.1:"));
        Self(child, address.expect("a port").to_owned())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_is_recorded_is_counted_and_not_named() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let daemon = Scraped::serve(&folder);
    let begun = Instant::now();
    let mut command = folder.jhyde(&["launch", "--name", "secret-run", "--include", "MergeSort"]);
    command.arg("--").arg(jdk.java()).arg("-cp");
    command.arg(jdk.classes("mergesort")).arg("MergeSort");
    let output = command.output().expect("jhyde can be started");
    assert!(output.status.success(), "{output:?}");
    let shown = folder.json(&["show", "secret-run"]);
    let events = shown[0]["events"].as_u64().expect("a number of events");
    let metrics = daemon.text();
    for line in [
        format!("jhyde_events_total {events}"),
        "jhyde_recordings{state=\"complete\"} 1".to_owned(),
    ] {
        assert!(metrics.lines().any(|it| it == line), "{line}: {metrics}");
    }
    assert!(events > 100, "{events}");
    // Each of its calls is a stop at least: it was recorded by events, which these tests say.
    let calls = shown[0]["calls"].as_f64().expect("a number of calls");
    let stops = daemon.value("jhyde_debuggee_stops_total");
    let stood = daemon.value("jhyde_debuggee_standstill_seconds_total");
    assert!(stops > calls / 2.0 && stops <= daemon.value("jhyde_debuggee_reports_total"));
    assert!(
        stood > 0.0 && stood < begun.elapsed().as_secs_f64(),
        "{stood}"
    );
    for word in ["secret", "MergeSort"] {
        assert!(!metrics.contains(word), "{metrics}");
    }
}

fn made(folder: &Folder, words: &[&str]) -> String {
    let output = folder
        .jhyded(words)
        .output()
        .expect("jhyded can be started");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

fn told(command: &mut Command) -> (Output, String, String) {
    let output = command.output().expect("jhyde can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    (output, said, complained)
}

#[test]
fn a_client_over_tcp_says_who_it_is_with_a_token() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let classes = jdk.classes("mergesort").display().to_string();
    for name in ["shop-1", "bank-1"] {
        let program = ["-cp", &classes, "MergeSort"].map(str::to_owned);
        let run = folder.launch(jdk, name, &["--include", "MergeSort"], &program);
        assert!(run.status.success(), "{}", run.stderr);
    }
    let token = made(
        &folder,
        &[
            "token",
            "create",
            "ci",
            "--rights",
            "read",
            "--recordings",
            "shop-*",
        ],
    );
    let daemon = Daemon::serve(&folder);
    let file = folder.data().join("ci.token");
    fs::write(&file, &token).expect("a file");
    let closed = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode));
    closed(0o600).expect("a mode");
    let at = |words: &[&str]| {
        let mut command = folder.jhyde(words);
        command.args(["--daemon", &daemon.1]);
        command
    };

    // The file by a flag and by the environment, and the token itself.
    let path = file.to_str().expect("UTF-8");
    for mut command in [
        at(&["tree", "shop-1", "--token-file", path]),
        {
            let mut command = at(&["tree", "shop-1"]);
            command.env("JHYDE_TOKEN_FILE", path);
            command
        },
        {
            let mut command = at(&["tree", "shop-1"]);
            command.env("JHYDE_TOKEN", token.trim());
            command
        },
    ] {
        let (output, said, complained) = told(&mut command);
        assert!(output.status.success(), "{complained}");
        assert!(said.contains("MergeSort.merge"), "{said}");
    }
    let (_, listed, _) = told(&mut at(&["list", "--token-file", path]));
    assert!(
        listed.contains("shop-1") && !listed.contains("bank-1"),
        "{listed}"
    );

    for (words, part) in [
        (&["list"][..], "--token-file"),
        (&["tree", "bank-1", "--token-file", path], "'shop-*'"),
        (&["delete", "shop-1", "--token-file", path], "'manage'"),
        (&["list", "--token-file", "/none"], "/none"),
        (
            &["list", "--daemon", "192.0.2.1:7707", "--token-file", path],
            "ssh -L",
        ),
    ] {
        let mut command = match words.contains(&"--daemon") {
            true => folder.jhyde(words),
            false => at(words),
        };
        let (output, said, complained) = told(&mut command);
        assert!(
            !output.status.success() && said.is_empty(),
            "{words:?}: {said}"
        );
        assert!(complained.contains(part), "{words:?}: {complained}");
        assert!(!complained.contains(token.trim()), "{complained}");
    }
    closed(0o644).expect("a mode");
    let (output, _, complained) = told(&mut at(&["list", "--token-file", path]));
    assert_eq!(output.status.code(), Some(2), "{complained}");
    assert!(complained.contains("chmod 600"), "{complained}");

    // At the socket the kernel says it.
    assert!(folder.ask(&["list"]).contains("bank-1"));
    made(&folder, &["token", "revoke", "ci"]);
    std::thread::sleep(std::time::Duration::from_secs(1));
    closed(0o600).expect("a mode");
    let (_, _, complained) = told(&mut at(&["list", "--token-file", path]));
    assert!(complained.contains("revoked"), "{complained}");
}
