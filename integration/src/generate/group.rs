//! Many programs at once: compiled, run and recorded in one JVM each, compared one by one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::bench::Bench;
use super::compare::{Difference, Rules, Same, compare};
use super::javap::Compiled;
use super::node::Printing;
use super::program::Program;
use super::random::Random;
use super::recorded::Seen;
use super::{log, recorded};
use crate::{Folder, Jdk};

/// So many seeds in a row share a JVM, a language level and what the compiler keeps for debuggers.
pub const GROUP: u64 = 20;

/// How a group is compiled and recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `--release`
    pub release: u32,
    /// `-g` and its kind
    pub debug: &'static str,
    /// `full` or `state`
    pub level: String,
    /// `events` or `probe`
    pub engine: String,
}

impl Settings {
    /// Those of a seed on a JDK.
    pub fn of(seed: u64, jdk: &Jdk, level: &str, engine: &str) -> Self {
        let mut random = Random::new((seed / GROUP) ^ 0x5eed);
        let older: Vec<u32> = [8, 11, 17, 21]
            .into_iter()
            .filter(|&release| release < jdk.major)
            .collect();
        let debug = match random.below(10) {
            0 => "-g:none",
            1 => "-g:lines,source",
            2 => "-g:vars",
            _ => "-g",
        };
        let release = match random.chance(50) {
            true => *random.pick(&older),
            false => jdk.major,
        };
        Self {
            release,
            debug,
            level: level.to_owned(),
            engine: engine.to_owned(),
        }
    }

    fn rules(&self) -> Rules {
        Rules {
            edges: self.level == "full",
            names: matches!(self.debug, "-g" | "-g:vars"),
            changes: self.engine != "probe",
        }
    }
}

/// What became of one program.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its seed.
    pub seed: u64,
    /// The first difference, in the thread that comes first.
    pub difference: Option<Difference>,
    /// Events told alike.
    pub events: usize,
    /// Values compared.
    pub values: usize,
    /// Values that the recording does not know, by reason.
    pub not_recorded: BTreeMap<String, usize>,
    /// Gaps, by reason.
    pub gaps: BTreeMap<String, usize>,
}

/// Why a program could not be compared. That is the generator's fault.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Its seed.
    pub seed: u64,
    /// What the compiler said, or which run printed what.
    pub reason: String,
}

/// What records and compares on one JDK: a workbench, a data folder, a place for sources.
#[derive(Debug)]
pub struct Worker {
    /// The JDK.
    pub jdk: Jdk,
    bench: Bench,
    folder: Folder,
    files: TempDir,
    runs: usize,
}

impl Worker {
    /// Starts one.
    ///
    /// # Panics
    /// When there is no room for temporary files, or `java` does not start.
    pub fn new(jdk: &Jdk) -> Self {
        Self {
            jdk: jdk.clone(),
            bench: Bench::start(jdk),
            folder: Folder::new(),
            files: TempDir::new().expect("a temporary folder"),
            runs: 0,
        }
    }

    /// Runs, records and compares these programs in one JVM.
    ///
    /// # Panics
    /// When a file cannot be written, or the recording fails.
    pub fn check(
        &mut self,
        programs: &[Program],
        settings: &Settings,
    ) -> (Vec<Outcome>, Vec<Refused>) {
        self.runs += 1;
        let root = self.files.path().join(self.runs.to_string());
        let (compiled, mut refused) = self.compile(&root, programs, settings);
        if compiled.is_empty() {
            fs::remove_dir_all(&root).expect("the sources can be deleted");
            return (Vec::new(), refused);
        }
        let log_file = root.join("log");
        let told_classes = self.jdk.classes("generated");
        let class_path = format!(
            "{}:{}",
            root.join("telling").display(),
            told_classes.display()
        );
        let printed = self.bench.run(&class_path, "g.Drive", &log_file);
        let name = format!("run{}", self.runs);
        let classes = root.join("plain").display().to_string();
        let arguments = ["-cp", &classes, "g.Drive"].map(str::to_owned);
        let engine = ["--engine", &settings.engine];
        let options = ["--level", &settings.level, "--include", "g.*"];
        let options: Vec<&str> = engine.into_iter().chain(options).collect();
        let run = self.folder.launch(&self.jdk, &name, &options, &arguments);
        assert!(
            run.status.success(),
            "the recorded run failed: {}",
            run.stderr
        );
        let plain = String::from_utf8_lossy(&run.stdout).into_owned();
        let plain: Vec<&str> = plain.lines().collect();
        let log = fs::read_to_string(&log_file).expect("the log can be read");
        let told = log::read(&log).expect("the log has the lines that told.T writes");
        let seen = recorded::read(&self.folder.json(&["events", &name]), &compiled);
        let mut outcomes = Vec::new();
        for (number, program) in compiled.iter().enumerate() {
            let (a, b) = (
                printed.get(number).map(String::as_str),
                plain.get(number).copied(),
            );
            if a != b {
                refused.push(Refused {
                    seed: program.seed,
                    reason: format!("the telling run printed {a:?}, the recorded one {b:?}"),
                });
                continue;
            }
            let same = Same::of(Compiled::new(&self.jdk, root.join("plain")));
            outcomes.push(outcome(program, settings.rules(), same, &told, &seen));
        }
        self.folder.ask(&["delete", &name]);
        fs::remove_dir_all(&root).expect("the sources can be deleted");
        (outcomes, refused)
    }

