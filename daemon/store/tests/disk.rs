//! Disks that are full, turn read-only, or do not let us in: the real thing, in a mount namespace of its
//! own (as root, or where the system lets users have one), or with the rights of another user.
//!
//! Where there are no namespaces, `JHYDE_NO_MOUNTS=1` runs the full disk with a limit on the size of files
//! instead, and leaves the read-only disk out.

mod common;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use common::data::{all_events, copy, finished, options, script};
use jhyde_store::*;
use jhyde_trace::*;

const SCENARIO: &str = "JHYDE_STORE_SCENARIO";

/// Not a test of its own: what the tests below run on a disk of their own.
#[test]
fn child_on_a_disk() {
    let Ok(scenario) = std::env::var(SCENARIO) else {
        return;
    };
    let data = std::env::var("DIR").expect("where the disk is");
    let data = Path::new(&data);
    match scenario.as_str() {
        "full" => full(data),
        "read-only" => read_only(data),
        "foreign" => foreign(data),
        other => panic!("no scenario {other}"),
    }
}

fn no_mounts() -> bool {
    std::env::var_os("JHYDE_NO_MOUNTS").is_some()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").expect("this process").uid() == 0
}

/// Runs a scenario on a file system in memory of this size.
fn on_a_disk(scenario: &str, kilobytes: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let exe = std::env::current_exe().expect("this test");
    let limited = scenario == "full" && no_mounts();
    let mut command = if limited {
        let mut command = Command::new("sh");
        // In blocks of 512 bytes; the signal would end the process before the error is seen.
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", kilobytes / 8);
        command.args(["-c", &script, "sh"]);
        command
    } else {
        let mut command = Command::new("unshare");
        if !is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        let mount = format!("mount -t tmpfs -o size={kilobytes}k none \"$DIR\" && exec \"$@\"");
        command.args(["--mount", "sh", "-c", &mount, "sh"]);
        command
    };
    let output = command
        .arg(exe)
        .args(["--exact", "child_on_a_disk", "--nocapture"])
        .env(SCENARIO, scenario)
        .env("DIR", folder.path())
        .output()
        .expect("a child");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{scenario}: {}\n{text}\n{errors}\n(without mount namespaces: JHYDE_NO_MOUNTS=1)",
        output.status
    );
}

#[test]
fn a_disk_that_becomes_full() {
    on_a_disk("full", 24 << 10);
}

#[test]
fn a_disk_that_turns_read_only() {
    if no_mounts() {
        return;
    }
    on_a_disk("read-only", 200 << 10);
}

/// Events that no compression makes small: about ten bytes each.
fn noise() -> impl Iterator<Item = Event> {
    let call = CallId::root(ThreadId(1));
    let mut state = 7u64;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x1405_7B7E_F767_814F);
        let noise = state ^ state >> 29;
        let variable = Variable::Static {
            field: FieldId(state as u32 >> 28),
        };
        let value = Value::Long((noise ^ noise << 31) as i64);
        Event {
            call,
            index: 3,
            kind: EventKind::Write { variable, value },
        }
    })
}

/// Records noise until the store refuses. Returns the number of events that it took, and why no more.
fn record_until_refused(writer: &mut Writer) -> (u64, String) {
    writer
        .set_meta(|meta| meta.state = State::Running)
        .expect("running");
    for (at, event) in noise().enumerate() {
        match writer.append(event) {
            Ok(timestamp) => assert_eq!(timestamp.0, at as u64),
            Err(Error::Closed { reason, .. }) => return (at as u64, reason),
            Err(other) => panic!("{other}"),
        }
        assert!(at < 100_000_000, "the disk takes everything");
    }
    unreachable!("noise has no end")
}

fn is_beginning(recording: &Recording) -> u64 {
    let events = all_events(recording);
    for (event, expected) in events.iter().zip(noise()) {
        assert_eq!(*event, expected);
    }
    assert_eq!(recording.end().0, events.len() as u64);
    events.len() as u64
}

fn store() -> StoreOptions {
    StoreOptions {
        block_events: 1024,
        ..options()
    }
}

