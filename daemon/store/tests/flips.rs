//! Bits that flip and files that are cut, at every position of a small recording: each is harmless or named,
//! never a wrong answer, never a crash.
//!
//! By default a bit of every byte flips, another from byte to byte, which takes three processor minutes.
//! `JHYDE_FLIPS=some` flips one in every 13th byte, and in every byte of the files that list the others;
//! `JHYDE_FLIPS=bits` flips every bit. Files that nobody reads again (`LOG`, `OPTIONS`, `reserve`) are tried at some positions
//! only.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::data::{class, copy, everything, finished, options, record, script};
use jhyde_store::*;
use jhyde_trace::*;

/// Everything that a recording says of itself, as text: two of them are equal if all answers are.
#[derive(Debug, Default, PartialEq)]
struct Answers(BTreeMap<String, String>);

/// What a reader with damage sees: answers, and errors that name the recording or its folder.
struct Seen {
    answers: Answers,
    errors: Vec<Error>,
}

impl Seen {
    fn put<T: std::fmt::Debug>(&mut self, question: impl Into<String>, answer: Result<T>) {
        match answer {
            Ok(answer) => drop(
                self.answers
                    .0
                    .insert(question.into(), format!("{answer:?}")),
            ),
            // That there is no such thing is no word about damage.
            Err(Error::NoSuchThread(_) | Error::NoSuchCall(_) | Error::NoSuchEvent { .. }) => {}
            Err(error) => self.errors.push(error),
        }
    }
}

fn ask(data: &Path, events: u64, threads: &[ThreadId]) -> Seen {
    let mut seen = Seen {
        answers: Answers::default(),
        errors: Vec::new(),
    };
    let reading = StoreOptions {
        read_only: true,
        ..options()
    };
    let catalogue = Catalogue::open(data, reading).expect("a folder");
    let listed = catalogue.list();
    seen.errors
        .extend(catalogue.unreadable().into_iter().map(|(_, error)| error));
    let [meta] = &listed[..] else {
        assert!(
            listed.is_empty() && !seen.errors.is_empty(),
            "gone without a word"
        );
        return seen;
    };
    // Notes tell of damage.
    let notes = Vec::new();
    seen.put(
        "meta",
        Ok(RecordingMeta {
            notes,
            ..meta.clone()
        }),
    );
    seen.put("sealed", catalogue.is_sealed(&meta.id));
    let recording = match catalogue.open_recording(&meta.id) {
        Ok(recording) => recording,
        Err(error) => {
            seen.errors.push(error);
            return seen;
        }
    };
    seen.put("end", Ok(recording.end()));
    seen.errors.extend(recording.lost_end());
    for event in recording.events(everything(), None, Direction::Forward) {
        match event {
            Ok(event) => seen.put(format!("event {}", event.timestamp), Ok(event.event)),
            Err(error) => seen.errors.push(error),
        }
    }
    for exception in recording.exceptions(everything(), Direction::Backward) {
        match exception {
            Ok(event) => seen.put(format!("exception {}", event.timestamp), Ok(event)),
            Err(error) => seen.errors.push(error),
        }
    }
    let classes = recording
        .lost_classes()
        .map_or_else(|| Ok(recording.classes()), Err);
    seen.put("classes", classes);
    seen.put("class", recording.class(ClassId(4)));
    seen.put("thread", recording.thread(ThreadId(1)));
    let levels = recording.levels();
    seen.put("levels", levels.map(|levels| levels.facts().to_vec()));
    seen.put("session", recording.session("s"));
    for object in [1, 3, 7] {
        seen.put(
            format!("object {object}"),
            recording.object(ObjectId(object)),
        );
    }
    for &thread in threads {
        let root = recording.root(thread);
        let calls = root.as_ref().map_or(0, |root| root.calls);
        seen.put(format!("root {thread}"), root);
        let root = CallId::root(thread);
        seen.put(
            format!("children {thread}"),
            recording.children(root, None, 50),
        );
        for own in recording.own_events(root, everything(), Direction::Forward) {
            match own {
                Ok(own) => seen.put(format!("own {thread} {}", own.timestamp), Ok(own)),
                Err(error) => seen.errors.push(error),
            }
        }
        for preorder in (1..=calls).step_by(7) {
            let id = CallId::new(thread, preorder);
            seen.put(format!("path {id}"), recording.path(id));
            let call = recording.call(id);
            if let Ok(call) = &call {
                seen.put(format!("outcome {id}"), recording.outcome(call));
            }
            seen.put(format!("call {id}"), call);
        }
        for at in [events / 3, events - 1] {
            seen.put(
                format!("innermost {thread} {at}"),
                recording.innermost_call(thread, Timestamp(at)),
            );
        }
    }
    for number in 0..6 {
        let method = MethodId(number);
        seen.put(
            format!("invocations {number}"),
            recording.invocations(method),
        );
        seen.put(
            format!("calls of {number}"),
            recording.calls_of_method(method, 0, 20),
        );
        let field = Variable::Static {
            field: FieldId(number),
        };
        let at = Timestamp(events);
        seen.put(format!("static {number}"), recording.last_write(field, at));
        let object = ObjectId(number.into());
        seen.put(
            format!("state {number}"),
            recording.object_state(object, at, 0, 20),
        );
        seen.put(
            format!("written {number}"),
            recording.written_between(object, Timestamp(2), at),
        );
        seen.put(format!("creation {number}"), recording.creation(object));
    }
    seen
}

