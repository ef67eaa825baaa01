//! Source text of recorded programs: looked for and kept while a program is recorded, on a thread of its own so that
//! no slow disk holds the program up, and given out when somebody asks.

use std::collections::HashSet;
use std::fs::File;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use jhyde_capture::ClassPaths;
use jhyde_store::{Error as StoreError, KeptSource, Recording, SourceKeeper, SourceRoom, Writer};
use jhyde_trace::{
    ClassId, ClassInfo, EngineKind, Event, JvmIdentity, Level, ObjectId, ObjectInfo, Sink,
    SinkError, Subject, ThreadInfo, Timestamp,
};
use thiserror::Error;

use super::Daemon;
use crate::config::ByteSize;
use crate::source::{Fit, Found, Program, Refused, SourceName, SourcePath};

/// How long the end of a recording waits for source that is still being looked for.
const LAST_LOOKS: Duration = Duration::from_secs(2);

/// So many reasons why source was not kept are told in a recording's notes.
const MOST_REASONS: usize = 3;

/// What suggests where a program's source is. A JVM on another machine means other folders by the same names.
pub(super) fn program(identity: &JvmIdentity, paths: ClassPaths) -> Program {
    let host = identity
        .address
        .rsplit_once(':')
        .map_or("", |(host, _)| host);
    let host = host.trim_matches(['[', ']']);
    let is_local = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    if !is_local {
        return Program::default();
    }
    Program {
        folder: Some(PathBuf::from(paths.folder)).filter(|folder| folder.is_absolute()),
        class_path: paths.entries,
        java: identity.command.first().map(PathBuf::from),
        version: identity.version.clone(),
    }
}

/// A class whose source is looked for.
struct Wanted {
    id: ClassId,
    name: String,
    file: Option<String>,
    fit: Fit,
}

/// A recording's writer that has the source of the classes in scope looked for.
pub(super) struct WithSources {
    writer: Writer,
    wanted: Option<Sender<Wanted>>,
    seen: HashSet<ClassId>,
}

/// The thread that looks.
pub(super) struct Gathering {
    /// Comes when it has done all.
    notes: Option<Receiver<Vec<String>>>,
}

/// Has source looked for along a path, and at most so many bytes of it kept.
pub(super) fn gather(writer: Writer, path: SourcePath, most: ByteSize) -> (WithSources, Gathering) {
    let (wanted, classes) = mpsc::channel();
    let (tell, notes) = mpsc::sync_channel(1);
    let keeper = writer.source_keeper(most.0);
    let mut gatherer = Gatherer {
        path,
        keeper,
        most,
        last: None,
        without_room: 0,
        reasons: Vec::new(),
    };
    let thread = std::thread::Builder::new()
        .name(format!("source {}", writer.id()))
        .spawn(move || {
            for class in classes {
                gatherer.look(&class);
            }
            // Nobody listens where the end did not wait.
            let _ = tell.send(gatherer.told());
        });
    let runs = match (&thread, most.0) {
        (_, 0) => false,
        (Ok(_), _) => true,
        (Err(error), _) => {
            tracing::warn!(%error, "cannot start a thread: no source is kept");
            false
        }
    };
    let sink = WithSources {
        writer,
        wanted: runs.then_some(wanted),
        seen: HashSet::new(),
    };
    let notes = runs.then_some(notes);
    (sink, Gathering { notes })
}

impl WithSources {
    /// No more classes come.
    pub(super) fn into_writer(self) -> Writer {
        self.writer
    }
}

impl Sink for WithSources {
    fn class(&mut self, class: ClassInfo) -> Result<(), SinkError> {
        if class.in_scope
            && let Some(wanted) = &self.wanted
            && self.seen.insert(class.id)
        {
            let class = Wanted {
                id: class.id,
                name: class.name.clone(),
                file: class.source_file.clone(),
                fit: Fit::of(&class),
            };
            // A thread that has panicked looks no more; the recording goes on.
            let _ = wanted.send(class);
        }
        Sink::class(&mut self.writer, class)
    }

    fn thread(&mut self, thread: ThreadInfo) -> Result<(), SinkError> {
        Sink::thread(&mut self.writer, thread)
    }

