//! Tests that a build starts, recorded by the lines that the README has for Maven and Gradle: the failing test is told
//! with its assertion and the call under test. The builds are Debian's, and take their plugins from its repository.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use jhyde_integration::{Folder, Jdk, jdks};
use tempfile::TempDir;

/// Debian's repository of what Maven and Gradle need.
const REPOSITORY: &str = "/usr/share/maven-repo";
const NAME: &str = "tests";
/// Where Gradle has the JVM of the tests wait; `--debug-jvm` takes no other.
const GRADLES_PORT: u16 = 5005;

/// The project, in a folder of its own.
fn project() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("java/builds"),
        folder.path(),
    );
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => {
                fs::copy(entry.path(), target).expect("it can be copied");
            }
        }
    }
}

/// A repository that Maven may write into, full of links.
fn repository(at: &Path) -> PathBuf {
    let own = at.join("repository");
    let status = Command::new("cp")
        .arg("-rs")
        .arg(REPOSITORY)
        .arg(&own)
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "apt-get install libsurefire-java libmaven-compiler-plugin-java libmaven-resources-plugin-java junit4"
    );
    own
}

fn build(jdk: &Jdk, project: &Path, words: &[&str]) -> Output {
    Command::new(words[0])
        .args(&words[1..])
        .current_dir(project)
        .env("JAVA_HOME", &jdk.home)
        .env("GRADLE_USER_HOME", project.join("gradle-home"))
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| {
            panic!(
                "{} cannot be started ({error}): deploy/test.sh installs it",
                words[0]
            )
        })
}

/// Waits until somebody listens on a port of this machine, without being taken for a JVM.
fn until_heard(port: u16, child: &mut Child) {
    let until = Instant::now() + Duration::from_secs(60);
    let listening = format!(":{port:04X} 00000000:0000 0A");
    let hears = |table: &str| fs::read_to_string(table).is_ok_and(|text| text.contains(&listening));
    while !hears("/proc/net/tcp") {
        assert!(Instant::now() < until, "nobody listens on {port}");
        let ended = child.try_wait().expect("it is our child");
        assert!(ended.is_none(), "it ended before it listened: {ended:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn is_told(folder: &Folder, build: &Output) {
    let printed = String::from_utf8_lossy(&build.stdout);
    assert!(!build.status.success(), "one test fails: {printed}");
    let made = folder.jhyde(&["show", NAME]).output();
    let made = made.expect("jhyde can be started").status.success();
    let complained = String::from_utf8_lossy(&build.stderr);
    assert!(made, "its tests did not run: {printed}\n{complained}");
    let show = &folder.json(&["show", NAME])[0];
    assert_eq!(show["state"], "complete", "{printed}\n{show}");
    assert_eq!(show["gaps"], serde_json::json!([]), "{show}");
    let told = folder.ask(&["where", NAME]);
    for part in [
        "failed CartTest.theThirdIsFree #0",
        "under test  Cart.total #1",
        "expected:<5> but was:<9>",
        // The project's own source, found where builds have it.
        "assertEquals(5, new Cart().add(2).add(3).add(4).total());",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
}

#[test]
fn tests_under_maven() {
    for jdk in jdks() {
        let (folder, project) = (Folder::new(), project());
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = free.expect("a free port").port();
        let own = format!(
            "-Dmaven.repo.local={}",
            repository(project.path()).display()
        );
        let debug = format!(
            "-Dmaven.surefire.debug=-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:{port}"
        );
        let mut listen = folder
            .jhyded(&[
                "listen",
                &port.to_string(),
                "--name",
                NAME,
                "--include",
                "shop",
            ])
            .current_dir(project.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("jhyded can be started");
        until_heard(port, &mut listen);
        let run = build(
            &jdk,
            project.path(),
            &["mvn", "-o", "-q", &own, &debug, "test"],
        );
        let ended = listen.wait().expect("it is our child");
        assert!(
            ended.success(),
            "{ended}: {}",
            String::from_utf8_lossy(&run.stdout)
        );
        is_told(&folder, &run);
    }
}

#[test]
fn tests_under_gradle() {
    // Debian's Gradle is older than JDK 25.
    let all = jdks();
    let Some(jdk) = all.iter().find(|jdk| jdk.major == 17) else {
        panic!("Debian's Gradle runs on JDK 17: apt-get install openjdk-17-jdk-headless");
    };
    let (folder, project) = (Folder::new(), project());
    let run = std::thread::scope(|scope| {
        let words = ["gradle", "--offline", "--no-daemon", "test", "--debug-jvm"];
        let home = project.path();
        let run = scope.spawn(move || build(jdk, home, &words));
        let until = Instant::now() + Duration::from_secs(300);
        let address = format!("127.0.0.1:{GRADLES_PORT}");
        // Before the JVM of the tests waits, nobody answers.
        while !run.is_finished() {
            let attach = ["attach", &address, "--name", NAME, "--include", "shop"];
            let ended = folder
                .jhyded(&attach)
                .current_dir(project.path())
                .stderr(Stdio::null())
                .status()
                .expect("jhyded can be started");
            if ended.success() {
                break;
            }
            assert!(Instant::now() < until, "the JVM of the tests never waited");
            std::thread::sleep(Duration::from_millis(200));
        }
        run.join().expect("it has not panicked")
    });
    is_told(&folder, &run);
}
