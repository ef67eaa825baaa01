//! Against real JVMs, on every JDK that is found: every command that HotSpot answers, every event
//! and modifier, both ways of connecting, disposing, and the end of the JVM.

mod support;

use std::collections::BTreeSet;

use jdwp::commands::{event_request::Modifier, virtual_machine};
use jdwp::{
    Client, ConnectionEnd, Event, EventKind, Listener, Options, RequestError, SuspendPolicy,
    commands,
};
use support::jdks;
use support::jvm::{Fixture, Jvm, PATIENCE, listening};
use support::tour;

fn options() -> Options {
    Options::default()
        .timeout(PATIENCE)
        .request_timeout(Some(PATIENCE))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_event_and_modifier_works_on_every_jdk() {
    for jdk in jdks::all() {
        println!("{}", jdk.version);
        let fixture = Fixture::compile(&jdk);
        let (mut jvm, addr) = Jvm::start_server(&jdk, &fixture, &[]);
        let client = Client::connect(addr, options())
            .await
            .expect("the JVM listens");
        let mut tour = tour::whole(client, &jdk, &fixture).await;

        // Exit ends the JVM at once, without a VM_DEATH.
        let last = tokio::time::timeout(PATIENCE, tour.events.next()).await;
        assert_eq!(last, Ok(None), "no event after Exit");
        assert!(matches!(
            *tour.client.closed().await,
            ConnectionEnd::ClosedByPeer
        ));
        assert_eq!(
            jvm.wait().code(),
            Some(7),
            "the exit code that Exit asked for"
        );
        check_coverage(&tour);
    }
}

/// The tour leaves out nothing but what its documentation names.
fn check_coverage(tour: &tour::Tour<'_>) {
    let feature = tour.jdk.feature;
    let mut missing: BTreeSet<&str> = commands::all().map(|info| info.name).collect();
    missing.retain(|name| !tour.answered.contains(name));
    let mut expected = BTreeSet::from([
        "Event.Composite",
        "ReferenceType.SourceDebugExtension",
        "VirtualMachine.Dispose",
    ]);
    if feature < 21 {
        expected.insert("ThreadReference.IsVirtual");
    }
    assert_eq!(missing, expected, "commands not answered by JDK {feature}");

    let mut kinds: BTreeSet<EventKind> = EventKind::KNOWN.iter().copied().collect();
    kinds.retain(|kind| !tour.kinds.contains(kind));
    let others = [
        // See `the_end_of_a_program_is_told`.
        EventKind::VM_DEATH,
        EventKind::FRAME_POP,
        EventKind::USER_DEFINED,
        EventKind::CLASS_LOAD,
        EventKind::EXCEPTION_CATCH,
        EventKind::VM_DISCONNECTED,
    ];
    assert_eq!(kinds, others.into(), "events not sent by JDK {feature}");

    let platform = Modifier::PlatformThreadsOnly.kind();
    let mut modifiers: BTreeSet<u8> = (1..=13).collect();
    if feature < 21 {
        modifiers.remove(&platform);
    }
    assert_eq!(
        tour.modifiers, modifiers,
        "modifiers taken by JDK {feature}"
    );
}

/// A program that ends by itself: VM_DEATH, for who asked for it and for who did not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_a_program_is_told() {
    for jdk in jdks::all() {
        let fixture = Fixture::compile(&jdk);
        let (mut jvm, addr) = Jvm::start_server(&jdk, &fixture, &["wait"]);
        let client = Client::connect(addr, options())
            .await
            .expect("the JVM listens");
        let mut events = client.events().expect("not taken yet");
        events.next().await.expect("VM_START");
        let death = commands::event_request::Set {
            event_kind: EventKind::VM_DEATH,
            suspend_policy: SuspendPolicy::ALL,
            modifiers: vec![],
        };
        let request = client.request(&death).await.expect("an answer");
        client
            .request(&virtual_machine::Resume)
            .await
            .expect("an answer");
        drop(jvm.stdin.take());
        let last = tokio::time::timeout(PATIENCE, events.next())
            .await
            .expect("in time");
        let last = last.expect("VM_DEATH");
        assert_eq!(last.suspend_policy, SuspendPolicy::ALL);
        let [
            Event::VmDeath { request: asked },
            Event::VmDeath { request: unasked },
        ] = last.events[..]
        else {
            panic!("{last:?}");
        };
        assert_eq!((unasked, asked), (jdwp::RequestId::NONE, request));
        client
            .request(&virtual_machine::Resume)
            .await
            .expect("an answer");
        assert_eq!(events.next().await, None);
        assert!(matches!(
            *client.closed().await,
            ConnectionEnd::ClosedByPeer
        ));
        assert!(jvm.wait().success());
    }
}

