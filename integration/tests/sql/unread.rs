//! Answers that nobody reads, and clients that leave: what the daemon holds for them has bounds, others are served, and statements end.
//!
//! A statement that runs is seen by its temporary file: what it sorts or keeps is in one that the daemon has open, without a name, until it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jhyde_integration::{Folder, jdks};
use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::queries_client::QueriesClient;
use jhyde_proto::v1::sql_answer::Part;
use jhyde_proto::v1::{SqlAnswer, SqlFormat, SqlRequest};
use tonic::transport::Channel;
use tonic::{Code, Streaming};

use crate::merge_sort;

/// Some megabytes that do not fit into memory stay open while the rows behind are read.
const KEPT: &str = "CREATE TEMP TABLE kept AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) \
                    SELECT printf('%01000d', i) AS text FROM n; ";
/// Rows of a megabyte, without end.
const LARGE: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT printf('%01000000d', i) AS text FROM n";
/// Small ones.
const SMALL: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
/// None, and no end.
const NONE: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

/// A daemon, and where its temporary files are.
struct Served {
    folder: Folder,
    temporary: PathBuf,
    process: String,
    queries: QueriesClient<Channel>,
}

impl Served {
    async fn begin() -> Self {
        let folder = merge_sort(&jdks()[0], "calls");
        let temporary = folder.data().with_file_name("temporary");
        fs::create_dir(&temporary).expect("a folder");
        // Starts the daemon.
        let mut list = folder.jhyde(&["list"]);
        let listed = list.env("TMPDIR", &temporary).status();
        assert!(listed.expect("jhyde can be started").success());
        let lock = fs::read_to_string(folder.data().join("lock")).expect("a daemon runs");
        let process = lock
            .split_whitespace()
            .next()
            .expect("its number")
            .to_owned();
        let address = Address::Unix(socket_of(&folder.data()));
        let channel = connect(&address, Duration::from_secs(10)).await;
        let queries = QueriesClient::new(channel.expect("the daemon listens"));
        Self {
            folder,
            temporary,
            process,
            queries,
        }
    }

    async fn ask(&self, statement: &str, request: SqlRequest) -> Streaming<SqlAnswer> {
        let request = SqlRequest {
            recording: "run".into(),
            statement: format!("{KEPT}{statement}"),
            ..request
        };
        let mut queries = self.queries.clone();
        let answer = queries.sql(request).await;
        answer.expect("it is answered").into_inner()
    }

    /// The temporary files that the daemon has open.
    fn open_files(&self) -> usize {
        let open = fs::read_dir(format!("/proc/{}/fd", self.process)).expect("it lives");
        let target = |entry: fs::DirEntry| fs::read_link(entry.path()).ok();
        let open = open.flatten().filter_map(target);
        open.filter(|file| file.starts_with(&self.temporary))
            .count()
    }

    /// Waits until statements have files open, each one at least.
    fn until_they_run(&self, statements: usize) {
        self.until(|files| files >= statements);
    }

    /// Waits until none has; how long that took.
    fn until_they_end(&self) -> Duration {
        self.until(|files| files == 0)
    }

    fn until(&self, is_so: impl Fn(usize) -> bool) -> Duration {
        let begun = Instant::now();
        while !is_so(self.open_files()) {
            let files = self.open_files();
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "{files} are open"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        begun.elapsed()
    }

    fn is_served(&self) {
        let (rows, _) = crate::ask(&self.folder, &["-c", "SELECT count(*) AS n FROM calls"]);
        assert_eq!(rows[0]["n"], 7, "{rows:?}");
    }
}

/// Resident bytes of a process, at most since that was forgotten.
fn peak(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it lives");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse::<u64>().ok())
        .expect("kilobytes")
        << 10
}

fn forget_peak(process: &str) {
    let forget = Path::new("/proc").join(process).join("clear_refs");
    fs::write(forget, "5").expect("Linux lets it be forgotten");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_reads_takes_little_memory_and_hinders_nobody() {
    const CLIENTS: usize = 12;
    let served = Served::begin().await;
    served.is_served();
    forget_peak(&served.process);
    let before = peak(&served.process);
    let mut unread = Vec::new();
    for number in 0..CLIENTS {
        let format = match number % 2 {
            0 => SqlFormat::Unspecified,
            _ => SqlFormat::Arrow,
        };
        let request = SqlRequest {
            format: format.into(),
            max_memory: "16MB".into(),
            ..SqlRequest::default()
        };
        unread.push(served.ask(LARGE, request).await);
    }
    served.until_they_run(CLIENTS);
    // They would find 64 rows and more in this time, each.
    std::thread::sleep(Duration::from_secs(3));
    served.is_served();
    let more = peak(&served.process).saturating_sub(before);
    assert!(
        more < CLIENTS as u64 * 32_000_000,
        "{} MB for {CLIENTS} clients",
        more / 1_000_000
    );
    assert!(served.open_files() >= CLIENTS, "all of them wait");
    drop(unread);
    served.until_they_end();
    served.is_served();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_ends_with_the_client_that_leaves() {
    let served = Served::begin().await;
    for (statement, format) in [
        (LARGE, SqlFormat::Unspecified),
        (LARGE, SqlFormat::Arrow),
        (SMALL, SqlFormat::Unspecified),
        (SMALL, SqlFormat::Arrow),
    ] {
        // Others use this machine, too: at best it tells what the daemon needs.
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let request = SqlRequest {
                format: format.into(),
                ..SqlRequest::default()
            };
            let unread = served.ask(statement, request).await;
            served.until_they_run(1);
            drop(unread);
            best = best.min(served.until_they_end());
        }
        assert!(best < Duration::from_millis(100), "{statement}: {best:?}");
    }
    // One that has not found anything yet: its client still waits for the first part.
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let mut waiting = served.ask(NONE, SqlRequest::default()).await;
        let mut first = Box::pin(waiting.message());
        let header = tokio::time::timeout(Duration::from_secs(60), &mut first).await;
        assert!(header.is_ok_and(|part| part.is_ok_and(|part| part.is_some())));
        drop(first);
        served.until_they_run(1);
        drop(waiting);
        best = best.min(served.until_they_end());
    }
    assert!(best < Duration::from_millis(100), "{best:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_whose_time_is_over_ends_though_nobody_reads() {
    let served = Served::begin().await;
    for format in [SqlFormat::Unspecified, SqlFormat::Arrow] {
        let request = SqlRequest {
            format: format.into(),
            timeout_ms: Some(3000),
            ..SqlRequest::default()
        };
        let mut unread = served.ask(LARGE, request).await;
        served.until_they_run(1);
        let took = served.until_they_end();
        assert!(took < Duration::from_secs(5), "{took:?}");
        served.is_served();
        // Who reads late gets what there was, and why there is no more.
        let mut parts = 0;
        let end = loop {
            match unread.message().await {
                Ok(Some(SqlAnswer { part })) => {
                    assert!(!matches!(part, Some(Part::Footer(_))), "it is not whole");
                    parts += 1;
                }
                Ok(None) => panic!("it ends as if it were whole"),
                Err(status) => break status,
            }
        };
        assert!(parts > 0);
        assert_eq!(end.code(), Code::DeadlineExceeded, "{end}");
    }
}
