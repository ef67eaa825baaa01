//! Objects, arrays, strings; calling methods.

use jdwp::commands::class_type::{self, FieldValue};
use jdwp::commands::object_reference::{
    DisableCollection, EnableCollection, GetValues, InvokeMethod, IsCollected, MonitorInfo,
    ReferenceType, ReferringObjects, SetValues,
};
use jdwp::commands::{array_reference, interface_type, virtual_machine};
use jdwp::{
    ArrayId, ArrayRegion, ErrorCode, InvokeOptions, ObjectId, Tag, ThreadId, TypeTag, Value,
};

use super::Tour;

pub(super) async fn visit(tour: &mut Tour<'_>) {
    let object = tour.subject().await;
    let class = tour.debuggee;
    let info = tour.ask(&ReferenceType { object }).await;
    assert_eq!((info.type_tag, info.type_id), (TypeTag::CLASS, class));
    fields(tour, object).await;
    arrays(tour, object).await;

    let referring = tour
        .ask(&ReferringObjects {
            object,
            max_referrers: 5,
        })
        .await;
    assert_eq!(referring, [], "only a local refers to it");
    let lock = tour.static_object("lock").await;
    let monitor = tour.ask(&MonitorInfo { object: lock }).await;
    assert_eq!((monitor.owner, monitor.entry_count), (ThreadId::NULL, 0));
    assert_eq!(monitor.waiters, []);
}

async fn values(tour: &mut Tour<'_>, object: ObjectId, names: &[&str]) -> Vec<Value> {
    let mut fields = Vec::new();
    for name in names {
        fields.push(tour.field(tour.debuggee, name).await);
    }
    tour.ask(&GetValues { object, fields }).await
}

async fn fields(tour: &mut Tour<'_>, object: ObjectId) {
    let primitives = ["z", "b", "c", "s", "i", "j", "f", "d", "nothing"];
    let expected = [
        Value::Boolean(true),
        Value::Byte(-1),
        Value::Char(u16::from(b'x')),
        Value::Short(-300),
        Value::Int(42),
        Value::Long(i64::MIN),
        Value::Float(1.5),
        Value::Double(-0.0),
        Value::NULL,
    ];
    assert_eq!(values(tour, object, &primitives).await, expected);
    let tags = values(tour, object, &["text", "ints", "type", "objects"]).await;
    let tags: Vec<Tag> = tags.iter().map(Value::tag).collect();
    assert_eq!(
        tags,
        [Tag::STRING, Tag::ARRAY, Tag::CLASS_OBJECT, Tag::ARRAY]
    );

    // Inherited fields are asked with the ids of the class that declares them.
    let base = tour.class("Lfixture/Base;").await;
    let inherited = tour.field(base, "inherited").await;
    let held = tour.field(base, "held").await;
    let found = tour
        .ask(&GetValues {
            object,
            fields: vec![inherited, held],
        })
        .await;
    assert_eq!((found[0], found[1].tag()), (Value::Int(7), Tag::STRING));

    let new = [
        ("i", Value::Int(41)),
        ("j", Value::Long(-9)),
        ("z", Value::Boolean(false)),
        ("text", Value::NULL),
    ];
    let mut writes = Vec::new();
    for (name, value) in new {
        writes.push(FieldValue {
            field: tour.field(tour.debuggee, name).await,
            value: value.into(),
        });
    }
    tour.ask(&SetValues {
        object,
        values: writes,
    })
    .await;
    let written = values(tour, object, &["i", "j", "z", "text"]).await;
    assert_eq!(written, new.map(|(_, value)| value));
}

async fn arrays(tour: &mut Tour<'_>, object: ObjectId) {
    let arrays = values(tour, object, &["ints", "objects"]).await;
    let [ints, objects] =
        [0, 1].map(|index: usize| ArrayId(arrays[index].object().expect("not null").id.0));
    let region = array_reference::GetValues {
        array: ints,
        first_index: 0,
        length: 3,
    };
    assert_eq!(tour.ask(&region).await, ArrayRegion::Int(vec![1, 2, 3]));
    let region = array_reference::GetValues {
        array: objects,
        first_index: 0,
        length: 3,
    };
    let ArrayRegion::Object { elements, .. } = tour.ask(&region).await else {
        panic!("an array of references");
    };
    let tags: Vec<Tag> = elements.iter().map(|element| element.tag).collect();
    assert_eq!(tags, [Tag::STRING, Tag::OBJECT, Tag::ARRAY]);
    assert!(elements[1].is_null());
    assert_eq!(tour.string(elements[0].id).await, "a");
}

