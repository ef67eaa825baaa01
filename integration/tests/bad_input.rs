//! What people get wrong, from the command line to the message: each mistake ends soon, with an exit code that
//! is not 0 and words that name what was wrong, and disturbs nothing else.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use jhyde_integration::{Folder, Jdk, jdks};

/// Longest time that a refusal may take.
const SOON: Duration = Duration::from_secs(30);

fn refused(folder: &Folder, program: &str, words: &[&str], says: &str) {
    let begun = Instant::now();
    let mut command = match program {
        "jhyded" => folder.jhyded(words),
        _ => folder.jhyde(words),
    };
    let output = command.output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success(),
        "{program} {words:?} went well: {said}"
    );
    assert!(
        said.contains(says),
        "{program} {words:?} does not say {says:?}: {said}"
    );
    assert!(!said.contains("panicked"), "{said}");
    assert!(
        begun.elapsed() < SOON,
        "{program} {words:?} took {:?}",
        begun.elapsed()
    );
}

/// Somebody on a port who does this with whoever connects, once for each connection.
fn peer(behaviour: fn(TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    std::thread::spawn(move || listener.incoming().flatten().for_each(behaviour));
    address
}

#[test]
fn what_is_no_jvm() {
    let folder = Folder::new();
    let nobody = TcpListener::bind("127.0.0.1:0")
        .and_then(|free| free.local_addr())
        .expect("a free port");
    refused(
        &folder,
        "jhyded",
        &["attach", &nobody.to_string()],
        &nobody.to_string(),
    );
    let web = peer(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    refused(&folder, "jhyded", &["attach", &web], &web);
    let dying = peer(|mut stream| {
        let _ = stream.write_all(b"JDWP-");
    });
    refused(&folder, "jhyded", &["attach", &dying], &dying);
    let hung = peer(|stream| {
        std::thread::sleep(SOON);
        drop(stream);
    });
    refused(
        &folder,
        "jhyded",
        &["attach", &hung, "--timeout", "500ms"],
        &hung,
    );
    // A handshake, and then a packet that is longer than anything sane.
    let mad = peer(|mut stream| {
        let _ = stream.write_all(b"JDWP-Handshake");
        let _ = stream.write_all(&[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0x80, 0, 0]);
        std::thread::sleep(SOON);
    });
    refused(
        &folder,
        "jhyded",
        &["attach", &mad, "--timeout", "2s"],
        &mad,
    );
    let left = folder.json(&["list"]);
    assert!(left.is_empty(), "nothing is left of it: {left:?}");
}

#[test]
fn programs_that_do_not_start() {
    let folder = Folder::new();
    let jdk = jdks().remove(0);
    let java = jdk.java().display().to_string();
    refused(
        &folder,
        "jhyded",
        &["launch", "--", "/none/java", "X"],
        "/none/java",
    );
    refused(
        &folder,
        "jhyded",
        &["launch", "--level", "all", "--", &java, "X"],
        "all",
    );
    // The JVM itself says why: no such class.
    refused(
        &folder,
        "jhyded",
        &["launch", "--", &java, "NoSuchClass"],
        "NoSuchClass",
    );
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,address=127.0.0.1:0";
    refused(
        &folder,
        "jhyded",
        &["launch", "--", &java, agent, "X"],
        "agent",
    );
}

fn sorted(folder: &Folder, jdk: &Jdk, name: &str, include: &str) -> String {
    let path = jdk.classes("mergesort").display().to_string();
    let arguments = ["-cp".to_owned(), path, "MergeSort".to_owned()];
    let run = folder.launch(
        jdk,
        name,
        &["--level", "calls", "--include", include],
        &arguments,
    );
    assert!(run.status.success(), "{}", run.stderr);
    run.stderr
}

#[test]
fn questions_that_make_no_sense() {
    let folder = Folder::new();
    let jdk = jdks().remove(0);
    sorted(&folder, &jdk, "ms", "MergeSort");
    let cases: [(&[&str], &str); 14] = [
        (&["tree", "other"], "other"),
        (&["call", "ms", "1.999"], "1.999"),
        (&["call", "ms", "99.1"], "99.1"),
        (&["call", "ms", "nonsense#0"], "nonsense"),
        (&["call", "ms", "merge#77"], "merge#77"),
        (&["state", "ms", "1.1", "--at", "999999999"], "999999999"),
        (&["state", "ms", "1.1", "--at", "soon"], "soon"),
        (&["history", "ms", "1.7:nothing"], "nothing"),
        (&["history", "ms", "object#999999.f"], "999999"),
        (&["history", "ms", "][", "--json"], "]["),
        (&["events", "ms", "1.7", "--page", "no-token"], "page"),
        (&["events", "ms", "1.7", "--limit", "-3"], "-3"),
        (&["debug", "ms", "--strategy", "guess"], "guess"),
        (
            &[
                "debug",
                "ms",
                "--strategy",
                "coverage-halving:edges",
                "--json",
            ],
            "full",
        ),
    ];
    for (words, says) in cases {
        refused(&folder, "jhyde", words, says);
    }
    // A name that is taken.
    let path = jdk.classes("mergesort").display().to_string();
    let java = jdk.java().display().to_string();
    refused(
        &folder,
        "jhyded",
        &[
            "launch",
            "--name",
            "ms",
            "--",
            &java,
            "-cp",
            &path,
            "MergeSort",
        ],
        "ms",
    );
    // And after all that the recording answers.
    let calls = folder.json(&["tree", "ms", "--all"]);
    assert_eq!(
        calls
            .iter()
            .filter(|call| call["boundary"] == false)
            .count(),
        7
    );
}

#[test]
fn a_pattern_that_matches_nothing_is_told() {
    let folder = Folder::new();
    let jdk = jdks().remove(0);
    let said = sorted(&folder, &jdk, "none", "com.typo");
    let list = folder.json(&["list"]);
    for told in [said, list[0]["notes"].to_string()] {
        assert!(
            told.contains("com.typo"),
            "nobody says that com.typo matched nothing: {told}"
        );
    }
}

#[test]
fn a_jvm_that_has_a_debugger_already() {
    let folder = Folder::new();
    let jdk = jdks().remove(0);
    let mut jvm = std::process::Command::new(jdk.java())
        .arg("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0")
        .arg("-cp")
        .arg(jdk.classes("fixtures"))
        .args(["fx.Ticker", "1"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("java can be started");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(
        jvm.stdout.take().expect("an output"),
    ));
    let line = lines.next().expect("a line").expect("text");
    let address = format!("127.0.0.1:{}", line.rsplit(' ').next().expect("a port"));
    // When the first debugger has gone it listens again, and says so.
    let said = |line: &String| !line.starts_with("Listening");
    let drain = std::thread::spawn(move || lines.map_while(Result::ok).filter(said).last());
    let mut first = TcpStream::connect(&address).expect("it listens");
    first.write_all(b"JDWP-Handshake").expect("it reads");
    let mut answer = [0; 14];
    std::io::Read::read_exact(&mut first, &mut answer).expect("it answers");
    refused(
        &folder,
        "jhyded",
        &["attach", &address, "--timeout", "2s"],
        &address,
    );
    drop(first);
    drop(jvm.stdin.take());
    assert!(jvm.wait().expect("it ends").success());
    let last = drain.join().expect("a thread").unwrap_or_default();
    assert!(last.starts_with("stopped"), "{last}");
}
