//! The units of `deploy/systemd`, as systemd reads them, and the machine's daemon, as `jhyde` finds it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use jhyde_integration::Folder;
use jhyde_integration::tools::binary;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The units, with this build's `jhyded` for the one that is not installed.
fn units(folder: &Path) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/systemd");
    let to = folder.join("units");
    let built = binary("jhyded").display().to_string();
    copy(&from, &to, &built);
    to
}

fn copy(from: &Path, to: &Path, jhyded: &str) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the units are there").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target, jhyded);
        } else {
            let unit = fs::read_to_string(entry.path()).expect("a unit");
            let unit = unit.replace("/usr/bin/jhyded", jhyded);
            fs::write(target, unit).expect("a file");
        }
    }
}

fn systemd_analyze(folder: &Path, words: &[&str]) -> Output {
    Command::new("systemd-analyze")
        .args(words)
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder)
        .output()
        .expect("systemd-analyze can be started: deploy/test.sh installs it (package systemd)")
}

#[test]
fn systemd_finds_nothing_wrong_with_the_units() {
    let folder = tempfile::tempdir().expect("a folder");
    let units = units(folder.path());
    for words in [
        &["verify", "--man=no", "./jhyded.service", "./jhyded.socket"][..],
        &["verify", "--man=no", "--user", "./user/jhyded.service"],
    ] {
        let output = systemd_analyze(&units, words);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
        assert!(said.trim().is_empty(), "{words:?}: {said}");
    }
    // What is written wrong is found: else the above says nothing.
    let service = units.join("jhyded.service");
    let unit = fs::read_to_string(&service).expect("a unit");
    fs::write(&service, unit.replace("WatchdogSec=", "WatchDogSec=")).expect("a file");
    let output = systemd_analyze(&units, &["verify", "--man=no", "./jhyded.service"]);
    assert!(text(&output.stderr).contains("WatchDogSec"), "{output:?}");
}

#[test]
fn the_service_is_in_a_sandbox_and_spares_what_it_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let units = units(folder.path());
    let judged = |threshold: &str| {
        let threshold = format!("--threshold={threshold}");
        let words = ["security", "--offline=true", &threshold, "./jhyded.service"];
        systemd_analyze(&units, &words)
    };
    let output = judged("20");
    assert!(output.status.success(), "{}", text(&output.stdout));
    // The threshold is looked at.
    assert!(!judged("1").status.success());
    for unit in ["jhyded.service", "user/jhyded.service"] {
        let unit = fs::read_to_string(units.join(unit)).expect("a unit");
        for line in [
            "Type=notify",
            "KillMode=process",
            "OOMPolicy=continue",
            "LimitCORE=0",
        ] {
            assert!(unit.lines().any(|it| it == line), "{line}");
        }
        assert!(unit.contains("WatchdogSec=") && unit.contains("ExecReload=/bin/kill -HUP"));
    }
}

#[test]
fn the_user_of_the_service_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("etc")).expect("a folder");
    let output = Command::new("systemd-sysusers")
        .arg(format!("--root={}", folder.path().display()))
        .arg(units(folder.path()).join("jhyde.sysusers"))
        .output()
        .expect("systemd-sysusers can be started: deploy/test.sh installs it (package systemd)");
    assert!(output.status.success(), "{output:?}");
    let of = |file: &str| fs::read_to_string(folder.path().join("etc").join(file));
    let users = of("passwd").expect("users");
    assert!(
        users.contains("jhyde:") && users.contains("/var/lib/jhyde"),
        "{users}"
    );
    assert!(of("group").expect("groups").contains("jhyde:"));
}

/// Killed with the test.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn jhyde_asks_the_machines_daemon_where_there_is_none_of_ones_own() {
    let machine = Folder::new();
    let socket = machine.data().with_file_name("system.sock");
    let mut command = machine.jhyded(&["serve", "--log", "info"]);
    command.env("JHYDED_LISTEN_UNIX_PATH", &socket);
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .expect("jhyded can be started");
    let mut lines = BufReader::new(child.stderr.take().expect("its log")).lines();
    let _daemon = Daemon(child);
    let serves = lines
        .by_ref()
        .map_while(Result::ok)
        .any(|line| line.contains("serving"));
    assert!(serves, "it serves");
    std::thread::spawn(move || lines.for_each(drop));

    let home = tempfile::tempdir().expect("a folder");
    let own = home.path().join("own");
    let jhyde = |words: &[&str], socket: &Path| {
        let output = Command::new(binary("jhyde"))
            .args(words)
            .env_clear()
            .env("HOME", home.path())
            .env("XDG_RUNTIME_DIR", home.path())
            .env("XDG_DATA_HOME", &own)
            .env("JHYDE_SYSTEM_SOCKET", socket)
            .stdin(Stdio::null())
            .output()
            .expect("jhyde can be started");
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let of_machine = machine.data().display().to_string();
    let (code, said, complained) = jhyde(&["daemon", "status"], &socket);
    assert_eq!(code, Some(0), "{complained}");
    assert!(said.contains(&of_machine), "{said}");
    assert_eq!(jhyde(&["list", "--no-start"], &socket).0, Some(0));
    // It is not ended by whoever does not name it.
    assert_eq!(jhyde(&["daemon", "stop"], &socket).0, Some(0));
    assert_eq!(jhyde(&["list", "--no-start"], &socket).0, Some(0));

    // A folder that was named is meant, and a socket where nobody is, or none, is no daemon.
    let named = home.path().join("named").display().to_string();
    for (words, socket) in [
        (
            &["list", "--no-start", "--data", &named][..],
            socket.as_path(),
        ),
        (&["list", "--no-start"], Path::new("/none.sock")),
        (&["list", "--no-start"], Path::new("")),
    ] {
        let (code, _, complained) = jhyde(words, socket);
        assert_eq!(code, Some(5), "{words:?}: {complained}");
    }

    // One's own comes first.
    let (code, _, complained) = jhyde(&["list"], Path::new(""));
    assert_eq!(code, Some(0), "{complained}");
    let (_, said, _) = jhyde(&["daemon", "status"], &socket);
    assert!(said.contains(&own.display().to_string()), "{said}");
    assert_eq!(jhyde(&["daemon", "stop"], &socket).0, Some(0));
    let (_, said, _) = jhyde(&["daemon", "status"], &socket);
    assert!(said.contains(&of_machine), "{said}");
}
