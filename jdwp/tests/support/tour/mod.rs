//! A tour of a real JVM: every command that HotSpot answers, every event and modifier, each with
//! a check of what comes back. The live tests take it on every JDK; the transcript recorder takes
//! it with a tap on the wire.
//!
//! Not on the tour, because HotSpot does not have them: the event kinds FRAME_POP, USER_DEFINED,
//! CLASS_LOAD, EXCEPTION_CATCH and VM_DISCONNECTED (their refusal is checked), and before JDK 21
//! IsVirtual and PlatformThreadsOnly. The modifier Conditional is taken but has no effect.
//! `SourceDebugExtension` is checked by its refusal: javac writes no such attribute. Dispose has
//! a live test of its own, since it ends the debugging.

mod events;
mod frames;
mod machine;
mod objects;
mod threads;
mod types;

use std::collections::BTreeSet;

use jdwp::commands::event_request::{Clear, Modifier, Set};
use jdwp::commands::{reference_type, stack_frame, string_reference, thread_reference};
use jdwp::commands::{virtual_machine, virtual_machine::ClassesBySignature};
use jdwp::{
    Client, Command, Composite, ErrorCode, Event, EventKind, EventStream, FieldId, FrameId,
    Location, MethodId, ObjectId, ReferenceTypeId, RequestError, RequestId, SuspendPolicy, Tag,
    ThreadId, TypeTag, Value,
};

use super::jdks::Jdk;
use super::jvm::{Fixture, PATIENCE};

/// The debugger on the tour, and what it has seen.
pub struct Tour<'a> {
    pub client: Client,
    pub events: EventStream,
    pub jdk: &'a Jdk,
    pub fixture: &'a Fixture,
    /// Names of the commands that were answered without an error.
    pub answered: BTreeSet<&'static str>,
    /// Names of the commands that were answered with the error that was expected.
    pub refused: BTreeSet<&'static str>,
    /// Kinds of the events that came.
    pub kinds: BTreeSet<EventKind>,
    /// Kinds of the modifiers that the JVM accepted.
    pub modifiers: BTreeSet<u8>,
    /// The main thread.
    pub main: ThreadId,
    /// `fixture.Debuggee`.
    pub debuggee: ReferenceTypeId,
    /// The breakpoint in `checkpoint`.
    pub checkpoints: RequestId,
}

/// Takes the whole tour, from the JVM's start to its exit with code 7.
pub async fn whole<'a>(client: Client, jdk: &'a Jdk, fixture: &'a Fixture) -> Tour<'a> {
    let mut tour = Tour::begin(client, jdk, fixture).await;
    tour.checkpoint("answer").await;
    types::redefinition(&mut tour).await;
    tour.checkpoint("start").await;
    machine::visit(&mut tour).await;
    types::visit(&mut tour).await;
    objects::visit(&mut tour).await;
    objects::invocations(&mut tour).await;
    tour.checkpoint("locals").await;
    frames::locals(&mut tour).await;
    tour.checkpoint("early").await;
    frames::early_return(&mut tour).await;
    tour.checkpoint("popped").await;
    frames::pop(&mut tour).await;
    tour.checkpoint("answer").await;
    tour.checkpoint("replaced").await;
    types::redefined(&mut tour).await;
    machine::hold_events(&mut tour).await;
    threads::monitors(&mut tour).await;
    threads::stop(&mut tour).await;
    events::visit(&mut tour).await;
    events::unloading(&mut tour).await;
    events::refused_kinds(&mut tour).await;
    machine::exit(&mut tour).await;
    tour
}

impl<'a> Tour<'a> {
    async fn begin(client: Client, jdk: &'a Jdk, fixture: &'a Fixture) -> Self {
        let events = client.events().expect("not taken yet");
        let mut tour = Self {
            client,
            events,
            jdk,
            fixture,
            answered: BTreeSet::from(["VirtualMachine.IDSizes"]),
            refused: BTreeSet::new(),
            kinds: BTreeSet::new(),
            modifiers: BTreeSet::new(),
            main: ThreadId::NULL,
            debuggee: ReferenceTypeId::NULL,
            checkpoints: RequestId::NONE,
        };
        let start = tour.next().await;
        assert_eq!(start.suspend_policy, SuspendPolicy::ALL);
        let [
            Event::VmStart {
                request: RequestId::NONE,
                thread,
            },
        ] = start.events[..]
        else {
            panic!("the JVM begins with VM_START, not {start:?}");
        };
        tour.main = thread;
        tour.await_debuggee().await;
        tour
    }

