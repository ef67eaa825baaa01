//! `jhyde jvms`: what it tells of real JVMs, started in every way that it knows, and the step from the list to a recording.
//! Other JVMs may run here meanwhile: each test looks for its own, by number.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use jhyde_integration::terminal::converse;
use jhyde_integration::ticker::{Ticker, attach, ended, has_calls, until};
use jhyde_integration::tools::binary;
use jhyde_integration::waits::Waits;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

/// What is told of a process, if it is a JVM.
fn told(folder: &Folder, pid: u32) -> Option<Value> {
    let mut all = folder.json(&["jvms"]).into_iter();
    all.find(|one| one["pid"] == pid)
}

fn told_of(folder: &Folder, ticker: &Ticker) -> Value {
    told(folder, ticker.child.id()).expect("it is listed")
}

fn java(jdk: &Jdk) -> Command {
    Command::new(jdk.java())
}

#[test]
fn a_port_that_the_jvm_chose() {
    for jdk in jdks() {
        let folder = Folder::new();
        let (ticker, address) = Ticker::listening(&jdk);
        let one = told_of(&folder, &ticker);
        assert_eq!(one["port"], "open", "{one}");
        assert_eq!(one["sockets"], json!([address]), "{one}");
        assert_eq!(one["attach"], address.as_str(), "{one}");
        assert_eq!(one["open_to_others"], false, "{one}");
        assert_eq!(one["here"], true, "{one}");
        assert_eq!(one["program"], "Ticker 1", "{one}");
        let version = one["version"].as_str().expect("the JDK says its version");
        let major = version.split('.').next().and_then(|word| word.parse().ok());
        assert_eq!(major, Some(jdk.major), "{one}");
        let pid = ticker.child.id();
        ticker.end();
        assert_eq!(told(&folder, pid), None, "it has ended");
        assert!(!folder.data().exists(), "no daemon was started to list");
    }
}

#[test]
fn a_port_that_is_open_to_others() {
    for jdk in jdks() {
        let folder = Folder::new();
        // A port that was free just now may be taken by now: the JVM does not start then.
        let port = TcpListener::bind("0.0.0.0:0").and_then(|one| one.local_addr());
        let port = port.expect("a port").port();
        let agent = format!("server=y,suspend=n,address=*:{port}");
        let mut ticker = Ticker::start(&jdk, &agent);
        let address = ticker.listens_again();
        let one = told_of(&folder, &ticker);
        assert_eq!(one["port"], "open", "{one}");
        assert_eq!(one["open_to_others"], true, "{one}");
        assert_eq!(one["attach"], address.as_str(), "{one}");
        let advice = one["advice"].as_str().expect("a warning");
        assert!(advice.contains("address=127.0.0.1:PORT"), "{advice}");
        ticker.end();
        // One that the JVM chose is not told from what the program may listen at.
        let mut ticker = Ticker::start(&jdk, "server=y,suspend=n,address=*:0");
        let address = ticker.listens_again();
        let one = told_of(&folder, &ticker);
        assert_eq!(one["port"], "one-of", "{one}");
        assert_eq!(one["attach"], Value::Null, "{one}");
        let port = address.rsplit_once(':').expect("a port").1;
        assert_eq!(one["sockets"], json!([format!("[::]:{port}")]), "{one}");
        ticker.end();
    }
}

#[test]
fn a_jvm_without_an_agent() {
    for jdk in jdks() {
        let folder = Folder::new();
        let mut ticker = Ticker::run(java(&jdk), &jdk);
        ticker.ticks(1);
        let one = told_of(&folder, &ticker);
        assert_eq!(one["port"], "none", "{one}");
        assert_eq!(one["attach"], Value::Null, "{one}");
        let advice = one["advice"].as_str().expect("what to do");
        let option = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
        assert!(
            advice.contains(option) && advice.contains("jhyde launch -- "),
            "{advice}"
        );
        ticker.end();
        // What it says is what helps.
        let mut with = java(&jdk);
        with.arg(option);
        let mut ticker = Ticker::run(with, &jdk);
        let address = ticker.listens_again();
        assert_eq!(told_of(&folder, &ticker)["attach"], address.as_str());
        ticker.end();
    }
}

