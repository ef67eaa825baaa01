//! Programs with a planted bug, judged by what a person reads in the questions of `jhyde debug` at 80 columns.

mod judges;

use jhyde_integration::jdks;
use judges::{BOOK, Case, EXPENSES, EXPENSES_POINTED, TEMPLATES};

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
        // What a library has is its own affair.
        for question in session.questions.iter().filter(|_| case.library.is_none()) {
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

/// With a library between the program's calls, by judging calls alone, and by pointing at what is wrong: that never asks more.
#[test]
fn an_amount_that_is_read_wrong() {
    is_found(&EXPENSES);
    is_found(&EXPENSES_POINTED);
    let folder = EXPENSES.record(&jdks()[0]);
    let asked = [&EXPENSES, &EXPENSES_POINTED].map(|case| case.debug(&folder).questions.len());
    assert!(asked[1] <= asked[0], "{asked:?}");
}
