//! Classes, interfaces, array types, methods, loaders; redefinition.

use jdwp::commands::reference_type::{
    ClassFileVersion, ClassLoader, ClassObject, ConstantPool, Fields, FieldsWithGeneric, Instances,
    Interfaces, Methods, MethodsWithGeneric, Modifiers, Module, NestedTypes, Signature,
    SignatureWithGeneric, SourceDebugExtension, SourceFile, Status, TypeInfo,
};
use jdwp::commands::virtual_machine::{ClassDefinition, RedefineClasses};
use jdwp::commands::{
    array_reference, array_type, class_loader_reference, class_object_reference, class_type,
    method, module_reference, object_reference, reference_type,
};
use jdwp::{
    ArrayId, ClassStatus, ErrorCode, MethodId, ReferenceTypeId, Tag, TypeTag, UntaggedValue, Value,
};

use super::Tour;

pub(super) async fn visit(tour: &mut Tour<'_>) {
    let ref_type = tour.debuggee;
    names(tour, ref_type).await;
    members(tour, ref_type).await;
    methods(tour, ref_type).await;
    loaders(tour, ref_type).await;
    class_file(tour, ref_type).await;
    arrays(tour).await;

    let fields = vec![
        tour.field(ref_type, "counter").await,
        tour.field(ref_type, "early").await,
    ];
    let counter = class_type::FieldValue {
        field: fields[0],
        value: Value::Int(500).into(),
    };
    tour.ask(&class_type::SetValues {
        class: ref_type,
        values: vec![counter],
    })
    .await;
    let values = tour
        .ask(&reference_type::GetValues { ref_type, fields })
        .await;
    assert_eq!(values, [Value::Int(500), Value::Int(0)]);

    let unknown = Signature {
        ref_type: ReferenceTypeId(u64::MAX - 1),
    };
    assert!(
        [ErrorCode::INVALID_CLASS, ErrorCode::INVALID_OBJECT]
            .contains(&tour.refused(&unknown).await)
    );
}

async fn names(tour: &mut Tour<'_>, ref_type: ReferenceTypeId) {
    assert_eq!(
        tour.ask(&Signature { ref_type }).await,
        "Lfixture/Debuggee;"
    );
    let both = tour.ask(&SignatureWithGeneric { ref_type }).await;
    assert_eq!(both.signature, "Lfixture/Debuggee;");
    assert_eq!(
        both.generic_signature,
        "Lfixture/Base<Ljava/lang/String;>;Lfixture/Named;"
    );
    assert_eq!(tour.ask(&SourceFile { ref_type }).await, "Debuggee.java");
    let modifiers = tour.ask(&Modifiers { ref_type }).await;
    assert_eq!(
        modifiers & 0x0021,
        0x0021,
        "public and super: {modifiers:#x}"
    );
    let ready = ClassStatus::VERIFIED | ClassStatus::PREPARED | ClassStatus::INITIALIZED;
    assert_eq!(tour.ask(&Status { ref_type }).await, ready);
    // javac writes no such attribute.
    let code = tour.refused(&SourceDebugExtension { ref_type }).await;
    assert_eq!(code, ErrorCode::ABSENT_INFORMATION);

    let base = tour.class("Lfixture/Base;").await;
    let named = tour.class("Lfixture/Named;").await;
    assert_eq!(
        tour.ask(&class_type::Superclass { class: ref_type }).await,
        base
    );
    let object = tour.ask(&class_type::Superclass { class: base }).await;
    let above = tour.ask(&class_type::Superclass { class: object }).await;
    assert_eq!(above, ReferenceTypeId::NULL);
    assert_eq!(tour.ask(&Interfaces { ref_type }).await, [named]);
    let nested = tour.class("Lfixture/Debuggee$Nested;").await;
    let nested = TypeInfo {
        type_tag: TypeTag::CLASS,
        type_id: nested,
    };
    assert_eq!(tour.ask(&NestedTypes { ref_type }).await, [nested]);

    let class_object = tour.ask(&ClassObject { ref_type }).await;
    let reflected = class_object_reference::ReflectedType { class_object };
    let own = TypeInfo {
        type_tag: TypeTag::CLASS,
        type_id: ref_type,
    };
    assert_eq!(tour.ask(&reflected).await, own);
    let instances = tour
        .ask(&Instances {
            ref_type,
            max_instances: 10,
        })
        .await;
    let subject = tour.subject().await;
    assert_eq!(
        instances.iter().map(|i| (i.tag, i.id)).collect::<Vec<_>>(),
        [(Tag::OBJECT, subject)]
    );
}

