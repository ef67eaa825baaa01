//! What is saved by what is known: a diff that holds the defect, tests that pass, a run of the right version, answers that were given for other
//! defects of the same program. Played through the two binaries, for the daemon finds out what is known.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use jhyde_integration::tools::binary;
use serde_json::{Value, json};

use crate::corpus::{is_tuning, passing_run, right_of};
use crate::table::{LARGER, half_width, mean};

/// What is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Setting {
    /// Nothing: every call is asked.
    Nothing,
    /// Equal calls are asked once, as it is unless told.
    Equal,
    /// And a run of all tests that pass.
    Passing,
    /// And the run of the right version.
    Right,
    /// And what was answered for half of the other defects of the program.
    Memory,
    /// And the diff that holds the defect.
    Diff,
    /// And that what was not changed is right.
    DiffAlone,
}

impl Setting {
    const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Equal,
        Self::Passing,
        Self::Right,
        Self::Memory,
        Self::Diff,
        Self::DiffAlone,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "calls only (--no-known)",
            Self::Equal => "equal calls once",
            Self::Passing => "with a passing run",
            Self::Right => "with the right version's run",
            Self::Memory => "with memory",
            Self::Diff => "with the diff",
            Self::DiffAlone => "with the diff, --trust-unchanged",
        }
    }
}

/// Plays all cases in all settings, and prints the tables; each case as soon as it was played, on standard error.
///
/// # Panics
/// When a search ended with a call that is not the buggy one.
pub(crate) fn compare(folder: &Path, names: &[(String, String)]) {
    let daemon = Daemon::start(&folder.join("data"));
    let mut programs: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for (program, defect) in names {
        let case = Case::of(folder, program, defect);
        programs.entry(program).or_default().push(case);
    }
    let mut rows: Vec<(Case, Vec<usize>)> = Vec::new();
    for cases in programs.into_values() {
        let memories = tempfile::tempdir().expect("a temporary folder");
        let memory = |half: usize| memories.path().join(half.to_string());
        // Of every second defect all answers are kept.
        for (at, case) in cases.iter().enumerate() {
            case.play(&[], Some(&memory(at % 2)));
        }
        for (at, case) in cases.into_iter().enumerate() {
            let asked = Setting::ALL.map(|setting| match setting {
                Setting::Memory => {
                    // What this case answers is not kept for the next one.
                    let own = memories.path().join("own");
                    let _ = fs::remove_dir_all(&own);
                    fs::create_dir(&own).expect("can be made");
                    if let Ok(others) = fs::read(memory(1 - at % 2).join("answers.jsonl")) {
                        fs::write(own.join("answers.jsonl"), others).expect("can be written");
                    }
                    case.play(&[], Some(&own))
                }
                setting => case.play(&case.options(setting), None),
            });
            eprintln!("{} {asked:?}", case.name);
            rows.push((case, asked.to_vec()));
        }
    }
    drop(daemon);
    print(&rows);
}

fn print(rows: &[(Case, Vec<usize>)]) {
    println!(
        "\n| half | programs | cases | setting | questions (95 %) | of the suspicious calls |\n\
         | --- | --- | --- | --- | --- | --- |"
    );
    for (half, tuning) in [("tuning", true), ("held out", false)] {
        for (size, larger) in [("small", false), ("larger", true)] {
            let is_of = |case: &Case| {
                is_tuning(&case.name) == tuning && (case.wrong.len() >= LARGER) == larger
            };
            let of: Vec<_> = rows.iter().filter(|(case, _)| is_of(case)).collect();
            for (at, setting) in Setting::ALL.iter().enumerate() {
                let questions: Vec<f64> = of.iter().map(|(_, asked)| asked[at] as f64).collect();
                let shares = of
                    .iter()
                    .map(|(case, asked)| asked[at] as f64 / case.wrong.len().max(1) as f64 * 100.0);
                println!(
                    "| {half} | {size} | {} | {} | {:.1} ± {:.1} | {:.2} % |",
                    of.len(),
                    setting.name(),
                    mean(&questions),
                    half_width(&questions),
                    mean(&shares.collect::<Vec<_>>())
                );
            }
        }
    }
    println!(
        "\n| program | cases | {} |\n| --- | --- |{}",
        Setting::ALL.map(Setting::name).join(" | "),
        " --- |".repeat(Setting::ALL.len())
    );
    let mut programs: BTreeMap<&str, Vec<&Vec<usize>>> = BTreeMap::new();
    for (case, asked) in rows {
        programs.entry(&case.program).or_default().push(asked);
    }
    for (program, asked) in programs {
        let means = (0..Setting::ALL.len()).map(|at| {
            let of: Vec<f64> = asked.iter().map(|asked| asked[at] as f64).collect();
            format!("{:.1}", mean(&of))
        });
        let means: Vec<String> = means.collect();
        println!("| {program} | {} | {} |", asked.len(), means.join(" | "));
    }
}

/// A daemon of one's own, so that the recordings are free once it has ended.
struct Daemon(Child);

impl Daemon {
    fn start(data: &Path) -> Self {
        let daemon = Command::new(binary("jhyded"))
            .arg("--data")
            .arg(data)
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("jhyded can be started");
        let socket = data.join("jhyded.sock");
        for _ in 0..600 {
            if socket.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        Self(daemon)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

struct Case {
    program: String,
    defect: String,
    name: String,
    data: PathBuf,
    diff: PathBuf,
    /// Of each call in the scope: did it do wrong, and is it one of the defective method?
    wrong: HashMap<String, (bool, bool)>,
}

impl Case {
    fn of(folder: &Path, program: &str, defect: &str) -> Self {
        let name = format!("{program}.{defect}");
        let corpus = folder.join("corpus");
        let judged = corpus.join(program);
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
        let truth = fs::read_to_string(judged.join(defect).join("truth")).expect("was judged");
        let mut case = Self {
            program: program.to_owned(),
            defect: defect.to_owned(),
            name,
            data: folder.join("data"),
            diff,
            wrong: HashMap::new(),
        };
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

    /// What `jhyde debug` is told in a setting.
    fn options(&self, setting: Setting) -> Vec<String> {
        let diff = || ["--changed".to_owned(), self.diff.display().to_string()];
        match setting {
            Setting::Nothing => vec!["--no-known".to_owned()],
            Setting::Equal | Setting::Memory => Vec::new(),
            Setting::Passing => {
                let run = passing_run(&self.program, &self.defect);
                vec!["--passing".to_owned(), run]
            }
            Setting::Right => vec!["--against".to_owned(), right_of(&self.program)],
            Setting::Diff => diff().to_vec(),
            Setting::DiffAlone => [&diff()[..], &["--trust-unchanged".to_owned()]].concat(),
        }
    }

    fn jhyde(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary("jhyde"));
        command.args(words).env("JHYDED_DATA", &self.data);
        command
    }

    /// The number of questions. The right call must be found.
    fn play(&self, options: &[String], memory: Option<&Path>) -> usize {
        let mut command = self.jhyde(&["debug", &self.name, "--json"]);
        command.args(options);
        if let Some(memory) = memory {
            command.arg("--memory").arg(memory);
        }
        let mut running = command
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
        match options.split_last() {
            Some((last, rest)) if last == "--trust-unchanged" => {
                eprintln!("{}: refused with --trust-unchanged", self.name);
                self.play(rest, memory)
            }
            _ => panic!("{} {options:?}: it ended without an end", self.name),
        }
    }
}
