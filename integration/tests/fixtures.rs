//! The fixture programs (`java/fixtures/programs.json`) against what plain runs and a JDI counter say of them
//! (`expected.json`): output, exit code, calls by method, field writes by field.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/fixtures");
    let text = std::fs::read_to_string(path.join(name)).expect(name);
    serde_json::from_str(&text).expect("JSON")
}

/// An entry of programs.json with the defaults filled in.
struct Program<'a> {
    entry: &'a Value,
    defaults: &'a Value,
}

impl Program<'_> {
    fn get(&self, key: &str) -> &Value {
        let own = &self.entry[key];
        if own.is_null() {
            &self.defaults[key]
        } else {
            own
        }
    }

    fn word(&self, key: &str) -> &str {
        self.get(key).as_str().unwrap_or_default()
    }

    fn words(&self, key: &str) -> Vec<String> {
        let list = self.get(key).as_array().into_iter().flatten();
        list.filter_map(|word| Some(word.as_str()?.to_owned()))
            .collect()
    }
}

/// The entry of the highest version that is not above the JDK's.
fn counts<'a>(expected: &'a Value, jdk: &Jdk) -> Option<&'a Value> {
    let by_version = expected["counts"].as_object()?.iter();
    let known = by_version.filter_map(|(major, counts)| Some((major.parse::<u32>().ok()?, counts)));
    let best = known
        .filter(|(major, _)| *major <= jdk.major)
        .max_by_key(|one| one.0);
    Some(best?.1)
}

/// `expected.json` leaves out hidden classes, and the numbers that javac gives to lambdas.
fn method_name(call: &Value) -> Option<String> {
    let class = call["class"].as_str()?;
    if class.contains("$$Lambda") || class.contains('/') {
        return None;
    }
    let mut method = call["method"].as_str()?.to_owned();
    if method.starts_with("lambda$") {
        let stem = method.trim_end_matches(|c: char| c.is_ascii_digit());
        method = format!("{stem}*");
    }
    Some(format!("{class}.{method}{}", call["descriptor"].as_str()?))
}

