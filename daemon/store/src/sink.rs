//! The writer as the end of a capture.

use std::fs::File;

use jhyde_trace::{
    ClassInfo, EngineKind, Event, Level, ObjectId, ObjectInfo, Sink, SinkError, Subject,
    ThreadInfo, Timestamp,
};

use crate::error::Error;
use crate::writer::Writer;

impl Sink for Writer {
    fn class(&mut self, class: ClassInfo) -> Result<(), SinkError> {
        Self::class(self, class).map_err(in_words)
    }

    fn thread(&mut self, thread: ThreadInfo) -> Result<(), SinkError> {
        Self::thread(self, thread).map_err(in_words)
    }

    fn object(&mut self, object: ObjectId, info: ObjectInfo) -> Result<(), SinkError> {
        Self::object(self, object, info).map_err(in_words)
    }

    fn level(&mut self, of: Subject, level: Level, reason: String) -> Result<(), SinkError> {
        Self::level(self, of, level, reason).map_err(in_words)
    }

    fn doubt(&mut self, since: Timestamp, reason: String) -> Result<(), SinkError> {
        Self::doubt(self, since, reason).map_err(in_words)
    }

    fn engine(&mut self, engine: EngineKind, why: String) -> Result<(), SinkError> {
        let told = self.set_meta(|meta| {
            meta.options.engine = engine;
            meta.notes.retain(|note| !note.starts_with("engine: "));
            meta.notes
                .push(format!("engine: auto took '{engine}'; {why}"));
        });
        told.map_err(in_words)
    }

    fn scratch(&mut self) -> Result<File, SinkError> {
        Self::scratch(self).map_err(in_words)
    }

    fn append(&mut self, events: Vec<Event>) -> Result<(), SinkError> {
        self.append_all(&events).map_err(in_words)
    }
}

fn in_words(error: Error) -> SinkError {
    SinkError(error.to_string())
}