    /// Resumes until the main class is prepared, and sets the breakpoint.
    async fn await_debuggee(&mut self) {
        let pattern = Modifier::ClassMatch {
            class_pattern: "fixture.Debu*".into(),
        };
        let exclude = Modifier::ClassExclude {
            class_pattern: "*Nested".into(),
        };
        let once = Modifier::Count { count: 1 };
        let prepare = EventKind::CLASS_PREPARE;
        self.set(prepare, SuspendPolicy::ALL, vec![pattern, exclude, once])
            .await;
        self.ask(&virtual_machine::Resume).await;
        let composite = self.next().await;
        let [
            Event::ClassPrepare {
                thread,
                type_tag,
                type_id,
                signature,
                status,
                ..
            },
        ] = &composite.events[..]
        else {
            panic!("{composite:?}");
        };
        assert_eq!(*thread, self.main);
        assert_eq!(*type_tag, TypeTag::CLASS);
        assert_eq!(signature, "Lfixture/Debuggee;");
        assert!(status.contains(jdwp::ClassStatus::PREPARED), "{status:?}");
        self.debuggee = *type_id;
        let location = self.start_of(self.debuggee, "checkpoint").await;
        self.checkpoints = self
            .set(
                EventKind::BREAKPOINT,
                SuspendPolicy::ALL,
                vec![Modifier::LocationOnly { location }],
            )
            .await;
    }

    /// Asks and expects an answer.
    pub async fn ask<C: Command>(&mut self, command: &C) -> C::Reply {
        match self.client.request(command).await {
            Ok(reply) => {
                self.answered.insert(C::NAME);
                reply
            }
            Err(error) => panic!("{command:?}: {error}"),
        }
    }

    /// Asks and expects an error code.
    pub async fn refused<C: Command>(&mut self, command: &C) -> ErrorCode {
        match self.client.request(command).await {
            Err(RequestError::Reply(jdwp::ReplyError::Jvm { code, .. })) => {
                self.refused.insert(C::NAME);
                code
            }
            other => panic!("{command:?} should be refused, but: {other:?}"),
        }
    }

    /// The next composite.
    pub async fn next(&mut self) -> Composite {
        let next = tokio::time::timeout(PATIENCE, self.events.next()).await;
        let composite = next.expect("an event in time").unwrap_or_else(|| {
            panic!("the connection is over: {:?}", self.client.end());
        });
        self.kinds.extend(composite.events.iter().map(Event::kind));
        composite
    }

    pub async fn set(
        &mut self,
        event_kind: EventKind,
        suspend_policy: SuspendPolicy,
        modifiers: Vec<Modifier>,
    ) -> RequestId {
        self.modifiers.extend(modifiers.iter().map(Modifier::kind));
        let request = self
            .ask(&Set {
                event_kind,
                suspend_policy,
                modifiers,
            })
            .await;
        assert!(request.0 > 0, "{request:?}");
        request
    }

    pub async fn clear(&mut self, event_kind: EventKind, request: RequestId) {
        self.ask(&Clear {
            event_kind,
            request,
        })
        .await;
    }

    /// Resumes and expects the main thread at this checkpoint next.
    pub async fn checkpoint(&mut self, name: &str) {
        self.ask(&virtual_machine::Resume).await;
        self.arrive(name).await;
    }

    /// Expects the main thread at this checkpoint next.
    pub async fn arrive(&mut self, name: &str) {
        let composite = self.next().await;
        let [
            Event::Breakpoint {
                request,
                thread,
                location,
            },
        ] = composite.events[..]
        else {
            panic!("expected the checkpoint {name:?}: {composite:?}");
        };
        assert_eq!((request, thread), (self.checkpoints, self.main));
        assert_eq!(location.class, self.debuggee);
        assert_eq!(self.checkpoint_name().await, name);
    }