    fn object(&mut self, object: ObjectId, info: ObjectInfo) -> Result<(), SinkError> {
        Sink::object(&mut self.writer, object, info)
    }

    fn doubt(&mut self, since: Timestamp, reason: String) -> Result<(), SinkError> {
        Sink::doubt(&mut self.writer, since, reason)
    }

    fn level(&mut self, of: Subject, level: Level, reason: String) -> Result<(), SinkError> {
        Sink::level(&mut self.writer, of, level, reason)
    }

    fn engine(&mut self, engine: EngineKind, why: String) -> Result<(), SinkError> {
        Sink::engine(&mut self.writer, engine, why)
    }

    fn scratch(&mut self) -> Result<File, SinkError> {
        Sink::scratch(&mut self.writer)
    }

    fn append(&mut self, events: Vec<Event>) -> Result<(), SinkError> {
        Sink::append(&mut self.writer, events)
    }
}

impl Gathering {
    /// Waits a moment for what is still looked for. What a reader of the recording should know.
    pub(super) fn finish(self) -> Vec<String> {
        let Some(notes) = self.notes else {
            return Vec::new();
        };
        match notes.recv_timeout(LAST_LOOKS) {
            Ok(notes) => notes,
            Err(RecvTimeoutError::Timeout) => vec![format!(
                "source was still being looked for {LAST_LOOKS:?} after the end: some is not kept"
            )],
            Err(RecvTimeoutError::Disconnected) => {
                vec!["source is not kept: its thread ended by a bug".to_owned()]
            }
        }
    }
}

struct Gatherer {
    path: SourcePath,
    keeper: SourceKeeper,
    most: ByteSize,
    /// The file found last: the classes of one file come together.
    last: Option<(SourceName, Found)>,
    without_room: u64,
    reasons: Vec<String>,
}

impl Gatherer {
    fn look(&mut self, class: &Wanted) {
        let name = match SourceName::of(&class.name, class.file.as_deref()) {
            Ok(name) => name,
            Err(refused) => return self.reason(format!("{}: {refused}", class.name)),
        };
        let fits = |text: &str| class.fit.misfit(text).is_none();
        let again = self.last.take();
        let again = again.filter(|(last, found)| *last == name && fits(&found.text));
        let found = match again {
            Some((_, found)) => found,
            None => match self.path.find(&name, fits) {
                Ok(found) => found,
                Err(missing) => {
                    return missing
                        .because
                        .into_iter()
                        .for_each(|reason| self.reason(reason));
                }
            },
        };
        let source = KeptSource {
            file: name.path().to_owned(),
            origin: found.origin.clone(),
            modified_ms: found.modified_ms,
            notes: found.notes.clone(),
            text: found.text.as_str().into(),
        };
        match self.keeper.keep(class.id, &source) {
            Ok(SourceRoom::Kept) => {}
            Ok(SourceRoom::Full) => self.without_room += 1,
            // The end did not wait for us, and says so.
            Err(StoreError::Closed { .. }) => {}
            Err(error) => self.reason(error.to_string()),
        }
        self.last = Some((name, found));
    }

    fn reason(&mut self, reason: String) {
        tracing::debug!(reason, "source is not kept");
        if self.reasons.len() < MOST_REASONS && !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn told(self) -> Vec<String> {
        let room = (self.without_room > 0).then(|| {
            format!(
                "the source of {} classes is not kept: with it there would be more than {} (setting source.keep)",
                self.without_room, self.most
            )
        });
        let reasons = self.reasons.into_iter();
        let reasons = reasons.map(|reason| format!("source that is not kept: {reason}"));
        room.into_iter().chain(reasons).collect()
    }
}

/// Source to show.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// As the class names it.
    pub file: String,
    /// Where it was found.
    pub origin: String,
    /// The recording has kept it.
    pub kept: bool,
    /// The whole text.
    pub text: Arc<str>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// The class.
    pub class: Arc<ClassInfo>,
}

