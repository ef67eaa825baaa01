//! Which calls tell what the objects hold that they are shown, by their names: see [`crate::contents::methods`].

use crate::contents::methods::{Touches, touches};
use crate::program::Named;

/// An operand (the receiver among them, from below) of which it is told what it holds behind the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    pub(super) operand: usize,
    /// The operand that is a key, or an element, if the call is about one.
    pub(super) key: Option<usize>,
}

/// What a call tells of its operands (of these types) behind it.
pub(super) fn holds(named: &Named, operands: &[String]) -> Vec<Hold> {
    let may_hold = |&at: &usize| operands.get(at).is_some_and(|kind| may_hold(kind));
    let all: Vec<usize> = match touches(named) {
        Touches::Nothing => Vec::new(),
        Touches::Receiver if follows(named, operands) => Vec::new(),
        Touches::Receiver => vec![0],
        Touches::All => (0..operands.len()).filter(may_hold).collect(),
    };
    let about_a_key = matches!(
        named.name.as_str(),
        "add" | "put" | "putIfAbsent" | "merge" | "compute" | "computeIfAbsent" | "addElement"
    );
    let is_object = |kind: &String| kind.starts_with('L');
    let key = Some(1).filter(|&at| about_a_key && operands.get(at).is_some_and(is_object));
    let hold = |operand| Hold {
        operand,
        key: key.filter(|_| operand == 0),
    };
    all.into_iter().map(hold).collect()
}

/// Can a value of this type hold something?
fn may_hold(descriptor: &str) -> bool {
    let Some(class) = descriptor
        .strip_prefix('L')
        .and_then(|name| name.strip_suffix(';'))
    else {
        return false;
    };
    let fixed = class.starts_with("java/util/function/")
        || matches!(
            class,
            "java/lang/String"
                | "java/lang/Class"
                | "java/lang/Integer"
                | "java/lang/Long"
                | "java/lang/Boolean"
                | "java/lang/Character"
                | "java/lang/Double"
                | "java/lang/Throwable"
        );
    !fixed
}

/// What such a call makes of a builder's text follows from what it is given.
fn follows(named: &Named, operands: &[String]) -> bool {
    let is_builder = matches!(
        named.class.as_str(),
        "java.lang.StringBuilder" | "java.lang.StringBuffer"
    );
    let given = operands.last().map_or("", String::as_str);
    is_builder
        && match named.name.as_str() {
            "append" | "insert" => {
                matches!(given, "Ljava/lang/String;" | "C" | "I" | "J" | "Z")
            }
            "<init>" => operands.len() == 1 || matches!(given, "I" | "Ljava/lang/String;"),
            "setLength" | "setCharAt" | "deleteCharAt" | "delete" | "reverse"
            | "appendCodePoint" | "ensureCapacity" | "trimToSize" => true,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use jhyde_bytecode::InvokeKind;

    use super::*;

    fn of(class: &str, name: &str, kind: InvokeKind, operands: &[&str]) -> Vec<usize> {
        let named = Named {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: "()V".to_owned(),
            kind,
            code: 0,
        };
        let operands: Vec<String> = operands.iter().map(|&kind| kind.to_owned()).collect();
        holds(&named, &operands)
            .iter()
            .map(|hold| hold.operand)
            .collect()
    }

    #[test]
    fn what_may_have_changed_is_told() {
        const LIST: &str = "Ljava/util/List;";
        const OBJECT: &str = "Ljava/lang/Object;";
        let interface = InvokeKind::Interface;
        assert_eq!(of("java.util.List", "add", interface, &[LIST, OBJECT]), [0]);
        assert_eq!(of("java.util.List", "size", interface, &[LIST]), []);
        let builder = |given: &str| {
            let operands = ["Ljava/lang/StringBuilder;", given];
            let class = "java.lang.StringBuilder";
            of(class, "append", InvokeKind::Virtual, &operands)
        };
        assert_eq!(builder("I"), []);
        assert_eq!(builder(OBJECT), [0]);
        let library = of(
            "org.foo.Bar",
            "fill",
            InvokeKind::Static,
            &[LIST, "I", "Ljava/lang/String;"],
        );
        assert_eq!(library, [0]);
    }
}
