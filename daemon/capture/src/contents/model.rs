//! What the commonest methods do to what is known of their receiver, so that nobody has to look at the JVM: lists and
//! queues of which nobody overrides anything.

use jhyde_trace::{Change, Items, Part, Value};

/// What a method did, as its documentation says.
#[derive(Debug, PartialEq)]
pub(crate) enum Modelled {
    /// It changed this, or nothing, and returned this (if it is known).
    Does(Option<Change>, Option<Value>),
    /// That is not modelled: to be read.
    Unknown,
}

/// What a call of a method that returned has done to an object of a class (dotted, exactly that class) that held these.
pub(crate) fn model(
    class: &str,
    name: &str,
    arguments: &[Value],
    descriptor: &str,
    before: Option<&Items>,
) -> Modelled {
    if name == "<init>" {
        return constructed(class, arguments, descriptor);
    }
    let Some(Items::Elements(held)) = before else {
        return Modelled::Unknown;
    };
    match class {
        "java.util.ArrayList" | "java.util.LinkedList" | "java.util.Vector" | "java.util.Stack" => {
            list(class, name, arguments, descriptor, held)
        }
        "java.util.ArrayDeque" => queue(name, arguments, held),
        _ => Modelled::Unknown,
    }
}

/// Where an iterator stands behind a call: `None` if it does not move by it.
pub(crate) fn moved(name: &str, before: &Items) -> Option<Items> {
    let Items::View { of, part } = *before else {
        return None;
    };
    let on = |index: u32| match name {
        "next" | "nextElement" => index.checked_add(1),
        "previous" => index.checked_sub(1),
        _ => None,
    };
    let part = match part {
        Part::At { index } => Part::At { index: on(index)? },
        Part::Rest {
            given,
            index,
            backwards: false,
        } => Part::Rest {
            given,
            index: on(index)?,
            backwards: false,
        },
        Part::Rest { given, index, .. } if name == "next" => Part::Rest {
            given,
            index: index.checked_sub(1)?,
            backwards: true,
        },
        _ => return None,
    };
    Some(Items::View { of, part })
}

/// Constructors that make empty ones.
fn constructed(class: &str, arguments: &[Value], descriptor: &str) -> Modelled {
    if descriptor != "()V" && !(descriptor == "(I)V" && class != "java.util.BitSet") {
        return Modelled::Unknown;
    }
    let empty = match class {
        "java.util.ArrayList"
        | "java.util.LinkedList"
        | "java.util.Vector"
        | "java.util.Stack"
        | "java.util.ArrayDeque"
        | "java.util.PriorityQueue"
        | "java.util.HashSet"
        | "java.util.LinkedHashSet"
        | "java.util.TreeSet"
        | "java.util.BitSet"
        | "java.util.concurrent.ConcurrentLinkedQueue"
        | "java.util.concurrent.CopyOnWriteArrayList"
        | "java.util.concurrent.LinkedBlockingQueue"
        | "java.util.concurrent.ArrayBlockingQueue" => Items::Elements(Vec::new()),
        "java.util.HashMap"
        | "java.util.LinkedHashMap"
        | "java.util.TreeMap"
        | "java.util.Hashtable"
        | "java.util.IdentityHashMap"
        | "java.util.concurrent.ConcurrentHashMap"
        | "java.util.concurrent.ConcurrentSkipListMap" => Items::Entries(Vec::new()),
        "java.lang.StringBuilder" | "java.lang.StringBuffer" | "java.io.StringWriter" => {
            Items::Text(Vec::new().into())
        }
        "java.util.concurrent.atomic.AtomicInteger" => {
            Items::Value(arguments.first().copied().unwrap_or(Value::Int(0)))
        }
        _ => return Modelled::Unknown,
    };
    Modelled::Does(Some(Change::Whole(empty)), None)
}

fn list(
    class: &str,
    name: &str,
    arguments: &[Value],
    descriptor: &str,
    held: &[Value],
) -> Modelled {
    let end = held.len();
    let returns_old = |at: usize| held.get(at).copied();
    let is_stack = class == "java.util.Stack";
    match (name, arguments) {
        ("add", [value]) => does(end, 0, &[*value], Some(Value::Boolean(true))),
        ("addLast" | "addElement", [value]) => does(end, 0, &[*value], None),
        ("push", [value]) if is_stack => does(end, 0, &[*value], Some(*value)),
        ("pop", []) if is_stack && end > 0 => does(end - 1, 1, &[], returns_old(end - 1)),
        ("add", [Value::Int(at), value]) => match usize::try_from(*at) {
            Ok(at) if at <= end => does(at, 0, &[*value], None),
            _ => Modelled::Unknown,
        },
        ("set", [Value::Int(at), value]) => match usize::try_from(*at) {
            Ok(at) if at < end => does(at, 1, &[*value], returns_old(at)),
            _ => Modelled::Unknown,
        },
        ("remove", [Value::Int(at)]) if descriptor.starts_with("(I)") => {
            match usize::try_from(*at) {
                Ok(at) if at < end => does(at, 1, &[], returns_old(at)),
                _ => Modelled::Unknown,
            }
        }
        ("removeLast", []) if end > 0 => does(end - 1, 1, &[], returns_old(end - 1)),
        ("removeFirst", []) if end > 0 => does(0, 1, &[], returns_old(0)),
        ("clear", []) => does(0, end, &[], None),
        ("trimToSize", []) => Modelled::Does(None, None),
        _ if class == "java.util.LinkedList" => queue(name, arguments, held),
        _ => Modelled::Unknown,
    }
}

