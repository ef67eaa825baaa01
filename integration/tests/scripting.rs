//! Scripts: the Python client with its example, and the ten tasks of `docs/scripting.md` as the page has them, on a daemon with TLS and
//! a token.

mod served;
mod tasks;
mod wheel;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jhyde_integration::{Folder, Jdk, jdks};
use served::{Served, token};
use tasks::{Page, SOMEWHERE, Task, documented_tokens, root};

/// Debian's junit4 and what it needs, which deploy/test.sh installs.
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

/// What the client is tested by, and what shows its use.
const TESTS: &str = "clients/python/tests";
const EXAMPLE: &str = "clients/python/examples/junit_first_question.py";

/// The folder `bin` of the virtual environment that has the client's wheel and the type checker.
fn environment() -> PathBuf {
    let output = Command::new(root().join("deploy/python.sh"))
        .output()
        .expect("deploy/python.sh can be started");
    let folder = succeeded(&output, "deploy/python.sh");
    Path::new(folder.trim_end()).join("bin")
}

/// What it printed.
fn succeeded(output: &Output, what: &str) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{what}: {}\n{said}\n{complained}",
        output.status
    );
    said
}

fn path_with(folder: &Path, path: Option<&std::ffi::OsStr>) -> OsString {
    let mut all = folder.as_os_str().to_owned();
    all.push(":");
    all.push(path.unwrap_or_default());
    all
}

/// A daemon, and a token for all that the page does.
fn serve(folder: &Folder, jdk: &Jdk) -> (Served, String) {
    let token = token(folder, "ci", "read,debug,record,launch,manage");
    (serving(folder, jdk), token)
}

/// A daemon that has `java` in its path and chooses the engine itself.
fn serving(folder: &Folder, jdk: &Jdk) -> Served {
    Served::start(folder, |command| {
        let path = command.get_envs().find(|(name, _)| *name == "PATH");
        let path = path_with(&jdk.home.join("bin"), path.and_then(|(_, path)| path));
        // One that jhyde started has this folder: what names relative paths must say which ones they are of.
        command.current_dir("/");
        command.env("PATH", path).env_remove("JHYDED_RECORD_ENGINE");
    })
}

/// The file with the token that the page makes. Nobody else can read it.
fn documented_token(folder: &Folder) -> String {
    let file = folder.data().with_file_name("ci.token");
    for command in documented_tokens().into_iter().rev() {
        let jhyded = folder.jhyded(&[]);
        let mut bash = Command::new("bash");
        for (name, value) in jhyded.get_envs() {
            bash.env(name, value.unwrap_or_default());
        }
        let again = "umask 022; jhyded token revoke ci 2>/dev/null; set -e; rm -f ci.token";
        let output = bash
            .current_dir(file.with_file_name(""))
            .env("JHYDED_DATA", folder.data())
            .args(["-c", &format!("{again}; {command}")])
            .output()
            .expect("bash can be started");
        succeeded(&output, &command);
        let mode = fs::metadata(&file).expect("the token").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{command}");
    }
    file.display().to_string()
}

/// A program that asks the daemon, in the folder that the data folder lies in.
fn asking(program: &Path, folder: &Folder, served: &Served, token: &str) -> Command {
    // Whatever hangs ends, and is told with what it had said.
    let mut command = Command::new("timeout");
    command
        .args(["--kill-after=10", "600"])
        .arg(program)
        .current_dir(folder.data().with_file_name(""))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("JHYDE_DAEMON", &served.address)
        .env("JHYDE_CA", &served.ca)
        .env("JHYDE_TOKEN_FILE", token)
        .env_remove("JHYDE_TOKEN")
        .env_remove("JHYDE_IDENTITY");
    command
}

/// The folder of the classes of a shop whose test fails.
fn shop(jdk: &Jdk, folder: &Folder) -> PathBuf {
    let classes = folder.data().with_file_name("shop");
    let sources = root().join("integration/java/builds/src");
    let sources =
        ["main/java/shop/Cart.java", "test/java/shop/CartTest.java"].map(|file| sources.join(file));
    compile(jdk, &classes, &sources);
    classes
}

fn compile(jdk: &Jdk, into: &Path, sources: &[PathBuf]) {
    let output = Command::new(jdk.java().with_file_name("javac"))
        .args(["-g", "-cp", JUNIT, "-d"])
        .arg(into)
        .args(sources)
        .output()
        .expect("javac can be started");
    succeeded(&output, "javac");
}

