//! What methods of the JDK write into fields and elements that no instruction names: reflection, handles, updaters, raw memory.

use crate::program::Named;

/// What a call may write that nobody sees written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// A field of its first argument, or an element of it: which one, the object says that it is called on. A static field, where that is no object.
    Member,
    /// Whatever the handle that it is called on writes, of what anybody has.
    Anything,
    /// Fields of the object whose method calls it.
    Caller,
}

/// What the method of this name writes in a class (by its dotted name), if it does: by its specification.
pub(super) fn writes(class: &str, name: &str) -> Option<Writes> {
    match class {
        "java.lang.reflect.Field" => {
            (name.starts_with("set") && name != "setAccessible").then_some(Writes::Member)
        }
        "java.lang.invoke.VarHandle" => exchanges(name).then_some(Writes::Member),
        "java.lang.invoke.MethodHandle" => name.starts_with("invoke").then_some(Writes::Anything),
        "sun.misc.Unsafe" | "jdk.internal.misc.Unsafe" => {
            let writes = exchanges(name) || name.starts_with("put") || name.ends_with("Memory");
            writes.then_some(Writes::Member)
        }
        "java.io.ObjectInputStream" => {
            matches!(name, "defaultReadObject" | "readFields").then_some(Writes::Caller)
        }
        class if is_updater(class) => {
            let changes = !matches!(name, "get" | "newUpdater" | "<init>");
            changes.then_some(Writes::Member)
        }
        _ => None,
    }
}

/// Does an access of this name write (`VarHandle`'s, and those named after them)?
fn exchanges(name: &str) -> bool {
    ["set", "getAnd", "compareAnd", "weakCompareAnd"]
        .iter()
        .any(|begins| name.starts_with(begins))
}

fn is_updater(class: &str) -> bool {
    class.starts_with("java.util.concurrent.atomic.Atomic") && class.ends_with("FieldUpdater")
}

/// What an object gives access to that a call of the JDK has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// The field whose name was an argument.
    Field {
        /// For certain.
        is_static: bool,
    },
    /// Nothing that can be written.
    Nothing,
}

/// What the result of this method is for, where that is known: of all others it may be any field.
pub(super) fn gives(named: &Named) -> Option<Gives> {
    let (class, name) = (named.class.as_str(), named.name.as_str());
    match (class, name) {
        ("java.lang.Class", "getDeclaredField" | "getField")
        | ("java.lang.invoke.MethodHandles$Lookup", "findVarHandle" | "findSetter") => {
            Some(Gives::Field { is_static: false })
        }
        ("java.lang.invoke.MethodHandles$Lookup", "findStaticVarHandle" | "findStaticSetter") => {
            Some(Gives::Field { is_static: true })
        }
        ("java.lang.invoke.MethodHandles$Lookup", _) => {
            let calls = matches!(
                name,
                "findVirtual"
                    | "findStatic"
                    | "findSpecial"
                    | "findConstructor"
                    | "findGetter"
                    | "findStaticGetter"
                    | "unreflectGetter"
            );
            calls.then_some(Gives::Nothing)
        }
        (class, "newUpdater") if is_updater(class) => Some(Gives::Field { is_static: false }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_reads_writes_nothing() {
        for (class, name) in [
            ("java.lang.reflect.Field", "get"),
            ("java.lang.reflect.Field", "setAccessible"),
            ("java.lang.invoke.VarHandle", "getVolatile"),
            ("java.lang.invoke.VarHandle", "fullFence"),
            (
                "java.util.concurrent.atomic.AtomicIntegerFieldUpdater",
                "get",
            ),
            ("java.util.concurrent.atomic.AtomicInteger", "set"),
            ("sun.misc.Unsafe", "getInt"),
        ] {
            assert_eq!(writes(class, name), None, "{class}.{name}");
        }
    }

    #[test]
    fn what_writes_is_known() {
        for (class, name) in [
            ("java.lang.reflect.Field", "setInt"),
            ("java.lang.invoke.VarHandle", "setRelease"),
            ("java.lang.invoke.VarHandle", "getAndBitwiseOr"),
            ("java.lang.invoke.VarHandle", "weakCompareAndSetPlain"),
            (
                "java.util.concurrent.atomic.AtomicReferenceFieldUpdater",
                "updateAndGet",
            ),
            ("sun.misc.Unsafe", "putOrderedObject"),
            ("sun.misc.Unsafe", "getAndAddInt"),
            ("sun.misc.Unsafe", "copyMemory"),
        ] {
            assert_eq!(writes(class, name), Some(Writes::Member), "{class}.{name}");
        }
        let handle = writes("java.lang.invoke.MethodHandle", "invokeExact");
        assert_eq!(handle, Some(Writes::Anything));
    }
}
