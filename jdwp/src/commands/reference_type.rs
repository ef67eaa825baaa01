//! Commands to any type: class, interface or array (spec: "ReferenceType Command Set (2)").

use crate::types::{
    ClassLoaderId, ClassObjectId, ClassStatus, FieldId, JdwpString, MethodId, ModuleId,
    ReferenceTypeId, TaggedObject, TypeTag, Value,
};

command_set! {
    ReferenceType = 2;

    /// The signature of a type, as `Ljava/lang/String;`.
    Signature = 1 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> JdwpString;

    /// The loader that defined a type; null for the bootstrap loader.
    ClassLoader = 2 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ClassLoaderId;

    /// The access flags of a type (JVMS 4.1-B); for arrays not specified.
    Modifiers = 3 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> i32;

    /// The fields that a type declares itself, in the order of its class file.
    Fields = 4 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<FieldInfo>;

    /// The methods that a type declares itself, constructors and static initialiser included, in
    /// the order of its class file.
    Methods = 5 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<MethodInfo>;

    /// The values of static fields, of the type itself or its supertypes.
    GetValues = 6 {
        /// The type.
        ref_type: ReferenceTypeId,
        /// The fields.
        fields: Vec<FieldId>,
    } -> Vec<Value>;

    /// The name of a type's source file; `ABSENT_INFORMATION` if it is not known.
    SourceFile = 7 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> JdwpString;

    /// The types that are declared directly inside a type and are loaded.
    NestedTypes = 8 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<TypeInfo>;

    /// How far a class is.
    Status = 9 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ClassStatus;

    /// The interfaces that a type names itself.
    Interfaces = 10 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<ReferenceTypeId>;

    /// The `java.lang.Class` of a type.
    ClassObject = 11 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ClassObjectId;

    /// The value of the attribute `SourceDebugExtension` (JSR-45).
    SourceDebugExtension = 12 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> JdwpString;

    /// The signature and the generic signature of a type.
    SignatureWithGeneric = 13 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> SignatureWithGenericReply;

    /// The fields that a type declares itself, with generic signatures.
    FieldsWithGeneric = 14 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<FieldInfoWithGeneric>;

    /// The methods that a type declares itself, with generic signatures.
    MethodsWithGeneric = 15 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<MethodInfoWithGeneric>;

    /// Reachable instances of a type, without those of its subclasses.
    Instances = 16 {
        /// The type.
        ref_type: ReferenceTypeId,
        /// The greatest number of instances to send; 0 for all.
        max_instances: i32,
    } -> Vec<TaggedObject>;

    /// The version of the class file.
    ClassFileVersion = 17 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ClassFileVersionReply;

    /// The constant pool of a class as it is in its class file.
    ConstantPool = 18 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ConstantPoolReply;

    /// The module that a type belongs to.
    Module = 19 {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ModuleId;
}

wire_struct! {
    /// Element of the reply to [`Fields`].
    #[derive(Eq, Hash)]
    pub struct FieldInfo {
        /// The field.
        pub field: FieldId,
        /// Its name.
        pub name: JdwpString,
        /// Its signature.
        pub signature: JdwpString,
        /// Access flags (JVMS 4.5-A); the bits 0xf0000000 mark synthetic fields.
        pub mod_bits: i32,
    }

    /// Element of the reply to [`FieldsWithGeneric`].
    #[derive(Eq, Hash)]
    pub struct FieldInfoWithGeneric {
        /// The field.
        pub field: FieldId,
        /// Its name.
        pub name: JdwpString,
        /// Its signature.
        pub signature: JdwpString,
        /// Its generic signature; empty if it has none.
        pub generic_signature: JdwpString,
        /// Access flags (JVMS 4.5-A); the bits 0xf0000000 mark synthetic fields.
        pub mod_bits: i32,
    }

    /// Element of the reply to [`Methods`].
    #[derive(Eq, Hash)]
    pub struct MethodInfo {
        /// The method.
        pub method: MethodId,
        /// Its name; `<init>` and `<clinit>` for constructors and static initialisers.
        pub name: JdwpString,
        /// Its descriptor.
        pub signature: JdwpString,
        /// Access flags (JVMS 4.6-A); the bits 0xf0000000 mark synthetic methods.
        pub mod_bits: i32,
    }

    /// Element of the reply to [`MethodsWithGeneric`].
    #[derive(Eq, Hash)]
    pub struct MethodInfoWithGeneric {
        /// The method.
        pub method: MethodId,
        /// Its name; `<init>` and `<clinit>` for constructors and static initialisers.
        pub name: JdwpString,
        /// Its descriptor.
        pub signature: JdwpString,
        /// Its generic signature; empty if it has none.
        pub generic_signature: JdwpString,
        /// Access flags (JVMS 4.6-A); the bits 0xf0000000 mark synthetic methods.
        pub mod_bits: i32,
    }

    /// A type and what kind of type it is: reply to or element of replies to several commands.
    #[derive(Copy, Eq, Hash)]
    pub struct TypeInfo {
        /// Class, interface or array.
        pub type_tag: TypeTag,
        /// The type.
        pub type_id: ReferenceTypeId,
    }

    /// Reply to [`SignatureWithGeneric`].
    #[derive(Eq, Hash)]
    pub struct SignatureWithGenericReply {
        /// The signature.
        pub signature: JdwpString,
        /// The generic signature; empty if there is none.
        pub generic_signature: JdwpString,
    }

    /// Reply to [`ClassFileVersion`].
    #[derive(Copy, Eq, Hash)]
    pub struct ClassFileVersionReply {
        /// Major version: 61 for JDK 17.
        pub major: i32,
        /// Minor version.
        pub minor: i32,
    }

    /// Reply to [`ConstantPool`].
    #[derive(Eq, Hash)]
    pub struct ConstantPoolReply {
        /// The item `constant_pool_count` of the class file: the number of entries plus one.
        pub count: i32,
        /// The entries' bytes (JVMS 4.4).
        pub bytes: Vec<u8>,
    }
}