#[test]
fn the_clients_own_tests_pass() {
    let (environment, folder, jdk) = (environment(), Folder::new(), &jdks()[0]);
    let wheel = format!("wheel/jhyde-{}-py3-none-any.whl", env!("CARGO_PKG_VERSION"));
    let wheel = environment.with_file_name(wheel);
    assert!(
        wheel.is_file(),
        "{} is missing: versions are raised together",
        wheel.display()
    );
    let reader = token(&folder, "reader", "read");
    let (served, token) = serve(&folder, jdk);
    let loud = folder.data().with_file_name("loud");
    compile(jdk, &loud, &[root().join(TESTS).join("java/Loud.java")]);
    let output = asking(&environment.join("python"), &folder, &served, &token)
        .args(["-m", "unittest", "discover", "--verbose"])
        .arg(root().join(TESTS))
        .env("JHYDE_TEST_JHYDED", folder.jhyded(&[]).get_program())
        .env("JHYDE_TEST_LOUD", loud)
        .env("JHYDE_TEST_JAVA", jdk.java())
        .env("JHYDE_TEST_CLASSES", jdk.classes("mergesort"))
        .env("JHYDE_TEST_FIXTURES", jdk.classes("fixtures"))
        .env("JHYDE_TEST_READER", reader)
        .env("JHYDE_TEST_IDENTITY", &served.identity)
        .env("JHYDE_TEST_STRANGER", &served.stranger)
        .env("JHYDE_TEST_DATA", folder.data())
        .output()
        .expect("python can be started");
    succeeded(&output, TESTS);
    let said = String::from_utf8_lossy(&output.stderr);
    for file in python_files(&root().join(TESTS), "test_") {
        let module = file.file_stem().expect("a name").display().to_string();
        assert!(said.contains(&format!("({module}.")), "{module}: {said}");
    }
}

/// The Python files of a folder with such a beginning.
fn python_files(folder: &Path, beginning: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let entries = entries.map(|entry| entry.expect("an entry").path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(beginning) && name.ends_with(".py")
    };
    let found: Vec<_> = entries.filter(is_one).collect();
    assert!(!found.is_empty(), "{}", folder.display());
    found
}

