//! What cannot be compared: a clear answer, and nothing is told.

use jhyde_integration::session::refused;
use jhyde_integration::ticker::{Ticker, attach, ended, has_calls, until};
use jhyde_integration::{Folder, Jdk, jdks};

use crate::{record, source};

#[test]
fn what_cannot_be_compared_is_refused() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let (steps, workers) = (source("compare", "Steps"), source("compare", "Workers"));
    for (name, class, text, options) in [
        ("steps", "Steps", &steps, &[][..]),
        ("again", "Steps", &steps, &[]),
        ("workers", "Workers", &workers, &[]),
        ("lower", "Steps", &steps, &["--level", "state"]),
        ("other", "Steps", &steps, &["--exclude", "other.*"]),
    ] {
        record(&folder, &jdk, (name, class), text, options);
    }
    for (words, said) in [
        (&["steps", "steps"][..], "itself"),
        (&["steps", "workers"], "different programs"),
        (&["steps", "lower"], "at level state"),
        (&["lower", "steps"], "at level state"),
        (&["steps", "other"], "--include and --exclude"),
        (&["steps", "nothing"], "no recording 'nothing'"),
        (&["nothing", "steps"], "no recording 'nothing'"),
        (&["steps", "again", "--learn", "steps"], "itself"),
        (&["steps", "again", "--learn", "again"], "a run that failed"),
        (&["steps", "again", "--learn", "lower"], "at level state"),
        (&["steps", "again", "--ignore", "result@"], "is not a rule"),
        (&["steps"], "FAILING"),
        (&[], "PASSING"),
    ] {
        let all = [&["compare"], words].concat();
        let (told, code) = refused(&folder, &all);
        assert!(told.contains(said), "{words:?}: {told}");
        assert!(code.is_some_and(|code| code != 0));
    }
    let rules: Vec<String> = (0..1001)
        .map(|n| format!("--ignore=result@a.B{n}.c"))
        .collect();
    let mut words = vec!["compare", "steps", "again"];
    words.extend(rules.iter().map(String::as_str));
    let (told, _) = refused(&folder, &words);
    assert!(told.contains("at most 1000"), "{told}");
    // Nothing of that disturbs what can be.
    folder.ask(&["compare", "steps", "again"]);
}

/// Records a program that ran for some time before jhyde came.
fn reached(folder: &Folder, jdk: &Jdk, name: &str, engine: &str) {
    let (mut ticker, address) = Ticker::listening(jdk);
    ticker.ticks(3);
    let mut attached = attach(folder, &address, name, engine);
    until(folder, name, "has calls", has_calls);
    ticker.end();
    until(folder, name, "has ended", ended);
    attached.wait().expect("it ends");
}

#[test]
fn one_that_began_late_is_refused() {
    let jdk = jdks().swap_remove(0);
    for engine in ["events", "probe"] {
        let folder = Folder::new();
        for name in ["first", "second"] {
            reached(&folder, &jdk, name, engine);
        }
        let (told, _) = refused(&folder, &["compare", "first", "second"]);
        assert!(
            told.contains("does not begin with its program"),
            "{engine}: {told}"
        );
    }
}

#[test]
fn one_that_runs_is_refused() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let steady = [
        "-cp".to_owned(),
        jdk.classes("fixtures").display().to_string(),
    ];
    let words = |n: &str| [&steady[..], &["fx.Steady".to_owned(), n.to_owned()]].concat();
    let whole = folder.launch(&jdk, "whole", &["--include", "fx.*"], &words("20"));
    assert!(whole.stderr.contains("recorded"), "{}", whole.stderr);
    let mut running = folder
        .jhyded(&["launch", "--name", "running", "--include", "fx.*", "--"])
        .arg(jdk.java())
        .args(words("100000"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("jhyded can be started");
    jhyde_integration::ticker::serves(&folder.data().join("jhyded.sock"));
    until(&folder, "running", "has calls", has_calls);
    for words in [
        ["compare", "whole", "running"],
        ["compare", "running", "whole"],
    ] {
        let (told, _) = refused(&folder, &words);
        assert!(told.contains("running still runs"), "{told}");
    }
    running.kill().expect("it can be killed");
    running.wait().expect("it is dead");
}