/// Makes two strings that only the debugger knows, and disables the collection of the second.
/// (While all threads are suspended nothing that the debugger knows is collected, since JDK 16.)
pub(super) async fn make_garbage(tour: &mut Tour<'_>) -> [ObjectId; 2] {
    let garbage = virtual_machine::CreateString {
        utf: "garbage".into(),
    };
    let kept = virtual_machine::CreateString { utf: "kept".into() };
    let strings = [
        tour.ask(&garbage).await.into(),
        tour.ask(&kept).await.into(),
    ];
    tour.ask(&DisableCollection { object: strings[1] }).await;
    for object in strings {
        assert!(!tour.ask(&IsCollected { object }).await);
    }
    strings
}

/// After a collection.
pub(super) async fn check_garbage(tour: &mut Tour<'_>, [garbage, kept]: [ObjectId; 2]) {
    assert!(tour.ask(&IsCollected { object: garbage }).await);
    assert_eq!(
        tour.refused(&GetValues {
            object: garbage,
            fields: vec![]
        })
        .await,
        ErrorCode::INVALID_OBJECT
    );
    assert!(!tour.ask(&IsCollected { object: kept }).await);
    assert_eq!(tour.string(kept).await, "kept");
    tour.ask(&EnableCollection { object: kept }).await;
}

/// Calls of all kinds, in the main thread at a checkpoint.
pub(super) async fn invocations(tour: &mut Tour<'_>) {
    let (thread, class) = (tour.main, tour.debuggee);
    let object = tour.subject().await;
    let options = InvokeOptions::SINGLE_THREADED;
    let square = class_type::InvokeMethod {
        class,
        thread,
        method: tour.method(class, "square").await,
        arguments: vec![Value::Int(9)],
        options,
    };
    let result = tour.ask(&square).await;
    assert_eq!(result.value, Value::Int(81));
    assert!(result.exception.is_null());

    let utf = "from the debugger".into();
    let message = tour.ask(&virtual_machine::CreateString { utf }).await;
    let fail = class_type::InvokeMethod {
        method: tour.method(class, "fail").await,
        arguments: vec![Value::Object {
            tag: Tag::STRING,
            id: message.into(),
        }],
        ..square.clone()
    };
    let result = tour.ask(&fail).await;
    let thrown = tour
        .ask(&ReferenceType {
            object: result.exception.id,
        })
        .await;
    assert_eq!(
        thrown.type_id,
        tour.class("Ljava/lang/IllegalStateException;").await
    );

    let method = tour.method(class, "add").await;
    let arguments = vec![Value::Int(1)];
    let nonvirtual = options | InvokeOptions::NONVIRTUAL;
    let add = InvokeMethod {
        object,
        thread,
        class,
        method,
        arguments,
        options: nonvirtual,
    };
    assert_eq!(tour.ask(&add).await.value, Value::Int(41));
    assert_eq!(values(tour, object, &["i"]).await, [Value::Int(42)]);

    let named = tour.class("Lfixture/Named;").await;
    let twice = interface_type::InvokeMethod {
        class: named,
        thread,
        method: tour.method(named, "twice").await,
        arguments: vec![Value::Int(21)],
        options,
    };
    assert_eq!(tour.ask(&twice).await.value, Value::Int(42));

    let construct = class_type::NewInstance {
        class,
        thread,
        method: tour.method(class, "<init>").await,
        arguments: vec![Value::Int(5)],
        options,
    };
    let made = tour.ask(&construct).await;
    assert!(made.exception.is_null());
    assert_eq!(values(tour, made.object.id, &["i"]).await, [Value::Int(5)]);
    let failing = class_type::NewInstance {
        arguments: vec![Value::Int(-1)],
        ..construct
    };
    let failed = tour.ask(&failing).await;
    assert!(
        failed.object.is_null() && !failed.exception.is_null(),
        "{failed:?}"
    );
}
