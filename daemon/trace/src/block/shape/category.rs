//! Payload columns. Each role has its own, because values in one role resemble each other.

pub(crate) const RECEIVER: u8 = 0;
pub(crate) const NEW_OBJECT: u8 = 1;
pub(crate) const LENGTH: u8 = 2;
pub(crate) const OWNER: u8 = 3;
pub(crate) const ARRAY: u8 = 4;
pub(crate) const INDEX: u8 = 5;
pub(crate) const CALL: u8 = 6;
pub(crate) const MONITOR: u8 = 7;
pub(crate) const TEXT: u8 = 8;
pub(crate) const EXCEPTION: u8 = 9;
/// Values: role times three kinds, see [`of_value`].
const FIRST_VALUE: u8 = 10;
pub(crate) const ROLE_ARGUMENT: u8 = 0;
pub(crate) const ROLE_RESULT: u8 = 1;
pub(crate) const ROLE_LOCAL: u8 = 2;
pub(crate) const ROLE_FIELD: u8 = 3;
pub(crate) const ROLE_ELEMENT: u8 = 4;
pub(crate) const ROLE_SNAPSHOT: u8 = 5;
pub(crate) const HOLDER: u8 = 28;
pub(crate) const CHANGE: u8 = 29;
pub(crate) const COUNT: usize = 30;
/// The columns of version 1.
pub(crate) const COUNT_1: usize = 28;

/// The column of a value of this type in this role; `None` where the tag says all.
pub(crate) fn of_value(role: u8, value_tag: u8) -> Option<u8> {
    use super::tag;
    let kind = match value_tag {
        tag::BYTE..=tag::LONG => 0,
        tag::OBJECT => 1,
        tag::FLOAT | tag::DOUBLE => 2,
        _ => return None,
    };
    Some(FIRST_VALUE + role * 3 + kind)
}

/// Does the column hold the bits of floating-point numbers?
pub(crate) fn is_float(category: u8) -> bool {
    (FIRST_VALUE..HOLDER).contains(&category) && (category - FIRST_VALUE) % 3 == 2
}

/// Does the column hold objects that an event refers to: neither one that it makes, nor one of which it writes a part?
pub(crate) fn is_reference(category: u8) -> bool {
    matches!(category, RECEIVER | MONITOR | EXCEPTION)
        || (FIRST_VALUE..HOLDER).contains(&category) && (category - FIRST_VALUE) % 3 == 1
}

/// What a column holds, for people.
pub(crate) fn name(category: u8) -> String {
    const PLAIN: [&str; 10] = [
        "receiver",
        "new object",
        "array length",
        "field owner",
        "array",
        "element index",
        "other call",
        "monitor",
        "text",
        "exception",
    ];
    const ROLES: [&str; 6] = [
        "argument", "result", "local", "field", "element", "snapshot",
    ];
    const KINDS: [&str; 3] = ["integers", "references", "floats"];
    match category {
        HOLDER => return "holder of content".to_owned(),
        CHANGE => return "change of content".to_owned(),
        _ => {}
    }
    match PLAIN.get(usize::from(category)) {
        Some(name) => (*name).to_owned(),
        None => {
            let at = usize::from(category - FIRST_VALUE);
            format!("{} {}", ROLES[at / 3 % 6], KINDS[at % 3])
        }
    }
}