fn run(
    folder: &Folder,
    jdk: &Jdk,
    program: &Program<'_>,
    name: &str,
    level: &str,
) -> (Option<i32>, Vec<u8>) {
    let out = jdk.classes("fixtures");
    let out = out.parent().expect("a folder around the classes");
    let mut command = folder.jhyded(&["launch", "--name", name, "--level", level]);
    for pattern in program.words("include") {
        command.args(["--include", &pattern]);
    }
    command
        .arg("--")
        .arg(jdk.java())
        .args(program.words("jvm_flags"));
    command
        .arg("-cp")
        .arg(out.join(program.word("folder")))
        .arg(program.word("class"));
    for word in program.words("args") {
        command.arg(word.replace("{OUT}", &out.display().to_string()));
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("jhyded can be started");
    // A program that does not read may be gone before this is written.
    let _ = child
        .stdin
        .take()
        .map(|mut input| input.write_all(program.word("stdin").as_bytes()));
    let output = child.wait_with_output().expect("jhyded ends");
    (output.status.code(), output.stdout)
}

fn check(
    folder: &Folder,
    jdk: &Jdk,
    program: &Program<'_>,
    expected: &Value,
    wrong: &mut Vec<String>,
) {
    let Some(counts) = counts(expected, jdk) else {
        return;
    };
    let name = format!("{}-{}", program.word("name"), jdk.major);
    let (code, stdout) = run(folder, jdk, program, &name, "state");
    if code.map(i64::from) != expected["exit"].as_i64() {
        wrong.push(format!(
            "{name}: exit code {code:?} instead of {}",
            expected["exit"]
        ));
    }
    // expected.json holds the text without bytes that are not UTF-8.
    let kept: Vec<u8> = stdout
        .into_iter()
        .filter(|byte| !matches!(byte, 0 | 0x80 | 0xff))
        .collect();
    let text = String::from_utf8_lossy(&kept).into_owned();
    if Some(text.as_str()) != expected["stdout"].as_str() {
        wrong.push(format!(
            "{name} printed {text:?} instead of {}",
            expected["stdout"]
        ));
    }
    let mut calls: BTreeMap<String, u64> = BTreeMap::new();
    let mut fields: BTreeMap<String, u64> = BTreeMap::new();
    let mut classes: BTreeMap<u64, String> = BTreeMap::new();
    let varies = program.words("varies");
    for event in folder.json(&["events", &name]) {
        match event["kind"].as_str() {
            Some("enter") if event["entered"]["boundary"] == false => {
                if let Some(method) =
                    method_name(&event["entered"]).filter(|name| !varies.contains(name))
                {
                    *calls.entry(method).or_default() += 1;
                }
            }
            Some("new") => {
                let id = event["value"]["object"].as_u64().unwrap_or(0);
                classes.insert(
                    id,
                    event["value"]["class"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
            // What reflection wrote has no place in the code; the counter does not see it.
            Some("write") if !event["place"]["index"].is_null() => {
                let variable = event["variable"].as_str().unwrap_or_default();
                let field = variable.strip_prefix("object#").map_or(variable, |rest| {
                    rest.split_once('.').map_or(rest, |(_, field)| field)
                });
                if !variable.contains(':') && !variable.starts_with("array#") {
                    *fields
                        .entry(field.rsplit('.').next().unwrap_or(field).to_owned())
                        .or_default() += 1;
                }
            }
            Some("gap") => wrong.push(format!("{name}: {event}")),
            _ => {}
        }
    }
    let told = |key: &str, whole: bool| -> BTreeMap<String, u64> {
        let mut told = BTreeMap::new();
        for (name, count) in counts[key].as_object().into_iter().flatten() {
            let name = if whole {
                name.as_str()
            } else {
                name.rsplit('.').next().unwrap_or(name)
            };
            *told.entry(name.to_owned()).or_default() += count.as_u64().unwrap_or(0);
        }
        told
    };
    differences(
        &format!("{name}, calls"),
        &told("methods", true),
        &calls,
        wrong,
    );
    if !counts["fields"].is_null() {
        // Fields are compared by their simple names: an event names the object, not the declaring class.
        differences(
            &format!("{name}, field writes"),
            &told("fields", false),
            &fields,
            wrong,
        );
    }
}

fn differences(
    what: &str,
    told: &BTreeMap<String, u64>,
    seen: &BTreeMap<String, u64>,
    wrong: &mut Vec<String>,
) {
    let names = told
        .keys()
        .chain(seen.keys().filter(|name| !told.contains_key(*name)));
    for name in names {
        let (a, b) = (
            told.get(name).copied().unwrap_or(0),
            seen.get(name).copied().unwrap_or(0),
        );
        if a != b {
            wrong.push(format!("{what}: {name}: {b} instead of {a}"));
        }
    }
}

#[test]
fn every_fixture_is_recorded_as_a_jdi_counter_saw_it() {
    let (programs, expected) = (read("programs.json"), read("expected.json"));
    let mut wrong = Vec::new();
    let mut checked = 0;
    for jdk in jdks() {
        let folder = Folder::new();
        for entry in programs["programs"].as_array().expect("a list") {
            let program = Program {
                entry,
                defaults: &programs["defaults"],
            };
            let min = program.get("min_jdk").as_u64().unwrap_or(0);
            if program.get("endless") == true || u64::from(jdk.major) < min {
                continue;
            }
            let all = expected["programs"].as_array().expect("a list");
            let expected = all.iter().find(|one| one["name"] == program.word("name"));
            let expected =
                expected.unwrap_or_else(|| panic!("expected.json lacks {}", program.word("name")));
            check(&folder, &jdk, &program, expected, &mut wrong);
            checked += 1;
        }
    }
    assert!(checked >= 29, "only {checked} programs were recorded");
    assert!(
        wrong.is_empty(),
        "{} differences\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