async fn members(tour: &mut Tour<'_>, ref_type: ReferenceTypeId) {
    let fields = tour.ask(&Fields { ref_type }).await;
    let described: Vec<_> = fields
        .iter()
        .map(|f| (f.name.to_string(), f.signature.to_string()))
        .collect();
    for expected in [
        ("counter", "I"),
        ("greeting", "Ljava/lang/String;"),
        ("ints", "[I"),
        ("j", "J"),
    ] {
        let expected = (expected.0.to_owned(), expected.1.to_owned());
        assert!(
            described.contains(&expected),
            "{expected:?} in {described:?}"
        );
    }
    assert!(
        described.iter().all(|(name, _)| name != "inherited"),
        "declared ones only"
    );
    let counter = fields
        .iter()
        .find(|field| field.name == "counter")
        .expect("checked");
    assert_eq!(counter.mod_bits, 0x0008, "static");
    let generic = tour.ask(&FieldsWithGeneric { ref_type }).await;
    assert_eq!(
        generic.iter().map(|f| f.field).collect::<Vec<_>>(),
        fields.iter().map(|f| f.field).collect::<Vec<_>>()
    );
    let kind = generic
        .iter()
        .find(|field| field.name == "type")
        .expect("it is declared");
    assert_eq!(kind.generic_signature, "Ljava/lang/Class<*>;");

    let methods = tour.ask(&Methods { ref_type }).await;
    let add = methods
        .iter()
        .find(|method| method.name == "add")
        .expect("it is declared");
    assert_eq!(
        (add.signature.to_string().as_str(), add.mod_bits),
        ("(I)I", 0x0001)
    );
    let main = methods
        .iter()
        .find(|method| method.name == "main")
        .expect("it is declared");
    assert_eq!(main.mod_bits, 0x0009, "public static");
    assert!(methods.iter().any(|method| method.name == "<clinit>"));
    // Lambda bodies are synthetic, which JDWP marks above the JVM's own flags.
    let lambda = methods
        .iter()
        .find(|method| method.name.to_string().starts_with("lambda$"));
    let bits = lambda.expect("the fixture has lambdas").mod_bits;
    assert_ne!(bits as u32 & 0xF000_0000, 0, "{bits:#x}");
    let generic = tour.ask(&MethodsWithGeneric { ref_type }).await;
    assert_eq!(
        generic
            .iter()
            .map(|m| (m.method, m.name.clone()))
            .collect::<Vec<_>>(),
        methods
            .iter()
            .map(|m| (m.method, m.name.clone()))
            .collect::<Vec<_>>()
    );
}

async fn methods(tour: &mut Tour<'_>, ref_type: ReferenceTypeId) {
    let add = tour.method(ref_type, "add").await;
    let lines = tour
        .ask(&method::LineTable {
            ref_type,
            method: add,
        })
        .await;
    assert_eq!(lines.start, 0);
    assert_eq!(lines.lines.len(), 3, "three statements: {lines:?}");
    assert_eq!(lines.lines[0].code_index, 0);
    assert!(
        lines
            .lines
            .windows(2)
            .all(|pair| pair[0].line + 1 == pair[1].line)
    );
    let bytecode = tour
        .ask(&method::Bytecodes {
            ref_type,
            method: add,
        })
        .await;
    // aload_0, getfield; the last instruction is ireturn.
    assert_eq!((bytecode[0], bytecode[1]), (0x2A, 0xB4));
    assert_eq!(bytecode.last(), Some(&0xAC));
    assert_eq!(lines.end, bytecode.len() as i64 - 1);
    let class_file = tour.fixture.class_file("Debuggee");
    assert!(
        class_file
            .windows(bytecode.len())
            .any(|window| window == bytecode)
    );

    let table = tour
        .ask(&method::VariableTable {
            ref_type,
            method: add,
        })
        .await;
    assert_eq!(table.argument_slots, 2);
    let mut slots: Vec<_> = table
        .variables
        .iter()
        .map(|v| (v.slot, v.name.to_string(), v.signature.to_string()))
        .collect();
    slots.sort();
    let expected = [
        (0, "this", "Lfixture/Debuggee;"),
        (1, "amount", "I"),
        (2, "before", "I"),
    ];
    assert_eq!(
        slots,
        expected.map(|(slot, name, sig)| (slot, name.to_owned(), sig.to_owned()))
    );
    let before = table
        .variables
        .iter()
        .find(|v| v.slot == 2)
        .expect("checked");
    assert_eq!(
        before.code_index + before.length as u64,
        bytecode.len() as u64
    );
    let generic = tour
        .ask(&method::VariableTableWithGeneric {
            ref_type,
            method: add,
        })
        .await;
    assert_eq!(generic.variables.len(), 3);
    assert!(
        generic
            .variables
            .iter()
            .all(|variable| variable.generic_signature.is_empty())
    );
    assert!(
        !tour
            .ask(&method::IsObsolete {
                ref_type,
                method: add
            })
            .await
    );

    let object = tour.class("Ljava/lang/Object;").await;
    let native = tour.method(object, "hashCode").await;
    let code = tour
        .refused(&method::VariableTable {
            ref_type: object,
            method: native,
        })
        .await;
    assert_eq!(code, ErrorCode::NATIVE_METHOD);
}

