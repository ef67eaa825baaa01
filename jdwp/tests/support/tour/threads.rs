//! Threads and monitors.

use jdwp::commands::object_reference::MonitorInfo;
use jdwp::commands::thread_reference::{
    CurrentContendedMonitor, Interrupt, IsVirtual, OwnedMonitors, OwnedMonitorsStackDepthInfo,
    Status, Stop,
};
use jdwp::commands::{class_type, virtual_machine};
use jdwp::{ErrorCode, InvokeOptions, Tag, ThreadId, ThreadStatus, Value};

use super::Tour;

/// At the checkpoint "monitors": main holds `lock` twice, "contender" wants it, "waiter" waits.
pub(super) async fn monitors(tour: &mut Tour<'_>) {
    let main = tour.main;
    let lock = tour.static_object("lock").await;
    let (contender, waiter) = (tour.thread("contender").await, tour.thread("waiter").await);
    let info = tour.ask(&MonitorInfo { object: lock }).await;
    assert_eq!((info.owner, info.entry_count), (main, 2));
    assert!(info.waiters.contains(&contender), "{info:?}");

    let owned = tour.ask(&OwnedMonitors { thread: main }).await;
    assert!(owned.iter().any(|monitor| monitor.id == lock), "{owned:?}");
    let depths = tour
        .ask(&OwnedMonitorsStackDepthInfo { thread: main })
        .await;
    let depth = depths.iter().find(|monitor| monitor.monitor.id == lock);
    assert_eq!(
        depth.map(|monitor| monitor.stack_depth),
        Some(1),
        "the caller of checkpoint"
    );
    let wanted = tour
        .ask(&CurrentContendedMonitor { thread: contender })
        .await;
    assert_eq!(wanted.id, lock);
    assert!(
        tour.ask(&CurrentContendedMonitor { thread: main })
            .await
            .is_null()
    );
    let status = tour.ask(&Status { thread: contender }).await;
    assert_eq!(status.thread_status, ThreadStatus::MONITOR);
    let status = tour.ask(&Status { thread: waiter }).await;
    assert_eq!(status.thread_status, ThreadStatus::WAIT);

    virtual_thread(tour).await;
    // Ends the waiter, for which main waits before the next checkpoint.
    tour.ask(&Interrupt { thread: waiter }).await;
    tour.checkpoint("victim").await;
    assert_eq!(tour.static_field("interrupted").await, Value::Boolean(true));
}

async fn virtual_thread(tour: &mut Tour<'_>) {
    let main = tour.main;
    if tour.jdk.feature < 21 {
        let code = tour.refused(&IsVirtual { thread: main }).await;
        assert_eq!(code, ErrorCode::NOT_IMPLEMENTED);
        return;
    }
    assert!(!tour.ask(&IsVirtual { thread: main }).await);
    let thread = ThreadId::from(tour.static_object("virtual").await);
    assert!(tour.ask(&IsVirtual { thread }).await);
    // Virtual threads are not listed (unless the agent runs with includevirtualthreads=y).
    assert!(
        !tour
            .ask(&virtual_machine::AllThreads)
            .await
            .contains(&thread)
    );
}

/// At the checkpoint "victim": throws an exception in a thread that runs for ever.
pub(super) async fn stop(tour: &mut Tour<'_>) {
    let utf = "stop".into();
    let message = tour.ask(&virtual_machine::CreateString { utf }).await;
    let class = tour.class("Ljava/lang/IllegalStateException;").await;
    let methods = jdwp::commands::reference_type::Methods { ref_type: class };
    let methods = tour.ask(&methods).await;
    let constructor = methods
        .iter()
        .find(|method| method.name == "<init>" && method.signature == "(Ljava/lang/String;)V");
    let made = class_type::NewInstance {
        class,
        thread: tour.main,
        method: constructor.expect("exceptions have it").method,
        arguments: vec![Value::Object {
            tag: Tag::STRING,
            id: message.into(),
        }],
        options: InvokeOptions::SINGLE_THREADED,
    };
    let throwable = tour.ask(&made).await.object.id;
    let victim = tour.thread("victim").await;
    tour.ask(&Stop {
        thread: victim,
        throwable,
    })
    .await;
    tour.checkpoint("events begin").await;
    assert_eq!(tour.static_field("stopped").await, Value::Boolean(true));
}