/// All files of a folder.
fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files(&path, into),
            false => into.push(path),
        }
    }
}

/// In what state a recording is when it is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sealed,
    Finished,
    /// Its writer was killed; a daemon that may write opened it since.
    Closed,
    /// Its writer was killed; nobody opened it since, so that all of it is in RocksDB's log.
    Cut,
}

/// A recording, and what it answered at each moment that its log can take it back to: the last is all of it.
struct Made {
    events: u64,
    threads: Vec<ThreadId>,
    moments: Vec<Answers>,
}

fn small_recording(data: &Path, kind: Kind) -> Made {
    let events = script(700);
    let mut threads: Vec<_> = events.iter().map(Event::thread).collect();
    threads.sort();
    threads.dedup();
    let all = events.len() as u64;
    let mut moments = Vec::new();
    let mut moment = |data: &Path| {
        let seen = ask(data, all, &threads);
        assert!(seen.errors.is_empty(), "{:?}", seen.errors);
        moments.push(seen.answers);
    };
    match kind {
        Kind::Sealed | Kind::Finished => whole(data, &events, kind == Kind::Sealed),
        Kind::Closed | Kind::Cut => cut(data, &events, &mut moment),
    }
    if kind == Kind::Closed {
        let catalogue = Catalogue::open(data, options()).expect("a catalogue");
        let id = &catalogue.list()[0].id;
        drop(catalogue.open_recording(id).expect("closed"));
    }
    moment(data);
    if kind != Kind::Cut {
        moments.drain(..moments.len() - 1);
    }
    Made {
        events: all,
        threads,
        moments,
    }
}

/// What a killed writer leaves; `moment` is shown what it would have left before, whenever something more had come
/// to the log.
fn cut(data: &Path, events: &[Event], moment: &mut impl FnMut(&Path)) {
    let making = tempfile::tempdir().expect("a folder");
    // Nothing comes to the log by itself.
    let patient = StoreOptions {
        group_blocks: 2,
        flush_ms: 3_600_000,
        ..options()
    };
    let catalogue = Catalogue::open(making.path(), patient).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(Some("small"), RecordingOptions::default())
        .expect("a recording");
    recording.put_session("s", b"kept").expect("a session");
    let mut killed_now = |writer: &mut Writer| {
        writer.flush().expect("flushed");
        let data = tempfile::tempdir().expect("a folder");
        let folder = data.path().join("recordings").join(recording.id());
        copy(recording.folder(), &folder);
        moment(data.path());
    };
    killed_now(&mut writer);
    writer.class(class(4, "a.B".to_owned())).expect("a class");
    killed_now(&mut writer);
    writer.thread(main_thread()).expect("a thread");
    killed_now(&mut writer);
    lower(&mut writer, Subject::Class(ClassId(4)));
    killed_now(&mut writer);
    for id in [1, 7, 3] {
        writer.object(ObjectId(id), array(id)).expect("an object");
        killed_now(&mut writer);
    }
    // A block's 64 events are two chunks.
    for chunk in events.chunks(32) {
        record(&mut writer, chunk);
        killed_now(&mut writer);
    }
    let folder = data.join("recordings").join(recording.id());
    copy(recording.folder(), &folder);
}

