//! Which methods of the JDK leave what they are shown as it is, by their names: all others are taken to change it.

use jhyde_bytecode::InvokeKind;

use super::Shape;
use crate::program::Named;

/// Methods of collections, maps, iterators, builders, atomics and their like that only read what they are called on.
/// `get` of a map in order of access is the exception, which its caller knows.
const READS: &[&str] = &[
    "after",
    "before",
    "booleanValue",
    "capacity",
    "cardinality",
    "ceiling",
    "ceilingEntry",
    "ceilingKey",
    "charAt",
    "chars",
    "clone",
    "codePointAt",
    "comparator",
    "compareTo",
    "contains",
    "containsAll",
    "containsKey",
    "containsValue",
    "copyOf",
    "descendingIterator",
    "descendingKeySet",
    "descendingMap",
    "descendingSet",
    "doubleValue",
    "element",
    "elementAt",
    "elements",
    "ensureCapacity",
    "entrySet",
    "equals",
    "first",
    "firstElement",
    "firstEntry",
    "firstKey",
    "floor",
    "floorEntry",
    "floorKey",
    "get",
    "getAcquire",
    "getClass",
    "getFirst",
    "getKey",
    "getLast",
    "getOpaque",
    "getOrDefault",
    "getPlain",
    "getTime",
    "getValue",
    "hasMoreElements",
    "hasNext",
    "hasPrevious",
    "hashCode",
    "headMap",
    "headSet",
    "higher",
    "higherEntry",
    "higherKey",
    "indexOf",
    "intValue",
    "intersects",
    "isEmpty",
    "isPresent",
    "iterator",
    "keySet",
    "keys",
    "last",
    "lastElement",
    "lastEntry",
    "lastIndexOf",
    "lastKey",
    "length",
    "listIterator",
    "longValue",
    "lower",
    "lowerEntry",
    "lowerKey",
    "mappingCount",
    "navigableKeySet",
    "next",
    "nextClearBit",
    "nextElement",
    "nextIndex",
    "nextSetBit",
    "orElse",
    "orElseThrow",
    "parallelStream",
    "peek",
    "peekFirst",
    "peekLast",
    "previous",
    "previousIndex",
    "previousSetBit",
    "propertyNames",
    "remainingCapacity",
    "reversed",
    "search",
    "size",
    "spliterator",
    "stream",
    "stringPropertyNames",
    "subList",
    "subMap",
    "subSequence",
    "tailMap",
    "tailSet",
    "toInstant",
];

/// What a call may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touches {
    /// Nothing that it is shown.
    Nothing,
    /// What it is called on, and what lies behind that.
    Receiver,
    /// Anything that it is shown.
    All,
}

/// What a call may change of the containers that it is shown, as far as its name tells. Code of the scope that it calls
/// back makes calls of its own.
pub(crate) fn touches(named: &Named) -> Touches {
    if named.kind == InvokeKind::Dynamic {
        return Touches::Nothing;
    }
    let (class, name) = (named.class.as_str(), named.name.as_str());
    // What else is in packages below (regular expressions, archives) changes what it is given, as `Matcher.appendReplacement` does.
    let is_collection = class.strip_prefix("java.util.").is_some_and(|rest| {
        let (package, _) = rest.rsplit_once('.').unwrap_or(("", rest));
        matches!(package, "" | "concurrent" | "concurrent.atomic" | "stream")
            && !is_no_collection(rest)
    }) || class == "java.lang.Iterable";
    let is_builder = matches!(
        class,
        "java.lang.StringBuilder" | "java.lang.StringBuffer" | "java.lang.AbstractStringBuilder"
    );
    if named.kind == InvokeKind::Static {
        return match class {
            "java.util.Collections" if changes_its_argument(name) => Touches::All,
            // It goes through what it is given, which may have an iterator of its own.
            "java.lang.String" if name == "join" => Touches::All,
            "java.util.Collections"
            | "java.util.Objects"
            | "java.util.List"
            | "java.util.Set"
            | "java.util.Map"
            | "java.util.Optional"
            | "java.lang.String"
            | "java.lang.Integer"
            | "java.lang.Long"
            | "java.lang.Math"
            | "java.lang.System" => Touches::Nothing,
            _ => Touches::All,
        };
    }
    let only_text = matches!(
        class,
        "java.io.PrintStream"
            | "java.lang.String"
            | "java.lang.Object"
            | "java.lang.Integer"
            | "java.lang.Long"
            | "java.lang.Double"
            | "java.lang.Boolean"
            | "java.lang.Character"
            | "java.math.BigInteger"
            | "java.math.BigDecimal"
            | "java.lang.Enum"
            | "java.lang.Class"
    );
    // Printing and comparing call `toString`, `equals` and their like of what they are shown.
    if only_text || name == "toString" {
        return Touches::Nothing;
    }
    // They wait for what others do with what they were given.
    let waits = class.starts_with("java.util.concurrent.")
        && ["Future", "FutureTask", "ForkJoinTask", "CompletionService"]
            .iter()
            .any(|of| class.ends_with(of));
    if waits || !is_collection && !is_builder {
        return Touches::All;
    }
    let takes_function = named.descriptor.contains("Ljava/util/function/");
    if READS.contains(&name) && !takes_function {
        return Touches::Nothing;
    }
    let hands_over = matches!(
        name,
        "drainTo" | "toArray" | "copyInto" | "forEachRemaining"
    );
    if takes_function || hands_over || class.starts_with("java.util.stream.") {
        return Touches::All;
    }
    if name == "<init>" {
        return Touches::Receiver;
    }
    Touches::Receiver
}

