//! What recording has come to since the daemon began, over all recordings: counted where events are handed to the store.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use jhyde_capture::Burden;
use jhyde_trace::{
    ClassInfo, EngineKind, Event, Level, ObjectId, ObjectInfo, Sink, SinkError, Subject,
    ThreadInfo, Timestamp,
};

use super::live::lock;

/// See the module.
#[derive(Debug)]
pub struct Tally {
    began: Instant,
    events: AtomicU64,
    waited_ns: AtomicU64,
    /// Of each recording that is made: since when it waits for the store, in nanoseconds since `began`; 0: it does not.
    waiting: Mutex<Vec<Weak<AtomicU64>>>,
    burden: Arc<Burden>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            events: AtomicU64::new(0),
            waited_ns: AtomicU64::new(0),
            waiting: Mutex::default(),
            burden: Arc::default(),
        }
    }
}

impl Tally {
    /// Events that the store has taken.
    pub fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// How long recordings have waited for the store to take events, all together. Meanwhile nobody hears what their
    /// programs do next, and these stand still sooner or later.
    pub fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited_ns.load(Ordering::Relaxed))
    }

    /// What recordings cost their programs.
    pub fn burden(&self) -> &Arc<Burden> {
        &self.burden
    }

    /// The longest time that a recording has been waiting for the store just now.
    pub fn waiting(&self) -> Duration {
        let now = self.now();
        let waiting = lock(&self.waiting);
        let since = waiting.iter().filter_map(Weak::upgrade);
        let since = since.map(|since| since.load(Ordering::Acquire));
        let longest = since.filter(|since| *since > 0).min();
        Duration::from_nanos(longest.map_or(0, |since| now.saturating_sub(since)))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The same sink, counted.
    pub(super) fn counting<S>(self: &Arc<Self>, inner: S) -> Counting<S> {
        let waiting = Arc::new(AtomicU64::new(0));
        let mut all = lock(&self.waiting);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(&waiting));
        Counting {
            inner,
            tally: Arc::clone(self),
            waiting,
        }
    }
}

/// See [`Tally::counting`].
pub(super) struct Counting<S> {
    inner: S,
    tally: Arc<Tally>,
    waiting: Arc<AtomicU64>,
}

impl<S> Counting<S> {
    /// No more comes.
    pub(super) fn into_inner(self) -> S {
        self.inner
    }
}

impl<S: Sink> Sink for Counting<S> {
    fn class(&mut self, class: ClassInfo) -> Result<(), SinkError> {
        self.inner.class(class)
    }

    fn thread(&mut self, thread: ThreadInfo) -> Result<(), SinkError> {
        self.inner.thread(thread)
    }

    fn object(&mut self, object: ObjectId, info: ObjectInfo) -> Result<(), SinkError> {
        self.inner.object(object, info)
    }

    fn level(&mut self, of: Subject, level: Level, reason: String) -> Result<(), SinkError> {
        self.inner.level(of, level, reason)
    }

    fn doubt(&mut self, since: Timestamp, reason: String) -> Result<(), SinkError> {
        self.inner.doubt(since, reason)
    }

    fn engine(&mut self, engine: EngineKind, why: String) -> Result<(), SinkError> {
        self.inner.engine(engine, why)
    }

    fn scratch(&mut self) -> Result<File, SinkError> {
        self.inner.scratch()
    }

    fn append(&mut self, events: Vec<Event>) -> Result<(), SinkError> {
        let count = events.len() as u64;
        let since = self.tally.now().max(1);
        self.waiting.store(since, Ordering::Release);
        let appended = self.inner.append(events);
        self.waiting.store(0, Ordering::Release);
        let took = self.tally.now().saturating_sub(since);
        self.tally.waited_ns.fetch_add(took, Ordering::Relaxed);
        if appended.is_ok() {
            self.tally.events.fetch_add(count, Ordering::Relaxed);
        }
        appended
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::mpsc::{self, Receiver};
    use std::thread::JoinHandle;

    use super::*;

    /// Takes events when it is told to.
    struct Slow(Receiver<Result<(), SinkError>>);

    impl Sink for Slow {
        fn class(&mut self, _: ClassInfo) -> Result<(), SinkError> {
            Ok(())
        }
        fn thread(&mut self, _: ThreadInfo) -> Result<(), SinkError> {
            Ok(())
        }
        fn object(&mut self, _: ObjectId, _: ObjectInfo) -> Result<(), SinkError> {
            Ok(())
        }
        fn level(&mut self, _: Subject, _: Level, _: String) -> Result<(), SinkError> {
            Ok(())
        }
        fn doubt(&mut self, _: Timestamp, _: String) -> Result<(), SinkError> {
            Ok(())
        }
        fn engine(&mut self, _: EngineKind, _: String) -> Result<(), SinkError> {
            Ok(())
        }
        fn scratch(&mut self) -> Result<File, SinkError> {
            tempfile::tempfile().map_err(|error| SinkError(error.to_string()))
        }
        fn append(&mut self, _: Vec<Event>) -> Result<(), SinkError> {
            self.0.recv().unwrap()
        }
    }

    fn event() -> Event {
        Event {
            call: jhyde_trace::CallId::default(),
            index: Event::NO_INDEX,
            kind: jhyde_trace::EventKind::ThreadStart,
        }
    }

    /// A recording that waits for the store until it is told that this takes something.
    pub(crate) fn stands_until(tally: &Arc<Tally>, taken: Receiver<()>) -> JoinHandle<()> {
        let (take, takes) = mpsc::channel();
        let mut sink = tally.counting(Slow(takes));
        std::thread::spawn(move || {
            let recording = std::thread::spawn(move || sink.append(vec![event()]));
            taken.recv().unwrap();
            take.send(Ok(())).unwrap();
            recording.join().unwrap().unwrap();
        })
    }

    #[test]
    fn what_the_store_does_not_take_is_seen_to_wait_and_is_not_counted() {
        let tally = Arc::new(Tally::default());
        let (take, takes) = mpsc::channel();
        let mut sink = tally.counting(Slow(takes));
        assert_eq!(tally.waiting(), Duration::ZERO);
        let recording = std::thread::spawn(move || {
            sink.append(vec![event(), event()]).unwrap();
            sink.append(vec![event()]).unwrap_err();
            sink
        });
        let while_waiting = Duration::from_millis(20);
        while tally.waiting() < while_waiting {
            std::thread::yield_now();
        }
        take.send(Ok(())).unwrap();
        let full = SinkError("the disk is full".to_owned());
        take.send(Err(full)).unwrap();
        let sink = recording.join().unwrap();
        assert_eq!((tally.events(), tally.waiting()), (2, Duration::ZERO));
        assert!(tally.waited() >= while_waiting);
        drop(sink);
        drop(tally.counting(()));
        assert_eq!(lock(&tally.waiting).len(), 1);
    }
}