fn queue(name: &str, arguments: &[Value], held: &[Value]) -> Modelled {
    let end = held.len();
    let first = held.first().copied();
    let last = held.last().copied();
    let yes = Some(Value::Boolean(true));
    match (name, arguments) {
        ("add" | "offer" | "offerLast", [value]) => does(end, 0, &[*value], yes),
        ("addLast", [value]) => does(end, 0, &[*value], None),
        ("offerFirst", [value]) => does(0, 0, &[*value], yes),
        ("addFirst" | "push", [value]) => does(0, 0, &[*value], None),
        ("remove" | "removeFirst" | "pop" | "poll" | "pollFirst", []) if end > 0 => {
            does(0, 1, &[], first)
        }
        ("removeLast" | "pollLast", []) if end > 0 => does(end - 1, 1, &[], last),
        ("poll" | "pollFirst" | "pollLast", []) => Modelled::Does(None, Some(Value::Null)),
        ("clear", []) => does(0, end, &[], None),
        _ => Modelled::Unknown,
    }
}

fn does(at: usize, removed: usize, inserted: &[Value], returns: Option<Value>) -> Modelled {
    if removed == 0 && inserted.is_empty() {
        return Modelled::Does(None, returns);
    }
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let change = Change::Splice {
        at: number(at),
        removed: number(removed),
        inserted: Items::Elements(inserted.to_vec()),
    };
    Modelled::Does(Some(change), returns)
}

/// What a method that only reads gives back.
pub(crate) fn looked_up(
    class: &str,
    name: &str,
    arguments: &[Value],
    held: &Items,
) -> Option<Value> {
    let size = || i32::try_from(held.len()).ok().map(Value::Int);
    if !KNOWN.contains(&class) {
        return None;
    }
    match (name, arguments, held) {
        ("size", [], Items::Elements(_) | Items::Entries(_)) => size(),
        ("isEmpty", [], Items::Elements(_) | Items::Entries(_)) => {
            Some(Value::Boolean(held.is_empty()))
        }
        ("get" | "elementAt", [Value::Int(at)], Items::Elements(all)) => {
            all.get(usize::try_from(*at).ok()?).copied()
        }
        (
            "getFirst" | "firstElement" | "element" | "peek" | "peekFirst",
            [],
            Items::Elements(all),
        ) if class != "java.util.Stack" => all.first().copied(),
        ("getLast" | "lastElement" | "peekLast", [], Items::Elements(all)) => all.last().copied(),
        ("peek", [], Items::Elements(all)) => all.last().copied(),
        // The key itself is found; others that are equal to it would have to be compared.
        ("get", [key @ Value::Object(_)], Items::Entries(all)) => all
            .iter()
            .find(|entry| entry.0 == *key)
            .map(|entry| entry.1),
        _ => None,
    }
}

/// Classes whose methods do what their documentation says.
const KNOWN: [&str; 11] = [
    "java.util.ArrayList",
    "java.util.LinkedList",
    "java.util.Vector",
    "java.util.Stack",
    "java.util.ArrayDeque",
    "java.util.PriorityQueue",
    "java.util.HashSet",
    "java.util.LinkedHashSet",
    "java.util.TreeSet",
    "java.util.HashMap",
    "java.util.LinkedHashMap",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(numbers: &[i32]) -> Items {
        Items::Elements(numbers.iter().map(|&n| Value::Int(n)).collect())
    }

    fn result(class: &str, name: &str, arguments: &[Value], held: &[i32]) -> Option<Value> {
        match model(class, name, arguments, "()V", Some(&elements(held))) {
            Modelled::Does(_, result) => result,
            Modelled::Unknown => looked_up(class, name, arguments, &elements(held)),
        }
    }

    #[test]
    fn queues_and_stacks_have_their_ends() {
        let of = |class, name| result(class, name, &[], &[1, 2, 3]);
        let (one, three) = (Some(Value::Int(1)), Some(Value::Int(3)));
        assert_eq!(of("java.util.ArrayDeque", "pop"), one);
        assert_eq!(of("java.util.ArrayDeque", "peek"), one);
        assert_eq!(of("java.util.ArrayDeque", "pollLast"), three);
        assert_eq!(of("java.util.Stack", "pop"), three);
        assert_eq!(of("java.util.Stack", "peek"), three);
        assert_eq!(of("java.util.LinkedList", "peek"), one);
        assert_eq!(of("java.util.ArrayList", "size"), three);
        assert_eq!(of("org.foo.List", "size"), None);
    }

    #[test]
    fn an_element_and_an_index_are_two_things() {
        let held = elements(&[7, 8, 9]);
        let removed = |argument, descriptor| {
            model(
                "java.util.ArrayList",
                "remove",
                &[argument],
                descriptor,
                Some(&held),
            )
        };
        let at = Value::Int(1);
        let Modelled::Does(_, result) = removed(at, "(I)Ljava/lang/Object;") else {
            panic!("an index is modelled");
        };
        assert_eq!(result, Some(Value::Int(8)));
        let object = Value::Object(jhyde_trace::ObjectId(4));
        assert_eq!(removed(object, "(Ljava/lang/Object;)Z"), Modelled::Unknown);
    }
}
