//! Source beside what happened: found, kept with the recording, shown with values; and what is not shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use jhyde_integration::tools::{Run, binary};
use jhyde_integration::{Folder, Jdk, jdks};
use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::{GetSourceRequest, Source};
use serde_json::Value;
use tempfile::TempDir;

/// A project as Maven lays it out: sources under `src/main/java`, classes under `target/classes`.
struct Project {
    folder: TempDir,
    jdk: Jdk,
}

impl Project {
    /// The shop: packages, an enum with bodies, a record, an inner class, lambdas.
    fn shop(jdk: &Jdk) -> Self {
        let project = Self::empty(jdk);
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/source");
        for file in [
            "shop/Main.java",
            "shop/Order.java",
            "shop/Side.java",
            "shop/book/OrderBook.java",
        ] {
            let text = fs::read_to_string(from.join(file)).expect("the program");
            project.write(file, &text);
        }
        project.compile();
        project
    }

    fn empty(jdk: &Jdk) -> Self {
        let folder = TempDir::new().expect("a folder");
        let jdk = jdk.clone();
        Self { folder, jdk }
    }

    fn sources(&self) -> PathBuf {
        self.folder.path().join("src/main/java")
    }

    fn classes(&self) -> PathBuf {
        self.folder.path().join("target/classes")
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.sources().join(file);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    fn compile(&self) {
        let found = Command::new("find")
            .arg(self.sources())
            .args(["-name", "*.java"])
            .output()
            .expect("find");
        let files = String::from_utf8(found.stdout).expect("paths");
        let status = Command::new(self.jdk.home.join("bin/javac"))
            .args(["-g", "-d"])
            .arg(self.classes())
            .args(files.lines())
            .status();
        assert!(status.expect("javac").success());
    }

    fn record(&self, folder: &Folder, class_path: &Path, main: &str, options: &[&str]) -> Run {
        let arguments = [
            "-cp".to_owned(),
            class_path.display().to_string(),
            main.to_owned(),
        ];
        let run = folder.launch(&self.jdk, "s", options, &arguments);
        assert!(
            run.stderr.is_empty() || !run.stderr.contains("jhyded:"),
            "{}",
            run.stderr
        );
        run
    }
}

fn shop(jdk: &Jdk, options: &[&str]) -> (Project, Folder) {
    let (project, folder) = (Project::shop(jdk), Folder::new());
    let run = project.record(&folder, &project.classes(), "shop.Main", options);
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        "1: 0\n2: 0\n3: 4\n4: 5\n"
    );
    (project, folder)
}

/// What GetSource answers, over the unix socket of the folder's daemon.
fn source(folder: &Folder, class: &str) -> Result<Source, tonic::Status> {
    // It starts the daemon, if none runs.
    folder.json(&["list"]);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let address = Address::Unix(socket_of(&folder.data()));
        let channel = connect(&address, Duration::from_secs(10))
            .await
            .expect("the daemon");
        let request = GetSourceRequest {
            recording: "s".into(),
            class: class.into(),
            ..GetSourceRequest::default()
        };
        let answer = HistoryClient::new(channel).get_source(request).await;
        answer.map(tonic::Response::into_inner)
    })
}

/// The line of an answer that has this text.
fn line<'a>(answer: &'a str, text: &str) -> &'a str {
    let found = answer.lines().find(|line| line.contains(text));
    found.unwrap_or_else(|| panic!("no {text:?} in:\n{answer}"))
}

/// Is something said of the source?
fn warned(answer: &str) -> bool {
    let told = ["! shop/", "! there is no source"];
    answer
        .lines()
        .any(|line| told.iter().any(|told| line.starts_with(told)))
}

