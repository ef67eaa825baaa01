//! A template engine with a planted bug, judged by what a person reads in the questions of `jhyde debug` at 80 columns.

mod judges;

use jhyde_integration::jdks;
use judges::{BOOK, Case, TEMPLATES};

/// The search ends with the buggy call, and no question on the way had a value that says nothing, or a line that is
/// wider than the terminal.
fn is_found(case: &Case) {
    for jdk in jdks() {
        let session = case.debug(&case.record(&jdk));
        let end = session
            .screen
            .rsplit("The buggy call: ")
            .next()
            .unwrap_or_default();
        let asked: Vec<_> = session
            .questions
            .iter()
            .map(|question| &question.head)
            .collect();
        assert!(
            end.starts_with(case.buggy),
            "JDK {}: asked {asked:#?}\n{}",
            jdk.major,
            session.screen
        );
        for question in &session.questions {
            let opaque = question.opaque();
            assert!(opaque.is_empty(), "{}: {opaque:#?}", question.head);
        }
    }
}

#[test]
fn a_name_that_means_another() {
    is_found(&TEMPLATES);
}

#[test]
fn a_sale_that_overwrites() {
    is_found(&BOOK);
}
