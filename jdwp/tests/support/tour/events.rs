//! Every kind of event that HotSpot sends, every modifier that it takes.

use jdwp::commands::event_request::{ClearAllBreakpoints, Modifier, Set};
use jdwp::commands::virtual_machine::Resume;
use jdwp::commands::{object_reference, thread_reference};
use jdwp::{
    ClassStatus, ErrorCode, Event, EventKind, JdwpString, Location, ReferenceTypeId, RequestId,
    StepDepth, StepSize, SuspendPolicy, TypeTag, Value,
};

use super::Tour;

const THREAD: SuspendPolicy = SuspendPolicy::EVENT_THREAD;

/// Steps out of the present method.
pub(super) async fn step_out(tour: &mut Tour<'_>) {
    let thread = tour.main;
    let step = Modifier::Step {
        thread,
        size: StepSize::MIN,
        depth: StepDepth::OUT,
    };
    let modifiers = vec![step, Modifier::Count { count: 1 }];
    let request = tour
        .set(EventKind::SINGLE_STEP, SuspendPolicy::ALL, modifiers)
        .await;
    tour.ask(&Resume).await;
    let composite = tour.next().await;
    let [
        Event::SingleStep {
            request: id,
            thread: stepped,
            location,
        },
    ] = composite.events[..]
    else {
        panic!("{composite:?}");
    };
    assert_eq!(
        (id, stepped, location.class),
        (request, thread, tour.debuggee)
    );
    tour.clear(EventKind::SINGLE_STEP, request).await;
}

/// What was asked for at "events begin", by what it is for.
struct Requests {
    list: Vec<(EventKind, RequestId)>,
}

impl Requests {
    async fn add(
        &mut self,
        tour: &mut Tour<'_>,
        kind: EventKind,
        policy: SuspendPolicy,
        modifiers: Vec<Modifier>,
    ) {
        let request = tour.set(kind, policy, modifiers).await;
        self.list.push((kind, request));
    }
}

/// From the checkpoint "events begin" to "events end", with everything asked for in between.
pub(super) async fn visit(tour: &mut Tour<'_>) {
    let subject = tour.subject().await;
    let requests = ask_for_all(tour, subject).await;
    tour.ask(&Resume).await;
    let mut seen: Vec<Event> = Vec::new();
    loop {
        let composite = tour.next().await;
        let at_end = composite
            .events
            .iter()
            .any(|e| e.request() == tour.checkpoints);
        for event in &composite.events {
            let known = requests.list.contains(&(event.kind(), event.request()));
            assert!(
                known || event.request() == tour.checkpoints,
                "nobody asked for {event:?}"
            );
        }
        seen.extend(composite.events.iter().cloned());
        match composite.suspend_policy {
            SuspendPolicy::ALL if at_end => break,
            SuspendPolicy::ALL => tour.ask(&Resume).await,
            SuspendPolicy::EVENT_THREAD => {
                let thread = composite.thread().expect("an event in a thread");
                tour.ask(&thread_reference::Resume { thread }).await;
            }
            other => assert_eq!(other, SuspendPolicy::NONE),
        }
    }
    assert_eq!(tour.checkpoint_name().await, "events end");
    for (kind, request) in requests.list {
        tour.clear(kind, request).await;
    }
    check(tour, subject, &seen).await;
}

async fn ask_for_all(tour: &mut Tour<'_>, subject: jdwp::ObjectId) -> Requests {
    let (main, class) = (tour.main, tour.debuggee);
    let field = tour.field(class, "i").await;
    let field = Modifier::FieldOnly {
        declaring: class,
        field,
    };
    let illegal_state = tour.class("Ljava/lang/IllegalStateException;").await;
    let instance = Modifier::InstanceOnly { instance: subject };
    let only = Modifier::ClassOnly { class };
    let in_main = Modifier::ThreadOnly { thread: main };
    let of_fixture = Modifier::ClassMatch {
        class_pattern: "fixture.*".into(),
    };
    let caught = Modifier::ExceptionOnly {
        exception: illegal_state,
        caught: true,
        uncaught: false,
    };

    let mut requests = Requests { list: Vec::new() };
    let kind = EventKind::FIELD_MODIFICATION;
    requests
        .add(tour, kind, THREAD, vec![field.clone(), instance])
        .await;
    requests
        .add(tour, EventKind::FIELD_ACCESS, THREAD, vec![field])
        .await;
    let entry = vec![only.clone(), in_main.clone()];
    requests
        .add(tour, EventKind::METHOD_ENTRY, THREAD, entry.clone())
        .await;
    requests
        .add(tour, EventKind::METHOD_EXIT, THREAD, entry.clone())
        .await;
    requests
        .add(
            tour,
            EventKind::METHOD_EXIT_WITH_RETURN_VALUE,
            THREAD,
            entry,
        )
        .await;
    requests
        .add(
            tour,
            EventKind::EXCEPTION,
            THREAD,
            vec![caught, only.clone()],
        )
        .await;
    requests
        .add(tour, EventKind::THREAD_START, THREAD, vec![])
        .await;
    requests
        .add(tour, EventKind::THREAD_DEATH, THREAD, vec![])
        .await;
    let source = Modifier::SourceNameMatch {
        source_name_pattern: "Fre*".into(),
    };
    requests
        .add(
            tour,
            EventKind::CLASS_PREPARE,
            THREAD,
            vec![of_fixture.clone(), source],
        )
        .await;
    for kind in [
        EventKind::MONITOR_CONTENDED_ENTER,
        EventKind::MONITOR_CONTENDED_ENTERED,
        EventKind::MONITOR_WAIT,
        EventKind::MONITOR_WAITED,
    ] {
        let policy = if kind == EventKind::MONITOR_WAIT {
            SuspendPolicy::NONE
        } else {
            THREAD
        };
        requests.add(tour, kind, policy, vec![]).await;
    }
    let step = Modifier::Step {
        thread: main,
        size: StepSize::LINE,
        depth: StepDepth::INTO,
    };
    let three = Modifier::Count { count: 3 };
    requests
        .add(
            tour,
            EventKind::SINGLE_STEP,
            THREAD,
            vec![step, only, three],
        )
        .await;
    platform_threads_only(tour, &mut requests).await;
    requests
}