/// Changes a method nothing of what it is shown, whoever calls it, as a function, and with whatever that has?
pub(crate) fn changes_nothing(named: &Named) -> bool {
    let Some(collection) = named.class.strip_prefix("java.util.") else {
        let of_values = ["java.lang.", "java.math.", "java.io.PrintStream"];
        let of_values = of_values
            .iter()
            .any(|begins| named.class.starts_with(begins));
        return of_values && touches(named) == Touches::Nothing;
    };
    // Steps go on, and a lookup may change an order.
    let moves = ["get", "next", "previous"];
    let is_part = matches!(&*named.name, "getKey" | "getValue");
    let only_looks = is_part || !moves.iter().any(|begins| named.name.starts_with(begins));
    // They take over what others hold.
    let makes = named.name == "<init>" && Shape::of(&named.class).is_some();
    makes || !collection.contains('.') && only_looks && touches(named) == Touches::Nothing
}

/// Classes beside the collections that change what they are given, or have others do so.
fn is_no_collection(class: &str) -> bool {
    matches!(
        class,
        "Comparator"
            | "Formatter"
            | "HexFormat"
            | "Observable"
            | "concurrent.Exchanger"
            | "concurrent.SubmissionPublisher"
    )
}

/// Does a call write the value of an entry, and so what its map holds?
pub(crate) fn writes_an_entry(named: &Named) -> bool {
    named.name == "setValue" && named.descriptor == "(Ljava/lang/Object;)Ljava/lang/Object;"
}

fn changes_its_argument(name: &str) -> bool {
    matches!(
        name,
        "addAll"
            | "copy"
            | "fill"
            | "replaceAll"
            | "reverse"
            | "rotate"
            | "shuffle"
            | "sort"
            | "swap"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(class: &str, name: &str, descriptor: &str, kind: InvokeKind) -> Touches {
        touches(&Named {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            kind,
            code: 0,
        })
    }

    #[test]
    fn what_a_call_may_change_is_known_by_its_name() {
        let on = |class, name, descriptor| of(class, name, descriptor, InvokeKind::Interface);
        assert_eq!(on("java.util.List", "size", "()I"), Touches::Nothing);
        let object = "(Ljava/lang/Object;)Z";
        assert_eq!(on("java.util.List", "add", object), Touches::Receiver);
        let each = "(Ljava/util/function/Consumer;)V";
        assert_eq!(on("java.lang.Iterable", "forEach", each), Touches::All);
        assert_eq!(on("org.foo.List", "size", "()I"), Touches::All);
        let list = "(Ljava/util/List;)V";
        let append = "(Ljava/lang/StringBuilder;Ljava/lang/String;)Ljava/util/regex/Matcher;";
        assert_eq!(
            on("java.util.regex.Matcher", "appendReplacement", append),
            Touches::All
        );
        assert_eq!(
            on("java.util.concurrent.BlockingQueue", "add", object),
            Touches::Receiver
        );
        let fixed = |name| of("java.util.Collections", name, list, InvokeKind::Static);
        assert_eq!(
            (fixed("sort"), fixed("max")),
            (Touches::All, Touches::Nothing)
        );
    }

    #[test]
    fn what_changes_nothing_as_a_function_is_known_by_its_name() {
        let function = |class: &str, name: &str, descriptor: &str, kind| {
            changes_nothing(&Named {
                class: class.to_owned(),
                name: name.to_owned(),
                descriptor: descriptor.to_owned(),
                kind,
                code: 0,
            })
        };
        let on = |class, name| function(class, name, "()V", InvokeKind::Interface);
        let by = |class, name| function(class, name, "()V", InvokeKind::Static);
        let harmless = [
            on("java.lang.String", "length"),
            on("java.lang.Object", "toString"),
            on("java.util.Map$Entry", "getKey"),
            on("java.util.Collection", "stream"),
            on("java.util.ArrayList", "<init>"),
            by("java.lang.Integer", "valueOf"),
            by("java.util.Objects", "nonNull"),
        ];
        assert_eq!(harmless, [true; 7]);
        let others = [
            on("java.lang.StringBuilder", "append"),
            on("java.lang.Runnable", "run"),
            on("java.util.List", "clear"),
            on("java.util.Map", "get"),
            on("java.util.Iterator", "next"),
            on("java.util.Map$Entry", "setValue"),
            on("java.util.Scanner", "<init>"),
            on("java.util.concurrent.BlockingQueue", "take"),
            on("org.foo.Box", "size"),
            by("java.util.Collections", "reverse"),
        ];
        assert_eq!(others, [false; 10]);
    }

    #[test]
    fn names_are_in_order() {
        assert!(READS.is_sorted_by(|one, other| one < other || one.eq_ignore_ascii_case(other)));
    }
}
