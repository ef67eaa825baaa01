//! `jhyde memory export --junit`: calls that were answered valid, as tests. The daemon writes what a test does (`GetTest`); here are the
//! classes around it, and which answers are no tests and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jhyde_proto::v1::{CallTest, GetTestRequest};
use serde::Serialize;
use tonic::Code;

use super::Context;
use crate::args::MemoryExportArgs;
use crate::client::Client;
use crate::error::Error;
use crate::memory::{Entry, Key, Memory, Verdict};
use crate::output::Look;
use crate::text::{clean, plural};

/// The tests of one class of the program.
#[derive(Debug, Default)]
struct TestClass {
    package: String,
    /// With the answers that they are from.
    tests: Vec<(Entry, Vec<String>)>,
}

/// An answer that is no test.
#[derive(Debug, Serialize)]
struct Cannot {
    id: String,
    call: String,
    cannot: String,
}

/// A file with tests.
#[derive(Debug, Serialize)]
struct FileJson<'a> {
    file: &'a Path,
    tests: usize,
}

/// Writes the tests below a folder. A file that is there is left alone, and nothing is written.
///
/// # Errors
/// When the memory cannot be read, the daemon fails, or a file cannot be written.
pub async fn junit(context: &mut Context, args: &MemoryExportArgs) -> Result<(), Error> {
    let memory = Memory::existing(&args.folder)?;
    let mut classes: BTreeMap<String, TestClass> = BTreeMap::new();
    let mut others = Vec::new();
    for entry in memory.entries() {
        if entry.answer != Verdict::Valid {
            continue;
        }
        let written = match memory.is_contradicted(entry) {
            true => Err("it is kept with two answers".to_owned()),
            false => test_of(&context.client, entry).await?,
        };
        match written {
            Ok(test) => {
                let class = classes.entry(entry.key.class.clone()).or_default();
                class.package = test.package;
                class.tests.push((entry.clone(), test.body));
            }
            Err(cannot) => others.push(Cannot {
                id: entry.name(),
                call: entry.call.clone(),
                cannot,
            }),
        }
    }
    let mut files: Vec<(PathBuf, String, usize)> = Vec::new();
    for (name, class) in &classes {
        let simple = test_name(name);
        let folder = class.package.split('.').filter(|part| !part.is_empty());
        let folder: PathBuf = folder.collect();
        let file = args.file.join(folder).join(format!("{simple}.java"));
        files.push((file, source(name, &simple, class), class.tests.len()));
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::File {
            what: "cannot create",
            path,
            source,
        }
    };
    for (file, ..) in &files {
        if file.exists() {
            return Err(failed(file)(ErrorKind::AlreadyExists.into()));
        }
    }
    for (file, text, _) in &files {
        let folder = file.parent().unwrap_or(&args.file);
        fs::create_dir_all(folder).map_err(failed(folder))?;
        fs::write(file, text).map_err(failed(file))?;
    }
    tell(context, &files, &others)
}

fn tell(
    context: &mut Context,
    files: &[(PathBuf, String, usize)],
    others: &[Cannot],
) -> Result<(), Error> {
    let out = &mut context.out;
    if out.json {
        for (file, _, tests) in files {
            let tests = *tests;
            out.object(&FileJson { file, tests })?;
        }
        return others.iter().try_for_each(|other| out.object(other));
    }
    for (file, _, tests) in files {
        let tests = plural(*tests as u64, "test");
        out.line(format!("{}: {tests}", clean(&file.display().to_string())))?;
    }
    for Cannot { id, call, cannot } in others {
        let text = format!("{id} ({}) is no test: {}", clean(call), clean(cannot));
        let text = out.paint.text(Look::Faint, text);
        out.line(text)?;
    }
    let tests: usize = files.iter().map(|(.., tests)| tests).sum();
    out.line(format!(
        "{}; {} cannot be written as one",
        plural(tests as u64, "test"),
        plural(others.len() as u64, "valid answer")
    ))
}

