//! Which methods outside the scope do nothing but what their arguments and the recording show.
//!
//! A call that reads the clock, a file or a random number may rightly yield something else the next time, and one that
//! writes to a stream has done something that no graph of objects shows. What is not listed here is taken to do so.

/// Does it depend on nothing but its receiver and arguments, and change nothing else?
pub(super) fn is_closed(class: &str, method: &str) -> bool {
    if let Some(class) = class.strip_prefix("java.util.") {
        return is_closed_util(class, method);
    }
    if let Some(class) = class.strip_prefix("java.lang.") {
        return is_closed_lang(class, method);
    }
    class.starts_with("java.math.") || (class.starts_with("java.") && is_throwable(class, method))
}

fn is_closed_lang(class: &str, method: &str) -> bool {
    match class {
        "Object" => matches!(method, "<init>" | "equals" | "getClass" | "clone"),
        "System" => method == "arraycopy",
        "Math" | "StrictMath" => method != "random",
        // Those look properties of the system up.
        "Integer" => method != "getInteger",
        "Long" => method != "getLong",
        "Boolean" => method != "getBoolean",
        "Class" => matches!(
            method,
            "cast"
                | "desiredAssertionStatus"
                | "getComponentType"
                | "getEnumConstants"
                | "getName"
                | "getSimpleName"
                | "isArray"
                | "isInstance"
        ),
        "AbstractStringBuilder"
        | "Appendable"
        | "Byte"
        | "CharSequence"
        | "Character"
        | "Comparable"
        | "Double"
        | "Enum"
        | "Float"
        | "Iterable"
        | "Number"
        | "Record"
        | "Short"
        | "String"
        | "StringBuffer"
        | "StringBuilder" => true,
        _ => {
            class.starts_with("invoke.")
                || class.starts_with("runtime.")
                || is_throwable(class, method)
        }
    }
}

fn is_closed_util(class: &str, method: &str) -> bool {
    /// Classes of `java.util` by their first words.
    const CLOSED: [&str; 35] = [
        "AbstractCollection",
        "AbstractList",
        "AbstractMap",
        "AbstractQueue",
        "AbstractSequentialList",
        "AbstractSet",
        "ArrayDeque",
        "ArrayList",
        "Arrays",
        "BitSet",
        "Collection",
        "Comparator",
        "Deque",
        "Enum",
        "HashMap",
        "HashSet",
        "Hashtable",
        "IdentityHashMap",
        "ImmutableCollections",
        "Iterator",
        "Linked",
        "List",
        "Map",
        "Navigable",
        "Objects",
        "Optional",
        "PrimitiveIterator",
        "PriorityQueue",
        "Queue",
        "Sequenced",
        "Set",
        "Sorted",
        "Stack",
        "StringJoiner",
        "Tree",
    ];
    const MORE: [&str; 4] = ["StringTokenizer", "Vector", "Spliterator", "NoSuchElement"];
    if let Some(concurrent) = class.strip_prefix("concurrent.") {
        return concurrent.starts_with("atomic.") || concurrent.starts_with("ConcurrentHashMap");
    }
    if class.contains('.') {
        return ["function.", "regex.", "stream."]
            .iter()
            .any(|package| class.starts_with(package));
    }
    let mut known = CLOSED.iter().chain(&MORE);
    method != "shuffle" && known.any(|known| class.starts_with(known))
        || is_throwable(class, method)
}

fn is_throwable(class: &str, method: &str) -> bool {
    let named = class.ends_with("Exception") || class.ends_with("Error") || class == "Throwable";
    named && !matches!(method, "printStackTrace" | "getStackTrace")
}

#[cfg(test)]
mod tests {
    use super::is_closed;

    #[test]
    fn what_looks_at_the_world_or_changes_it_is_not_closed() {
        for (class, method) in [
            ("java.util.ArrayList", "add"),
            ("java.util.Map$Entry", "getKey"),
            ("java.lang.Math", "max"),
            ("java.lang.StringBuilder", "append"),
            ("java.lang.IllegalStateException", "<init>"),
            ("java.util.stream.Stream", "map"),
            ("java.math.BigInteger", "add"),
        ] {
            assert!(is_closed(class, method), "{class}.{method}");
        }
        for (class, method) in [
            ("java.io.PrintStream", "println"),
            ("java.lang.System", "nanoTime"),
            ("java.lang.System", "identityHashCode"),
            ("java.lang.Math", "random"),
            ("java.util.Random", "nextInt"),
            ("java.util.Collections", "shuffle"),
            ("java.util.UUID", "randomUUID"),
            ("java.util.Date", "<init>"),
            ("java.util.Scanner", "next"),
            ("java.lang.Thread", "start"),
            ("java.lang.Object", "wait"),
            ("java.lang.Integer", "getInteger"),
            ("java.lang.RuntimeException", "printStackTrace"),
            ("java.nio.file.Files", "readString"),
            ("java.util.concurrent.Executors", "newCachedThreadPool"),
            ("org.lib.Cache", "get"),
        ] {
            assert!(!is_closed(class, method), "{class}.{method}");
        }
    }
}
