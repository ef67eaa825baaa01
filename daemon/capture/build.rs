//! Compiles the classes that the engine `probe` puts into JVMs. Needs a JDK of 17 or later: the first `javac` of
//! `JAVA_HOME`, `JHYDE_JDKS`, `PATH` and `/usr/lib/jvm`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const SOURCES: [&str; 2] = [
    "java/java/lang/JhydeProbe.java",
    "java/java/lang/JhydeContents.java",
];

fn main() -> ExitCode {
    for source in SOURCES {
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
        let run = Command::new(javac)
            .args(["-nowarn", "-source", "17", "-target", "17"])
            .args(["--patch-module", "java.base=java", "-d", &out])
            .args(SOURCES)
            .output();
        match run {
            Ok(run) if run.status.success() => return ExitCode::SUCCESS,
            Ok(run) => said = String::from_utf8_lossy(&run.stderr).into_owned(),
            Err(error) => said = error.to_string(),
        }
    }
    println!(
        "cargo::error=a JDK of 17 or later is needed to compile {SOURCES:?}: put its javac into PATH, or set JAVA_HOME. Tried: {compilers:?}. {}",
        said.replace('\n', " ")
    );
    ExitCode::FAILURE
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
