//! Types and class names as source writes them, from descriptors (JVMS 4.3).

use jhyde_trace::Value;

/// A field descriptor as a source type: `[I` is `int[]`, `Ljava/lang/String;` is `java.lang.String`.
/// What is no descriptor is returned as it is.
pub fn type_name(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let name = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        "V" => "void".to_owned(),
        _ => match element
            .strip_prefix('L')
            .and_then(|rest| rest.strip_suffix(';'))
        {
            Some(class) => class.replace('/', "."),
            None => return descriptor.to_owned(),
        },
    };
    name + &"[]".repeat(dimensions)
}

/// The parameters' descriptors of a method descriptor; as many as can be read.
pub fn parameters(descriptor: &str) -> Vec<&str> {
    let mut parameters = Vec::new();
    let Some(mut rest) = descriptor.strip_prefix('(') else {
        return parameters;
    };
    while !rest.is_empty() && !rest.starts_with(')') {
        let element = rest.trim_start_matches('[');
        let dimensions = rest.len() - element.len();
        let length = match element.chars().next() {
            Some('L') => match element.find(';') {
                Some(end) => end + 1,
                None => break,
            },
            Some(first) => first.len_utf8(),
            None => break,
        };
        let (parameter, after) = rest.split_at(dimensions + length);
        parameters.push(parameter);
        rest = after;
    }
    parameters
}

/// The result's descriptor of a method descriptor.
pub fn result(descriptor: &str) -> &str {
    descriptor.rsplit_once(')').map_or("", |(_, result)| result)
}

/// The slot of each parameter (JVMS 2.6.1): `long` and `double` take two.
pub fn parameter_slots(descriptor: &str, is_static: bool) -> Vec<u16> {
    let mut slot = u16::from(!is_static);
    let next = |parameter: &str| {
        let this = slot;
        slot = slot.saturating_add(if matches!(parameter, "J" | "D") { 2 } else { 1 });
        this
    };
    parameters(descriptor).into_iter().map(next).collect()
}

/// The value of a field of this type that nobody has written yet (JVMS 2.3, 2.4).
pub fn default_value(descriptor: &str) -> Value {
    match descriptor {
        "Z" => Value::Boolean(false),
        "B" => Value::Byte(0),
        "C" => Value::Char(0),
        "S" => Value::Short(0),
        "I" => Value::Int(0),
        "J" => Value::Long(0),
        "F" => Value::float(0.0),
        "D" => Value::double(0.0),
        _ => Value::Null,
    }
}

/// The descriptor of an array's elements from the array type's name: `int[]` holds `I`.
pub fn element_descriptor(array: &str) -> Option<String> {
    let element = array.strip_suffix("[]")?;
    let base = element.trim_end_matches("[]");
    let dimensions = (element.len() - base.len()) / 2;
    let base = match base {
        "boolean" => "Z".to_owned(),
        "byte" => "B".to_owned(),
        "char" => "C".to_owned(),
        "short" => "S".to_owned(),
        "int" => "I".to_owned(),
        "long" => "J".to_owned(),
        "float" => "F".to_owned(),
        "double" => "D".to_owned(),
        class => format!("L{};", class.replace('.', "/")),
    };
    Some("[".repeat(dimensions) + &base)
}

/// Does a class with this dotted binary name go by that name? By the whole name, or the name without
/// package, or that of a nested class without its outer ones.
pub fn is_called(class: &str, name: &str) -> bool {
    class.strip_suffix(name).is_some_and(|before| {
        !name.is_empty() && (before.is_empty() || before.ends_with('.') || before.ends_with('$'))
    })
}

/// The class's name without its package.
pub fn simple_name(class: &str) -> &str {
    class.rsplit_once('.').map_or(class, |(_, simple)| simple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_read_as_source() {
        assert_eq!(type_name("[[I"), "int[][]");
        assert_eq!(type_name("Ljava/lang/String;"), "java.lang.String");
        assert_eq!(type_name("[Lx/Y$Z;"), "x.Y$Z[]");
        assert_eq!(type_name("nonsense"), "nonsense");
        assert_eq!(parameters("([[IJLa/B;Z)V"), ["[[I", "J", "La/B;", "Z"]);
        assert_eq!(parameter_slots("([[IJLa/B;Z)V", false), [1, 2, 4, 5]);
        assert_eq!(parameter_slots("(D)V", true), [0]);
        assert_eq!(result("(I)[J"), "[J");
        for broken in ["", "(", "([", "(L", "(Lx", "()"] {
            assert!(parameters(broken).is_empty(), "{broken}");
            assert_eq!(result(broken), "");
        }
        assert_eq!(element_descriptor("int[][]").as_deref(), Some("[I"));
        assert_eq!(element_descriptor("a.B[]").as_deref(), Some("La/B;"));
        assert_eq!(element_descriptor("a.B"), None);
    }

    #[test]
    fn classes_go_by_short_names() {
        assert!(is_called("a.b.Outer$Inner", "Inner"));
        assert!(is_called("a.b.Outer$Inner", "Outer$Inner"));
        assert!(is_called("a.b.Outer$Inner", "a.b.Outer$Inner"));
        assert!(!is_called("a.b.Outer$Inner", "nner"));
        assert!(!is_called("a.b.C", ""));
    }
}