async fn platform_threads_only(tour: &mut Tour<'_>, requests: &mut Requests) {
    let kind = EventKind::THREAD_START;
    let modifiers = vec![Modifier::PlatformThreadsOnly];
    if tour.jdk.feature >= 21 {
        requests
            .add(tour, kind, SuspendPolicy::NONE, modifiers)
            .await;
    } else {
        let set = Set {
            event_kind: kind,
            suspend_policy: SuspendPolicy::NONE,
            modifiers,
        };
        assert_eq!(tour.refused(&set).await, ErrorCode::ILLEGAL_ARGUMENT);
    }
}

async fn check(tour: &mut Tour<'_>, subject: jdwp::ObjectId, seen: &[Event]) {
    let (main, class) = (tour.main, tour.debuggee);
    let methods = jdwp::commands::reference_type::Methods { ref_type: class };
    let methods = tour.ask(&methods).await;
    let name_of = |location: &Location| {
        let method = methods
            .iter()
            .find(|method| method.method == location.method);
        method
            .map(|method| method.name.to_string())
            .unwrap_or_default()
    };
    let of_kind = |kind: EventKind| seen.iter().filter(move |event| event.kind() == kind);
    let places = |kind: EventKind| -> Vec<String> {
        of_kind(kind)
            .filter_map(Event::location)
            .map(name_of)
            .collect()
    };

    let one = of_kind(EventKind::FIELD_MODIFICATION).next();
    let Some(Event::FieldModification {
        thread,
        type_tag,
        type_id,
        object,
        value,
        ..
    }) = one
    else {
        panic!("{one:?}");
    };
    assert_eq!(
        (*thread, *type_tag, *type_id),
        (main, TypeTag::CLASS, class)
    );
    assert_eq!((object.id, *value), (subject, Value::Int(43)));
    let Some(Event::FieldAccess { object, .. }) = of_kind(EventKind::FIELD_ACCESS).next() else {
        panic!("no access in {seen:?}");
    };
    assert_eq!(object.id, subject);

    let mut got = places(EventKind::METHOD_ENTRY);
    got.retain(|name| !name.starts_with("lambda$"));
    // `start` runs twice, before and after the class is made.
    let expected = [
        "square",
        "fail",
        "start",
        "start",
        "awaitState",
        "checkpoint",
    ];
    got.retain(|name| name != "events");
    assert_eq!(got, expected);
    // `fail` ends by its exception: no exit.
    let expected = ["square", "start", "start", "awaitState"];
    assert_eq!(places(EventKind::METHOD_EXIT), {
        let mut exits = vec!["checkpoint".to_owned()];
        exits.extend(expected.map(str::to_owned));
        exits
    });
    let returned = of_kind(EventKind::METHOD_EXIT_WITH_RETURN_VALUE)
        .find(|event| event.location().map(name_of).as_deref() == Some("square"));
    let Some(Event::MethodExitWithReturnValue { value, .. }) = returned else {
        panic!("{returned:?}");
    };
    assert_eq!(*value, Value::Int(43 * 43));

    let thrown: Vec<_> = of_kind(EventKind::EXCEPTION).collect();
    let [
        Event::Exception {
            thread,
            location,
            exception,
            catch_location,
            ..
        },
    ] = thrown[..]
    else {
        panic!("{thrown:?}");
    };
    assert_eq!((*thread, name_of(location)), (main, "fail".to_owned()));
    assert_eq!(name_of(catch_location), "events");
    let class_of = object_reference::ReferenceType {
        object: exception.id,
    };
    let class_of = tour.ask(&class_of).await.type_id;
    assert_eq!(
        class_of,
        tour.class("Ljava/lang/IllegalStateException;").await
    );

    check_threads_and_classes(tour, seen).await;
    check_monitors(tour, seen, &name_of).await;
    let steps: Vec<_> = of_kind(EventKind::SINGLE_STEP).collect();
    assert_eq!(steps.len(), 1, "a count lets one through: {steps:?}");
}

