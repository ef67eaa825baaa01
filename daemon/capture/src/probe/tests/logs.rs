//! What the program is made to tell can be chosen (`--probe-log`), and the recording is the same: told as it is by default, which other tests
//! compare with what the engine `events` tells.

use super::*;

/// Compiles a program and compares what it is told with other logs.
fn agrees_with(logs: &[ProbeLog], source: &Path, main: &str) {
    let jdk = newest_jdk();
    let jdk = jdk.as_deref();
    let folder = compiled(jdk, source);
    let auto = record_logging(ProbeLog::Auto, jdk, folder.path(), &[main]);
    let expected = story(&auto.list);
    for &log in logs {
        let recorded = record_logging(log, jdk, folder.path(), &[main]);
        assert_eq!(recorded.printed, auto.printed, "{main} with {log}");
        let stories = [story(&recorded.list), expected.clone()];
        let mut notes = recorded.notes;
        notes.push(format!("log {log}"));
        differ_nowhere(&stories, main, jdk, &notes);
    }
}

const ALL: [ProbeLog; 3] = [ProbeLog::Inputs, ProbeLog::Reads, ProbeLog::Writes];

#[test]
fn fixtures_are_the_same_with_each_log() {
    for name in FIXTURES {
        let (source, main) = fixture(name);
        agrees_with(&ALL, &source, &main);
    }
}

#[test]
fn programs_are_the_same_with_each_log() {
    for name in [
        "Shapes",
        "Overrides",
        "Begins",
        "Constructs",
        "Records",
        "Throws",
    ] {
        agrees_with(&ALL, &source(name), name);
    }
}

/// By reflection, and into arrays.
#[test]
fn what_others_write_is_the_same_with_reads_and_writes() {
    for name in ["Reflects", "Grids", "Fills"] {
        agrees_with(&ALL[1..], &source(name), name);
    }
}
