//! Compiles the classes that the engine `probe` puts into JVMs. Needs a JDK of 17 or later: the first `javac` of
//! `JAVA_HOME`, `JHYDE_JDKS`, `PATH` and `/usr/lib/jvm`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What becomes a part of `java.base`.
const SOURCES: [&str; 3] = [
    "java/java/lang/JhydeProbe.java",
    "java/java/lang/JhydeContents.java",
    "java/java/lang/JhydeIdentity.java",
];
/// What stands beside the program's classes.
const AGENT: [&str; 1] = ["java/agent/jdk/jhyde/Agent.java"];

fn main() -> ExitCode {
    for source in SOURCES.iter().chain(&AGENT) {
        println!("cargo:rerun-if-changed={source}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    for variable in ["JAVA_HOME", "JHYDE_JDKS"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let out = env::var("OUT_DIR").unwrap_or_default();
    let compilers = compilers();
    let mut said = String::new();
    for javac in &compilers {
        let base = ["--patch-module", "java.base=java"];
        let compiled =
            compile(javac, &out, &base, &SOURCES).and_then(|()| compile(javac, &out, &[], &AGENT));
        match compiled {
            Ok(()) => return ExitCode::SUCCESS,
            Err(why) => said = why,
        }
    }
    println!(
        "cargo::error=a JDK of 17 or later is needed to compile {SOURCES:?} and {AGENT:?}: put its javac into PATH, or set JAVA_HOME. Tried: {compilers:?}. {}",
        said.replace('\n', " ")
    );
    ExitCode::FAILURE
}

/// The error says what the compiler said.
fn compile(javac: &Path, out: &str, options: &[&str], sources: &[&str]) -> Result<(), String> {
    let run = Command::new(javac)
        .args(["-nowarn", "-source", "17", "-target", "17", "-d", out])
        .args(options)
        .args(sources)
        .output()
        .map_err(|error| error.to_string())?;
    match run.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&run.stderr).into_owned()),
    }
}

fn compilers() -> Vec<PathBuf> {
    let of_home = |home: &Path| home.join("bin/javac");
    let mut all = Vec::new();
    all.extend(env::var_os("JAVA_HOME").map(|home| of_home(Path::new(&home))));
    let jdks = env::var_os("JHYDE_JDKS").unwrap_or_default();
    all.extend(env::split_paths(&jdks).map(|home| of_home(&home)));
    let path = env::var_os("PATH").unwrap_or_default();
    all.extend(env::split_paths(&path).map(|folder| folder.join("javac")));
    let installed = std::fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .flatten();
    let mut installed: Vec<PathBuf> = installed.map(|entry| of_home(&entry.path())).collect();
    installed.sort();
    all.extend(installed);
    all.retain(|javac| javac.is_file());
    all
}
