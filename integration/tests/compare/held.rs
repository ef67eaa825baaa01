//! What collections hold is compared as it is after each change: the same change of what was not the same is not equal.

use jhyde_integration::{Folder, jdks};

use crate::{Compared, record, replaced, source};

/// The program held against itself with one step of it left out.
fn left_out(step: &str) -> Compared {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = source("compare", "Holding");
    let changed = replaced(&text, step, "");
    for (name, text) in [("right", &text), ("again", &text), ("wrong", &changed)] {
        let options = ["--engine", "probe"];
        record(&folder, &jdk, (name, "Holding"), text, &options);
    }
    // Also where things are taken out of a hashed map: what is left is the same then.
    Compared::new(&folder, &["right", "again", "--all"]).assert_equal();
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    // What both hold is known.
    let notes = compared.notes();
    assert!(!notes.contains("cannot be compared"), "{notes}");
    compared
}

/// In so many calls of a method, of those that both sides have, something differs.
fn differing(compared: &Compared, method: &str) -> usize {
    let calls = compared.of("call").into_iter();
    let both = calls.filter(|call| !call["left"].is_null() && !call["right"].is_null());
    both.filter_map(|call| call["right"]["method"].as_str())
        .filter(|name| name.contains(method))
        .count()
}

#[test]
fn a_map_that_kept_an_entry_holds_something_else_from_then_on() {
    let compared = left_out("map.remove(\"tea\");");
    // The first one put the entry in.
    assert_eq!(differing(&compared, "putIn"), 1, "{:?}", compared.parts);
    // `remove` itself, and three changes behind it.
    let contents = compared.of("difference").into_iter();
    let contents = contents.filter(|of| of["what"] == "content").count();
    assert_eq!(contents, 3, "{:?}", compared.parts);
}

#[test]
fn a_list_that_kept_an_item_holds_something_else_until_it_is_cleared() {
    let compared = left_out("list.remove(\"q\");");
    assert_eq!(differing(&compared, "addTo"), 1, "{:?}", compared.parts);
    assert_eq!(differing(&compared, "setIn"), 1, "{:?}", compared.parts);
}

#[test]
fn a_builder_that_was_not_shortened_holds_another_text_from_then_on() {
    let compared = left_out("text.setLength(2);");
    assert_eq!(differing(&compared, "appendTo"), 2, "{:?}", compared.parts);
}
