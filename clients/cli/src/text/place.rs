//! Places in the code: `MergeSort.java:42`.

use jhyde_proto::v1::{Call, Place};

use super::{clean, simple_class};

/// A place, as editors and terminals make it clickable; by method and bytecode index where the class has no
/// line table; empty when nothing is known.
pub fn place(place: &Place) -> String {
    if let (None, Some(index)) = (place.line, place.index) {
        return format!(
            "{}.{} @{index}",
            simple_class(&place.class),
            clean(&place.method)
        );
    }
    source(&place.source_file, place.line, &place.class)
}

/// Where a call's method begins.
pub fn call_place(call: &Call) -> String {
    source(&call.source_file, call.line, &call.class)
}

fn source(file: &str, line: Option<u32>, class: &str) -> String {
    let file = if file.is_empty() { class } else { file };
    match (file.is_empty(), line) {
        (true, Some(line)) => format!("line {line}"),
        (true, None) => String::new(),
        (false, Some(line)) => format!("{}:{line}", clean(file)),
        (false, None) => clean(file).into_owned(),
    }
}
