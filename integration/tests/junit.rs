//! Valid answers as JUnit tests: they compile, pass where the program is right, and fail where it is not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jhyde_integration::compiled::compile;
use jhyde_integration::session::{play, refused};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// Debian's junit4 and what it needs, which deploy/test.sh installs.
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("java/junit")
}

/// The bank with some of its text replaced, compiled.
fn bank(jdk: &Jdk, into: &Path, replaced: &[(&str, &str)]) {
    let changed = into.with_extension("sources");
    fs::create_dir_all(changed.join("bank")).expect("a folder");
    let mut left = replaced.len();
    for entry in fs::read_dir(sources().join("bank")).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        let mut text = fs::read_to_string(&path).expect("can be read");
        for (old, new) in replaced {
            left -= usize::from(text.contains(old));
            text = text.replace(old, new);
        }
        let name = path.file_name().expect("a name");
        fs::write(changed.join("bank").join(name), text).expect("can be written");
    }
    assert_eq!(left, 0, "all of {replaced:?} is replaced");
    compile(jdk, &changed, into);
}

/// The sources that were written.
fn written(tests: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(tests.join("bank")).expect("tests were written");
    files.map(|file| file.expect("an entry").path()).collect()
}

/// Runs all exported tests against a version of the bank.
fn run_tests(jdk: &Jdk, tests: &Path, version: &Path) -> Output {
    let path = format!("{}:{}:{JUNIT}", tests.display(), version.display());
    let classes = ["Account", "Clerk", "Clerk_Offer"].map(|of| format!("bank.{of}RememberedTest"));
    let mut command = Command::new(jdk.java());
    command.args(["-cp", &path, "org.junit.runner.JUnitCore"]);
    command.args(classes).output().expect("java can be started")
}

/// Which of the calls of `main` are wrong in the bank that rounds up.
fn judge(call: &Value) -> &'static str {
    match call["method"].as_str() {
        Some("main" | "rounded") => "invalid",
        _ => "valid",
    }
}

