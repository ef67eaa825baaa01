//! Families of features: what is not one statement or expression of the language but a way in which programs use
//! it together with the JDK. To add one: a function in a file below, a line in the list.

mod arrays;
mod callbacks;
mod classes;
mod exceptions;
mod modern;
mod reflection;
mod text;
mod texts;
mod threads;

use super::maker::Maker;

/// A family: its name, the language level from which on it can be, and what makes a piece of it.
pub type Family = (&'static str, u32, fn(&mut Maker));

/// All families.
pub const FAMILIES: [Family; 25] = [
    ("exceptions-from-the-jdk", 8, exceptions::from_the_jdk),
    ("exceptions-through-the-jdk", 8, exceptions::through_the_jdk),
    (
        "initialisers-that-throw",
        8,
        exceptions::initialisers_that_throw,
    ),
    ("array-copies", 8, arrays::copies),
    ("array-helpers", 8, arrays::helpers),
    ("arrays-kept", 8, arrays::kept),
    ("comparators", 8, callbacks::comparators),
    ("streams", 8, callbacks::streams),
    ("iterators", 8, callbacks::iterators),
    ("enums", 8, classes::enums),
    ("inner-classes", 8, classes::inner),
    ("generics", 8, classes::generics),
    ("records", 17, modern::records),
    ("switch-expressions", 17, modern::switch_expressions),
    ("patterns", 21, modern::patterns),
    ("reflection", 8, reflection::reflection),
    ("method-handles", 8, reflection::method_handles),
    ("var-handles", 11, reflection::var_handles),
    ("serialisation", 8, reflection::serialisation),
    ("foreign-fields", 8, reflection::foreign_fields),
    ("odd-texts", 8, texts::odd_texts),
    ("switches-over-texts", 8, texts::switches_over_texts),
    ("boxes-made", 8, texts::boxes_made),
    ("threads-together", 8, threads::together),
    ("threads-in-turns", 8, threads::in_turns),
];

/// Adds a few families to a program and names them.
pub fn add(make: &mut Maker, without: &[&str]) -> Vec<&'static str> {
    let possible: Vec<Family> = FAMILIES
        .iter()
        .filter(|one| one.1 <= make.release && !without.contains(&one.0))
        .copied()
        .collect();
    let mut names = Vec::new();
    if possible.is_empty() {
        return names;
    }
    for _ in 0..make.random.between(1, 3) {
        let (name, _, family) = *make.random.pick(&possible);
        if !names.contains(&name) {
            family(make);
            names.push(name);
        }
    }
    names
}
