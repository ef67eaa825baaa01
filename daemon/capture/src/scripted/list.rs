//! A list as the end of a capture.

use std::fs::File;

use jhyde_trace::{
    ClassInfo, EngineKind, Event, EventKind, Level, ObjectId, ObjectInfo, Outcome, Sink, SinkError,
    Subject, ThreadInfo, Timestamp,
};

/// All that was captured, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    pub(crate) classes: Vec<ClassInfo>,
    pub(crate) threads: Vec<ThreadInfo>,
    pub(crate) objects: Vec<(ObjectId, ObjectInfo)>,
    pub(crate) events: Vec<Event>,
    /// Levels, each with the number of events before it.
    pub(crate) levels: Vec<(usize, Level)>,
    /// The engine that was taken last where that was left open, and why.
    pub(crate) engine: Option<(EngineKind, String)>,
    /// No more events than these are taken.
    pub(crate) room: Option<usize>,
    /// There is no file for what whoever captures has no memory for.
    pub(crate) has_no_scratch: bool,
}

impl List {
    /// The events in short: `1.1 enter Main.main [] @-`, `1.2 = Int(3)`.
    pub(crate) fn story(&self) -> Vec<String> {
        self.events.iter().map(|event| self.line(event)).collect()
    }

    fn line(&self, event: &Event) -> String {
        let call = event.call;
        match &event.kind {
            EventKind::Enter {
                method,
                arguments,
                call_site,
                boundary,
                ..
            } => {
                let methods = self.classes.iter().flat_map(|class| {
                    let named = class.methods.iter().map(move |method| (class, method));
                    named.filter(|(_, known)| known.id == *method)
                });
                // A class is told again when it has more.
                let name = methods.last().map_or_else(
                    || format!("{method:?}"),
                    |(class, method)| format!("{}.{}", class.name, method.name),
                );
                let site = match *call_site {
                    Event::NO_INDEX => "-".to_owned(),
                    site => site.to_string(),
                };
                let boundary = if *boundary { " outside" } else { "" };
                format!("{call} enter {name} {arguments:?} @{site}{boundary}")
            }
            EventKind::Exit {
                outcome: Outcome::Returned(value),
            } => format!("{call} = {value:?}"),
            other => format!("{call} {other:?}"),
        }
    }
}

impl Sink for List {
    fn class(&mut self, class: ClassInfo) -> Result<(), SinkError> {
        self.classes.push(class);
        Ok(())
    }

    fn thread(&mut self, thread: ThreadInfo) -> Result<(), SinkError> {
        self.threads.push(thread);
        Ok(())
    }

    fn object(&mut self, object: ObjectId, info: ObjectInfo) -> Result<(), SinkError> {
        self.objects.push((object, info));
        Ok(())
    }

    fn level(&mut self, _: Subject, level: Level, _: String) -> Result<(), SinkError> {
        self.levels.push((self.events.len(), level));
        Ok(())
    }

    fn doubt(&mut self, since: Timestamp, _: String) -> Result<(), SinkError> {
        let since = usize::try_from(since.0).unwrap_or(usize::MAX);
        self.levels.push((since, Level::Calls));
        Ok(())
    }

    fn engine(&mut self, engine: EngineKind, why: String) -> Result<(), SinkError> {
        self.engine = Some((engine, why));
        Ok(())
    }

    fn scratch(&mut self) -> Result<File, SinkError> {
        if self.has_no_scratch {
            return Err(SinkError("there is no file".to_owned()));
        }
        tempfile::tempfile().map_err(|error| SinkError(error.to_string()))
    }

    fn append(&mut self, events: Vec<Event>) -> Result<(), SinkError> {
        for event in events {
            if self.room == Some(self.events.len()) {
                return Err(SinkError("there is no room".to_owned()));
            }
            self.events.push(event);
        }
        Ok(())
    }
}
