//! The reference in `docs/sql.md` is what the tables and modules say of themselves. `JHYDE_WRITE_DOCS=1` writes it anew.

use std::fs;
use std::path::Path;

use jhyde_query::sql::{Described, ModuleDoc, described, modules};

const BEGIN: &str = "## Reference\n";
const END: &str = "## Examples\n";

fn told(table: &Described) -> String {
    let arguments: Vec<_> = table.arguments.iter().map(|a| a.0.as_str()).collect();
    let head = match arguments.is_empty() {
        true => table.name.to_owned(),
        false => format!("{}({})", table.name, arguments.join(", ")),
    };
    let mut text = format!(
        "### `{head}`\n\n{} From level `{}` on.\n\n",
        table.doc, table.level
    );
    for (name, doc) in &table.arguments {
        text.push_str(&format!("- takes `{name}`: {doc}\n"));
    }
    // Or they are those of the table that the description names.
    if !table.doc.contains("Columns as of") {
        for (name, of, doc) in &table.columns {
            text.push_str(&format!(
                "- `{name}` ({}): {doc}\n",
                of.sql().to_lowercase()
            ));
        }
    }
    for (predicate, by) in &table.served {
        match predicate.as_str() {
            "" => text.push_str(&format!("- else: {by}\n")),
            predicate => text.push_str(&format!("- {predicate}: {by}\n")),
        }
    }
    text + "\n"
}

const LIBRARY: &str = "Modules that come with jhyde: `INCLUDE MODULE std.calls;` before a SELECT makes what they define known. Their functions look at
the tables of the first recording.
";

fn of_module(module: &ModuleDoc) -> String {
    let mut text = format!("### `{}`\n\n{}\n\n", module.name, module.doc);
    for defined in &module.defined {
        let names = |all: &[(String, Option<_>, String)]| {
            all.iter()
                .map(|one| one.0.clone())
                .collect::<Vec<_>>()
                .join(", ")
        };
        text.push_str(&format!(
            "`{}({})`: {}\n\n",
            defined.name,
            names(&defined.arguments),
            defined.doc
        ));
        for (name, of, doc) in &defined.arguments {
            let of = of.map_or(String::new(), |of: jhyde_query::sql::Type| {
                format!(" ({})", of.sql().to_lowercase())
            });
            text.push_str(&format!("- takes `{name}`{of}: {doc}\n"));
        }
        for (name, of, doc) in &defined.columns {
            let of = of.map_or("", |of| of.sql()).to_lowercase();
            text.push_str(&format!("- `{name}` ({of}): {doc}\n"));
        }
        text.push('\n');
    }
    text
}

#[test]
fn the_reference_is_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sql.md");
    let document = fs::read_to_string(&path).expect("docs/sql.md");
    let begin = document.find(BEGIN).expect("a reference") + BEGIN.len();
    let end = document.find(END).expect("examples behind it");
    let tables: String = described().iter().map(told).collect();
    let modules: String = modules().iter().map(of_module).collect();
    let reference = format!("{tables}## Library\n\n{LIBRARY}\n{modules}");
    let new = format!("{}\n{reference}{}", &document[..begin], &document[end..]);
    if std::env::var_os("JHYDE_WRITE_DOCS").is_some() {
        fs::write(&path, &new).expect("docs/ can be written");
    }
    let told = fs::read_to_string(&path).expect("docs/sql.md");
    assert_eq!(
        told, new,
        "JHYDE_WRITE_DOCS=1 cargo test -p jhyde-query writes it anew"
    );
}

#[test]
fn each_column_is_described_and_named_once() {
    for table in described() {
        let mut names: Vec<_> = table.columns.iter().map(|column| &column.0).collect();
        names.extend(table.arguments.iter().map(|argument| &argument.0));
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{}: a name is there twice", table.name);
        let columns = table.columns.iter().map(|(name, _, doc)| (name, doc));
        let arguments = table.arguments.iter().map(|(name, doc)| (name, doc));
        let silent = columns
            .chain(arguments)
            .filter(|(_, doc)| doc.trim().is_empty());
        let silent: Vec<_> = silent.map(|(name, _)| name).collect();
        assert!(
            silent.is_empty() && !table.doc.is_empty(),
            "{}: {silent:?} say nothing of themselves",
            table.name
        );
    }
}
