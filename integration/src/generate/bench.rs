//! The Java side's workbench: one JVM that compiles generated programs and runs the telling ones.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Jdk;

/// `java tool.Bench`, ready for work. It ends with this value.
#[derive(Debug)]
pub struct Bench {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Bench {
    /// Starts one.
    ///
    /// # Panics
    /// When `java` cannot be started.
    pub fn start(jdk: &Jdk) -> Self {
        let mut child = Command::new(jdk.java())
            .args(["-Xshare:auto", "-XX:+UseSerialGC", "-cp"])
            .arg(jdk.classes("generated"))
            .arg("tool.Bench")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java can be started");
        let input = child.stdin.take().expect("it has an input");
        let output = BufReader::new(child.stdout.take().expect("it has an output"));
        Self {
            child,
            input,
            output,
        }
    }

    fn ask(&mut self, words: &[String]) -> Vec<String> {
        writeln!(self.input, "{}", words.join("\t")).expect("the workbench reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        let mut words = line.trim_end_matches('\n').split('\t');
        assert_eq!(
            words.next(),
            Some("ok"),
            "the workbench failed; its reason stands above"
        );
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Compiles each folder by itself. The numbers of those that the compiler refused, and why.
    ///
    /// # Panics
    /// When the workbench is gone.
    pub fn compile(
        &mut self,
        out: &Path,
        class_path: &Path,
        folders: &[std::path::PathBuf],
        options: &[String],
    ) -> Vec<(usize, String)> {
        let mut words = vec!["compile".to_owned()];
        words.extend([out, class_path].map(|path| path.display().to_string()));
        words.extend(folders.iter().map(|path| path.display().to_string()));
        words.push("--".into());
        words.extend_from_slice(options);
        let refused = self.ask(&words);
        refused
            .iter()
            .filter_map(|text| {
                let (number, message) = text.split_once(' ')?;
                Some((number.parse().ok()?, message.to_owned()))
            })
            .collect()
    }

    /// Runs a telling program; what it printed, line by line.
    ///
    /// # Panics
    /// When it fails: the generator has made something that it must not make.
    pub fn run(&mut self, class_path: &str, main: &str, log: &Path) -> Vec<String> {
        let log = log.display().to_string();
        self.ask(&["run".into(), class_path.into(), main.into(), log])
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