async fn loaders(tour: &mut Tour<'_>, ref_type: ReferenceTypeId) {
    let loader = tour.ask(&ClassLoader { ref_type }).await;
    assert!(!loader.is_null(), "the application's loader");
    let visible = class_loader_reference::VisibleClasses {
        class_loader: loader,
    };
    let visible = tour.ask(&visible).await;
    assert!(visible.contains(&TypeInfo {
        type_tag: TypeTag::CLASS,
        type_id: ref_type
    }));
    let object = tour.class("Ljava/lang/Object;").await;
    assert!(
        tour.ask(&ClassLoader { ref_type: object }).await.is_null(),
        "the bootstrap loader"
    );
    if tour.jdk.feature >= 9 {
        let module = tour.ask(&Module { ref_type: object }).await;
        assert_eq!(
            tour.ask(&module_reference::Name { module }).await,
            "java.base"
        );
        let module = tour.ask(&Module { ref_type }).await;
        assert_eq!(
            tour.ask(&module_reference::Name { module }).await,
            "",
            "unnamed"
        );
        assert_eq!(
            tour.ask(&module_reference::ClassLoader { module }).await,
            loader
        );
    }
}

async fn class_file(tour: &mut Tour<'_>, ref_type: ReferenceTypeId) {
    let file = tour.fixture.class_file("Debuggee");
    let version = tour.ask(&ClassFileVersion { ref_type }).await;
    assert_eq!(
        version.major,
        i32::from(u16::from_be_bytes([file[6], file[7]]))
    );
    assert_eq!(
        version.minor,
        i32::from(u16::from_be_bytes([file[4], file[5]]))
    );
    let pool = tour.ask(&ConstantPool { ref_type }).await;
    assert_eq!(
        pool.count,
        i32::from(u16::from_be_bytes([file[8], file[9]]))
    );
    assert_eq!(
        file[10..10 + pool.bytes.len()],
        pool.bytes,
        "the pool as javac wrote it"
    );
}

async fn arrays(tour: &mut Tour<'_>) {
    let ints = tour.class("[I").await;
    let made = tour
        .ask(&array_type::NewInstance {
            array_type: ints,
            length: 4,
        })
        .await;
    assert_eq!(made.tag, Tag::ARRAY);
    let array = ArrayId::from(made.id);
    assert_eq!(tour.ask(&array_reference::Length { array }).await, 4);
    let values = [7, -8]
        .map(|number| UntaggedValue(Value::Int(number)))
        .to_vec();
    tour.ask(&array_reference::SetValues {
        array,
        first_index: 1,
        values,
    })
    .await;
    let all = array_reference::GetValues {
        array,
        first_index: 0,
        length: 4,
    };
    let region = tour.ask(&all).await;
    assert_eq!(region, jdwp::ArrayRegion::Int(vec![0, 7, -8, 0]));
    let beyond = array_reference::GetValues {
        array,
        first_index: 2,
        length: 3,
    };
    assert_eq!(tour.refused(&beyond).await, ErrorCode::INVALID_LENGTH);
    let info = tour
        .ask(&object_reference::ReferenceType { object: made.id })
        .await;
    assert_eq!(
        info,
        TypeInfo {
            type_tag: TypeTag::ARRAY,
            type_id: ints
        }
    );
}

/// Replaces a class while its method runs: at the first checkpoint "answer".
pub(super) async fn redefinition(tour: &mut Tour<'_>) {
    let class = tour.class("Lfixture/Replaced;").await;
    let running = tour.frame(1).await.location;
    assert_eq!(running.class, class);
    assert_eq!(running.method, tour.method(class, "answer").await);
    let mut class_file = tour.fixture.class_file("Replaced");
    // sipush 1000 becomes sipush 2000.
    let place = class_file
        .windows(3)
        .position(|code| code == [0x11, 0x03, 0xE8]);
    let place = place.expect("the fixture answers 1000");
    class_file[place + 1..place + 3].copy_from_slice(&2000u16.to_be_bytes());
    let broken = ClassDefinition {
        class,
        class_file: class_file[..40].to_vec(),
    };
    let code = tour
        .refused(&RedefineClasses {
            classes: vec![broken],
        })
        .await;
    assert_eq!(code, ErrorCode::INVALID_CLASS_FORMAT);
    tour.ask(&RedefineClasses {
        classes: vec![ClassDefinition { class, class_file }],
    })
    .await;
    // The frame stays in the old method, which has no id any more.
    let obsolete = tour.frame(1).await.location;
    assert_eq!(obsolete.method, MethodId::NULL);
    let is_obsolete = method::IsObsolete {
        ref_type: class,
        method: obsolete.method,
    };
    assert!(tour.ask(&is_obsolete).await);
}

/// What came of the redefinition: at the checkpoint "replaced".
pub(super) async fn redefined(tour: &mut Tour<'_>) {
    assert_eq!(tour.static_field("replaced").await, Value::Int(2000));
}
