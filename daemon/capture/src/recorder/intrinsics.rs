//! Calls out of the scope that show and yield nothing that matters: methods of a few final classes of the JDK that
//! are shown nothing but numbers and strings, change nothing that the scope can see, call nothing back, and
//! yield a number, nothing, or the builder that they were called on. No thread has to stop for them.

use jhyde_bytecode::InvokeKind;
use jhyde_trace::Value;

use super::parameters;
use crate::mirror::Heap;
use crate::program::Named;

/// Final classes whose methods behave so. None has methods that HotSpot's interpreter runs without
/// telling their exits, as it does those of `Math`.
const CLASSES: [&str; 7] = [
    "java.lang.String",
    "java.lang.StringBuilder",
    "java.lang.StringBuffer",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Character",
    "java.lang.Boolean",
];

/// Some of [`CLASSES`], a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IntrinsicClasses(u8);

impl IntrinsicClasses {
    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Those that are not among the others.
    pub(crate) const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Their names.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let all = CLASSES.iter().enumerate();
        all.filter_map(move |(bit, &class)| (self.0 & (1 << bit) != 0).then_some(class))
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Is what an invoke instruction names an intrinsic call? If so, the classes whose exits tell its result: one,
/// or none where its result is known without.
pub(crate) fn intrinsic(named: &Named) -> Option<IntrinsicClasses> {
    if named.class == "java.lang.Object" {
        return (named.name == "<init>").then(IntrinsicClasses::default);
    }
    if computes(named) {
        return Some(IntrinsicClasses::default());
    }
    let class = CLASSES.iter().position(|class| *class == named.class)?;
    if named.kind == InvokeKind::Dynamic || makes_text(named) {
        return None;
    }
    let harmless = |kind: &String| kind.len() == 1 || kind == "Ljava/lang/String;";
    let shown = parameters(&named.descriptor);
    let compares = named.name == "equals" && shown == ["Ljava/lang/Object;"];
    if !compares && !shown.iter().all(harmless) {
        return None;
    }
    match named.returns() {
        "V" => Some(IntrinsicClasses::default()),
        returns if returns.len() == 1 => Some(IntrinsicClasses(1 << class)),
        _ => returns_itself(named).then(IntrinsicClasses::default),
    }
}

/// Is it the constructor of a class whose objects are shown by what they hold, for good: a string or a box?
pub(crate) fn makes_text(named: &Named) -> bool {
    named.name == "<init>"
        && (named.class == "java.lang.String" || crate::program::is_box(&named.class))
}

/// Intrinsic calls that are certain to return; others may throw an exception, and then nothing tells which of several did.
pub(crate) fn never_throws(named: &Named) -> bool {
    match named.class.as_str() {
        "java.lang.Object" => true,
        "java.lang.StringBuilder" | "java.lang.StringBuffer" => {
            named.name == "append" || (named.name == "<init>" && named.descriptor == "()V")
        }
        _ => false,
    }
}

/// The result of an intrinsic call that follows from what it is given: of a string whose text is known, since strings
/// never change, or of numbers, where the result is exact whoever computes it.
pub(crate) fn known_result(
    named: &Named,
    receiver: Option<Value>,
    arguments: &[Value],
    heap: &Heap,
) -> Option<Value> {
    if computes(named) {
        return computed(&named.name, arguments);
    }
    if named.class != "java.lang.String" {
        return None;
    }
    let string = receiver?;
    let object = string.object()?;
    let text = heap.text(object)?;
    let other = |value: &Value| heap.text(value.object()?);
    Some(match (named.name.as_str(), arguments) {
        ("length", []) => Value::Int(i32::try_from(text.len()).ok()?),
        ("isEmpty", []) => Value::Boolean(text.is_empty()),
        ("charAt", [Value::Int(at)]) => Value::Char(*text.get(usize::try_from(*at).ok()?)?),
        ("hashCode", []) => Value::Int(text.iter().fold(0_i32, |hash, &unit| {
            hash.wrapping_mul(31).wrapping_add(i32::from(unit))
        })),
        ("indexOf", [Value::Int(unit)]) => {
            let unit = u16::try_from(*unit).ok()?;
            let at = text.iter().position(|&other| other == unit);
            Value::Int(at.map_or(Some(-1), |at| i32::try_from(at).ok())?)
        }
        ("equals", [Value::Null]) => Value::Boolean(false),
        ("equals", [same]) if *same == string => Value::Boolean(true),
        ("equals", [value]) => Value::Boolean(text == other(value)?),
        ("startsWith", [value]) => Value::Boolean(text.starts_with(other(value)?)),
        ("endsWith", [value]) => Value::Boolean(text.ends_with(other(value)?)),
        _ => return None,
    })
}

/// Does the result of a method follow from what it is given, whatever that is?
pub(crate) fn always_follows(named: &Named) -> bool {
    let strings = [
        ("length", "()I"),
        ("isEmpty", "()Z"),
        ("charAt", "(I)C"),
        ("hashCode", "()I"),
    ];
    let (name, descriptor) = (named.name.as_str(), named.descriptor.as_str());
    match named.class.as_str() {
        "java.lang.Object" => name == "<init>",
        "java.lang.String" => strings.contains(&(name, descriptor)),
        _ => computes(named),
    }
}

/// A method of `Math` whose result is exact. HotSpot's interpreter tells no exit of some of them.
fn computes(named: &Named) -> bool {
    let kinds: &[&str] = match named.name.as_str() {
        "sqrt" => &["(D)D"],
        "abs" => &["(I)I", "(J)J", "(F)F", "(D)D"],
        "min" | "max" => &["(II)I", "(JJ)J"],
        _ => &[],
    };
    matches!(
        named.class.as_str(),
        "java.lang.Math" | "java.lang.StrictMath"
    ) && kinds.contains(&named.descriptor.as_str())
}

fn computed(name: &str, arguments: &[Value]) -> Option<Value> {
    Some(match (name, arguments) {
        ("sqrt", [Value::Double(of)]) => Value::double(f64::from_bits(*of).sqrt()),
        ("abs", [Value::Int(of)]) => Value::Int(of.wrapping_abs()),
        ("abs", [Value::Long(of)]) => Value::Long(of.wrapping_abs()),
        ("abs", [Value::Float(of)]) => Value::Float(of & !(1 << 31)),
        ("abs", [Value::Double(of)]) => Value::Double(of & !(1 << 63)),
        ("min", [Value::Int(one), Value::Int(other)]) => Value::Int(*one.min(other)),
        ("max", [Value::Int(one), Value::Int(other)]) => Value::Int(*one.max(other)),
        ("min", [Value::Long(one), Value::Long(other)]) => Value::Long(*one.min(other)),
        ("max", [Value::Long(one), Value::Long(other)]) => Value::Long(*one.max(other)),
        _ => return None,
    })
}

/// Builders of strings return themselves (their documentation says so).
pub(crate) fn returns_itself(named: &Named) -> bool {
    matches!(
        (named.class.as_str(), named.returns()),
        ("java.lang.StringBuilder", "Ljava/lang/StringBuilder;")
            | ("java.lang.StringBuffer", "Ljava/lang/StringBuffer;")
    )
}

#[cfg(test)]
mod tests {
    use super::{IntrinsicClasses, Named, intrinsic};
    use jhyde_bytecode::InvokeKind;