#[test]
fn a_port_that_jcmd_opens() {
    for jdk in jdks().into_iter().filter(|jdk| jdk.major == 17) {
        let folder = Folder::new();
        let agent = "server=y,suspend=n,onjcmd=y,address=127.0.0.1:0";
        let mut ticker = Ticker::start(&jdk, agent);
        ticker.ticks(1);
        let one = told_of(&folder, &ticker);
        assert_eq!(one["port"], "on-jcmd", "{one}");
        let pid = ticker.child.id().to_string();
        let line = format!("jcmd {pid} VM.start_java_debugging");
        let advice = one["advice"].as_str().expect("what to do");
        assert!(advice.contains(&line), "{advice}");
        let output = Command::new(jdk.home.join("bin/jcmd"))
            .args([&pid, "VM.start_java_debugging"])
            .output()
            .expect("jcmd can be started");
        assert!(output.status.success(), "{output:?}");
        let address = ticker.listens_again();
        let one = told_of(&folder, &ticker);
        assert_eq!(
            (&one["port"], &one["attach"]),
            (&json!("open"), &json!(address))
        );
        ticker.end();
    }
}

#[test]
fn an_agent_that_the_environment_or_a_file_brought() {
    let options = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
    for jdk in jdks() {
        let folder = Folder::new();
        for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"] {
            let mut with = java(&jdk);
            with.env(variable, format!("-Dshop=1 \"{options}\""));
            let mut ticker = Ticker::run(with, &jdk);
            let address = ticker.listens_again();
            let one = told_of(&folder, &ticker);
            assert_eq!(one["port"], "open", "{variable}: {one}");
            assert_eq!(one["attach"], address.as_str(), "{variable}: {one}");
            ticker.end();
        }
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), options).expect("it is written");
        let mut with = java(&jdk);
        with.arg(format!("@{}", file.path().display()));
        let mut ticker = Ticker::run(with, &jdk);
        let address = ticker.listens_again();
        let one = told_of(&folder, &ticker);
        assert_eq!(one["port"], "one-of", "{one}");
        assert_eq!(one["sockets"], json!([address]), "{one}");
        let advice = one["advice"].as_str().expect("what is not known");
        assert!(advice.contains("@file"), "{advice}");
        ticker.end();
    }
}

#[test]
fn jvms_that_are_recorded_already() {
    for jdk in jdks() {
        let folder = Folder::new();
        let (mut ticker, address) = Ticker::listening(&jdk);
        let mut daemon = attach(&folder, &address, "ticks", "events");
        until(&folder, "ticks", "recorded", has_calls);
        let one = told_of(&folder, &ticker);
        assert_eq!(one["port"], "taken", "{one}");
        assert_eq!(one["attach"], Value::Null, "{one}");
        assert_eq!(one["recording"], "ticks", "{one}");
        let debugger = json!({"pid": daemon.id(), "name": "jhyded"});
        assert_eq!(one["debugger"], debugger, "{one}");
        // Who does not ask that daemon sees at least whose the connection is.
        let elsewhere = told_of(&Folder::new(), &ticker);
        assert_eq!(elsewhere["recording"], Value::Null, "{elsewhere}");
        assert_eq!(elsewhere["debugger"], debugger, "{elsewhere}");
        folder.ask(&["detach", "ticks"]);
        assert!(daemon.wait().expect("it ends").success());
        let address = ticker.listens_again();
        let one = told_of(&folder, &ticker);
        assert_eq!(one["attach"], address.as_str(), "{one}");
        ticker.end();

        let folder = Folder::new();
        let waits = Waits::begin(&folder, &jdk);
        let all = folder.json(&["jvms"]);
        let ours = |one: &&Value| one["recording"] == "run";
        let one = all.iter().find(ours).expect("what was launched is listed");
        assert_eq!(one["program"], "Gauges wait", "{one}");
        assert_eq!(one["port"], "taken", "{one}");
        drop(waits);
    }
}

