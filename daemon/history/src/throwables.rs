//! What is known of an exception besides its message: what caused it, what was suppressed for it, and in which calls of
//! the scope it was made.
//!
//! The JVM keeps stack traces where no debugger sees them. Of an exception that the scope made, or the JVM in its midst,
//! the calls of the scope that ran then are a part of its trace that is certain; of others nothing is claimed.

use jhyde_bytecode::{Opcode, decode_at};
use jhyde_store::records::{Creation, Direction, ExceptionKind};
use jhyde_trace::{CallId, Event, EventKind, MethodId, ObjectId, Throwable, Timestamp, Value};

use crate::error::Result;
use crate::history::{History, unless_lost};
use crate::objects::unless_damaged;
use crate::reference::MethodName;
use crate::state::Notes;
use crate::view::PlaceView;

/// How try-with-resources, and programs, tell what was suppressed.
const SUPPRESS: &str = "java.lang.Throwable.addSuppressed(Ljava/lang/Throwable;)V";
/// So many calls of it are looked at, the last ones before the time that is asked for.
const MOST_SUPPRESSED: usize = 256;
/// So many events are looked at between an object's creation and its constructor's call.
const MOST_BETWEEN: usize = 1000;
/// So many throws are looked at, from the time that is asked for backwards.
const MOST_THROWN: usize = 256;
/// The most places of a trace that are told, innermost first.
const MOST_PLACES: usize = 32;

impl History {
    /// What an exception refers to by names, at a time: its cause, once it has one, and what was suppressed, as far as
    /// it was known when the exception was first seen or was added by the scope.
    pub(crate) fn parts_of_throwable(
        &self,
        object: ObjectId,
        thrown: &Throwable,
        at: Timestamp,
    ) -> Result<Vec<(String, Value)>> {
        let mut parts = Vec::new();
        // Set once, for good. That there is none yet is no fact of another time.
        if thrown.cause.object().is_some() {
            parts.push(("cause".to_owned(), thrown.cause));
        }
        let mut suppressed = thrown.suppressed.clone().unwrap_or_default();
        for value in self.suppressed_by_scope(object, at)? {
            if !suppressed.contains(&value) {
                suppressed.push(value);
            }
        }
        parts.extend(
            suppressed
                .into_iter()
                .map(|value| ("suppressed".to_owned(), value)),
        );
        Ok(parts)
    }

    fn suppressed_by_scope(&self, object: ObjectId, at: Timestamp) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        let Some(name) = MethodName::parse(SUPPRESS) else {
            return Ok(all);
        };
        for method in self.methods_named(name).unwrap_or_default() {
            let before = self.invocations_until(method.id, at)?;
            let kept = self.recording.kept_from();
            let kept = unless_lost(self.recording.invocation_at(method.id, kept).map(Some))?;
            let first = before
                .saturating_sub(MOST_SUPPRESSED as u64)
                .max(kept.unwrap_or(0));
            let calls = self
                .recording
                .calls_of_method(method.id, first, MOST_SUPPRESSED);
            let calls = unless_lost(calls.map(Some))?.unwrap_or_default();
            for call in calls.iter().filter(|call| call.enter <= at) {
                let given = unless_damaged(self.given(call), &mut Notes::default())?;
                let given = given.filter(|given| given.receiver == Some(Value::Object(object)));
                all.extend(given.and_then(|given| given.arguments.first().copied()));
            }
        }
        Ok(all)
    }

    /// How often a method had been called at a time. What damage hides does not count.
    fn invocations_until(&self, method: MethodId, at: Timestamp) -> Result<u64> {
        let all = unless_lost(self.recording.invocations(method).map(Some))?;
        let (mut low, mut high) = (0, all.unwrap_or_default());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.recording.call_by_invocation(method, middle) {
                Err(error) if error.cut_off().is_some_and(|to| to <= at) => low = middle + 1,
                call => match unless_lost(call)? {
                    Some(call) if call.enter <= at => low = middle + 1,
                    _ => high = middle,
                },
            }
        }
        Ok(low)
    }

    /// The places of the scope in whose midst an exception was made, innermost first, at most [`MOST_PLACES`]; none where
    /// that is not recorded. Constructors of the exception itself are not among them. `at`: a time at which it was seen.
    pub(crate) fn made_at(&self, object: ObjectId, at: Timestamp) -> Result<Vec<PlaceView>> {
        let made = match unless_lost(self.recording.creation(object))? {
            Some(made) => {
                let constructed = self.constructed_at(&made)?;
                Some((made.call, constructed))
            }
            None => self.made_by_the_jvm(object, at)?,
        };
        let Some((call, index)) = made.filter(|(call, _)| !call.is_root()) else {
            return Ok(Vec::new());
        };
        let mut places: Vec<PlaceView> = self.place_in(call, index)?.into_iter().collect();
        let mut called = unless_lost(self.recording.call(call).map(Some))?;
        while let Some(inner) = called.filter(|_| places.len() < MOST_PLACES) {
            if inner.parent.is_root() {
                break;
            }
            let caller = unless_lost(self.recording.call(inner.parent).map(Some))?;
            // What runs between a call out of the scope and the code that it calls back is not recorded.
            if caller.is_some_and(|caller| !caller.boundary) {
                places.extend(self.place_in(inner.parent, inner.call_site)?);
            }
            called = caller;
        }
        Ok(places)
    }

    /// The instruction that called an object's constructor, which is where its trace begins: in source of several lines it
    /// may stand on another one than `new`. The constructor is the first method that an object is shown to.
    fn constructed_at(&self, made: &Creation) -> Result<u32> {
        let behind = made.timestamp..self.recording.end();
        let own = self
            .recording
            .own_events(made.call, behind, Direction::Forward);
        for own in own.take(MOST_BETWEEN) {
            let own = match own {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                own => own?,
            };
            if let EventKind::Enter {
                receiver: Some(Value::Object(receiver)),
                call_site,
                ..
            } = own.event.kind
                && receiver == made.object
            {
                return Ok(call_site);
            }
        }
        Ok(Event::NO_INDEX)
    }

    /// Where an instruction threw an exception that it neither had nor was left by: the JVM made it there.
    fn made_by_the_jvm(&self, object: ObjectId, at: Timestamp) -> Result<Option<(CallId, u32)>> {
        let before = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        let thrown = self.recording.exceptions(before, Direction::Backward);
        for event in thrown.take(MOST_THROWN) {
            let event = match event {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                event => event?,
            };
            if event.kind != ExceptionKind::Thrown || event.exception != Value::Object(object) {
                continue;
            }
            let Some(method) = self.method_of(event.call)? else {
                continue;
            };
            let thrower = decode_at(&method.method().code, event.index);
            if thrower.is_ok_and(|it| it.opcode != Opcode::Athrow && it.invoke().is_none()) {
                return Ok(Some((event.call, event.index)));
            }
        }
        Ok(None)
    }
}
