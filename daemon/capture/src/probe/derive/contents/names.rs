//! What calls out of the scope do and do not do, by their names.

use jhyde_bytecode::InvokeKind;

use crate::probe::specified::is_of_the_jdk;
use crate::program::Named;

/// Does a method of a collection only look at what it is called on, although it is given a function?
pub(super) fn only_visits(named: &Named) -> bool {
    named.class.starts_with("java.util.") && named.name == "forEach"
}

/// Has a call done nothing yet when it calls this method of the scope?
pub(super) fn changes_nothing_yet(named: &Named, method: &str) -> bool {
    // What goes through many has changed something for those before.
    let is_of_one = !matches!(
        named.name.as_str(),
        "<init>"
            | "addAll"
            | "putAll"
            | "removeAll"
            | "removeIf"
            | "retainAll"
            | "replaceAll"
            | "addAllAbsent"
    );
    let compares = is_of_one && matches!(method, "hashCode" | "equals");
    let computes = matches!(
        named.name.as_str(),
        "computeIfAbsent" | "computeIfPresent" | "compute" | "merge"
    );
    only_visits(named)
        || named.class.starts_with("java.util.stream.")
        || (named.class.starts_with("java.util.")
            && (compares || computes && method != "compareTo"))
}

/// Is it code of a library, which may keep what it is shown?
pub(in crate::probe::derive) fn is_library(named: &Named) -> bool {
    named.kind != InvokeKind::Dynamic
        && !named.class.ends_with("[]")
        && !is_of_the_jdk(&named.class)
}
