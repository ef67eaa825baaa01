//! Programs that other agents change as they are loaded: recorded as they are, and the agents see what they see unrecorded.

use std::path::Path;
use std::process::Command;

use jhyde_integration::ticker::{Ticker, assert_readable, attach, ended, has_calls, until};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

/// Where Debian has JaCoCo's agent, inside of this jar.
const JACOCO: &str = "/usr/share/java/org.jacoco.agent.jar";

fn run(command: &mut Command) -> std::process::Output {
    let output = command.output().expect("it can be started");
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

/// What coverage data say of classes: behind a header of 5 bytes and a block with the time of the run.
fn coverage(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).expect("the agent has written it");
    assert_eq!((&bytes[..3], bytes[5]), (&[1, 0xc0, 0xc0][..], 0x10));
    let name = usize::from(u16::from_be_bytes([bytes[6], bytes[7]]));
    bytes[8 + name + 16..].to_vec()
}

/// Its agent puts a constant that a method computes into each method.
#[test]
fn coverage_is_what_it_is_unrecorded_and_the_program_is_recorded_whole() {
    assert!(
        Path::new(JACOCO).exists(),
        "{JACOCO}: libjacoco-java is missing"
    );
    let work = tempfile::tempdir().expect("a folder");
    let at = work.path();
    for jdk in jdks() {
        let jar = jdk.java().with_file_name("jar");
        run(Command::new(jar)
            .args(["xf", JACOCO, "jacocoagent.jar"])
            .current_dir(at));
        let classes = compiled(&jdk, at);
        let words = |data: &Path| {
            let agent = at.join("jacocoagent.jar");
            let agent = format!(
                "-javaagent:{}=destfile={},includes=*",
                agent.display(),
                data.display()
            );
            [agent, "-cp".to_owned(), classes.clone(), "Bank".to_owned()]
        };
        let alone = at.join(format!("alone{}", jdk.major));
        let plain = run(Command::new(jdk.java()).args(words(&alone)));
        let folder = Folder::new();
        for engine in ["auto", "events"] {
            let data = at.join(format!("{engine}{}", jdk.major));
            let options = ["--engine", engine, "--include", "Bank*"];
            let told = folder.launch(&jdk, engine, &options, &words(&data));
            assert_eq!(told.status.code(), Some(0), "{}", told.stderr);
            assert_eq!(told.stdout, plain.stdout);
            assert_eq!(coverage(&data), coverage(&alone), "{engine}");
        }
        let shown = &folder.json(&["show", "auto"])[0];
        assert_eq!(
            (&shown["engine"], &shown["state"], &shown["gaps"]),
            (&json!("probe"), &json!("complete"), &json!([])),
            "{shown}"
        );
        assert_eq!(calls(&folder, "auto"), calls(&folder, "events"));
        // What each method of the program has of the class's flags is recorded, with the values.
        let flags = folder.json(&["sql", "auto", "-c", FLAGS]);
        let set = flags[0]["set"].as_u64().unwrap_or_default();
        assert!(set > 30, "{flags:?}");
    }
}

/// Elements of arrays that are written in methods of the program.
const FLAGS: &str = "select count(*) as \"set\" from writes where \"of\" = 'element' and found = 0 and value = 'true'";

fn compiled(jdk: &Jdk, at: &Path) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/covered/Bank.java");
    let classes = at.join(format!("classes{}", jdk.major));
    // JaCoCo of Debian knows class files up to those of Java 15.
    let javac = jdk.java().with_file_name("javac");
    run(Command::new(javac)
        .args(["-g", "--release", "11", "-d"])
        .arg(&classes)
        .arg(source));
    classes.display().to_string()
}

/// Calls of the program, in their order: method and result, as far as it is no object.
fn calls(folder: &Folder, name: &str) -> Vec<(Value, Value)> {
    let calls = folder.json(&["tree", name, "--all"]).into_iter();
    let own = calls.filter(|call| call["boundary"] == false && call["method"] != "$jacocoInit");
    let told = own.map(|call| {
        let result = call["result"].clone();
        let result = if result.is_object() {
            Value::Null
        } else {
            result
        };
        (call["method"].clone(), result)
    });
    told.collect()
}

/// It sees classes that jhyde gives other code, and would change them once more: when they get it, when they get their own back, and
/// when jhyded is killed.
#[test]
fn what_an_agent_has_woven_in_is_not_woven_in_again() {
    for jdk in jdks() {
        let work = tempfile::tempdir().expect("a folder");
        let jar = weaver(&jdk, work.path());
        let folder = Folder::new();
        let mut java = Command::new(jdk.java());
        java.arg(format!("-javaagent:{jar}"));
        let agent = "server=y,suspend=n,address=127.0.0.1:0";
        let mut ticker = Ticker::start_by(java, &jdk, agent);
        let mut address = ticker.listens_again();
        // Each tick is the one behind the last: what is woven in twice counts in twos.
        ticker.ticks(3);
        for name in ["first", "second"] {
            let mut attached = attach(&folder, &address, name, "probe");
            until(&folder, name, "recorded", has_calls);
            ticker.ticks(20);
            folder.ask(&["detach", name]);
            attached.wait().expect("jhyded ends");
            until(&folder, name, "ended", ended);
            assert_readable(&folder, name);
            address = ticker.listens_again();
            ticker.ticks(20);
        }
        // Where nobody serves a data folder yet, who attaches does.
        let folder = Folder::new();
        let mut attached = attach(&folder, &address, "killed", "probe");
        until(&folder, "killed", "recorded", has_calls);
        attached.kill().expect("it can be killed");
        attached.wait().expect("it is dead");
        ticker.listens_again();
        ticker.ticks(20);
        ticker.end();
    }
}

/// An agent of ours that changes a class.
fn weaver(jdk: &Jdk, at: &Path) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/agents/Weaver.java");
    let tool = |name: &str| Command::new(jdk.java().with_file_name(name));
    run(tool("javac").arg("-d").arg(at).arg(source));
    let manifest = "Premain-Class: Weaver\nCan-Redefine-Classes: true\n";
    std::fs::write(at.join("manifest"), manifest).expect("a file");
    run(tool("jar")
        .args(["cfm", "weaver.jar", "manifest", "Weaver.class"])
        .current_dir(at));
    at.join("weaver.jar").display().to_string()
}
