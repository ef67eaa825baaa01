//! What is known of calls out of the scope by the specification of what they call: whether it waits, and what it does to its
//! operands.

use jhyde_bytecode::{InvokeKind, Opcode};

use crate::program::Named;

/// A call out of the scope that waits for no other thread: those of classes that nobody can extend, which hold no lock.
pub(super) fn computes_only(named: &Named) -> bool {
    const CLASSES: [&str; 14] = [
        "java.lang.String",
        "java.lang.StringBuilder",
        "java.lang.Math",
        "java.lang.StrictMath",
        "java.lang.Integer",
        "java.lang.Long",
        "java.lang.Double",
        "java.lang.Float",
        "java.lang.Boolean",
        "java.lang.Character",
        "java.lang.Byte",
        "java.lang.Short",
        "java.util.Objects",
        "java.util.Arrays",
    ];
    named.kind == InvokeKind::Dynamic
        || named.class.ends_with("[]")
        || CLASSES.contains(&named.class.as_str())
        || (named.class == "java.lang.System" && named.name == "arraycopy")
        || (named.class == "java.lang.Object" && named.name == "<init>")
        || (named.class == "java.lang.Object" && copies(named))
}

/// Yields a call of this method an object of its receiver's class that holds what that does? By the specification of `Object.clone`, as far as the
/// JDK declares what runs, and nothing else runs meanwhile.
pub(super) fn copies(named: &Named) -> bool {
    named.name == "clone" && named.descriptor == "()Ljava/lang/Object;"
}

/// Have code out of the scope and that of the scope one array from this call on, which both write? Not where it was made for the call alone, as for
/// arguments of variable number: that shows by the instruction `before` it.
pub(super) fn keeps_array(named: &Named, before: Option<Opcode>) -> bool {
    let made_for_it = matches!(before, Some(Opcode::Aastore | Opcode::AnewArray));
    match named.name.as_str() {
        "asList" => named.class == "java.util.Arrays" && !made_for_it,
        "wrap" => named.class.starts_with("java.nio."),
        "<init>" | "setData" => is_over_an_array(&named.class),
        _ => gives_its_array(named),
    }
}

/// Yields a method of the JDK the array itself in which its receiver keeps what it holds?
pub(super) fn gives_its_array(named: &Named) -> bool {
    match named.name.as_str() {
        "array" => named.class.starts_with("java.nio."),
        "getData" => is_over_an_array(&named.class),
        _ => false,
    }
}

/// Classes of the JDK that keep the array which they are made of, and write it later.
fn is_over_an_array(class: &str) -> bool {
    class == "java.net.DatagramPacket" || class.starts_with("java.awt.image.DataBuffer")
}

/// Writes a method of the JDK into arrays that it is given? As a function (`Arrays::sort`) it may be handed to others, who call it with
/// arrays that they have.
pub(super) fn writes_arrays(class: &str, name: &str) -> bool {
    match class {
        "java.util.Arrays" => matches!(
            name,
            "sort" | "parallelSort" | "fill" | "setAll" | "parallelSetAll" | "parallelPrefix"
        ),
        "java.lang.System" => name == "arraycopy",
        _ => matches!(name, "nextBytes" | "getChars"),
    }
}

/// Does what it calls nothing to this operand but read it, and keeps it not? By its specification: what an array holds
/// that is copied or made a text of is told by what comes of it, and telling it whole would cost its length each time.
pub(super) fn only_reads(named: &Named, operand: usize, descriptor: &str) -> bool {
    let of_numbers = descriptor.len() == 2 && descriptor.starts_with('[');
    let name = named.name.as_str();
    match named.class.as_str() {
        "java.lang.System" => name == "arraycopy" && operand == 0,
        "java.lang.String" => of_numbers && matches!(name, "<init>" | "valueOf" | "copyValueOf"),
        "java.lang.StringBuilder" | "java.lang.StringBuffer" => {
            of_numbers && matches!(name, "append" | "insert")
        }
        "java.util.Arrays" => {
            of_numbers
                && matches!(
                    name,
                    "binarySearch"
                        | "compare"
                        | "copyOf"
                        | "copyOfRange"
                        | "equals"
                        | "hashCode"
                        | "mismatch"
                        | "toString"
                )
        }
        _ => false,
    }
}

/// Can a value of this type be an array?
pub(super) fn may_be_array(descriptor: &str) -> bool {
    descriptor.starts_with('[')
        || matches!(
            descriptor,
            "Ljava/lang/Object;" | "Ljava/lang/Cloneable;" | "Ljava/io/Serializable;"
        )
}

/// Packages below `javax` that the JDK has (Java SE 17 and 25); libraries have others there.
const EXTENSIONS: [&str; 29] = [
    "accessibility.",
    "annotation.processing.",
    "crypto.",
    "imageio.",
    "lang.model.",
    "management.",
    "naming.",
    "net.",
    "print.",
    "rmi.",
    "script.",
    "security.auth.",
    "security.cert.",
    "security.sasl.",
    "smartcardio.",
    "sound.",
    "sql.",
    "swing.",
    "tools.",
    "transaction.xa.",
    "xml.catalog.",
    "xml.crypto.",
    "xml.datatype.",
    "xml.namespace.",
    "xml.parsers.",
    "xml.stream.",
    "xml.transform.",
    "xml.validation.",
    "xml.xpath.",
];

/// Is a class the JDK's own, by its dotted name?
pub(super) fn is_of_the_jdk(class: &str) -> bool {
    if let Some(extension) = class.strip_prefix("javax.") {
        return EXTENSIONS
            .iter()
            .any(|begins| extension.starts_with(begins));
    }
    ["java.", "jdk.", "sun."]
        .iter()
        .any(|begins| class.starts_with(begins))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(class: &str, name: &str, operand: usize, descriptor: &str) -> bool {
        let named = Named {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: String::new(),
            kind: InvokeKind::Static,
            code: 0,
        };
        only_reads(&named, operand, descriptor)
    }

    #[test]
    fn what_a_call_may_write_is_told_behind_it() {
        const OBJECT: &str = "Ljava/lang/Object;";
        assert!(reads("java.lang.System", "arraycopy", 0, OBJECT));
        assert!(!reads("java.lang.System", "arraycopy", 2, OBJECT));
        assert!(reads("java.lang.String", "<init>", 1, "[C"));
        assert!(!reads("java.lang.String", "getChars", 3, "[C"));
        assert!(!reads("java.lang.String", "getBytes", 3, "[B"));
        assert!(!reads("java.lang.StringBuilder", "getChars", 3, "[C"));
        assert!(reads("java.util.Arrays", "copyOf", 0, "[J"));
        assert!(!reads("java.util.Arrays", "sort", 0, "[J"));
        assert!(!reads("java.util.Arrays", "fill", 0, "[J"));
        // What is in it may call code of the scope.
        assert!(!reads(
            "java.util.Arrays",
            "hashCode",
            0,
            "[Ljava/lang/Object;"
        ));
        assert!(!reads("java.io.InputStream", "read", 1, "[B"));
    }
}
