//! A disk that is full, a folder that can only be read, a standard error that nobody takes: what was recorded is read all
//! the same, and a program's exit code is the program's.
//!
//! The disks are real ones, in a mount namespace (as root, or where the system lets users have one). Where there is
//! none, `JHYDE_NO_MOUNTS=1` leaves these tests out.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use jhyde_integration::tools::binary;
use jhyde_integration::{Folder, Jdk, jdks};

fn no_mounts() -> bool {
    std::env::var_os("JHYDE_NO_MOUNTS").is_some()
}

/// Runs a script where mounts are its own; `$DATA` is the data folder. Daemons that it starts end with it.
fn with_mounts(folder: &Folder, jdk: &Jdk, script: &str) -> Output {
    let mut command = Command::new("unshare");
    if fs::metadata("/proc/self").expect("this process").uid() != 0 {
        command.args(["--user", "--map-root-user"]);
    }
    let binaries = binary("jhyde");
    let binaries = binaries.parent().unwrap_or_else(|| Path::new("/"));
    let path = format!("{}:/usr/bin:/bin:/usr/sbin:/sbin", binaries.display());
    fs::create_dir_all(folder.data()).expect("a folder");
    command
        .args(["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"])
        .args(["bash", "-c", &format!("set -e\n{script}")])
        .env("PATH", path)
        .env("DATA", folder.data())
        .env("JHYDED_DATA", folder.data())
        .env("XDG_RUNTIME_DIR", folder.data().with_file_name("runtime"))
        .env("XDG_CONFIG_HOME", folder.data().with_file_name("none"))
        .env("JAVA", jdk.java())
        .env("CLASSES", jdk.classes("fixtures"))
        .stdin(Stdio::null())
        .output()
        .expect("unshare can be started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const RECORD: &str = "
    record() { jhyded launch --name $1 --level full --include fx.Ends -- $JAVA -cp $CLASSES fx.Ends exit $2; }
";

/// Every command that only reads, on the recording `small`.
const READ: &str = "
    jhyde list
    jhyde show small
    jhyde tree small --all >/dev/null
    jhyde call small step#3
    jhyde state small step#3
    jhyde events small step#3
    jhyde history small step#3:n
    jhyde step small 5
    jhyde coverage small step#3
    jhyde threads small
    jhyde classes small
    jhyde where small
    jhyde sessions small
    jhyded check small
    jhyded inspect small >/dev/null
    jhyde export small $DATA-exported >/dev/null
    echo all was read
";

#[test]
fn a_full_disk() {
    if no_mounts() {
        return;
    }
    for jdk in jdks() {
        let folder = Folder::new();
        let script = format!(
            "{RECORD}
            mount -t tmpfs -o size=24m tmpfs $DATA
            record small 20 && exit 1 || [ $? = 3 ]
            # Room for a recording's beginning, and not for its end.
            head -c 30m /dev/zero >$DATA/filler 2>/dev/null || true
            truncate -s -200k $DATA/filler
            code=0
            record big 60000 || code=$?
            echo the exit code is $code
            head -c 30m /dev/zero >$DATA/filler2 2>/dev/null || true
            {READ}
            tail -c 300 $DATA/jhyded.log >&2"
        );
        let output = with_mounts(&folder, &jdk, &script);
        let (said, complained) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{said}\n{complained}");
        assert!(said.contains("the exit code is 3"), "{said}\n{complained}");
        assert!(said.contains("all was read"), "{said}\n{complained}");
        assert!(complained.contains("No space left"), "{complained}");
        assert!(!complained.contains("panicked"), "{complained}");
    }
}

/// The audit is of the calls; what is recorded is on another disk, and goes on.
#[test]
fn a_full_disk_under_the_audit() {
    if no_mounts() {
        return;
    }
    let folder = Folder::new();
    let jdk = jdks().remove(0);
    let script = "
        audit=$DATA-audit
        mkdir $audit
        mount -t tmpfs -o size=64k tmpfs $audit
        head -c 1m /dev/zero >$audit/filler 2>/dev/null || true
        export JHYDED_AUDIT_FILE=$audit/audit.jsonl
        jhyded serve --log info 2>$DATA-log &
        for n in $(seq 400); do [ -S $DATA/jhyded.sock ] && break; sleep 0.05; done
        code=0
        jhyde launch --name small --level full --include fx.Ends -- $JAVA -cp $CLASSES fx.Ends exit 2000 || code=$?
        echo the exit code is $code
        jhyde tree small --all >/dev/null
        jhyde state small step#3 >/dev/null
        echo complaints: $(grep -c 'audit cannot be written' $DATA-log)
        echo written: $(grep -c outcome $audit/audit.jsonl)
        rm $audit/filler
        jhyde tree small --all >/dev/null
        echo all was read
        jhyde daemon stop >/dev/null
        stat -c 'mode %a' $audit/audit.jsonl
        cat $audit/audit.jsonl";
    let output = with_mounts(&folder, &jdk, script);
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}\n{complained}");
    for line in [
        "the exit code is 3",
        "complaints: 1",
        "written: 0",
        "all was read",
        "mode 600",
    ] {
        assert!(
            said.lines().any(|it| it == line),
            "{line}: {said}\n{complained}"
        );
    }
    assert!(
        said.contains("\"lost\":") && said.contains("\"outcome\":\"OK\""),
        "{said}"
    );
}

#[test]
fn a_folder_that_can_only_be_read() {
    if no_mounts() {
        return;
    }
    let folder = Folder::new();
    let jdk = jdks().remove(0);
    let script = format!(
        "{RECORD}
        record small 20 && exit 1 || [ $? = 3 ]
        rm -f $DATA/jhyded.log $DATA/jhyded.sock
        mount --bind $DATA $DATA
        mount -o remount,bind,ro $DATA
        {READ}
        echo '{{\"answer\":\"invalid\"}}' | jhyde debug small --json
        jhyde delete small && exit 1 || true"
    );
    let output = with_mounts(&folder, &jdk, &script);
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(said.contains("all was read"), "{said}\n{complained}");
    assert!(complained.contains("reading only"), "{complained}");
    // The session goes on from its first answer, and says that it is not kept.
    let questions: Vec<_> = said
        .lines()
        .filter(|line| line.contains(r#""type":"question""#))
        .collect();
    assert!(questions.len() > 1, "{said}");
    assert!(
        questions.iter().all(|line| line.contains("not kept")),
        "{said}"
    );
}

#[test]
fn nobody_takes_standard_error() {
    let folder = Folder::new();
    let jdk = jdks().remove(0);
    let classes = jdk.classes("fixtures").display().to_string();
    let java = jdk.java().display().to_string();
    let full = || {
        let device = fs::OpenOptions::new().write(true).open("/dev/full");
        Stdio::from(device.expect("a device"))
    };
    let code = |mut command: Command| {
        let status = command.stdout(Stdio::null()).stderr(full()).status();
        status.expect("it can be started").code()
    };
    for program in ["jhyded", "jhyde"] {
        // Nothing matches, so that there is something to complain of.
        let words = [
            "launch",
            "--name",
            program,
            "--include",
            "none.at.all",
            "--",
            &java,
            "-cp",
            &classes,
            "fx.Ends",
            "exit",
            "5",
        ];
        let mut command = match program {
            "jhyded" => folder.jhyded(&words),
            _ => folder.jhyde(&words),
        };
        command.env("JHYDED_LOG_FILTER", "trace");
        assert_eq!(code(command), Some(3), "{program}");
    }
    let mut listed = folder.jhyde(&["list"]);
    listed.env("JHYDED_LOG_FILTER", "trace");
    assert_eq!(code(listed), Some(0));
    assert_eq!(code(folder.jhyde(&["show", "nothing"])), Some(3));
    assert_eq!(code(folder.jhyded(&["inspect", "nothing"])), Some(1));
}

/// Whatever the umask: its owner's alone. The recorded program has its umask as ever.
#[test]
fn what_is_recorded_is_its_owners_alone() {
    for umask in ["000", "022", "0277"] {
        let folder = Folder::new();
        let jdk = jdks().remove(0);
        let script = format!(
            "umask {umask}
            jhyded launch --name r -- $JAVA -cp $CLASSES fx.Ends last 5
            jhyde list
            jhyde launch --name s -- $JAVA -cp $CLASSES fx.Ends last 5
            echo 'valid' | jhyde debug r || true"
        );
        let mut command = Command::new("bash");
        let binaries = binary("jhyde");
        let binaries = binaries.parent().unwrap_or_else(|| Path::new("/"));
        let output = command
            .args(["-ec", &script])
            .env("PATH", format!("{}:/usr/bin:/bin", binaries.display()))
            .env("JHYDED_DATA", folder.data())
            .env("XDG_CONFIG_HOME", folder.data().with_file_name("none"))
            .env("JAVA", jdk.java())
            .env("CLASSES", jdk.classes("fixtures"))
            .stdin(Stdio::null())
            .output()
            .expect("bash can be started");
        assert!(output.status.success(), "{umask}: {}", text(&output.stderr));
        let mut seen = 0;
        modes(&folder.data(), &mut |path, mode, is_folder| {
            seen += 1;
            let right = if is_folder { 0o700 } else { 0o600 };
            assert_eq!(mode, right, "{umask}: {} is {mode:o}", path.display());
        });
        assert!(seen > 10, "{umask}: {seen} files and folders");
    }
}

fn modes(folder: &Path, check: &mut impl FnMut(&Path, u32, bool)) {
    // The daemon may be at work: what it has renamed or deleted since the folder was read is not there.
    let of = |path: &Path| {
        let found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            found => found.expect("it can be looked at"),
        };
        Some((found.permissions().mode() & 0o7777, found.is_dir()))
    };
    let (mode, is_folder) = of(folder).expect("the folder");
    check(folder, mode, is_folder);
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match of(&entry.path()) {
            Some((_, true)) => modes(&entry.path(), check),
            Some((mode, _)) => check(&entry.path(), mode, false),
            None => {}
        }
    }
}
