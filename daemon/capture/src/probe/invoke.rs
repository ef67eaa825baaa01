//! Methods of the debuggee that are invoked in a thread which an event has suspended, and what they are given.

use jdwp::commands::{
    array_reference, array_type, class_type, object_reference, reference_type, virtual_machine,
};
use jdwp::{InvokeOptions, ObjectId, ReferenceTypeId, Tag, ThreadId, UntaggedValue, Value};

use crate::error::CaptureError;
use crate::jvm::Link;

/// No object.
pub(super) const NULL: Value = Value::Object {
    tag: Tag::OBJECT,
    id: ObjectId(0),
};

/// This JVM is another than expected.
pub(super) fn unusable(what: &str) -> CaptureError {
    CaptureError::Unsupported(format!(
        "the engine probe cannot be put into this JVM: {what}; use the engine events"
    ))
}

/// A class that the JVM has loaded.
pub(super) fn class(link: &mut Link, signature: &str) -> Result<ReferenceTypeId, CaptureError> {
    let text = signature;
    let signature = signature.into();
    let found = link.request(&virtual_machine::ClassesBySignature { signature })??;
    let found = found.first().map(|class| class.type_id);
    found.ok_or_else(|| unusable(&format!("the class {text} is missing")))
}

/// A method that a class declares.
pub(super) fn method(
    link: &mut Link,
    ref_type: ReferenceTypeId,
    name: &str,
    signature: &str,
) -> Result<jdwp::MethodId, CaptureError> {
    let all = link.request(&reference_type::Methods { ref_type })??;
    let fits = |method: &&reference_type::MethodInfo| {
        method.name.as_str() == Some(name) && method.signature.as_str() == Some(signature)
    };
    let found = all.iter().find(fits).map(|method| method.method);
    found.ok_or_else(|| unusable(&format!("the JDK has no {name}{signature}")))
}

/// Runs a static method; the other threads stay as they are.
pub(super) fn invoke(
    link: &mut Link,
    class: ReferenceTypeId,
    thread: ThreadId,
    method: jdwp::MethodId,
    arguments: Vec<Value>,
) -> Result<Value, CaptureError> {
    let asked = class_type::InvokeMethod {
        class,
        thread,
        method,
        arguments,
        options: InvokeOptions::SINGLE_THREADED,
    };
    let told = link.invoke(&asked, thread)??;
    let object = told.exception.id;
    if object.is_null() {
        return Ok(told.value);
    }
    let thrown = link.request(&object_reference::ReferenceType { object })?;
    let ref_type = thrown.map(|thrown| thrown.type_id).unwrap_or_default();
    let thrown = link.request(&reference_type::Signature { ref_type })?;
    let thrown = thrown.map(|signature| signature.to_string_lossy().into_owned());
    let thrown = thrown.unwrap_or_else(|error| error.to_string());
    Err(unusable(&format!("the JDK threw {thrown}")))
}

/// Defines a class by this loader, under a name with dots.
pub(super) fn define_class(
    link: &mut Link,
    thread: ThreadId,
    loader: Value,
    name: &str,
    bytes: &[u8],
) -> Result<(), CaptureError> {
    let loaders = class(link, "Ljava/lang/ClassLoader;")?;
    let define = method(
        link,
        loaders,
        "defineClass1",
        "(Ljava/lang/ClassLoader;Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;",
    )?;
    let length = Value::Int(i32::try_from(bytes.len()).unwrap_or(i32::MAX));
    let name = string(link, name)?;
    let bytes = byte_array(link, bytes)?;
    let arguments = vec![loader, name, bytes, Value::Int(0), length, NULL, NULL];
    invoke(link, loaders, thread, define, arguments)?;
    Ok(())
}

/// Loads and initialises a class by this loader: others the JVM does not yet tell.
pub(super) fn for_name(
    link: &mut Link,
    thread: ThreadId,
    loader: Value,
    name: &str,
) -> Result<(), CaptureError> {
    let classes = class(link, "Ljava/lang/Class;")?;
    let signature = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
    let for_name = method(link, classes, "forName", signature)?;
    let arguments = vec![string(link, name)?, Value::Boolean(true), loader];
    invoke(link, classes, thread, for_name, arguments)?;
    Ok(())
}

/// A string that stays until the session ends: the JVM holds what it was only asked to make by weak references.
fn string(link: &mut Link, text: &str) -> Result<Value, CaptureError> {
    let made = link.request(&virtual_machine::CreateString { utf: text.into() })??;
    let object = ObjectId(made.0);
    link.request(&object_reference::DisableCollection { object })??;
    Ok(Value::Object {
        tag: Tag::STRING,
        id: object,
    })
}

/// An array that stays, too.
pub(super) fn byte_array(link: &mut Link, bytes: &[u8]) -> Result<Value, CaptureError> {
    let array_type = class(link, "[B")?;
    let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
    let made = link.request(&array_type::NewInstance { array_type, length })??;
    let object = ObjectId(made.id.0);
    link.request(&object_reference::DisableCollection { object })??;
    let values = bytes
        .iter()
        .map(|&byte| UntaggedValue::from(Value::Byte(byte as i8)));
    link.request(&array_reference::SetValues {
        array: object.into(),
        first_index: 0,
        values: values.collect(),
    })??;
    Ok(Value::Object {
        tag: Tag::ARRAY,
        id: made.id,
    })
}
