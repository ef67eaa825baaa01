//! Variables that are written where nobody looks: by the JDK on behalf of the program (reflection, handles, updaters, buffers and lists over
//! arrays), and by code beside a scope that is only a part of the program. The programs say what each variable holds (`held.Witness`), as those
//! know who wrote them, without reading it; what is recorded at that time is that, or nothing.

use std::sync::Arc;

use jhyde_history::History;
use jhyde_history::exact::Exact;
use jhyde_history::view::ValueView;
use jhyde_integration::{Folder, Jdk, jdks};
use jhyde_store::{Catalogue, Direction, Recording, StoreOptions};
use jhyde_trace::{Content, Event, EventKind, Timestamp, Value};

/// What a program says of a variable, and what is recorded of it.
#[derive(Debug)]
struct Compared {
    #[expect(dead_code, reason = "printed where a comparison fails")]
    what: String,
    told: String,
    recorded: Result<String, String>,
}

struct Reader {
    recording: Arc<Recording>,
    history: History,
}

impl Reader {
    fn text(&self, value: Value) -> String {
        match value {
            Value::Byte(value) => value.to_string(),
            Value::Char(value) => String::from_utf16_lossy(&[value]),
            Value::Int(value) => value.to_string(),
            Value::Long(value) => value.to_string(),
            Value::Object(object) => {
                let info = self.recording.object(object).expect("an object is read");
                match info.map(|info| info.content) {
                    Some(Content::String(text)) => text.prefix.to_text_lossy(),
                    Some(Content::Box(value)) => self.text(value),
                    Some(Content::Class(name)) => name,
                    other => format!("{other:?}"),
                }
            }
            other => format!("{other:?}"),
        }
    }

    fn exact(&self, value: Exact) -> Result<String, String> {
        match value {
            Exact::Value(value) => Ok(self.text(value)),
            Exact::Unknown(why) => Err(why),
            Exact::None => Ok("no such variable".to_owned()),
        }
    }

    /// What one call of `held.Witness` says: its method and its arguments.
    fn compared(&self, method: &str, arguments: &[Value], at: Timestamp) -> Compared {
        let [of, which, told] = *arguments else {
            panic!("{method} was given {arguments:?}");
        };
        let (which, told) = (self.text(which), self.text(told));
        let object = of.object().expect("it is of an object");
        let recorded = match method {
            "field" => self
                .history
                .exact_field(object, &which, at)
                .map(|v| self.exact(v)),
            "element" => {
                let index = which.parse().expect("an index");
                let element = self.history.exact_element(object, index, at);
                element.map(|v| self.exact(v))
            }
            _ => Ok(self.statics(&self.text(of), &which, at)),
        };
        let recorded = recorded.expect("the recording is read");
        let what = format!("{method} {which} of {} at {at}", self.text(of));
        Compared {
            what,
            told,
            recorded,
        }
    }

    fn statics(&self, class: &str, field: &str, at: Timestamp) -> Result<String, String> {
        let named = self.recording.classes_named(class);
        let class = self.recording.class(named[0]).expect("a class is read");
        let class = class.expect("the class is there");
        let rows = self
            .history
            .statics_of(&class, at)
            .expect("statics are read");
        let mut rows = rows.into_iter();
        let row = rows.find(|row| row.name.ends_with(&format!(".{field}")));
        match row.and_then(|row| row.end) {
            Some(ValueView::Primitive(value)) => Ok(self.text(value)),
            Some(ValueView::Object(view)) => Ok(self.text(Value::Object(view.id))),
            Some(ValueView::NotRecorded(why)) => Err(why),
            other => Ok(format!("{other:?}")),
        }
    }
}

/// Records a program and compares wherever it says what a variable holds.
fn compare(jdk: &Jdk, class: &str, options: &[&str]) -> Vec<Compared> {
    let folder = Folder::new();
    let classes = jdk.classes("contents").display().to_string();
    let run = folder.launch(
        jdk,
        "unseen",
        options,
        &["-cp".to_owned(), classes, class.to_owned()],
    );
    assert!(run.status.success(), "{class}: {}", run.stderr);
    let store = StoreOptions::default();
    let catalogue = Catalogue::open(&folder.data(), store).expect("the data folder opens");
    let id = catalogue.list().remove(0).id;
    let recording = catalogue.open_recording(&id).expect("the recording opens");
    let history = History::new(Arc::clone(&recording));
    let witness = recording.classes_named("held.Witness");
    let witness = recording.class(witness[0]).expect("a class is read");
    let witness = witness.expect("the class is there");
    let reader = Reader { recording, history };
    let range = Timestamp(0)..reader.recording.end();
    let events = reader.recording.events(range, None, Direction::Forward);
    let mut all = Vec::new();
    for told in events {
        let told = told.expect("an event is read");
        let Event {
            kind: EventKind::Enter {
                method, arguments, ..
            },
            ..
        } = told.event
        else {
            continue;
        };
        let named = witness.methods.iter().find(|one| one.id == method);
        if let Some(named) = named.filter(|named| named.name != "elements") {
            all.push(reader.compared(&named.name, &arguments, told.timestamp));
        }
    }
    all
}

/// Nothing that is recorded is wrong, and so many are recorded at least.
fn agrees(class: &str, options: &[&str], (told, known): (usize, usize)) {
    for jdk in jdks() {
        let all = compare(&jdk, class, options);
        let on = format!("{class} on JDK {} {options:?}", jdk.major);
        let recorded = all.iter().filter(|one| one.recorded.is_ok()).count();
        let wrong = |one: &&Compared| one.recorded.as_ref().is_ok_and(|is| *is != one.told);
        let wrong: Vec<_> = all.iter().filter(wrong).collect();
        eprintln!(
            "{on}: {} told, {recorded} recorded, {} wrong",
            all.len(),
            wrong.len()
        );
        if std::env::var_os("JHYDE_OPEN").is_some() {
            let open = all.iter().filter(|one| one.recorded.is_err());
            eprintln!("{:#?}", open.collect::<Vec<_>>());
        }
        assert!(wrong.is_empty(), "{on}: {wrong:#?}");
        assert!(all.len() >= told, "{on}: told only {} times", all.len());
        assert!(
            recorded >= known,
            "{on}: only {recorded} of {} are recorded",
            all.len()
        );
    }
}

#[test]
fn what_the_jdk_writes_for_the_program() {
    agrees("held.Unseen", &["--engine", "probe"], (149, 65));
    agrees("held.Unseen", &["--engine", "events"], (149, 140));
}

#[test]
fn what_code_beside_a_part_of_the_program_writes() {
    let part = ["--include", "held.Kept", "--include", "held.Witness"];
    for (engine, known) in [("probe", 9), ("events", 27)] {
        let options = [&["--engine", engine][..], &part].concat();
        agrees("held.Strangers", &options, (27, known));
    }
}
