//! A disk that is full while a statement sorts: the statement says so, nothing of it is left, and others, and what is being recorded, go on.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use jhyde_integration::tools::binary;
use jhyde_integration::{Folder, jdks};

/// Sorts 300 MB in files; a program is being recorded meanwhile. `$TMPDIR` is where the files go, `serve` begins a daemon.
const SCRIPT: &str = r#"
    serve 2>$DATA-log &
    daemon=$!
    for n in $(seq 400); do [ -S $DATA/jhyded.sock ] && break; sleep 0.05; done
    mkfifo $DATA-in
    jhyde launch --name run --level full --include 'Gauges*' -- $JAVA -cp $CLASSES Gauges wait <$DATA-in >$DATA-out &
    program=$!
    exec 7>$DATA-in
    for n in $(seq 1200); do grep -q 122 $DATA-out && break; sleep 0.05; done

    code=0
    jhyde sql run -c "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT printf('%01000d', i * 7919 % 300007) AS k FROM n ORDER BY k" >$DATA-rows || code=$?
    echo the statement ended with $code
    echo rows: $(grep -c '^0' $DATA-rows)
    echo left behind: $(find $TMPDIR -mindepth 1 | wc -l) files, $(ls -l /proc/$daemon/fd | grep -c "$TMPDIR") open
    echo sorted: $(jhyde sql run --csv -c "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT min(k) FROM (SELECT printf('%01000d', i) AS k FROM n ORDER BY k)" | tail -1 | grep -c '0001$')

    echo >&7
    exec 7>&-
    wait $program
    echo readings: $(jhyde sql run --csv -c "SELECT count(*) FROM calls WHERE method = 'read' AND class LIKE 'Gauges%'" | tail -1)
    echo gaps: $(jhyde sql run --csv -c "SELECT count(*) FROM gaps" | tail -1)
    jhyde daemon stop >/dev/null
    cat $DATA-log >&2
"#;

fn check(command: &mut Command, before: &str) {
    let jdk = jdks().remove(0);
    let folder = Folder::new();
    let binaries = binary("jhyde");
    let binaries = binaries.parent().unwrap_or_else(|| Path::new("/"));
    let temporary = folder.data().with_file_name("temporary");
    fs::create_dir_all(folder.data()).expect("a folder");
    fs::create_dir_all(&temporary).expect("a folder");
    let output = command
        .args(["bash", "-c", &format!("set -e\n{before}\n{SCRIPT}")])
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin:/usr/sbin:/sbin", binaries.display()),
        )
        .env("DATA", folder.data())
        .env("JHYDED_DATA", folder.data())
        .env("TMPDIR", &temporary)
        .env("XDG_RUNTIME_DIR", folder.data().with_file_name("runtime"))
        .env("XDG_CONFIG_HOME", folder.data().with_file_name("none"))
        .env("JAVA", jdk.java())
        .env("CLASSES", jdk.classes("slices"))
        .stdin(Stdio::null())
        .output()
        .expect("it can be started");
    let (said, complained) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{said}\n{complained}");
    for line in [
        "the statement ended with 1",
        "rows: 0",
        "left behind: 0 files, 0 open",
        "sorted: 1",
        "readings: 12",
        "gaps: 0",
    ] {
        assert!(
            said.lines().any(|it| it == line),
            "{line}: {said}\n{complained}"
        );
    }
    let told = "the statement cannot write its temporary files, for sorting and temporary tables";
    assert!(complained.contains(told), "{complained}");
    assert!(!complained.contains("panicked"), "{complained}");
}

/// The disk is a real one, in a mount namespace (as root, or where the system lets users have one). Where there is none, `JHYDE_NO_MOUNTS=1` says so: then
/// [`files_that_may_not_grow`] alone shows it.
#[test]
fn a_full_disk() {
    if std::env::var_os("JHYDE_NO_MOUNTS").is_some() {
        return;
    }
    let mut command = Command::new("unshare");
    if fs::metadata("/proc/self").expect("this process").uid() != 0 {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]);
    check(
        &mut command,
        "mount -t tmpfs -o size=16m tmpfs $TMPDIR
        serve() { exec jhyded serve; }",
    );
}

/// A limit of the system on how long files may be. RocksDB's are shorter.
#[test]
fn files_that_may_not_grow() {
    check(
        Command::new("env").arg("--"),
        "serve() { trap '' XFSZ; ulimit -f 16384; exec jhyded serve; }",
    );
}