#[test]
fn lines_stand_beside_what_happened_with_values() {
    for jdk in jdks() {
        let (_project, folder) = shop(&jdk, &[]);
        let call = folder.ask(&["call", "s", "place#2"]);
        assert!(line(&call, "source: ").contains("shop/book/OrderBook.java"));
        assert!(line(&call, "public int place(Order order)").contains("order=Order"));
        assert!(
            line(&call, "int left = order.pieces();").contains("left=2"),
            "{call}"
        );
        assert!(
            line(&call, "traded += taken;").contains("this.traded=4"),
            "{call}"
        );
        let end = line(&call, "return order.pieces() - left;");
        assert!(
            end.contains('\u{25b6}') && end.contains("return=4"),
            "{end}"
        );
        // The method's lines and no others.
        assert!(!call.contains("Orders of one price") && !call.contains("private void wait"));

        let events = folder.ask(&["events", "s", "place#2", "--unfold", "all"]);
        assert!(line(&events, "int taken = level.take(left);").contains('\u{2502}'));
        let throw = folder.ask(&["where", "s"]);
        let thrown = line(&throw, "throw new IllegalStateException");
        assert!(
            thrown.contains('\u{25b6}') && thrown.contains("waiting=28"),
            "{throw}"
        );

        let call_json = &folder.json(&["call", "s", "place#2"])[0];
        let lines = call_json["source"]["lines"].as_array().expect("lines");
        let marked: Vec<&Value> = lines.iter().filter(|line| line["marked"] == true).collect();
        assert_eq!(marked.len(), 1);
        assert!(
            marked[0]["code"]
                .as_str()
                .expect("code")
                .contains("return order.pieces()")
        );
        let enter = call_json["enter"].as_u64().expect("a number").to_string();
        let step = folder.ask(&["step", "s", &enter, "-n", "3"]);
        assert!(
            step.contains('\u{25b6}') && step.contains("LongPredicate fits"),
            "{step}"
        );
        let coded = folder.json(&["step", "s", &enter, "-n", "3"]);
        assert!(
            coded[0]["code"]
                .as_str()
                .expect("code")
                .contains("LongPredicate fits")
        );
        let listed = folder.json(&["events", "s", "place#2"]);
        assert!(
            listed
                .iter()
                .any(|row| row["code"] == "int taken = level.take(left);")
        );

        // A lambda, a record's constructor, a constant's own method.
        let lambda = folder.ask(&["call", "s", "lambda$place$0#0"]);
        assert!(
            line(&lambda, "LongPredicate fits = price ->").contains("price=100"),
            "{lambda}"
        );
        let record = folder.ask(&["call", "s", "Order.<init>#1"]);
        assert!(
            line(&record, "if (pieces <= 0) {").contains("pieces=4"),
            "{record}"
        );
        let constant = folder.ask(&["call", "s", "Side$1.accepts#0"]);
        assert!(constant.contains("return price <= limit;"), "{constant}");

        for words in [
            &["call", "s", "place#2"][..],
            &["events", "s", "place#2"],
            &["where", "s"],
        ] {
            let without = folder.ask(&[words, &["--no-source"]].concat());
            assert!(
                !without.contains("order.pieces()") && !without.contains("throw new"),
                "{without}"
            );
        }
    }
}

