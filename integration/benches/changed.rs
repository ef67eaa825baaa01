//! How many questions are asked with a diff that holds the defect (`jhyde debug --changed`), over the cases of the bench
//! `questions`, through the two binaries.
//!
//! `cargo bench -p jhyde-integration --bench changed -- FOLDER [PROGRAM …]`, where FOLDER is what `questions --keep FOLDER` made: the
//! judged programs and their recordings. Prints a table in Markdown: without a diff, with it, and with `--trust-unchanged`.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use jhyde_integration::tools::binary;
use serde_json::{Value, json};

/// From so many calls on a program is one of the larger ones.
const LARGER: usize = 5_000;
const SETTINGS: [(&str, &[&str]); 3] = [
    ("adaptive", &[]),
    ("with the diff", &["--changed"]),
    ("and --trust-unchanged", &["--changed", "--trust-unchanged"]),
];

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let (folder, programs) = words
        .split_first()
        .expect("name the folder of questions --keep");
    let folder = Path::new(folder);
    let mut rows: Vec<(String, usize, Vec<usize>)> = Vec::new();
    for (program, defect) in defects(&folder.join("corpus")) {
        if !programs.is_empty() && !programs.contains(&program) {
            continue;
        }
        let judged = folder.join("corpus").join(&program);
        let case = Case::of(folder, &judged, &program, &defect);
        let asked = SETTINGS.iter().map(|(_, options)| case.play(options));
        let asked: Vec<usize> = asked.collect();
        eprintln!("{} {asked:?}", case.name);
        rows.push((case.name, case.wrong.len(), asked));
    }
    println!(
        "\n| programs | cases | {} |",
        SETTINGS.map(|(name, _)| name).join(" | ")
    );
    println!("| --- | --- |{}", " --- |".repeat(SETTINGS.len()));
    for (name, larger) in [("small", false), ("larger", true)] {
        let of: Vec<_> = rows
            .iter()
            .filter(|(_, calls, _)| (*calls >= LARGER) == larger)
            .collect();
        let mean = |at: usize| {
            let sum: usize = of.iter().map(|(.., asked)| asked[at]).sum();
            format!("{:.1}", sum as f64 / of.len().max(1) as f64)
        };
        let means: Vec<String> = (0..SETTINGS.len()).map(mean).collect();
        println!("| {name} | {} | {} |", of.len(), means.join(" | "));
    }
    println!("\nOver two questions with --trust-unchanged:");
    for (name, _, asked) in rows.iter().filter(|(.., asked)| asked[2] > 2) {
        println!("- {name}: {asked:?}");
    }
}

/// Programs and defects that show.
fn defects(judged: &Path) -> Vec<(String, String)> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).expect("can be listed");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    };
    let mut all = Vec::new();
    for program in names(judged) {
        for defect in names(&judged.join(&program)) {
            if judged.join(&program).join(&defect).join("truth").is_file() {
                all.push((program.clone(), defect));
            }
        }
    }
    all.sort();
    all
}

struct Case {
    name: String,
    data: std::path::PathBuf,
    diff: std::path::PathBuf,
    /// Of each call in the scope: did it do wrong, and is it one of the defective method?
    wrong: HashMap<String, (bool, bool)>,
}

impl Case {
    fn of(folder: &Path, judged: &Path, program: &str, defect: &str) -> Self {
        let name = format!("{program}.{defect}");
        let file = format!("{program}.java");
        let diff = folder.join(format!("{name}.diff"));
        let done = Command::new("diff")
            .arg("-u")
            .args([
                judged.join("right").join(&file),
                judged.join(defect).join(&file),
            ])
            .output()
            .expect("diff can be started");
        fs::write(&diff, done.stdout).expect("can be written");
        let mut case = Self {
            name,
            data: folder.join("data"),
            diff,
            wrong: HashMap::new(),
        };
        let truth = fs::read_to_string(judged.join(defect).join("truth")).expect("was judged");
        let mut lines = truth.lines();
        let method = lines
            .next()
            .and_then(|line| line.split('\t').nth(1))
            .expect("a method");
        let tree = case
            .jhyde(&["tree", &case.name, "--all", "--no-values", "--json"])
            .output()
            .expect("jhyde can be started");
        let calls = BufReader::new(tree.stdout.as_slice()).lines();
        let calls =
            calls.map(|line| serde_json::from_str::<Value>(&line.expect("text")).expect("JSON"));
        for call in calls.filter(|call| call["boundary"] == json!(false)) {
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("{}: more calls than judged", case.name));
            let (of, rest) = line.split_once('\t').expect("a method and a judgement");
            let id = call["id"].as_str().expect("an id").to_owned();
            case.wrong.insert(id, (rest.starts_with('0'), of == method));
        }
        assert!(
            lines.next().is_none(),
            "{}: fewer calls than judged",
            case.name
        );
        case
    }

    fn jhyde(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary("jhyde"));
        command.args(words).env("JHYDED_DATA", &self.data);
        command
    }

    /// The number of questions. The right call must be found.
    fn play(&self, options: &[&str]) -> usize {
        let diff = self.diff.display().to_string();
        let mut words = vec!["debug", self.name.as_str(), "--json", "--no-known"];
        for option in options {
            words.push(option);
            if *option == "--changed" {
                words.push(&diff);
            }
        }
        let mut running = self
            .jhyde(&words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("jhyde can be started");
        let mut input = running.stdin.take().expect("an input");
        let output = BufReader::new(running.stdout.take().expect("an output"));
        let mut questions = 0;
        for line in output.lines() {
            let said: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
            let id = said["call"]["id"].as_str().unwrap_or_default();
            match said["type"].as_str() {
                Some("question") => {
                    questions += 1;
                    let answer = if self.wrong[id].0 { "invalid" } else { "valid" };
                    writeln!(input, "{}", json!({"answer": answer})).expect("it is read");
                }
                Some("found") => {
                    assert_eq!(
                        self.wrong[id],
                        (true, true),
                        "{} {options:?}: {id}",
                        self.name
                    );
                    drop(input);
                    assert!(running.wait().expect("it ends").success());
                    return questions;
                }
                _ => panic!("{} {options:?}: {said}", self.name),
            }
        }
        let _ = running.wait();
        // What cannot be told is refused, and asked without that.
        match options {
            ["--changed", "--trust-unchanged"] => {
                eprintln!("{}: refused with --trust-unchanged", self.name);
                self.play(&["--changed"])
            }
            _ => panic!("{} {options:?}: it ended without an end", self.name),
        }
    }
}