fn main_thread() -> ThreadInfo {
    ThreadInfo {
        id: ThreadId(1),
        name: "main".to_owned(),
        group: None,
    }
}

fn lower(writer: &mut Writer, of: Subject) {
    let reason = "it cannot be instrumented".to_owned();
    writer.level(of, Level::Calls, reason).expect("a level");
}

fn array(length: u64) -> ObjectInfo {
    ObjectInfo {
        class: Some(ClassId(4)),
        content: Content::Array(length as u32),
    }
}

fn whole(data: &Path, events: &[Event], sealed: bool) {
    let id = finished(data, &events[..0]);
    // Small groups are several, which sealing merges.
    let several = StoreOptions {
        group_blocks: 2,
        ..options()
    };
    let catalogue = Catalogue::open(data, several).expect("a catalogue");
    catalogue.delete(&id).expect("only the folder was wanted");
    let (recording, mut writer) = catalogue
        .create(Some("small"), RecordingOptions::default())
        .expect("a recording");
    writer.class(class(4, "a.B".to_owned())).expect("a class");
    writer.thread(main_thread()).expect("a thread");
    lower(&mut writer, Subject::Class(ClassId(4)));
    lower(&mut writer, Subject::Everything);
    for id in [1, 7, 3] {
        writer.object(ObjectId(id), array(id)).expect("an object");
        writer.flush().expect("flushed");
    }
    record(&mut writer, events);
    recording.put_session("s", b"kept").expect("a session");
    let id = recording.id().to_owned();
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("finished");
    drop(recording);
    if sealed {
        catalogue.seal(&id).expect("sealed");
    }
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Flip { at: u64, bit: u8 },
    Cut { at: u64 },
    Gone,
}

/// What is done to which file.
fn damages(recording: &Path, kind: Kind) -> Vec<(PathBuf, Damage)> {
    let thorough = std::env::var("JHYDE_FLIPS").unwrap_or_default();
    let every_bit = thorough == "bits";
    let every_byte = thorough != "some";
    let mut all = Vec::new();
    files(recording, &mut all);
    all.sort();
    let mut damages = Vec::new();
    for path in all {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let length = fs::metadata(&path).expect("the file").len();
        let unread = ["LOG", "OPTIONS", "LOCK", "reserve"]
            .iter()
            .any(|word| name.starts_with(word));
        // What lists the other files is small, and decides over all of them.
        let lists = ["MANIFEST", "CURRENT", "recording.json"]
            .iter()
            .any(|word| name.starts_with(word));
        // A log says most things several times, and a closed recording's tables are those of a finished one.
        let thin = name.ends_with(".log") || kind == Kind::Closed;
        let step = match (unread, every_byte || lists) {
            (true, _) => 997,
            (false, true) if thin => 7,
            (false, true) => 1,
            (false, false) if thin => 53,
            (false, false) => 13,
        };
        let path = path.strip_prefix(recording).expect("inside").to_owned();
        for at in (0..length).step_by(step) {
            if every_bit && !unread {
                damages.extend((0..8).map(|bit| (path.clone(), Damage::Flip { at, bit })));
            } else {
                let bit = (at % 8) as u8;
                damages.push((path.clone(), Damage::Flip { at, bit }));
            }
        }
        for part in 0..16 {
            let at = length * part / 16;
            damages.push((path.clone(), Damage::Cut { at }));
        }
        damages.push((
            path.clone(),
            Damage::Cut {
                at: length.saturating_sub(1),
            },
        ));
        // A session whose file is not there was deleted: by us or by hand is all the same.
        if path.parent() != Some(Path::new("sessions")) {
            damages.push((path, Damage::Gone));
        }
    }
    damages
}