#[test]
fn the_example_records_a_failing_test_and_prints_the_first_question() {
    let (environment, folder, jdk) = (environment(), Folder::new(), &jdks()[0]);
    // As the README has them: relative to the folder that it is run in, with the default of --java.
    let classes = shop(jdk, &folder);
    let mut class_path = "shop".to_owned();
    for archive in JUNIT.split(':').map(Path::new) {
        let name = archive.file_name().expect("a name");
        std::os::unix::fs::symlink(archive, classes.with_file_name(name)).expect("a link");
        class_path = format!("{class_path}:{}", name.display());
    }
    let (served, token) = serve(&folder, jdk);
    let run = |test: &str| {
        asking(&environment.join("python"), &folder, &served, &token)
            .arg(root().join(EXAMPLE))
            .args(["--class-path", &class_path, "--include", "shop"])
            .args(["--name", test, test])
            .output()
            .expect("python can be started")
    };
    let output = run("shop.CartTest");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}{complained}");
    for part in [
        "FAILED CartTest.theThirdIsFree #0 (",
        "\"expected:<5> but was:<9>\"",
        "\nCart.total #1 (",
        "returned 9: is that right?",
        "jhyde debug shop.CartTest --session ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // What is no test at all is not taken for one that passed.
    let output = run("shop.Cart");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn types_fit_wherever_the_client_is_used() {
    let (environment, folder) = (environment(), Folder::new());
    let page = folder.data().with_file_name("tasks.py");
    fs::write(&page, Page::read().python("")).expect("a file");
    let output = Command::new(environment.join("mypy"))
        .args(["--strict", "--cache-dir=/dev/null"])
        .args(python_files(&root().join(TESTS), ""))
        .args([page, root().join(EXAMPLE)])
        .output()
        .expect("mypy can be started");
    succeeded(&output, "mypy");
}

/// Stands between what two tasks print.
const BETWEEN: &str = "--- next task ---\n";

/// Compares what was printed, task by task.
fn compare(output: &Output, tasks: &[Task], by: &str) {
    let said = succeeded(output, by);
    let said: Vec<&str> = said.split(BETWEEN).collect();
    assert_eq!(said.len(), tasks.len(), "{by}: {said:#?}");
    for (number, (said, task)) in said.into_iter().zip(tasks).enumerate() {
        assert_eq!(said, task.prints, "task {} by {by}", number + 1);
    }
}

/// What is refused ends the script, also in the midst of a search; and numbers that are 0 are printed.
fn check_refusals(page: &Page, head: &str, bash: &dyn Fn(&str) -> Output) {
    let [launch, _, list, .., find, _] = page.tasks.as_slice() else {
        panic!("{} tasks", page.tasks.len());
    };
    // The recording was deleted by the last task.
    let output = bash(&format!("{head}{}", find.shell));
    assert!(!output.status.success(), "{output:?}");
    let refusing = "eval \"real_$(declare -f ask)\"\n\
                    ask() { case $1 in */Answer) echo no >&2; return 1 ;; esac; real_ask \"$@\"; }\n";
    let output = bash(&format!("{head}{refusing}{}{}", launch.shell, find.shell));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(said, format!("{}sort#0 INVALID\n", launch.prints));

    let nothing = launch.shell.replace("\"sort\"", "\"empty\"");
    let nothing = nothing.replace("[\"MergeSort\"]", "[\"none.of.it\"]");
    let output = bash(&format!("{head}{nothing}{}", list.shell));
    let said = succeeded(&output, "a recording without calls");
    let first = said.lines().nth(1);
    assert_eq!(first, Some("empty: 0 calls at level full"), "{said}");
}

#[test]
fn the_ten_tasks_run_as_the_page_has_them_by_buf_curl_and_in_python() {
    let (environment, page) = (environment(), Page::read());
    assert_eq!(page.tasks.len(), 10);
    let tools = root().join("clients/web/node_modules/.bin");
    assert!(
        tools.join("buf").exists(),
        "buf is one of the page's packages: deploy/page.sh installs them"
    );
    let between = format!("echo '{}'\n", BETWEEN.trim_end());
    let shell: Vec<_> = page.tasks.iter().map(|task| task.shell.as_str()).collect();
    let shell = shell.join(&between);
    let python = page.python(&format!("print('{}')\n", BETWEEN.trim_end()));
    // No registry that tests are installed from has it: who has one names it.
    let grpcurl = std::env::var("GRPCURL").ok();
    if grpcurl.is_none() {
        // deploy/test.sh says so, too: what tests that pass have printed is not always shown.
        eprintln!("left out: the ten tasks by grpcurl, as GRPCURL does not name one");
    }
    for jdk in jdks() {
        let folder = Folder::new();
        let token = documented_token(&folder);
        let served = serving(&folder, &jdk);
        let here = folder.data().with_file_name("");
        let scratch = here.join("scratch");
        fs::create_dir(&scratch).expect("a folder");
        std::os::unix::fs::symlink(jdk.classes("mergesort"), here.join("classes")).expect("a link");
        // Names of files that the page has are those that lie there.
        assert_eq!(Path::new(&served.ca), here.join("ca.crt"));
        assert_eq!(Path::new(&token), here.join("ci.token"));
        assert!(page.variables.contains(SOMEWHERE));
        let variables = page.variables.replace(SOMEWHERE, &served.address);

        let bash = |script: &str| {
            let mut command = asking(Path::new("bash"), &folder, &served, &token);
            for name in ["JHYDE_DAEMON", "JHYDE_CA", "JHYDE_TOKEN_FILE"] {
                command.env_remove(name);
            }
            command
                .env(
                    "PATH",
                    path_with(&tools, std::env::var_os("PATH").as_deref()),
                )
                .env("TMPDIR", &scratch)
                .args(["-c", script]);
            command.output().expect("bash can be started")
        };
        let by_buf = format!("{variables}{}{shell}", page.by_buf);
        compare(&bash(&by_buf), &page.tasks, "buf curl");
        let left: Vec<_> = fs::read_dir(&scratch).expect("it is there").collect();
        assert!(left.is_empty(), "a copy of the token: {left:?}");

        fs::write(here.join("tasks.py"), &python).expect("a file");
        let by_python = format!("{variables}exec {}/python tasks.py", environment.display());
        compare(&bash(&by_python), &page.tasks, "Python");

        let by_grpcurl = format!("{variables}{}", page.by_grpcurl);
        match &grpcurl {
            Some(program) => {
                let asks = format!("grpcurl() {{ '{program}' \"$@\"; }}\n{by_grpcurl}{shell}");
                compare(&bash(&asks), &page.tasks, "grpcurl");
            }
            None => {
                let defines = format!("{by_grpcurl}declare -F ask >/dev/null");
                succeeded(&bash(&defines), "the function for grpcurl");
            }
        }
        check_refusals(&page, &format!("{variables}{}", page.by_buf), &bash);
    }
}
