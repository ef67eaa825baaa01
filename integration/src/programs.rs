//! The programs that are recorded: real libraries with drivers, from `workloads.json`.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::Jdk;

/// One entry of `workloads.json`.
#[derive(Clone, Debug)]
pub struct Workload {
    entry: Value,
}

impl Workload {
    /// All entries.
    ///
    /// # Panics
    /// When the file is broken.
    pub fn all() -> Vec<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("workloads.json");
        let text = std::fs::read_to_string(path).expect("workloads.json");
        let all: Value = serde_json::from_str(&text).expect("workloads.json is JSON");
        let list = all.as_array().or_else(|| all["workloads"].as_array());
        let list = list.expect("a list of workloads").clone();
        list.into_iter().map(|entry| Self { entry }).collect()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.entry["name"].as_str().unwrap_or_default()
    }

    /// Can this JDK run it?
    pub fn runs_on(&self, jdk: &Jdk) -> bool {
        self.words("jdks", "").contains(&jdk.major.to_string())
    }

    /// `--include` and `--exclude` options of its scope. Excluded is what does not do the same in each run: a
    /// comparator is asked as often as the order in which the JVM lists methods asks for.
    pub fn scope(&self) -> Vec<String> {
        let options = ["include", "exclude"].into_iter().flat_map(|key| {
            let patterns = self.words(key, "").into_iter();
            patterns.flat_map(move |pattern| [format!("--{key}"), pattern])
        });
        options.collect()
    }

    /// Is this class in its scope? A pattern there is a class, or a package with all below.
    pub fn holds(&self, class: &str) -> bool {
        let matches = |pattern: &String| {
            let rest = class.strip_prefix(pattern.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.words("include", "").iter().any(matches)
            && !self.words("exclude", "").iter().any(matches)
    }

    /// The arguments of `java` at a size (`small`, `medium`, `large`).
    pub fn arguments(&self, jdk: &Jdk, size: &str) -> Vec<String> {
        self.arguments_of_size(jdk, &self.entry["sizes"][size].to_string())
    }

    /// The arguments of `java` at a size of one's own.
    pub fn arguments_of_size(&self, jdk: &Jdk, size: &str) -> Vec<String> {
        let mut path = jdk.classes("workloads").display().to_string();
        for jar in self.words("jars", "") {
            path.push(':');
            path.push_str(&jar);
        }
        let mut all = self.words("jvm_flags", size);
        all.extend(["-cp".to_owned(), path]);
        all.push(self.entry["main"].as_str().unwrap_or_default().to_owned());
        all.extend(self.words("args", size));
        all
    }

    /// Runs it without jhyde.
    ///
    /// # Panics
    /// When `java` cannot be started.
    pub fn run(&self, jdk: &Jdk, size: &str) -> Output {
        Command::new(jdk.java())
            .args(self.arguments(jdk, size))
            .stdin(Stdio::null())
            .output()
            .expect("java can be started")
    }

    /// Its output without what differs from run to run (`stdout_filter` is a script for sed).
    ///
    /// # Panics
    /// When `sed` cannot be started.
    pub fn steady(&self, stdout: &[u8]) -> String {
        let script = self.entry["stdout_filter"].as_str().unwrap_or_default();
        let mut sed = Command::new("sed")
            .args(["-E", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sed can be started");
        let mut input = sed.stdin.take().expect("sed has an input");
        input.write_all(stdout).expect("sed reads");
        drop(input);
        let output = sed.wait_with_output().expect("sed ends");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// How often something happens in it at size small; `None` where that differs between runs, or where
    /// it was counted on another JDK only.
    pub fn count(&self, jdk: &Jdk, what: &str) -> Option<u64> {
        let expected = &self.entry["expected"];
        if expected["exact"] == Value::Bool(false) {
            return None;
        }
        let by_jdk = &expected["calls_by_jdk"];
        if !by_jdk.is_null() && what == "calls" {
            return by_jdk[jdk.major.to_string()].as_u64();
        }
        if !by_jdk.is_null() && jdk.major != 17 {
            return None;
        }
        expected["counts"][what].as_u64()
    }

    fn words(&self, key: &str, size: &str) -> Vec<String> {
        let list = self.entry[key].as_array().cloned().unwrap_or_default();
        list.iter()
            .map(|word| {
                let plain = word
                    .as_str()
                    .map_or_else(|| word.to_string(), str::to_owned);
                plain.replace("{N}", size)
            })
            .collect()
    }
}