    /// Both printings of each; those that the compiler takes.
    fn compile(
        &mut self,
        root: &Path,
        programs: &[Program],
        settings: &Settings,
    ) -> (Vec<Program>, Vec<Refused>) {
        let generated = self.jdk.classes("generated");
        let mut refused: BTreeMap<usize, String> = BTreeMap::new();
        for (name, printing) in [("plain", Printing::Plain), ("telling", Printing::Telling)] {
            let folders: Vec<PathBuf> = programs
                .iter()
                .map(|program| {
                    let folder = root
                        .join("sources")
                        .join(name)
                        .join(program.seed.to_string());
                    write(&folder.join("Main.java"), &program.text(printing));
                    folder
                })
                .collect();
            let out = root.join(name);
            fs::create_dir_all(&out).expect("a folder can be made");
            let debug = if printing == Printing::Plain {
                settings.debug
            } else {
                "-g"
            };
            let options = [debug, "--release", &settings.release.to_string()].map(str::to_owned);
            let wrong = self.bench.compile(&out, &generated, &folders, &options);
            refused.extend(wrong);
        }
        let compiled: Vec<Program> = programs
            .iter()
            .enumerate()
            .filter(|(number, _)| !refused.contains_key(number))
            .map(|(_, program)| program.clone())
            .collect();
        for name in ["plain", "telling"] {
            let folder = root.join("sources").join(name).join("drive");
            write(&folder.join("Drive.java"), &drive(&compiled));
            let out = root.join(name);
            let options = ["-g".to_owned()];
            let wrong = self.bench.compile(&out, &out, &[folder], &options);
            assert!(wrong.is_empty(), "the driver does not compile: {wrong:?}");
        }
        let refused = refused.into_iter().map(|(number, reason)| Refused {
            seed: programs[number].seed,
            reason,
        });
        (compiled, refused.collect())
    }
}

fn write(path: &Path, text: &str) {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).expect("a folder can be made");
    }
    fs::write(path, text).expect("a source can be written");
}

/// Runs one after another, whatever they throw.
fn drive(programs: &[Program]) -> String {
    let mut text = String::from(
        "package g;\n\npublic final class Drive {\n    public static void main(String[] arguments) {\n",
    );
    for program in programs {
        let package = &program.package;
        text.push_str(&format!(
            "        try {{\n            System.out.println(\"{package} \" + {package}.Main.run());\n        }} catch (Throwable t) {{\n            System.out.println(\"{package} \" + t.getClass());\n        }}\n"
        ));
    }
    text + "    }\n}\n"
}

fn outcome(
    program: &Program,
    rules: Rules,
    mut same: Same,
    told: &log::Stories<super::event::Event>,
    seen: &recorded::Recording,
) -> Outcome {
    let mut outcome = Outcome {
        seed: program.seed,
        difference: None,
        events: 0,
        values: 0,
        not_recorded: BTreeMap::new(),
        gaps: BTreeMap::new(),
    };
    for (_, reason) in seen
        .gap_reasons
        .iter()
        .filter(|one| one.0 == program.package)
    {
        *outcome.gaps.entry(reason.clone()).or_default() += 1;
    }
    let mine = |key: &&(String, String)| key.0 == program.package;
    let mut threads: Vec<String> = told
        .keys()
        .filter(mine)
        .chain(seen.stories.keys().filter(mine))
        .map(|key| key.1.clone())
        .collect();
    threads.sort();
    threads.dedup();
    let nothing_told = Vec::new();
    let nothing_seen: Vec<Seen> = Vec::new();
    for thread in threads {
        let key = (program.package.clone(), thread.clone());
        let done = compare(
            &thread,
            rules,
            &mut same,
            told.get(&key).unwrap_or(&nothing_told),
            seen.stories.get(&key).unwrap_or(&nothing_seen),
            &seen.gaps,
        );
        outcome.events += done.events;
        outcome.values += done.values;
        for (reason, count) in done.not_recorded {
            *outcome.not_recorded.entry(reason).or_default() += count;
        }
        if outcome.difference.is_none() {
            outcome.difference = done.difference.map(|mut difference| {
                // A thread that is lost tells nothing more of any program that it runs.
                if difference.ended && difference.excused.is_none() {
                    let drivers = seen.gap_reasons.iter().find(|one| one.0 == "g");
                    difference.excused = drivers.map(|one| one.1.clone());
                }
                difference
            });
        }
    }
    outcome
}
