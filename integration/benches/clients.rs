//! What a daemon that records costs and bears beside many clients.
//!
//! `cargo bench -p jhyde-integration --bench clients [-- CLIENTS SLOW ROUNDS]` after `cargo build --release --workspace --bins`. A program is recorded by the
//! engine `probe` at level `full`, without clients and beside them (1,000, on connections of their own), in turn. Of these 200 read a long answer, 1 KB a
//! second; each other one asks for a page of a tree every ten seconds. One client more asks for pages one after the other, and is timed. All run on this machine, so that what
//! clients take of the processors is in it. Prints a table in Markdown.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jhyde_integration::programs::Workload;
use jhyde_integration::scraped::Scraped;
use jhyde_integration::{Folder, Jdk, jdks};
use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::queries_client::QueriesClient;
use jhyde_proto::v1::{ListCallsRequest, RunQueryRequest};
use prost::Message as _;
use tokio::task::JoinSet;
use tonic::transport::Channel;

/// Longer than anything of this takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was measured while one run was recorded.
struct Measured {
    events_per_second: f64,
    /// Median and 99th percentile of a page, in ms.
    page: (f64, f64),
    /// Of the daemon, in MB.
    memory: f64,
    calls: u64,
}

fn main() {
    let given = std::env::args().skip(1).filter(|word| word != "--bench");
    let given: Vec<usize> = given.filter_map(|word| word.parse().ok()).collect();
    let number = |at: usize, default| given.get(at).copied().unwrap_or(default);
    let (clients, slow, rounds) = (number(0, 1000), number(1, 200), number(2, 3));
    let jdk = &jdks()[0];
    let folder = Folder::new();
    record(&folder, jdk, "page", "500");
    let daemon = Scraped::serve(&folder);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    println!(
        "| clients | events/s | a page, median, ms | 99th percentile, ms | memory of the daemon, MB | calls answered |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut all: [Vec<Measured>; 2] = Default::default();
    for round in 0..rounds {
        for (beside, measured) in [0, clients].into_iter().zip(&mut all) {
            let name = format!("run-{beside}-{round}");
            let crowd = Crowd::gather(&runtime, &folder, beside, slow.min(beside));
            let one = measure(&runtime, &folder, jdk, &daemon, &name, &crowd);
            println!(
                "| {beside} | {:.0} | {:.2} | {:.2} | {:.0} | {} |",
                one.events_per_second, one.page.0, one.page.1, one.memory, one.calls
            );
            measured.push(one);
            runtime.block_on(crowd.leave());
            folder.ask(&["delete", &name]);
        }
    }
    let median = |of: &[Measured], what: fn(&Measured) -> f64| {
        let mut all: Vec<_> = of.iter().map(what).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    let ratio = |what: fn(&Measured) -> f64| median(&all[1], what) / median(&all[0], what);
    println!(
        "\nBeside {clients} clients: {:.2} times the events a second, {:.1} times the 99th percentile of a page, {:.0} KB of memory more for each; the bound of recordings and sessions is {:.0} MB.",
        ratio(|one| one.events_per_second),
        ratio(|one| one.page.1),
        (median(&all[1], |one| one.memory) - median(&all[0], |one| one.memory)) * 1e3
            / clients as f64,
        daemon.value("jhyde_memory_bound_bytes") / 1e6,
    );
}

/// `kernel` of the workloads, of some size.
fn record(folder: &Folder, jdk: &Jdk, name: &str, size: &str) {
    let all = Workload::all();
    let kernel = all.iter().find(|workload| workload.name() == "kernel");
    let kernel = kernel.expect("workloads.json has kernel");
    let scope = kernel.scope();
    let mut options = vec!["--engine", "probe", "--level", "full"];
    options.extend(scope.iter().map(String::as_str));
    let arguments = kernel.arguments_of_size(jdk, size);
    let run = folder.launch(jdk, name, &options, &arguments);
    assert!(run.status.success(), "{}", run.stderr);
}

async fn channel(folder: &Folder) -> Channel {
    let address = Address::Unix(socket_of(&folder.data()));
    connect(&address, PATIENCE)
        .await
        .expect("the daemon listens")
}

fn page() -> ListCallsRequest {
    ListCallsRequest {
        recording: "page".into(),
        page_size: 50,
        ..ListCallsRequest::default()
    }
}

/// Clients that are connected, and ask until they are told to leave.
struct Crowd {
    leaves: Arc<AtomicBool>,
    calls: Arc<AtomicU64>,
    all: JoinSet<()>,
}

impl Crowd {
    fn gather(
        runtime: &tokio::runtime::Runtime,
        folder: &Folder,
        count: usize,
        slow: usize,
    ) -> Self {
        let mut crowd = Self {
            leaves: Arc::default(),
            calls: Arc::default(),
            all: JoinSet::new(),
        };
        runtime.block_on(async {
            for number in 0..count {
                let channel = channel(folder).await;
                let (leaves, calls) = (Arc::clone(&crowd.leaves), Arc::clone(&crowd.calls));
                match number < slow {
                    true => crowd.all.spawn(read_slowly(channel, leaves, calls)),
                    false => {
                        // Not all at once.
                        let first = Duration::from_secs(10) * number as u32 / count as u32;
                        crowd
                            .all
                            .spawn(ask_now_and_then(channel, first, leaves, calls))
                    }
                };
            }
        });
        crowd
    }

    async fn leave(mut self) {
        self.leaves.store(true, Ordering::Relaxed);
        while let Some(ended) = self.all.join_next().await {
            ended.expect("no client fails");
        }
    }
}

/// An answer of many rows, 1 KB of it each second.
async fn read_slowly(channel: Channel, leaves: Arc<AtomicBool>, calls: Arc<AtomicU64>) {
    let mut queries = QueriesClient::new(channel);
    while !leaves.load(Ordering::Relaxed) {
        let request = RunQueryRequest {
            recording: "page".into(),
            query: "call-tree".into(),
            parameters: [("call".to_owned(), "1.1".to_owned())].into(),
            ..RunQueryRequest::default()
        };
        let mut answer = queries
            .run(request)
            .await
            .expect("it is answered")
            .into_inner();
        calls.fetch_add(1, Ordering::Relaxed);
        while !leaves.load(Ordering::Relaxed) {
            let mut bytes = 0;
            while bytes < 1024 {
                match answer.message().await.expect("it goes on") {
                    Some(part) => bytes += part.encoded_len(),
                    None => break,
                }
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// A page every ten seconds.
async fn ask_now_and_then(
    channel: Channel,
    first: Duration,
    leaves: Arc<AtomicBool>,
    calls: Arc<AtomicU64>,
) {
    let mut history = HistoryClient::new(channel);
    let mut next = tokio::time::Instant::now() + first;
    while !leaves.load(Ordering::Relaxed) {
        if tokio::time::Instant::now() >= next {
            history.list_calls(page()).await.expect("a page");
            calls.fetch_add(1, Ordering::Relaxed);
            next += Duration::from_secs(10);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Records once, asks for pages meanwhile, and looks at the daemon's memory.
fn measure(
    runtime: &tokio::runtime::Runtime,
    folder: &Folder,
    jdk: &Jdk,
    daemon: &Scraped,
    name: &str,
    crowd: &Crowd,
) -> Measured {
    let before = crowd.calls.load(Ordering::Relaxed);
    let ended = Arc::new(AtomicBool::new(false));
    let times = Arc::new(Mutex::new(Vec::new()));
    let timed = {
        let (ended, times) = (Arc::clone(&ended), Arc::clone(&times));
        let channel = runtime.block_on(channel(folder));
        runtime.spawn(async move {
            let mut history = HistoryClient::new(channel);
            while !ended.load(Ordering::Relaxed) {
                let begun = Instant::now();
                history.list_calls(page()).await.expect("a page");
                let took = begun.elapsed().as_secs_f64() * 1e3;
                times.lock().expect("nobody panics").push(took);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
    };
    let begun = Instant::now();
    record(folder, jdk, name, "5000000");
    let seconds = begun.elapsed().as_secs_f64();
    let memory = daemon.value("process_resident_memory_bytes") / 1e6;
    ended.store(true, Ordering::Relaxed);
    runtime.block_on(timed).expect("it ends");
    let shown = folder.json(&["show", name]).remove(0);
    let mut times = times.lock().expect("nobody panics").clone();
    times.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let place = (times.len() as f64 * part) as usize;
        times
            .get(place.min(times.len() - 1))
            .copied()
            .unwrap_or_default()
    };
    Measured {
        events_per_second: shown["events"].as_f64().unwrap_or_default() / seconds,
        page: (at(0.5), at(0.99)),
        memory,
        calls: crowd.calls.load(Ordering::Relaxed) - before,
    }
}