#[test]
fn a_session_shows_the_lines_of_each_call() {
    for jdk in jdks() {
        let (_project, folder) = shop(&jdk, &["--level", "state"]);
        let mut session = folder
            .jhyde(&[
                "debug",
                "s",
                "--strategy",
                "top-down",
                "--restrict",
                "place#2",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("jhyde");
        drop(session.stdin.take());
        let shown = session.wait_with_output().expect("it ends").stdout;
        let shown = String::from_utf8(shown).expect("text");
        assert!(shown.contains("public int place(Order order) {"), "{shown}");
        assert!(
            line(&shown, "int left = order.pieces();").contains("left=2"),
            "{shown}"
        );
        let details = folder.json(&["debug", "s", "--restrict", "place#2", "--details"]);
        assert!(details[0]["source"]["file"].is_string(), "{details:?}");
    }
}

#[test]
fn eighty_columns_are_enough() {
    let jdk = jdks().remove(0);
    let (_project, folder) = shop(&jdk, &[]);
    for words in [
        "call s place#2",
        "events s place#2",
        "step s 30 -n 4",
        "where s",
    ] {
        let line = format!(
            "stty rows 40 cols 80; '{}' --data '{}' {words}",
            binary("jhyde").display(),
            folder.data().display()
        );
        let shown = Command::new("script")
            .args(["-qfec", &line, "/dev/null"])
            .env("TERM", "dumb")
            .stdin(Stdio::null())
            .output()
            .expect("script (Debian package bsdutils)");
        let shown = String::from_utf8(shown.stdout).expect("text");
        let code: Vec<&str> = shown
            .lines()
            .filter(|line| line.contains('\u{2502}'))
            .collect();
        assert!(code.len() > 1, "{words}: {shown}");
        for line in code {
            assert!(line.trim_end().chars().count() <= 80, "{words}: {line}");
        }
    }
}

#[test]
fn what_was_kept_is_shown_later_and_elsewhere() {
    for jdk in jdks() {
        let (project, folder) = shop(&jdk, &["--level", "calls"]);
        let here = source(&folder, "shop.book.OrderBook$Level").expect("source");
        assert!(here.kept && here.notes.is_empty(), "{here:?}");
        assert!(
            here.origin
                .ends_with("src/main/java/shop/book/OrderBook.java"),
            "{}",
            here.origin
        );
        let add = here
            .methods
            .iter()
            .find(|method| method.name == "add")
            .expect("a method");
        let text = |number: u32| here.lines[number as usize - 1].text.trim();
        assert_eq!(
            (text(add.first_line), text(add.last_line)),
            ("ids.addLast(id);", "}")
        );
        drop(project);
        let file = folder.data().join("s.jhyde");
        let path = file.display().to_string();
        folder.ask(&["export", "s", &path]);
        let elsewhere = Folder::new();
        elsewhere.ask(&["import", &path]);
        let there = source(&elsewhere, "shop.book.OrderBook$Level").expect("source");
        assert_eq!(here, there);
        let call = elsewhere.ask(&["call", "s", "place#2"]);
        assert!(call.contains("int left = order.pieces();"), "{call}");
    }
}

#[test]
fn a_jar_beside_the_class_paths_and_a_named_folder() {
    let jdk = jdks().remove(0);
    let project = Project::shop(&jdk);
    let library = project.folder.path().join("lib");
    fs::create_dir(&library).expect("a folder");
    let jar = |name: &str, from: PathBuf| {
        let made = Command::new(jdk.home.join("bin/jar"))
            .args(["cf", &library.join(name).display().to_string(), "-C"])
            .args([&from.display().to_string(), "."])
            .status();
        assert!(made.expect("jar").success());
    };
    jar("shop-1.0.jar", project.classes());
    jar("shop-1.0-sources.jar", project.sources());
    let hidden = project.folder.path().join("elsewhere");
    fs::rename(project.sources(), &hidden).expect("moved");
    let class_path = library.join("shop-1.0.jar");
    let folder = Folder::new();
    project.record(&folder, &class_path, "shop.Main", &["--level", "calls"]);
    let found = source(&folder, "shop.Main").expect("source");
    assert!(
        found.kept && found.origin.contains("shop/Main.java in "),
        "{}",
        found.origin
    );

    fs::remove_file(library.join("shop-1.0-sources.jar")).expect("deleted");
    let folder = Folder::new();
    let named = hidden.display().to_string();
    let options = ["--level", "calls", "--source", &named];
    project.record(&folder, &class_path, "shop.Main", &options);
    assert!(source(&folder, "shop.Main").expect("source").kept);

    // Without source there is none, and it says what to do; where it is named, it is shown.
    let folder = Folder::new();
    project.record(&folder, &class_path, "shop.Main", &["--level", "calls"]);
    let missing = source(&folder, "shop.Main").expect_err("no source");
    assert_eq!(missing.code(), tonic::Code::NotFound);
    assert!(
        missing.message().contains("--source"),
        "{}",
        missing.message()
    );
    let call = folder.ask(&["call", "s", "place#2"]);
    assert!(
        line(&call, "there is no source of").contains("--source"),
        "{call}"
    );
    let call = folder.ask(&["call", "s", "place#2", "--source", &named]);
    assert!(
        call.contains("int left = order.pieces();") && !warned(&call),
        "{call}"
    );
}

#[test]
fn a_file_that_is_younger_or_another_is_shown_with_a_warning() {
    let jdk = jdks().remove(0);
    let (project, folder) = shop(&jdk, &["--level", "calls"]);
    let named = project.sources().display().to_string();
    let call = |folder: &Folder| folder.ask(&["call", "s", "place#2", "--source", &named]);
    assert!(!warned(&call(&folder)));
    let path = project.sources().join("shop/book/OrderBook.java");
    let text = fs::read_to_string(&path).expect("the file");
    let file = fs::File::options()
        .write(true)
        .open(&path)
        .expect("the file");
    let later = SystemTime::now() + Duration::from_secs(3600);
    file.set_modified(later).expect("set");
    let younger = call(&folder);
    assert!(
        line(&younger, "! shop/").contains("younger than the recording"),
        "{younger}"
    );
    assert!(younger.contains("int left = order.pieces();"));
    let half: Vec<&str> = text.lines().take(50).collect();
    fs::write(&path, half.join("\n")).expect("written");
    let short = call(&folder);
    assert!(
        short.contains("this file has 50 lines: it is not the one that ran"),
        "{short}"
    );
    fs::write(&path, text.replace("int left", "\nint left")).expect("written");
    let moved = call(&folder);
    assert!(moved.contains("which is empty in this file"), "{moved}");
    // What was kept is still what ran.
    let kept = folder.ask(&["call", "s", "place#2"]);
    assert!(
        !warned(&kept) && kept.contains("int left = order.pieces();"),
        "{kept}"
    );
}

/// A class file that says it comes from another file: names of one length change places.
fn says(project: &Project, class: &str, name: &str) {
    let path = project.classes().join(format!("{class}.class"));
    let mut bytes = fs::read(&path).expect("the class");
    let own = format!("{class}.java");
    assert_eq!(own.len(), name.len(), "{name}");
    let at = bytes
        .windows(own.len())
        .position(|window| window == own.as_bytes());
    let at = at.expect("the attribute");
    bytes[at..at + own.len()].copy_from_slice(name.as_bytes());
    fs::write(&path, bytes).expect("written");
}

#[test]
fn hostile_binary_and_huge_sources_are_said_and_not_served() {
    let jdk = jdks().remove(0);
    let project = Project::empty(&jdk);
    let class =
        |name: &str| format!("class {name} {{ static void f() {{ System.out.print(1); }} }}\n");
    let names = [
        "Out4567890",
        "Abs4567890",
        "Hid4567890",
        "Any4567890",
        "Bin4567890",
        "Lnk4567890",
        "Big4567890",
    ];
    for name in names {
        project.write(&format!("{name}.java"), &class(name));
    }
    let calls: String = names.map(|name| format!("{name}.f();")).concat();
    let main = format!("class Main {{ public static void main(String[] a) {{ {calls} }} }}\n");
    project.write("Main.java", &main);
    project.compile();
    // What they say could be read: it is there.
    let outside = TempDir::new().expect("a folder");
    let secret = outside.path().join("secret.java");
    fs::write(&secret, "the secret\n").expect("written");
    for beside in ["passwords.txttt", ".hidden456.java", "../secret.java"] {
        fs::write(project.sources().join(beside), "the secret\n").expect("written");
    }
    says(&project, "Out4567890", "..//secret.java");
    says(&project, "Abs4567890", "/tmp/a/bcd.java");
    says(&project, "Hid4567890", ".hidden456.java");
    says(&project, "Any4567890", "passwords.txttt");
    fs::write(project.sources().join("Bin4567890.java"), b"\xca\xfe\0\0").expect("written");
    fs::remove_file(project.sources().join("Lnk4567890.java")).expect("deleted");
    std::os::unix::fs::symlink(&secret, project.sources().join("Lnk4567890.java")).expect("a link");
    let line = format!(
        "{}/* {} */",
        class("Big4567890").trim_end(),
        "x".repeat(1 << 20)
    );
    fs::write(project.sources().join("Big4567890.java"), line).expect("written");
    let folder = Folder::new();
    let run = project.record(&folder, &project.classes(), "Main", &["--level", "calls"]);
    assert_eq!(run.stdout, b"1111111");
    for (name, why) in [
        ("Out4567890", "not a plain file name"),
        ("Abs4567890", "not a plain file name"),
        ("Hid4567890", "not a plain file name"),
        ("Any4567890", "does not end like source"),
        ("Bin4567890", "was not found"),
        ("Lnk4567890", "was not found"),
        ("java.lang.NoSuch", "knows no class"),
        ("../../etc/passwd", "knows no class"),
    ] {
        let refused = source(&folder, name).expect_err(name);
        assert_eq!(refused.code(), tonic::Code::NotFound, "{name}");
        assert!(
            refused.message().contains(why),
            "{name}: {}",
            refused.message()
        );
    }
    let notes = folder.json(&["show", "s"])[0]["notes"].to_string();
    assert!(notes.contains("source that is not kept"), "{notes}");
    assert!(!notes.contains("the secret"), "{notes}");
    // Where the link and the binary are named, it is said what they are.
    let named = project.sources().display().to_string();
    for (call, why) in [
        ("Bin4567890.f#0", "is not text"),
        ("Lnk4567890.f#0", "leads out"),
    ] {
        let shown = folder.ask(&["call", "s", call, "--source", &named]);
        assert!(
            shown.contains(why) && !shown.contains("the secret"),
            "{shown}"
        );
    }
    let big = source(&folder, "Big4567890").expect("source");
    assert!(big.lines[0].cut && big.lines[0].text.len() == 2000);
    let call = folder.ask(&["call", "s", "Big4567890.f#0"]);
    assert!(
        call.contains("System.out.print(1)") && call.len() < 5000,
        "{}",
        call.len()
    );
}

#[test]
fn what_is_too_much_is_not_kept_and_said() {
    let jdk = jdks().remove(0);
    let project = Project::shop(&jdk);
    for (keep, kept) in [("1KB", true), ("0", false)] {
        let folder = Folder::new();
        let run = folder
            .jhyded(&["launch", "--name", "s", "--level", "calls", "--"])
            .env("JHYDED_SOURCE_KEEP", keep)
            .arg(jdk.java())
            .arg("-cp")
            .args([
                project.classes().display().to_string(),
                "shop.Main".to_owned(),
            ])
            .output();
        assert!(!run.expect("jhyded").stdout.is_empty());
        let notes = folder.json(&["show", "s"])[0]["notes"].to_string();
        assert_eq!(
            notes.contains("more than 1KB (setting source.keep)"),
            kept,
            "{notes}"
        );
        // Main is loaded first, and small.
        assert_eq!(
            source(&folder, "shop.Main").is_ok_and(|found| found.kept),
            kept
        );
        assert!(source(&folder, "shop.book.OrderBook").is_err());
    }
}

#[test]
fn the_jdks_own_source() {
    for jdk in jdks() {
        let (_project, folder) = shop(&jdk, &["--level", "state"]);
        let zip = jdk.home.join("lib/src.zip");
        match (zip.is_file(), source(&folder, "java.util.List")) {
            (true, Ok(found)) => {
                assert!(
                    !found.kept && found.origin.contains("src.zip"),
                    "{}",
                    found.origin
                );
                assert!(
                    found
                        .lines
                        .iter()
                        .any(|line| line.text.contains("interface List"))
                );
                assert!(
                    found.notes.iter().any(|note| note.contains("does not say")),
                    "{:?}",
                    found.notes
                );
            }
            // Debian has it in a package of its own.
            (false, Err(missing)) => {
                assert!(missing.message().contains("was not found"), "{missing}")
            }
            (there, other) => panic!("{there}: {other:?}"),
        }
    }
}