#[test]
fn a_jvm_in_another_network_namespace_is_not_said_to_be_reached() {
    let jdk = jdks().remove(0);
    let folder = Folder::new();
    let mut java = Command::new("unshare");
    let script = "ip link set lo up && exec \"$0\" \"$@\"";
    java.args(["--net", "sh", "-c", script]).arg(jdk.java());
    let mut ticker = Ticker::start_by(java, &jdk, "server=y,suspend=n,address=127.0.0.1:0");
    let address = ticker.listens_again();
    let one = told_of(&folder, &ticker);
    assert_eq!(one["here"], false, "{one}");
    assert_eq!(one["sockets"], json!([address]), "{one}");
    assert_eq!(one["attach"], Value::Null, "{one}");
    let line = format!("nsenter --net=/proc/{}/ns/net", ticker.child.id());
    let advice = one["advice"].as_str().expect("what to do");
    assert!(advice.contains(&line), "{advice}");
    ticker.end();
}

#[test]
fn what_another_user_may_not_read_is_said() {
    let own = fs::metadata("/proc/self").expect("this process").uid();
    assert_eq!(
        own, 0,
        "only root becomes somebody else: run this test as root"
    );
    let jdk = jdks().remove(0);
    let (ticker, _) = Ticker::listening(&jdk);
    // Where anybody may run it, which a build's folder need not be.
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("jhyde");
    fs::copy(binary("jhyde"), &program).expect("it is copied");
    for path in [folder.path(), &program] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is let in");
    }
    const NOBODY: u32 = 65534;
    let output = Command::new(&program)
        .args(["jvms", "--json"])
        .env("HOME", folder.path())
        .env("JHYDE_SYSTEM_SOCKET", "")
        .uid(NOBODY)
        .gid(NOBODY)
        .stdin(Stdio::null())
        .output()
        .expect("it can be started");
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stdout).expect("JSON");
    let mut all = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let one = all.find(|one| one["pid"] == ticker.child.id());
    let one = one.expect("it is listed");
    assert_eq!(one["port"], "unreadable", "{one}");
    assert_eq!(one["user"], "root", "{one}");
    assert_eq!(one["sockets"], json!([]), "{one}");
    let advice = one["advice"].as_str().expect("what to do");
    assert!(advice.contains("as root"), "{advice}");
    ticker.end();
}

/// The number that stands before a process in the list.
fn number(shown: &str, pid: u32) -> String {
    let pid = pid.to_string();
    let mut rows = shown.lines().map(|line| line.split_whitespace());
    let row = rows.find_map(|mut words| {
        let number = words.next()?.to_owned();
        (words.next()? == pid).then_some(number)
    });
    row.unwrap_or_else(|| panic!("{pid} has no number:\n{shown}"))
}

#[test]
fn one_is_chosen_by_its_number_and_recorded() {
    for jdk in jdks() {
        let folder = Folder::new();
        let (mut ticker, _) = Ticker::listening(&jdk);
        let words = [
            "jvms",
            "--name",
            "chosen",
            "--level",
            "state",
            "--include",
            "fx.*",
        ];
        let mut answers = 0;
        let shown = converse(&mut folder.jhyde(&words), 160, |shown| {
            answers += 1;
            match answers {
                1 => "0".to_owned(),
                2 => {
                    assert!(shown.contains("number"), "{shown}");
                    "7777".to_owned()
                }
                _ => String::new(),
            }
        });
        assert!(!shown.contains("chosen"), "nothing was chosen:\n{shown}");
        let pid = ticker.child.id();
        let shown = converse(&mut folder.jhyde(&words), 160, |shown| number(shown, pid));
        assert!(shown.contains("jhyde detach chosen"), "{shown}");
        until(&folder, "chosen", "recorded", has_calls);
        assert_eq!(told_of(&folder, &ticker)["recording"], "chosen");
        folder.ask(&["detach", "chosen"]);
        until(&folder, "chosen", "ended", ended);
        ticker.ticks(3);
        ticker.end();
    }
}

#[test]
fn one_that_ends_between_the_list_and_the_choice() {
    let jdk = jdks().remove(0);
    let folder = Folder::new();
    let (ticker, _) = Ticker::listening(&jdk);
    let pid = ticker.child.id();
    let mut ticker = Some(ticker);
    let shown = converse(
        &mut folder.jhyde(&["jvms", "--name", "late"]),
        160,
        |shown| {
            ticker.take().expect("it is asked once").end();
            number(shown, pid)
        },
    );
    let told = format!("JVM {pid} (Ticker 1) has ended");
    assert!(shown.contains(&told), "{shown}");
    assert!(!folder.data().exists(), "nothing was begun");
}
