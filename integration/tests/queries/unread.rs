//! Answers in parts that nobody reads: queries by name, facts and comparisons end with their clients, and when these take nothing for long.
//!
//! How many answers are looked for is told by the daemon's metrics.

use std::time::{Duration, Instant};

use jhyde_integration::scraped::Scraped;
use jhyde_integration::{Folder, jdks};
use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::queries_client::QueriesClient;
use jhyde_proto::v1::{
    CompareAnswer, CompareRequest, ExportJelRequest, JelChunk, ListQueriesRequest, QueryAnswer,
    RunQueryRequest, compare_answer, query_answer,
};
use tonic::transport::Channel;
use tonic::{Code, Streaming};

/// How often the program adds; what is told of it is far more than may wait anywhere.
const COUNT: u64 = 50_000;

/// How long a daemon waits for who takes nothing, where that is said.
const UNREAD: Duration = Duration::from_secs(3);

/// Longer than anything of this takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Two runs that differ in each of their calls.
fn recorded() -> Folder {
    let folder = Folder::new();
    let jdk = &jdks()[0];
    for (name, seed) in [("run", "0"), ("other", "1")] {
        let path = jdk.classes("queries").display().to_string();
        let words = ["-cp", &path, "Many", seed, &COUNT.to_string(), "0"];
        let arguments = words.map(str::to_owned);
        let options = ["--engine", "probe", "--level", "full", "--include", "Many"];
        let run = folder.launch(jdk, name, &options, &arguments);
        assert!(run.status.success(), "{}", run.stderr);
    }
    folder
}

struct Asked {
    metrics: Scraped,
    queries: QueriesClient<Channel>,
}

impl Asked {
    async fn begin(folder: &Folder, settings: &[(&str, &str)]) -> Self {
        let metrics = Scraped::serve_with(folder, settings);
        let address = Address::Unix(socket_of(&folder.data()));
        let channel = connect(&address, PATIENCE).await;
        let queries = QueriesClient::new(channel.expect("the daemon listens"));
        Self { metrics, queries }
    }

    async fn rows(&self) -> Streaming<QueryAnswer> {
        let request = RunQueryRequest {
            recording: "run".into(),
            query: "local-history".into(),
            parameters: [("local".to_owned(), "main#0:i".to_owned())].into(),
            ..RunQueryRequest::default()
        };
        let answer = self.queries.clone().run(request).await;
        answer.expect("it is answered").into_inner()
    }

    async fn facts(&self) -> Streaming<JelChunk> {
        let request = ExportJelRequest {
            recording: "run".into(),
            ..ExportJelRequest::default()
        };
        let answer = self.queries.clone().export_jel(request).await;
        answer.expect("it is answered").into_inner()
    }

    async fn differences(&self) -> Streaming<CompareAnswer> {
        let request = CompareRequest {
            recording: "run".into(),
            against: "other".into(),
            max_rows: Some(u64::MAX),
            ..CompareRequest::default()
        };
        let answer = self.queries.clone().compare(request).await;
        answer.expect("it is answered").into_inner()
    }

    /// Waits until so many answers are looked for; how long that took.
    fn until(&self, answers: u32) -> Duration {
        self.metrics.until("jhyde_answers", answers)
    }

    /// Whoever has gone is not answered: at best, as others use this machine, too.
    async fn ends_with_its_client<T>(&self, ask: impl AsyncFn() -> Streaming<T>) {
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let mut unread = ask().await;
            let first = unread.message().await.expect("a part");
            assert!(first.is_some());
            self.until(1);
            drop(unread);
            best = best.min(self.until(0));
        }
        assert!(best < Duration::from_millis(100), "{best:?}");
    }
}

/// Reads what waits of an answer that was ended; how many parts that were.
async fn ended<T>(mut unread: Streaming<T>, is_last: impl Fn(&T) -> bool) -> usize {
    let mut parts = 0;
    let end = loop {
        match unread.message().await {
            Ok(Some(part)) => assert!(!is_last(&part), "it is not whole"),
            Ok(None) => panic!("it ends as if it were whole"),
            Err(status) => break status,
        }
        parts += 1;
    };
    assert_eq!(end.code(), Code::DeadlineExceeded, "{end}");
    assert!(end.message().contains("limits.unread"), "{end}");
    let details = String::from_utf8_lossy(end.details());
    assert!(details.contains("UNREAD"), "{details}");
    parts
}

fn is_row_or_end(answer: &QueryAnswer) -> (bool, bool) {
    use query_answer::Part;
    let part = &answer.part;
    (
        matches!(part, Some(Part::Row(_))),
        matches!(part, Some(Part::Footer(_))),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_nobody_reads_end_and_those_that_are_read_slowly_do_not() {
    let folder = recorded();
    let asked = Asked::begin(&folder, &[("JHYDED_LIMITS_UNREAD", "3s")]).await;
    asked.until(0);
    let begun = Instant::now();
    let rows = asked.rows().await;
    let facts = asked.facts().await;
    let differences = asked.differences().await;
    asked.until(3);
    asked.until(0);
    assert!(begun.elapsed() >= UNREAD, "{:?}", begun.elapsed());
    // Who looks again gets what waited, and why there is no more.
    let is_end = |answer: &QueryAnswer| is_row_or_end(answer).1;
    assert!(ended(rows, is_end).await > 128);
    assert!(ended(facts, |_| false).await > 1);
    let is_end =
        |answer: &CompareAnswer| matches!(answer.part, Some(compare_answer::Part::Footer(_)));
    assert!(ended(differences, is_end).await > 128);

    // More than the window of HTTP/2 is taken each time, in longer than the daemon would wait for nothing.
    let mut slow = asked.rows().await;
    let begun = Instant::now();
    let (mut rows, mut is_whole) = (0, false);
    while let Some(answer) = slow.message().await.expect("it is not ended") {
        let (is_row, is_end) = is_row_or_end(&answer);
        is_whole |= is_end;
        rows += u64::from(is_row);
        if is_row && rows % (COUNT / 5) == 0 {
            tokio::time::sleep(UNREAD / 4).await;
        }
    }
    assert!(
        is_whole && begun.elapsed() > UNREAD,
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(rows, COUNT + 1);
    asked.until(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_end_with_the_client_that_leaves() {
    let folder = recorded();
    let asked = Asked::begin(&folder, &[]).await;
    asked
        .ends_with_its_client(async || asked.rows().await)
        .await;
    asked
        .ends_with_its_client(async || asked.facts().await)
        .await;
    let differences = async || asked.differences().await;
    asked.ends_with_its_client(differences).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_so_many_answers_and_all_else_is_answered() {
    let folder = recorded();
    let asked = Asked::begin(&folder, &[("JHYDED_LIMITS_ANSWERS", "2")]).await;
    let unread = (asked.facts().await, asked.differences().await);
    let request = || RunQueryRequest {
        recording: "run".into(),
        query: "threads".into(),
        ..RunQueryRequest::default()
    };
    let mut queries = asked.queries.clone();
    let refused = queries.run(request()).await.expect_err("one too many");
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    assert!(refused.message().contains("limits.answers"), "{refused}");
    let details = String::from_utf8_lossy(refused.details());
    assert!(details.contains("TOO_MANY_ANSWERS"), "{details}");
    queries
        .list(ListQueriesRequest {})
        .await
        .expect("it has one part");
    drop(unread.0);
    asked.until(1);
    queries.run(request()).await.expect("there is room for one");
}