    fn of(class: &str, name: &str, descriptor: &str) -> Option<IntrinsicClasses> {
        intrinsic(&Named {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            kind: InvokeKind::Virtual,
            code: 0,
        })
    }

    #[test]
    fn intrinsics_are_calls_that_show_and_yield_no_object_that_matters() {
        let exit = |class, name, descriptor| of(class, name, descriptor).map(|c| !c.is_empty());
        assert_eq!(exit("java.lang.String", "charAt", "(I)C"), Some(true));
        let equals = "(Ljava/lang/Object;)Z";
        assert_eq!(exit("java.lang.String", "equals", equals), Some(true));
        let append = "(Ljava/lang/String;)Ljava/lang/StringBuilder;";
        assert_eq!(
            exit("java.lang.StringBuilder", "append", append),
            Some(false)
        );
        assert_eq!(exit("java.lang.Object", "<init>", "()V"), Some(false));

        // It may call `toString` of the scope.
        let append = "(Ljava/lang/Object;)Ljava/lang/StringBuilder;";
        assert_eq!(of("java.lang.StringBuilder", "append", append), None);
        // It is shown an array, which it reads and others of its kind write.
        assert_eq!(of("java.lang.String", "getChars", "(II[CI)V"), None);
        // Its result is an object, to be read while it lives.
        assert_eq!(of("java.lang.String", "trim", "()Ljava/lang/String;"), None);
        assert_eq!(of("java.lang.Object", "hashCode", "()I"), None);
        assert_eq!(of("java.util.List", "size", "()I"), None);
        assert_eq!(of("java.lang.Math", "sin", "(D)D"), None);
    }
}