#[test]
fn valid_answers_are_tests_that_pass_with_the_right_version_and_fail_with_defective_ones() {
    for jdk in jdks() {
        let folder = Folder::new();
        let near = |name: &str| folder.data().with_file_name(name);
        let wrong = near("wrong");
        bank(
            &jdk,
            &wrong,
            &[("cents - cents % 10", "cents - cents % 100")],
        );
        let words = ["-cp", &wrong.display().to_string(), "bank.Main"].map(str::to_owned);
        let run = folder.launch(
            &jdk,
            "day",
            &["--level", "full", "--include", "bank"],
            &words,
        );
        assert!(run.status.success(), "{}", run.stderr);
        let memory = near("answers").display().to_string();
        // One call after the other, so that all are kept.
        let words = ["day", "--strategy", "top-down", "--memory", &memory];
        let session = play(&folder, &words, &[], judge);
        assert_eq!(session.last["call"]["method"], "rounded");
        let tests = near("tests");
        let to = tests.display().to_string();
        let told = folder.ask(&["memory", "export", &memory, &to, "--junit"]);
        for (call, why) in [
            (
                "Account.pay #2",
                "was changed after it had been constructed",
            ),
            (
                "Clerk.counted #0",
                "static field Clerk.served, which a test cannot set",
            ),
        ] {
            let line = told.lines().find(|line| line.contains(call));
            let line = line.unwrap_or_else(|| panic!("{call} is not told: {told}"));
            assert!(line.contains("is no test") && line.contains(why), "{line}");
        }
        let text = fs::read_to_string(tests.join("bank/ClerkRememberedTest.java"));
        let text = text.expect("the tests of the clerk");
        for method in [
            "fee", "halves", "swap", "lengths", "twice", "move", "turned", "grade", "asked",
        ] {
            assert!(
                text.contains(&format!(" {method}_")),
                "no test of {method}: {told}\n{text}"
            );
        }
        assert!(!text.contains("rounded_"), "what was wrong is no test");
        // A file that is there is not written over.
        let (error, _) = refused(&folder, &["memory", "export", &memory, &to, "--junit"]);
        assert!(error.contains("RememberedTest.java"), "{error}");
        // They compile.
        let right = near("right");
        bank(&jdk, &right, &[]);
        let classes = near("test-classes");
        let javac = Command::new(jdk.java().with_file_name("javac"))
            .args(["-cp", &format!("{}:{JUNIT}", right.display()), "-d"])
            .arg(&classes)
            .args(written(&tests))
            .output()
            .expect("javac can be started");
        let said = String::from_utf8_lossy(&javac.stderr).into_owned();
        assert!(javac.status.success(), "JDK {}: {said}\n{text}", jdk.major);
        // They pass with the version that they are from, whose defect they do not know of, and with the right one.
        for version in [&wrong, &right] {
            let run = run_tests(&jdk, &classes, version);
            let said = String::from_utf8_lossy(&run.stdout).into_owned();
            assert!(run.status.success(), "JDK {}: {said}\n{text}", jdk.major);
        }
        if jdk.home != jdks()[0].home {
            continue;
        }
        // And not where something else is wrong: a result, what is left behind, which object it is, an exception.
        for (defect, method) in [
            (("cents / 100", "cents / 50"), "fee_"),
            (("names[1] = first;", ""), "swap_"),
            (
                ("to.pay(-from.pay(cents) + cents);", "from.pay(cents);"),
                "move_",
            ),
            (("other.cents > cents", "other.cents < cents"), "richer_"),
            (
                (
                    "twice.add(account);\n        twice",
                    "twice.add(new Account(account.owner, 20));\n        twice",
                ),
                "twice_",
            ),
            (("more than", "less than"), "grade_"),
            (("word.length()", "1"), "lengths_"),
            (("offer.price() + 1", "offer.price()"), "turned_"),
        ] {
            let version = near(&format!("defect-{method}"));
            bank(&jdk, &version, &[defect]);
            let run = run_tests(&jdk, &classes, &version);
            let said = String::from_utf8_lossy(&run.stdout).into_owned();
            assert!(!run.status.success(), "{defect:?} is not noticed: {said}");
            assert!(said.contains(method), "{defect:?}: {said}");
        }
    }
}

#[test]
fn answers_whose_recording_is_another_one_or_gone_are_no_tests() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let near = |name: &str| folder.data().with_file_name(name);
    let wrong = near("wrong");
    bank(
        jdk,
        &wrong,
        &[("cents - cents % 10", "cents - cents % 100")],
    );
    let words = ["-cp", &wrong.display().to_string(), "bank.Main"].map(str::to_owned);
    let options = ["--level", "full", "--include", "bank"];
    let run = folder.launch(jdk, "day", &options, &words);
    assert!(run.status.success(), "{}", run.stderr);
    let memory = near("answers").display().to_string();
    let session = ["day", "--strategy", "top-down", "--memory", &memory];
    play(&folder, &session, &[], judge);
    folder.ask(&["delete", "day"]);
    let to = near("gone").display().to_string();
    let told = folder.ask(&["memory", "export", &memory, &to, "--junit"]);
    assert!(
        told.contains("0 tests") && told.contains("its values are not there any more"),
        "{told}"
    );
    assert!(!near("gone").exists(), "nothing is written");
    // Another run of the same name has other calls under the same numbers.
    let other = near("other");
    bank(
        jdk,
        &other,
        &[("Clerk.fee(1250, false)", "Clerk.fee(1350, false)")],
    );
    let words = ["-cp", &other.display().to_string(), "bank.Main"].map(str::to_owned);
    let run = folder.launch(jdk, "day", &options, &words);
    assert!(run.status.success(), "{}", run.stderr);
    let told = folder.ask(&["memory", "export", &memory, &to, "--junit"]);
    assert!(told.contains("has another call there now"), "{told}");
}