    /// The name of the checkpoint where the main thread is.
    pub async fn checkpoint_name(&mut self) -> String {
        let frame = self.frame(0).await.frame;
        let [
            Value::Object {
                tag: Tag::STRING,
                id,
            },
        ] = self.slots(frame, &[(0, 'L')]).await[..]
        else {
            panic!("the first argument of a checkpoint is its name");
        };
        self.string(id).await
    }

    pub async fn string(&mut self, id: ObjectId) -> String {
        self.ask(&string_reference::Value { string: id.into() })
            .await
            .to_string()
    }

    /// A frame of the main thread.
    pub async fn frame(&mut self, depth: i32) -> thread_reference::Frame {
        let thread = self.main;
        let frames = thread_reference::Frames {
            thread,
            start_frame: depth,
            length: 1,
        };
        let frames = self.ask(&frames).await;
        assert_eq!(frames.len(), 1, "{frames:?}");
        frames[0]
    }

    pub async fn slots(&mut self, frame: FrameId, slots: &[(i32, char)]) -> Vec<Value> {
        let request = |&(slot, tag): &(i32, char)| stack_frame::SlotRequest {
            slot,
            tag: Tag(u8::try_from(tag).expect("tags are ASCII")),
        };
        let slots = slots.iter().map(request).collect();
        self.ask(&stack_frame::GetValues {
            thread: self.main,
            frame,
            slots,
        })
        .await
    }

    pub async fn class(&mut self, signature: &str) -> ReferenceTypeId {
        let found = self
            .ask(&ClassesBySignature {
                signature: signature.into(),
            })
            .await;
        assert_eq!(found.len(), 1, "{signature}: {found:?}");
        found[0].type_id
    }

    pub async fn method(&mut self, ref_type: ReferenceTypeId, name: &str) -> MethodId {
        let methods = self.ask(&reference_type::Methods { ref_type }).await;
        let method = methods.iter().find(|method| method.name == name);
        method
            .unwrap_or_else(|| panic!("no method {name} in {methods:?}"))
            .method
    }

    pub async fn field(&mut self, ref_type: ReferenceTypeId, name: &str) -> FieldId {
        let fields = self.ask(&reference_type::Fields { ref_type }).await;
        let field = fields.iter().find(|field| field.name == name);
        field
            .unwrap_or_else(|| panic!("no field {name} in {fields:?}"))
            .field
    }

    /// The value of a static field of the debuggee.
    pub async fn static_field(&mut self, name: &str) -> Value {
        let fields = vec![self.field(self.debuggee, name).await];
        let values = reference_type::GetValues {
            ref_type: self.debuggee,
            fields,
        };
        self.ask(&values).await[0]
    }

    /// The object in a static field of the debuggee.
    pub async fn static_object(&mut self, name: &str) -> ObjectId {
        let value = self.static_field(name).await;
        value
            .object()
            .unwrap_or_else(|| panic!("{name} is {value:?}"))
            .id
    }

    /// The first instruction of a method.
    pub async fn start_of(&mut self, class: ReferenceTypeId, method: &str) -> Location {
        let method = self.method(class, method).await;
        Location {
            type_tag: TypeTag::CLASS,
            class,
            method,
            index: 0,
        }
    }

    /// The thread with this name.
    pub async fn thread(&mut self, name: &str) -> ThreadId {
        for thread in self.ask(&virtual_machine::AllThreads).await {
            if self.ask(&thread_reference::Name { thread }).await == name {
                return thread;
            }
        }
        panic!("no thread {name}");
    }

    /// The object that is the second argument of the present checkpoint.
    pub async fn subject(&mut self) -> ObjectId {
        let frame = self.frame(0).await.frame;
        let values = self.slots(frame, &[(1, 'L')]).await;
        values[0]
            .object()
            .expect("this checkpoint has a subject")
            .id
    }
}