/// The answers that are not those of this moment.
fn differing<'a>(seen: &'a Answers, moment: &'a Answers) -> Vec<&'a String> {
    let wrong = |(question, answer): &(&String, &String)| moment.0.get(*question) != Some(*answer);
    let wrong = seen.0.iter().filter(wrong);
    wrong.map(|(question, _)| question).collect()
}

fn try_all(kind: Kind) {
    let data = tempfile::tempdir().expect("a folder");
    let Made {
        events,
        threads,
        moments,
    } = small_recording(data.path(), kind);
    let whole = moments.last().expect("at least one");
    assert!(whole.0.len() > 200, "{}", whole.0.len());
    let id = fs::read_dir(data.path().join("recordings"))
        .expect("the recordings")
        .next()
        .expect("one")
        .expect("an entry")
        .file_name();
    let source = data.path().join("recordings").join(&id);
    let damages = damages(&source, kind);
    let next = AtomicUsize::new(0);
    let (harmless, partly, refused) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                let data = tempfile::tempdir().expect("a folder");
                let folder = data.path().join("recordings").join(&id);
                copy(&source, &folder);
                while let Some((path, damage)) = damages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let path = &folder.join(path);
                    let bytes = fs::read(path).expect("the file");
                    match *damage {
                        Damage::Flip { at, bit } => {
                            let file = fs::File::options()
                                .write(true)
                                .open(path)
                                .expect("the file");
                            let flipped = bytes[at as usize] ^ 1 << bit;
                            file.write_all_at(&[flipped], at).expect("written");
                        }
                        Damage::Cut { at } => fs::write(path, &bytes[..at as usize]).expect("cut"),
                        Damage::Gone => fs::remove_file(path).expect("gone"),
                    }
                    let seen = ask(data.path(), events, &threads);
                    // What is answered is right; what is not answered is named.
                    let differs = moments
                        .iter()
                        .map(|moment| differing(&seen.answers, moment));
                    let least = differs.min_by_key(Vec::len).unwrap_or_default();
                    for question in least {
                        let (answer, expected) = (&seen.answers.0[question], whole.0.get(question));
                        let what =
                            format!("{path:?} {damage:?}: {question}: {answer}, not {expected:?}");
                        wrong.lock().expect("no panic").push(what);
                    }
                    let missing = whole.0.len().saturating_sub(seen.answers.0.len());
                    // A log that is cut just between two entries looks as if it had never had more.
                    let shorter = matches!(damage, Damage::Cut { .. })
                        && path.extension().is_some_and(|end| end == "log")
                        && moments.contains(&seen.answers);
                    if seen.answers != *whole && seen.errors.is_empty() && !shorter {
                        let what = format!(
                            "{path:?} {damage:?}: {missing} answers are missing without a word"
                        );
                        wrong.lock().expect("no panic").push(what);
                    }
                    let counter = match (missing, seen.answers.0.len()) {
                        (0, _) if seen.errors.is_empty() => &harmless,
                        (_, 0..=2) => &refused,
                        _ => &partly,
                    };
                    counter.fetch_add(1, Ordering::Relaxed);
                    fs::write(path, &bytes).expect("mended");
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    println!(
        "{} damages: {} harmless, {} partly served, {} refused with a reason",
        damages.len(),
        harmless.load(Ordering::Relaxed),
        partly.load(Ordering::Relaxed),
        refused.load(Ordering::Relaxed)
    );
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(partly.into_inner() > 0, "damage of a block leaves the rest");
}

#[test]
fn a_sealed_recording_with_any_damage_is_right_or_says_so() {
    try_all(Kind::Sealed);
}

#[test]
fn a_finished_recording_with_any_damage_is_right_or_says_so() {
    try_all(Kind::Finished);
}

#[test]
fn a_cut_recording_with_any_damage_is_right_or_says_so() {
    try_all(Kind::Cut);
}

#[test]
fn a_cut_recording_that_was_closed_with_any_damage_is_right_or_says_so() {
    try_all(Kind::Closed);
}