fn full(data: &Path) {
    let before = script(500);
    let old = finished(data, &before);
    let catalogue = Catalogue::open(data, store()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(Some("too long"), RecordingOptions::default())
        .expect("a recording");
    let (taken, reason) = record_until_refused(&mut writer);
    let words = ["No space left on device", "File too large"];
    let why = |text: &str| words.iter().any(|words| text.contains(words));
    assert!(why(&reason), "{reason}");
    assert!(taken > 100_000, "only {taken} events fit");
    // Also the end is refused, and the state says why.
    let finish = writer.finish(State::Complete { exit_code: None });
    assert!(matches!(finish, Err(Error::Closed { .. })), "{finish:?}");
    let failed = |meta: &RecordingMeta| match &meta.state {
        State::Failed { reason } => assert!(why(reason), "{reason}"),
        other => panic!("{other:?}"),
    };
    failed(&recording.meta());
    assert_eq!(
        is_beginning(&recording),
        taken,
        "as long as it is open nothing is lost"
    );
    let id = recording.id().to_owned();
    drop((recording, catalogue));
    fill(data, 1);

    let catalogue = Catalogue::open(data, store()).expect("the lock is there already");
    failed(&catalogue.find("too long").expect("listed"));
    let recording = catalogue
        .open_recording(&id)
        .expect("readable on a full disk");
    let kept = is_beginning(&recording);
    assert!(
        kept + 5 * 1024 >= taken && kept <= taken,
        "{taken} taken, {kept} kept"
    );
    drop(recording);
    let other = catalogue.open_recording(&old).expect("opens");
    assert_eq!(all_events(&other), before);
    drop(other);
    if !no_mounts() {
        fill(data, 2);
        let refused = catalogue.create(None, RecordingOptions::default());
        let error = refused.map(drop).expect_err("there is no room");
        assert!(why(&error.to_string()), "{error}");
        assert_eq!(catalogue.list().len(), 2, "no half recording");
        // There is room again.
        catalogue.delete(&old).expect("deleting needs none");
        for number in [1, 2] {
            fs::remove_file(data.join(format!("filler{number}"))).expect("deleted");
        }
    }
    drop(catalogue);
    let catalogue = Catalogue::open(data, store()).expect("a catalogue");
    let recording = catalogue.open_recording(&id).expect("opens");
    assert_eq!(is_beginning(&recording), kept);
    failed(&recording.meta());
    assert!(recording.check(|_, _| true).damage.is_empty());
}

/// Takes what room there is.
fn fill(data: &Path, number: u32) {
    let mut filler = fs::File::create(data.join(format!("filler{number}"))).expect("a file");
    while filler.write_all(&[0; 4096]).is_ok() {}
}

fn mount(arguments: &[&str]) {
    let status = Command::new("mount").args(arguments).status();
    assert!(status.expect("mount runs").success(), "{arguments:?}");
}

fn read_only(data: &Path) {
    let before = script(500);
    let old = finished(data, &before);
    let catalogue = Catalogue::open(data, store()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(Some("cut off"), RecordingOptions::default())
        .expect("a recording");
    for event in noise().take(10_000) {
        writer.append(event).expect("appended");
    }
    writer
        .set_meta(|meta| meta.state = State::Running)
        .expect("running");
    // The same disk once more on top of itself, for reading only: files that are open can still be
    // written, as on a disk whose system noticed an error, but no file can be made any more.
    let path = data.to_str().expect("a path");
    mount(&["--bind", path, path]);
    mount(&["-o", "remount,bind,ro", path]);
    let mut taken = 10_000;
    let reason = noise()
        .skip(10_000)
        .find_map(|event| match writer.append(event) {
            Ok(_) => {
                taken += 1;
                assert!(taken < 100_000_000, "the disk takes everything");
                None
            }
            Err(Error::Closed { reason, .. }) => Some(reason),
            Err(other) => panic!("{other}"),
        });
    let reason = reason.expect("refused at last");
    assert!(reason.contains("Read-only file system"), "{reason}");
    drop(writer);
    match recording.meta().state {
        State::Failed { reason } => assert!(reason.contains("Read-only"), "{reason}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(is_beginning(&recording), taken);
    drop((recording, catalogue));

    // Who wants to write is told; who reads is served.
    match Catalogue::open(data, store()) {
        Err(Error::Io { reason, .. }) => assert!(reason.contains("Read-only"), "{reason}"),
        other => panic!("{other:?}"),
    }
    let reading = StoreOptions {
        read_only: true,
        ..store()
    };
    let catalogue = Catalogue::open(data, reading).expect("reads");
    let cut = catalogue.find("cut off").expect("listed");
    // Its last words could not be written.
    assert_eq!(cut.state, State::Cut);
    let recording = catalogue.open_recording(&cut.id).expect("opens");
    let kept = is_beginning(&recording);
    assert!(kept + 5 * 1024 >= taken, "{taken} taken, {kept} kept");
    let other = catalogue.open_recording(&old).expect("opens");
    assert_eq!(all_events(&other), before);
    assert!(matches!(
        other.put_session("s", b""),
        Err(Error::ReadOnly(_))
    ));
    assert!(matches!(catalogue.delete(&old), Err(Error::ReadOnly(_))));
    drop((recording, other, catalogue));

    // As good as before when the disk is.
    mount(&["-o", "remount,bind,rw", path]);
    let catalogue = Catalogue::open(data, store()).expect("writes");
    let recording = catalogue.open_recording(&cut.id).expect("opens");
    assert_eq!(is_beginning(&recording), kept);
    assert!(recording.check(|_, _| true).damage.is_empty());
}

/// Folders and files that belong to somebody else: asked with the rights of nobody, or with our own.
#[test]
fn folders_without_permission() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mode = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    mode(folder.path(), 0o755);
    let open = finished(&data, &script(300));
    let recordings = data.join("recordings");
    for (name, part) in [("locked", ""), ("mute", "recording.json"), ("closed", "db")] {
        copy_readable(&recordings.join(&open), &recordings.join(name));
        mode(&recordings.join(name).join(part), 0);
    }
    fs::rename(recordings.join(&open), recordings.join("open")).expect("renamed");
    everything_readable(&recordings.join("open"));
    for path in [data.clone(), recordings.clone()] {
        mode(&path, 0o555);
    }
    mode(&data.join("lock"), 0o644);
    let exe = folder.path().join("test");
    fs::copy(std::env::current_exe().expect("this test"), &exe).expect("a copy to run");
    mode(&exe, 0o755);
    let mut command = Command::new(&exe);
    if is_root() {
        command.uid(65_534).gid(65_534);
    }
    let output = command
        .args(["--exact", "child_on_a_disk", "--nocapture"])
        .env(SCENARIO, "foreign")
        .env("DIR", &data)
        .current_dir("/")
        .output()
        .expect("a child");
    for path in [
        data,
        recordings.clone(),
        recordings.join("locked"),
        recordings.join("closed/db"),
    ] {
        mode(&path, 0o755);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{errors}"
    );
}

fn copy_readable(from: &Path, to: &Path) {
    copy(from, to);
    everything_readable(to);
}

fn everything_readable(folder: &Path) {
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let mode = if path.is_dir() { 0o755 } else { 0o444 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
        if path.is_dir() {
            everything_readable(&path);
        }
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).expect("permissions");
}

fn foreign(data: &Path) {
    let denied =
        |error: &Error| assert!(error.to_string().contains("Permission denied"), "{error}");
    // Not ours to write in: the lock is the first that is refused.
    match Catalogue::open(data, options()) {
        Err(error @ Error::Io { .. }) => {
            denied(&error);
            assert!(error.to_string().contains("lock"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    let fresh = Catalogue::open(&data.join("new"), options());
    denied(&fresh.map(drop).expect_err("not ours to make"));
    let reading = StoreOptions {
        read_only: true,
        ..options()
    };
    let catalogue = Catalogue::open(data, reading).expect("reads");
    let unreadable = catalogue.unreadable();
    let ids: Vec<&str> = unreadable.iter().map(|(id, _)| id.as_str()).collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["locked", "mute"]);
    unreadable.iter().for_each(|(_, error)| denied(error));
    denied(
        &catalogue
            .open_recording("mute")
            .expect_err("not ours to read"),
    );
    let mut listed: Vec<String> = catalogue.list().into_iter().map(|meta| meta.id).collect();
    listed.sort();
    assert_eq!(listed, ["closed", "open"]);
    denied(
        &catalogue
            .open_recording("closed")
            .expect_err("not ours to read"),
    );
    let recording = catalogue.open_recording("open").expect("opens");
    assert_eq!(all_events(&recording), script(300));
    assert!(recording.check(|_, _| true).damage.is_empty());
}