/// `server=n`: the JVM connects to the debugger. Dispose lets it run on to its own end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_jvm_that_connects_is_accepted_and_runs_on_after_dispose() {
    for jdk in jdks::all() {
        let fixture = Fixture::compile(&jdk);
        let listener = Listener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("bound");
        let mut jvm = Jvm::start_client(&jdk, &fixture, addr);
        let accepted = tokio::time::timeout(PATIENCE, listener.accept(options())).await;
        let client = accepted.expect("in time").expect("a JVM").into_client();
        let mut events = client.events().expect("not taken yet");
        let start = events.next().await.expect("VM_START");
        assert_eq!(start.suspend_policy, SuspendPolicy::ALL);
        client.dispose().await.expect("the JVM agrees");
        assert_eq!(jvm.line(), "waiting for input");
        drop(jvm.stdin.take());
        assert_eq!(jvm.line(), "got -1");
        assert!(jvm.wait().success());
    }
}

/// `server=y`: after a debugger has gone, politely or not, the next one is let in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_jvm_takes_one_debugger_after_the_other() {
    for jdk in jdks::all() {
        let fixture = Fixture::compile(&jdk);
        let (mut jvm, addr) = Jvm::start_server(&jdk, &fixture, &["wait"]);
        let first = Client::connect(addr, options())
            .await
            .expect("the JVM listens");
        let mut events = first.events().expect("not taken yet");
        events.next().await.expect("VM_START");
        first.dispose().await.expect("the JVM agrees");

        // The program runs on, and the agent listens again: two lines in any order.
        let lines = [jvm.line(), jvm.line()];
        assert!(
            lines.iter().any(|line| line == "waiting for input"),
            "{lines:?}"
        );
        let again = lines
            .iter()
            .find_map(|line| listening(line))
            .expect("it listens again");
        let second = Client::connect(again, options())
            .await
            .expect("the JVM listens");
        let version = second
            .request(&virtual_machine::Version)
            .await
            .expect("an answer");
        assert_eq!(version.vm_version.to_string(), jdk.version);
        second
            .request(&virtual_machine::Suspend)
            .await
            .expect("an answer");
        // Dropping the last handle closes; the JVM resumes by itself.
        drop(second);
        let again = listening(&jvm.line()).expect("it listens again");
        let third = Client::connect(again, options())
            .await
            .expect("the JVM listens");
        let closed = third.close().await;
        assert!(matches!(*closed, ConnectionEnd::ClosedHere), "{closed}");
        let error = third
            .request(&virtual_machine::Version)
            .await
            .expect_err("it is closed");
        assert!(matches!(error, RequestError::Ended { .. }), "{error}");
        drop(jvm.stdin.take());
        while jvm.line() != "got -1" {}
        assert!(jvm.wait().success());
    }
}

/// Many requests at once over one connection, from many tasks: each gets its own answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_requests_in_flight_get_their_own_answers() {
    let jdk = jdks::all().remove(0);
    let fixture = Fixture::compile(&jdk);
    let (_jvm, addr) = Jvm::start_server(&jdk, &fixture, &["wait"]);
    let client = Client::connect(addr, options())
        .await
        .expect("the JVM listens");
    let classes = client
        .request(&virtual_machine::AllClasses)
        .await
        .expect("an answer");
    assert!(classes.len() > 100);
    let mut asked = tokio::task::JoinSet::new();
    for class in classes {
        let client = client.clone();
        asked.spawn(async move {
            let ref_type = class.type_id;
            let signature = commands::reference_type::Signature { ref_type };
            (client.request(&signature).await, class.signature)
        });
    }
    while let Some(answer) = asked.join_next().await {
        let (got, expected) = answer.expect("no panic");
        assert_eq!(got.expect("an answer"), expected);
    }
}
