//! The reference in `docs/queries.md` is what the catalogue says. `JHYDE_WRITE_DOCS=1` writes it anew.

use std::fs;
use std::path::Path;

use jhyde_query::catalogue::{Parameter, QUERIES, Query};

const BEGIN: &str = "## Reference\n";
const END: &str = "## Examples\n";

fn parameter(parameter: &Parameter) -> String {
    let name = parameter.name.to_uppercase();
    match (parameter.flag, parameter.positional, parameter.required) {
        (true, ..) => format!("[--{}]", parameter.name),
        (_, false, _) => format!("[--{} {name}]", parameter.name),
        (_, _, false) => format!("[{name}]"),
        _ => name,
    }
}

fn described(query: &Query) -> String {
    let places: Vec<_> = query.parameters.iter().map(parameter).collect();
    let head = [&[query.name.to_owned()], places.as_slice()]
        .concat()
        .join(" ");
    let mut text = format!("### `{head}`\n\n{}\n", query.doc);
    let level = match query.refuses {
        true => format!("needs level `{}`", query.level),
        false => format!("complete from level `{}` on", query.level),
    };
    text.push_str(&format!("Cost: {}; {level}.\n\n", query.cost.doc()));
    for known in query.parameters {
        text.push_str(&format!("- takes `{}`: {}\n", parameter(known), known.doc));
    }
    for column in query.columns {
        let of = format!("{:?}", column.of).to_lowercase();
        text.push_str(&format!(
            "- column `{}` ({of}): {}\n",
            column.name, column.doc
        ));
    }
    text + "\n"
}

#[test]
fn the_reference_is_what_the_catalogue_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/queries.md");
    let document = fs::read_to_string(&path).expect("docs/queries.md");
    let begin = document.find(BEGIN).expect("a reference") + BEGIN.len();
    let end = document.find(END).expect("examples behind it");
    let reference: String = QUERIES.iter().map(described).collect();
    let new = format!("{}\n{reference}{}", &document[..begin], &document[end..]);
    if std::env::var_os("JHYDE_WRITE_DOCS").is_some() {
        fs::write(&path, &new).expect("docs/ can be written");
    }
    let told = fs::read_to_string(&path).expect("docs/queries.md");
    assert_eq!(
        told, new,
        "JHYDE_WRITE_DOCS=1 cargo test -p jhyde-query writes it anew"
    );
}
