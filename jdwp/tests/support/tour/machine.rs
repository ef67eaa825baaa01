//! The JVM as a whole.

use jdwp::commands::virtual_machine::{
    AllClasses, AllClassesWithGeneric, AllModules, AllThreads, Capabilities, CapabilitiesNew,
    ClassPaths, ClassesBySignature, CreateString, DisposeObject, DisposeObjects, Exit, HoldEvents,
    IDSizes, InstanceCounts, ReleaseEvents, Resume, SetDefaultStratum, Suspend,
    TopLevelThreadGroups, Version,
};
use jdwp::commands::{
    module_reference, string_reference, thread_group_reference, thread_reference,
};
use jdwp::{
    ClassLoaderId, ClassStatus, ErrorCode, IdSizes, JdwpString, SuspendStatus, ThreadGroupId,
    ThreadStatus, TypeTag,
};

use super::Tour;

pub(super) async fn visit(tour: &mut Tour<'_>) {
    let version = tour.ask(&Version).await;
    assert_eq!(
        version.jdwp_major,
        if tour.jdk.feature == 8 {
            1
        } else {
            tour.jdk.feature
        }
    );
    assert_eq!(version.vm_version.to_string(), tour.jdk.version);
    assert!(version.vm_name.to_string().contains("VM"), "{version:?}");
    let sizes = tour.ask(&IDSizes).await;
    assert_eq!(IdSizes::try_from(sizes), Ok(tour.client.id_sizes()));

    classes(tour).await;
    threads_and_groups(tour).await;
    capabilities(tour).await;
    strings(tour).await;
    if tour.jdk.feature >= 9 {
        modules(tour).await;
    }

    let paths = tour.ask(&ClassPaths).await;
    assert_eq!(paths.class_paths, [JdwpString::from(".")]);
    assert!(!paths.base_dir.is_empty());
    tour.ask(&SetDefaultStratum {
        stratum: "Java".into(),
    })
    .await;

    let types = vec![tour.debuggee, tour.class("Lfixture/Replaced;").await];
    let counts = tour.ask(&InstanceCounts { types }).await;
    assert_eq!(counts[0], 1, "one Debuggee: {counts:?}");
    assert_eq!(counts.len(), 2);
}

async fn classes(tour: &mut Tour<'_>) {
    let debuggee = tour.debuggee;
    let found = tour
        .ask(&ClassesBySignature {
            signature: "Lfixture/Debuggee;".into(),
        })
        .await;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].type_tag, found[0].type_id),
        (TypeTag::CLASS, debuggee)
    );
    let ready = ClassStatus::VERIFIED | ClassStatus::PREPARED | ClassStatus::INITIALIZED;
    assert_eq!(found[0].status, ready);
    let missing = tour
        .ask(&ClassesBySignature {
            signature: "Lno/Such;".into(),
        })
        .await;
    assert_eq!(missing, []);

    let classes = tour.ask(&AllClasses).await;
    let own = classes
        .iter()
        .find(|class| class.type_id == debuggee)
        .expect("it is loaded");
    assert_eq!(own.signature, "Lfixture/Debuggee;");
    let named = classes
        .iter()
        .find(|class| class.signature == "Lfixture/Named;");
    assert_eq!(named.map(|class| class.type_tag), Some(TypeTag::INTERFACE));
    let array = classes.iter().find(|class| class.signature == "[I");
    assert_eq!(array.map(|class| class.type_tag), Some(TypeTag::ARRAY));

    let generic = tour.ask(&AllClassesWithGeneric).await;
    assert_eq!(generic.len(), classes.len());
    let own = generic
        .iter()
        .find(|class| class.type_id == debuggee)
        .expect("it is loaded");
    assert_eq!(
        own.generic_signature,
        "Lfixture/Base<Ljava/lang/String;>;Lfixture/Named;"
    );
}

async fn threads_and_groups(tour: &mut Tour<'_>) {
    let main = tour.main;
    assert!(tour.ask(&AllThreads).await.contains(&main));
    assert_eq!(
        tour.ask(&thread_reference::Name { thread: main }).await,
        "main"
    );
    let status = tour.ask(&thread_reference::Status { thread: main }).await;
    assert_eq!(status.thread_status, ThreadStatus::RUNNING);
    assert_eq!(status.suspend_status, SuspendStatus::SUSPENDED);

    let group = tour
        .ask(&thread_reference::ThreadGroup { thread: main })
        .await;
    assert_eq!(
        tour.ask(&thread_group_reference::Name { group }).await,
        "main"
    );
    let parent = tour.ask(&thread_group_reference::Parent { group }).await;
    assert_eq!(
        tour.ask(&thread_group_reference::Name { group: parent })
            .await,
        "system"
    );
    let top = tour
        .ask(&thread_group_reference::Parent { group: parent })
        .await;
    assert_eq!(top, ThreadGroupId::NULL);
    assert!(tour.ask(&TopLevelThreadGroups).await.contains(&parent));
    assert!(
        tour.ask(&thread_group_reference::Children { group })
            .await
            .threads
            .contains(&main)
    );
    let children = tour
        .ask(&thread_group_reference::Children { group: parent })
        .await;
    assert!(children.groups.contains(&group), "{children:?}");

    // Suspensions count; those of all threads add to those of one.
    let count = thread_reference::SuspendCount { thread: main };
    let before = tour.ask(&count).await;
    tour.ask(&Suspend).await;
    tour.ask(&thread_reference::Suspend { thread: main }).await;
    assert_eq!(tour.ask(&count).await, before + 2);
    tour.ask(&thread_reference::Resume { thread: main }).await;
    tour.ask(&Resume).await;
    assert_eq!(tour.ask(&count).await, before);

    let frames = tour
        .ask(&thread_reference::FrameCount { thread: main })
        .await;
    assert_eq!(frames, 2, "main and checkpoint");
    let name = thread_reference::Name {
        thread: jdwp::ThreadId(u64::MAX - 1),
    };
    assert_eq!(tour.refused(&name).await, ErrorCode::INVALID_OBJECT);
}