/// The test of an answer, or why there is none.
async fn test_of(client: &Client, entry: &Entry) -> Result<Result<CallTest, String>, Error> {
    let request = GetTestRequest {
        recording: entry.recording.clone(),
        call: entry.id.clone(),
    };
    let mut client = client.clone();
    let test = match client.debugging.get_test(request).await {
        Ok(test) => test.into_inner(),
        Err(status) if matches!(status.code(), Code::NotFound | Code::DataLoss) => {
            return Ok(Err(format!(
                "its values are not there any more ({})",
                status.message()
            )));
        }
        Err(status) => return Err(status.into()),
    };
    if !test.cannot.is_empty() {
        return Ok(Err(test.cannot));
    }
    let is_it = test
        .content
        .as_ref()
        .is_some_and(|content| Key::from(content) == entry.key);
    Ok(match is_it {
        true => Ok(test),
        false => Err(format!(
            "recording {} has another call there now: it is another run of this name",
            entry.recording
        )),
    })
}

/// The class of the tests of a class.
fn test_name(class: &str) -> String {
    let simple = class.rsplit('.').next().unwrap_or(class);
    format!("{}RememberedTest", simple.replace('$', "_"))
}

/// A class with tests.
fn source(name: &str, simple: &str, class: &TestClass) -> String {
    let mut text = String::new();
    let mut line = |line: &str| {
        // What does not fit into memory is the system's matter: writing to a text cannot fail.
        let _ = writeln!(text, "{line}");
    };
    if !class.package.is_empty() {
        line(&format!("package {};\n", class.package));
    }
    line("import static org.junit.Assert.*;\n\nimport org.junit.Test;\n");
    line(&format!(
        "/** Calls of {} that somebody answered valid for; written by jhyde memory export --junit. */",
        comment(name)
    ));
    line("@SuppressWarnings({\"unchecked\", \"rawtypes\"})");
    line(&format!("public class {simple} {{"));
    for (at, (entry, body)) in class.tests.iter().enumerate() {
        if at > 0 {
            line("");
        }
        let method = match entry.key.method.as_str() {
            "<init>" => "new",
            method => method,
        };
        line(&format!("    /** {}. */", comment(&entry.told())));
        line("    @Test");
        line(&format!(
            "    public void {method}_{}() throws Throwable {{",
            entry.name().replace('-', "_")
        ));
        body.iter()
            .for_each(|statement| line(&format!("        {statement}")));
        line("    }");
    }
    let mut statements = class.tests.iter().flat_map(|(_, body)| body);
    if statements.any(|statement| statement.contains("field(")) {
        line(FIELD);
    }
    line("}");
    text
}

const FIELD: &str = "
    /** What a field of an object holds, whatever its access. */
    private static Object field(Object of, String name) throws Exception {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            for (java.lang.reflect.Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name) && !java.lang.reflect.Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    return field.get(of);
                }
            }
        }
        throw new NoSuchFieldException(of.getClass().getName() + \".\" + name);
    }";

/// Words within a comment.
fn comment(text: &str) -> String {
    clean(text).replace("*/", "* /").replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let digest = |text: &str| format!("{text:0<32}");
        Entry {
            version: 1,
            key: Key {
                class: "shop.Cart$Line".into(),
                method: "<init>".into(),
                descriptor: "(I)V".into(),
                code: digest("1"),
                input: digest("abcdef"),
                outcome: digest("012345"),
                value: None,
            },
            answer: Verdict::Valid,
            call: "Cart$Line.<init> #0".into(),
            recording: "run */ \\u000a".into(),
            id: "1.2".into(),
        }
    }

    #[test]
    fn a_class_of_tests_is_java() {
        let body = vec!["Object result = new Cart.Line(3);".to_owned()];
        let class = TestClass {
            package: "shop".to_owned(),
            tests: vec![(entry(), body)],
        };
        let simple = test_name("shop.Cart$Line");
        assert_eq!(simple, "Cart_LineRememberedTest");
        let text = source("shop.Cart$Line", &simple, &class);
        assert!(text.starts_with("package shop;\n\nimport static"), "{text}");
        assert!(
            text.contains("public void new_abcdef_012345() throws Throwable {"),
            "{text}"
        );
        assert!(!text.contains("Object field("), "it is not needed");
        assert_eq!(
            text.matches("*/").count(),
            2,
            "no name ends a comment: {text}"
        );
        assert!(!text.contains('\\'), "no name is an escape: {text}");
    }
}