async fn check_threads_and_classes(tour: &mut Tour<'_>, seen: &[Event]) {
    let of_kind = |kind: EventKind| seen.iter().filter(move |event| event.kind() == kind);
    let deaths = of_kind(EventKind::THREAD_DEATH).count();
    assert_eq!(deaths, 2, "eventful and contender");
    let twice = if tour.jdk.feature >= 21 { 2 } else { 1 };
    assert_eq!(of_kind(EventKind::THREAD_START).count(), 2 * twice);

    let prepared: Vec<_> = of_kind(EventKind::CLASS_PREPARE).collect();
    let [
        Event::ClassPrepare {
            thread,
            type_tag,
            type_id,
            signature,
            status,
            ..
        },
    ] = prepared[..]
    else {
        panic!("{prepared:?}");
    };
    assert_eq!((*thread, *type_tag), (tour.main, TypeTag::CLASS));
    assert_eq!(*signature, JdwpString::from("Lfixture/Fresh;"));
    assert!(status.contains(ClassStatus::PREPARED) && !status.contains(ClassStatus::INITIALIZED));
    assert_eq!(*type_id, tour.class("Lfixture/Fresh;").await);
    assert_ne!(*type_id, ReferenceTypeId::NULL);
}

async fn check_monitors(
    tour: &mut Tour<'_>,
    seen: &[Event],
    name_of: &dyn Fn(&Location) -> String,
) {
    let lock = tour.static_object("lock").await;
    let wait_lock = tour.static_object("waitLock").await;
    let wanted = seen.iter().find_map(|event| match event {
        Event::MonitorContendedEnter { thread, object, .. } if object.id == lock => Some(*thread),
        _ => None,
    });
    let got = seen.iter().find_map(|event| match event {
        Event::MonitorContendedEntered { thread, object, .. } if object.id == lock => Some(*thread),
        _ => None,
    });
    assert!(
        wanted.is_some() && wanted == got && wanted != Some(tour.main),
        "{wanted:?} {got:?}"
    );
    let wait = seen.iter().find_map(|event| match event {
        Event::MonitorWait {
            thread,
            object,
            timeout,
            ..
        } if object.id == wait_lock => Some((*thread, *timeout)),
        _ => None,
    });
    assert_eq!(wait, Some((tour.main, 1)));
    let waited = seen.iter().find_map(|event| match event {
        Event::MonitorWaited {
            thread,
            object,
            timed_out,
            ..
        } if object.id == wait_lock => Some((*thread, *timed_out)),
        _ => None,
    });
    assert_eq!(waited, Some((tour.main, true)));
    let _ = name_of;
}

/// From "events end": a class is unloaded, which the JVM tells at some checkpoint "gc".
pub(super) async fn unloading(tour: &mut Tour<'_>) {
    let kind = EventKind::CLASS_UNLOAD;
    let of_fixture = Modifier::ClassMatch {
        class_pattern: "fixture.*".into(),
    };
    let request = tour.set(kind, SuspendPolicy::NONE, vec![of_fixture]).await;
    let garbage = super::objects::make_garbage(tour).await;
    tour.ask(&Resume).await;
    let mut unloaded = Vec::new();
    let mut rounds = 0;
    loop {
        let composite = tour.next().await;
        for event in &composite.events {
            if let Event::ClassUnload { request, signature } = event {
                unloaded.push((*request, signature.to_string()));
            }
        }
        if composite.suspend_policy == SuspendPolicy::ALL {
            if rounds == 0 {
                super::objects::check_garbage(tour, garbage).await;
            }
            match tour.checkpoint_name().await.as_str() {
                "gc" => rounds += 1,
                name => {
                    assert_eq!((name, rounds), ("end", 50));
                    break;
                }
            }
            tour.ask(&Resume).await;
        }
    }
    assert_eq!(unloaded, [(request, "Lfixture/Unloaded;".to_owned())]);
    tour.clear(kind, request).await;
}

/// What HotSpot does not have, it says; and the end of all breakpoints.
pub(super) async fn refused_kinds(tour: &mut Tour<'_>) {
    for kind in [
        EventKind::FRAME_POP,
        EventKind::USER_DEFINED,
        EventKind::CLASS_LOAD,
        EventKind::EXCEPTION_CATCH,
        EventKind::VM_DISCONNECTED,
        EventKind(200),
    ] {
        let set = Set {
            event_kind: kind,
            suspend_policy: THREAD,
            modifiers: vec![],
        };
        let code = tour.refused(&set).await;
        assert!(!code.is_none(), "{kind} {code}");
    }
    // Taken, and without effect.
    let conditional = vec![Modifier::Conditional { expression: 1 }];
    let request = tour
        .set(EventKind::METHOD_ENTRY, SuspendPolicy::NONE, conditional)
        .await;
    tour.clear(EventKind::METHOD_ENTRY, request).await;
    tour.ask(&ClearAllBreakpoints).await;
}
