//! What is known of calls out of the scope by the specification of what they call: whether it waits, and what it does to its
//! operands.

use jhyde_bytecode::{InvokeKind, MethodDescriptor, Opcode};

use crate::program::Named;

/// A call out of the scope that waits for no other thread and runs nothing of the scope: of classes that nobody can extend, which hold no lock,
/// with operands that do neither. What it is given otherwise may have a `toString` or `compareTo` that takes a lock, or be a function that other
/// threads run meanwhile (`Arrays.parallelSetAll`).
pub(super) fn computes_only(named: &Named) -> bool {
    const CLASSES: [&str; 12] = [
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
    ];
    let name = named.name.as_str();
    if named.kind == InvokeKind::Dynamic {
        return match name {
            "makeConcat" | "makeConcatWithConstants" => takes_values(&named.descriptor),
            // The cases of a `switch`: what is looked at is a class, a number, or the name of a constant.
            _ => matches!(name, "typeSwitch" | "enumSwitch"),
        };
    }
    match named.class.as_str() {
        class if class.ends_with("[]") => true,
        "java.lang.System" => name == "arraycopy",
        "java.lang.Object" => name == "<init>" || copies(named),
        "java.util.Objects" => {
            matches!(name, "requireNonNull" | "isNull" | "nonNull")
                && !named.descriptor.contains("java/util/function/")
                || name.starts_with("check") && takes_values(&named.descriptor)
        }
        "java.util.Arrays" => match name {
            "asList" | "copyOf" | "copyOfRange" | "fill" => true,
            // Those of the JDK's pool, which may be busy with what waits for the turn.
            _ => !name.starts_with("parallel") && takes_values(&named.descriptor),
        },
        class if CLASSES.contains(&class) => {
            // `equals` looks at nothing but objects of its own class.
            name == "equals" || takes_values(&named.descriptor)
        }
        _ => false,
    }
}

/// Is each parameter a number, a boolean, an array of these, a text, or a box?
fn takes_values(descriptor: &str) -> bool {
    const VALUES: [&str; 9] = [
        "java/lang/String",
        "java/lang/Integer",
        "java/lang/Long",
        "java/lang/Double",
        "java/lang/Float",
        "java/lang/Boolean",
        "java/lang/Character",
        "java/lang/Byte",
        "java/lang/Short",
    ];
    let Ok(parsed) = MethodDescriptor::parse(descriptor) else {
        return false;
    };
    parsed.parameters.iter().all(|parameter| {
        let written = parameter.descriptor();
        let class = written
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'));
        match class {
            Some(class) => VALUES.contains(&class),
            // Of arrays only those of values: what an array of objects holds may be anything.
            None => !written.contains('L'),
        }
    })
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
    fn what_may_wait_or_run_other_code_gives_up_the_turn() {
        let computes = |kind, class: &str, name: &str, descriptor: &str| {
            computes_only(&Named {
                class: class.to_owned(),
                name: name.to_owned(),
                descriptor: descriptor.to_owned(),
                kind,
                code: 0,
            })
        };
        let calls = |class: &str, name: &str, descriptor: &str| {
            computes(InvokeKind::Static, class, name, descriptor)
        };
        let links = |name: &str, descriptor: &str| {
            computes(
                InvokeKind::Dynamic,
                "java.lang.invoke.CallSite",
                name,
                descriptor,
            )
        };
        let (text, arrays) = ("java.lang.String", "java.util.Arrays");
        assert!(calls(text, "valueOf", "(I)Ljava/lang/String;"));
        assert!(calls(text, "equals", "(Ljava/lang/Object;)Z"));
        assert!(calls(text, "<init>", "([CII)V"));
        assert!(!calls(
            text,
            "valueOf",
            "(Ljava/lang/Object;)Ljava/lang/String;"
        ));
        assert!(!calls(text, "<init>", "(Ljava/lang/StringBuffer;)V"));
        let object = "(Ljava/lang/Object;)Ljava/lang/StringBuilder;";
        assert!(!calls("java.lang.StringBuilder", "append", object));
        assert!(calls(arrays, "sort", "([J)V"));
        assert!(calls(
            arrays,
            "fill",
            "([Ljava/lang/Object;Ljava/lang/Object;)V"
        ));
        assert!(!calls(arrays, "sort", "([Ljava/lang/Object;)V"));
        assert!(!calls(arrays, "parallelSort", "([J)V"));
        let function = "([ILjava/util/function/IntUnaryOperator;)V";
        assert!(!calls(arrays, "setAll", function));
        let objects = "java.util.Objects";
        assert!(calls(
            objects,
            "requireNonNull",
            "(Ljava/lang/Object;)Ljava/lang/Object;"
        ));
        let supplied = "(Ljava/lang/Object;Ljava/util/function/Supplier;)Ljava/lang/Object;";
        assert!(!calls(objects, "requireNonNull", supplied));
        assert!(!calls(objects, "hash", "([Ljava/lang/Object;)I"));
        assert!(links(
            "makeConcatWithConstants",
            "(Ljava/lang/String;I)Ljava/lang/String;"
        ));
        assert!(!links(
            "makeConcatWithConstants",
            "(Ljava/util/List;)Ljava/lang/String;"
        ));
        assert!(!links("hashCode", "(LPoint;)I"));
        assert!(links("typeSwitch", "(Ljava/lang/Object;I)I"));
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