/// There is no source to show.
#[derive(Debug, Error)]
pub enum NoSource {
    /// The recording does not know the class.
    #[error("the recording knows no class '{0}'; jhyde classes lists them")]
    NoClass(String),
    /// What the class says is no file of it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// It is not to be found.
    #[error(
        "there is no source of {class}: {file} was not found{because}; name the folder or jar that has it: --source DIR|JAR"
    )]
    Missing {
        /// The class.
        class: String,
        /// Its file.
        file: String,
        /// Why, as far as there is more to say.
        because: String,
    },
    /// The recording cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Daemon {
    /// The source of a class of this name: from the places that are `named`, else as it was kept, else from the
    /// configured places and the JDK's own.
    ///
    /// # Errors
    /// [`NoSource`] says why not.
    pub fn source(
        &self,
        recording: &Recording,
        class: &str,
        named: &[PathBuf],
    ) -> Result<Shown, NoSource> {
        let mut classes = Vec::new();
        for id in recording.classes_named(class) {
            classes.extend(recording.class(id)?);
        }
        // What was recorded before what was only met.
        classes.sort_by_key(|class| !class.in_scope);
        let Some(first) = classes.first() else {
            let shown = class.chars().take(200).collect();
            return Err(recording
                .lost_classes()
                .map_or(NoSource::NoClass(shown), NoSource::Store));
        };
        let name = SourceName::of(&first.name, first.source_file.as_deref())?;
        let fit = Fit::of(first);
        let fits = |text: &str| fit.misfit(text).is_none();
        let mut because = Vec::new();
        let meta = recording.meta();
        let mut found = None;
        if !named.is_empty() {
            match SourcePath::named(named).find(&name, fits) {
                Ok(text) => found = Some(shown(first, &name, text)),
                Err(missing) => because.extend(missing.because),
            }
        }
        if found.is_none() {
            found = kept(recording, &name, &classes)?;
        }
        let found = match found {
            Some(found) => Ok(found),
            None => {
                let program = Program {
                    version: meta
                        .jvm
                        .as_ref()
                        .map(|jvm| jvm.version.clone())
                        .unwrap_or_default(),
                    ..Program::default()
                };
                let path = SourcePath::named(&self.options().source.path).with_jdk(&program);
                path.find(&name, fits).map(|text| shown(first, &name, text))
            }
        };
        let (mut shown, modified_ms) = found.map_err(|missing| {
            because.extend(missing.because);
            NoSource::Missing {
                class: first.name.clone(),
                file: name.to_string(),
                because: match because.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", because.join("; ")),
                },
            }
        })?;
        shown.notes.extend(fit.misfit(&shown.text));
        if modified_ms.is_some_and(|modified| modified > meta.created_ms) {
            let note = "the file is younger than the recording: it may not be what ran";
            shown.notes.push(note.to_owned());
        }
        if name.is_guessed() {
            let note = "the class does not say its source file: this is the one of its name";
            shown.notes.push(note.to_owned());
        }
        let others = classes.iter().filter(|class| class.in_scope).count();
        if others > 1 {
            let note = format!(
                "{others} classes have this name, of several loaders: this is the source of one"
            );
            shown.notes.push(note);
        }
        shown.notes.extend(because);
        Ok(shown)
    }
}

fn shown(class: &Arc<ClassInfo>, name: &SourceName, found: Found) -> (Shown, Option<u64>) {
    let shown = Shown {
        file: name.to_string(),
        origin: found.origin,
        kept: false,
        text: found.text.into(),
        notes: found.notes,
        class: Arc::clone(class),
    };
    (shown, found.modified_ms)
}

/// The source that was added, or else kept, of one of these classes.
fn kept(
    recording: &Recording,
    name: &SourceName,
    classes: &[Arc<ClassInfo>],
) -> Result<Option<(Shown, Option<u64>)>, StoreError> {
    for class in classes {
        let kept = match recording.added_source(name.path())? {
            Some(added) => Some(added),
            None => recording.source(class.id)?,
        };
        if let Some(kept) = kept {
            let shown = Shown {
                file: kept.file,
                origin: kept.origin,
                kept: true,
                text: kept.text,
                notes: kept.notes,
                class: Arc::clone(class),
            };
            return Ok(Some((shown, kept.modified_ms)));
        }
    }
    Ok(None)
}