async fn capabilities(tour: &mut Tour<'_>) {
    let old = tour.ask(&Capabilities).await;
    let new = tour.ask(&CapabilitiesNew).await;
    assert!(old.can_watch_field_modification && old.can_get_bytecodes && old.can_get_monitor_info);
    assert_eq!(old.can_watch_field_access, new.can_watch_field_access);
    assert_eq!(
        old.can_get_owned_monitor_info,
        new.can_get_owned_monitor_info
    );
    // What HotSpot has had since JDK 6, and what it has never had.
    assert!(new.can_redefine_classes && new.can_pop_frames && new.can_use_instance_filters);
    assert!(new.can_get_source_debug_extension && new.can_request_vm_death_event);
    assert!(new.can_set_default_stratum && new.can_get_instance_info);
    assert!(new.can_request_monitor_events && new.can_get_monitor_frame_info);
    assert!(new.can_get_constant_pool && new.can_force_early_return);
    // HotSpot says that it cannot, and takes the modifier SourceNameMatch all the same.
    assert!(!new.can_use_source_name_filters);
    assert!(!new.can_add_method && !new.can_unrestrictedly_redefine_classes);
    assert!(!new.reserved22 && !new.reserved32);
}

async fn strings(tour: &mut Tour<'_>) {
    for text in ["", "ordinary", "grüß \0 😀"] {
        let string = tour.ask(&CreateString { utf: text.into() }).await;
        assert_eq!(tour.ask(&string_reference::Value { string }).await, text);
        let release = DisposeObject {
            object: string.into(),
            count: 1,
        };
        tour.ask(&DisposeObjects {
            requests: vec![release],
        })
        .await;
        let gone = tour.refused(&string_reference::Value { string }).await;
        assert_eq!(gone, ErrorCode::INVALID_OBJECT);
    }
    // With a surrogate that has no partner.
    let greeting = tour.static_object("greeting").await;
    let value = tour
        .ask(&string_reference::Value {
            string: greeting.into(),
        })
        .await;
    let units: Vec<u16> = "grüß \0 😀 "
        .encode_utf16()
        .chain([0xD83D, u16::from(b'!')])
        .collect();
    assert_eq!(value.to_utf16(), units);
    assert_eq!(value.as_str(), None);
}

async fn modules(tour: &mut Tour<'_>) {
    let modules = tour.ask(&AllModules).await;
    let mut names = Vec::new();
    for module in modules {
        let name = tour
            .ask(&module_reference::Name { module })
            .await
            .to_string();
        if name == "java.base" {
            let loader = tour.ask(&module_reference::ClassLoader { module }).await;
            assert_eq!(loader, ClassLoaderId::NULL);
        }
        names.push(name);
    }
    assert!(names.iter().any(|name| name == "java.base"), "{names:?}");
}

/// While events are held, a thread stops at a breakpoint and nothing is sent. From the checkpoint
/// "replaced" to "monitors".
pub(super) async fn hold_events(tour: &mut Tour<'_>) {
    let main = tour.main;
    tour.ask(&HoldEvents).await;
    tour.ask(&Resume).await;
    let breakpoint = tour.start_of(tour.debuggee, "checkpoint").await;
    let deadline = std::time::Instant::now() + super::super::jvm::PATIENCE;
    loop {
        tour.ask(&thread_reference::Suspend { thread: main }).await;
        let location = tour.frame(0).await.location;
        tour.ask(&thread_reference::Resume { thread: main }).await;
        if location == breakpoint {
            break;
        }
        assert!(
            std::time::Instant::now() < deadline,
            "main never reached the breakpoint"
        );
    }
    assert_eq!(tour.events.try_next(), None, "events are held");
    tour.ask(&ReleaseEvents).await;
    tour.arrive("monitors").await;
}

/// Ends the JVM.
pub(super) async fn exit(tour: &mut Tour<'_>) {
    tour.ask(&Exit { exit_code: 7 }).await;
}
