//! Metrics, as Prometheus scrapes them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use crate::access::call;
use crate::authority::{Authority, Signed, written};
use crate::served::{PATIENCE, Served, jhyded, text};
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{GetRecordingRequest, ListenRequest};
use jhyde_server::access::table::{METHODS, Needs};
use prometheus_parse::{Sample, Scrape, Value};
use rustix::process::Signal;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

/// How often each method is called.
const TIMES: usize = 1000;

/// The settings of a daemon with metrics.
const METRICS: (&str, &str) = ("JHYDED_LISTEN_METRICS", "127.0.0.1:0");

/// Asks once; the whole answer.
async fn asked(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    timeout(PATIENCE, read).await.unwrap().unwrap();
    answer
}

/// Where a daemon's metrics are.
async fn address(served: &Served) -> String {
    let line = served.logged("metrics can be scraped").await;
    let (_, address) = line.split_once("address=").unwrap();
    address.trim().to_owned()
}

async fn scraped(address: &str) -> Vec<Sample> {
    let request = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let answer = asked(address, request).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("text/plain; version=0.0.4"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let lines = body.lines().map(|line| Ok(line.to_owned()));
    let parsed = Scrape::parse(lines).unwrap();
    // Every line that is no comment was understood.
    let lines = body.lines().filter(|line| !line.starts_with('#')).count();
    let told: usize = parsed.samples.iter().map(lines_of).sum();
    assert_eq!(told, lines, "{body}");
    parsed.samples
}

/// How many lines a sample is made of. Of a histogram the parser tells sum and count apart.
fn lines_of(sample: &Sample) -> usize {
    match &sample.value {
        Value::Histogram(buckets) => buckets.len(),
        _ => 1,
    }
}

fn number(sample: &Sample) -> f64 {
    match sample.value {
        Value::Counter(value) | Value::Gauge(value) | Value::Untyped(value) => value,
        _ => panic!("{sample:?}"),
    }
}

/// The values of a metric by one of its labels.
fn by(samples: &[Sample], metric: &str, label: &str) -> BTreeMap<String, f64> {
    let mut values = BTreeMap::new();
    for sample in samples.iter().filter(|sample| sample.metric == metric) {
        let of = sample.labels.get(label).unwrap_or_default().to_owned();
        *values.entry(of).or_default() += number(sample);
    }
    values
}

fn value(samples: &[Sample], metric: &str) -> f64 {
    let of = by(samples, metric, "");
    *of.values().next().unwrap_or_else(|| panic!("no {metric}"))
}

#[tokio::test]
async fn each_call_that_is_refused_is_counted_once_with_its_reason() {
    let served = Served::begin(
        tempfile::tempdir().unwrap(),
        &["--listen", "127.0.0.1:0"],
        &[METRICS],
    );
    let channel = served.over_tcp().await;
    let closed = METHODS
        .iter()
        .filter(|method| method.needs != Needs::Nothing);
    let closed: Vec<_> = closed.map(|method| method.path).collect();
    for path in &closed {
        for _ in 0..TIMES {
            let status = call(&channel, path, None).await;
            assert_eq!(status.code(), Code::Unauthenticated, "{path}");
        }
    }
    // What nobody has is one method, whatever it is called.
    for path in ["/secret.Service/Method", "/jhyde.v1.Recordings/Nothing"] {
        call(&channel, path, None).await;
    }
    let mut health = HealthClient::new(channel.clone());
    health.check(HealthCheckRequest::default()).await.unwrap();

    let address = address(&served).await;
    let samples = scraped(&address).await;
    let refused = closed.len() * TIMES + 2;
    let reasons = by(&samples, "jhyde_refusals_total", "reason");
    assert_eq!(
        reasons,
        BTreeMap::from([("NO_TOKEN".to_owned(), refused as f64)])
    );
    let mut methods = by(&samples, "jhyde_calls_total", "method");
    assert_eq!(methods.remove("unknown"), Some(2.0));
    assert_eq!(methods.remove("grpc.health.v1.Health/Check"), Some(1.0));
    assert_eq!(methods.len(), closed.len());
    for path in closed {
        let name = path.trim_start_matches('/');
        assert_eq!(methods.get(name), Some(&(TIMES as f64)), "{path}");
    }
    let codes = by(&samples, "jhyde_calls_total", "code");
    assert_eq!(codes.get("UNAUTHENTICATED"), Some(&(refused as f64)));
    assert_eq!(codes.get("OK"), Some(&1.0));
    assert_eq!(codes.len(), 2);
}

#[tokio::test]
async fn the_daemon_is_seen_and_nothing_of_its_clients_and_programs() {
    let served = Served::begin(
        tempfile::tempdir().unwrap(),
        &["--listen", "127.0.0.1:0", "--memory", "128MB"],
        &[METRICS],
    );
    let address = address(&served).await;
    let mut owner = RecordingsClient::new(served.at_socket().await);
    let secret = "a-very-secret-name";
    let waiting = ListenRequest {
        name: secret.to_owned(),
        ..ListenRequest::default()
    };
    owner.listen(waiting).await.unwrap();
    let named = || GetRecordingRequest {
        recording: secret.to_owned(),
    };
    owner.get(named()).await.unwrap();
    let other = GetRecordingRequest {
        recording: "another-secret".to_owned(),
    };
    owner.get(other).await.unwrap_err();
    served.token(&[
        "create",
        "secret-token",
        "--rights",
        "read",
        "--expires",
        "9d",
    ]);
    let mut watched = owner.watch(named()).await.unwrap().into_inner();
    watched.message().await.unwrap().unwrap();

    let samples = scraped(&address).await;
    let states = by(&samples, "jhyde_recordings", "state");
    assert_eq!((states["waiting"], states["failed"]), (1.0, 0.0));
    assert_eq!(value(&samples, "jhyde_calls_under_way"), 1.0);
    assert!(value(&samples, "jhyde_connections") >= 1.0);
    assert_eq!(value(&samples, "jhyde_events_total"), 0.0);
    assert_eq!(value(&samples, "jhyde_memory_bound_bytes"), 128e6);
    assert!(value(&samples, "process_resident_memory_bytes") > 1e6);
    assert!(value(&samples, "jhyde_disk_used_bytes") > 0.0);
    assert!(value(&samples, "jhyde_disk_free_bytes") > 0.0);
    assert_eq!(value(&samples, "jhyde_build_info"), 1.0);
    assert_eq!(by(&samples, "jhyde_tokens", "state")["good"], 1.0);
    let now = value(&samples, "process_start_time_seconds");
    let days = (value(&samples, "jhyde_token_end_timestamp_seconds") - now) / 86400.0;
    assert!((8.9..9.1).contains(&days), "{days}");
    let codes = by(&samples, "jhyde_calls_total", "code");
    assert_eq!((codes["OK"], codes["NOT_FOUND"]), (2.0, 1.0));
    for sample in &samples {
        let told = format!("{sample:?}");
        assert!(!told.contains("secret"), "{told}");
    }

    // Whoever does not wait for the end has ended the call.
    drop((watched, owner));
    let until = tokio::time::Instant::now() + PATIENCE;
    loop {
        let samples = scraped(&address).await;
        let codes = by(&samples, "jhyde_calls_total", "code");
        if codes.get("CANCELLED") == Some(&1.0) {
            assert_eq!(value(&samples, "jhyde_calls_under_way"), 0.0);
            break;
        }
        assert!(tokio::time::Instant::now() < until, "{codes:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_ends_of_certificates_are_told_and_change_with_them() {
    let files = tempfile::tempdir().unwrap();
    let authority = Authority::new("ours");
    let write = |name: &str, text: &str| written(files.path(), name, text).display().to_string();
    let serve_by = |signed: &Signed| {
        write("server.crt", &signed.certificate);
        write("server.key", &signed.key)
    };
    let key = serve_by(&authority.sign("server", false));
    let served = Served::begin(
        tempfile::tempdir().unwrap(),
        &["--listen", "127.0.0.1:0"],
        &[
            METRICS,
            (
                "JHYDED_LISTEN_TLS_CERTIFICATE",
                &key.replace(".key", ".crt"),
            ),
            ("JHYDED_LISTEN_TLS_KEY", &key),
            (
                "JHYDED_LISTEN_TLS_CLIENT_CA",
                &write("ca.crt", authority.pem()),
            ),
        ],
    );
    let address = address(&served).await;
    let metric = "jhyde_certificate_end_timestamp_seconds";
    let ends = by(&scraped(&address).await, metric, "certificate");
    let of_2020 = 1_577_836_800.0;
    assert!(
        ends["server"] > of_2020 && ends["client_ca"] > of_2020,
        "{ends:?}"
    );
    assert_eq!(ends.len(), 2);
    serve_by(&authority.sign("server", true));
    served.signal(Signal::HUP);
    served.logged("was read anew").await;
    let ends = by(&scraped(&address).await, metric, "certificate");
    assert_eq!(ends["server"], of_2020);
}

#[tokio::test]
async fn whoever_asks_for_anything_else_gets_nothing_else() {
    let served = Served::start_with(&[METRICS]);
    let address = address(&served).await;
    let close = "Host: x\r\nConnection: close\r\n\r\n";
    for (line, code) in [
        ("GET / HTTP/1.1", "404"),
        ("POST /metrics HTTP/1.1", "405"),
        ("GET /metrics/../tokens.json HTTP/1.1", "404"),
        ("HEAD /metrics HTTP/1.1", "200"),
    ] {
        let answer = asked(&address, &format!("{line}\r\n{close}")).await;
        let head = format!("HTTP/1.1 {code}");
        assert!(answer.starts_with(&head), "{line}: {answer}");
    }
    let answer = asked(&address, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert!(!answer.contains("jhyde_"), "{answer}");
    // Those who say nothing hold nobody up.
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(TcpStream::connect(&address).await.unwrap());
    }
    scraped(&address).await;
}

/// The names of metrics in a text, without what a histogram adds to its own.
fn named(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    let ours = words.filter(|word| word.starts_with("jhyde_") || word.starts_with("process_"));
    ours.map(|word| word.trim_end_matches("_bucket")).collect()
}

#[test]
fn alerts_and_dashboard_ask_for_metrics_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let documented = read("docs/service.md");
    let (_, documented) = documented.split_once("## Metrics").unwrap();
    let (documented, _) = documented.split_once("## Limits").unwrap();
    let documented = named(documented);
    assert!(documented.len() > 15, "{documented:?}");
    // The page has the names that the daemon registers, and no others.
    let registered = read("daemon/server/src/seen/metrics.rs");
    assert_eq!(documented, named(&registered));
    for path in [
        "deploy/prometheus/jhyded.rules.yml",
        "deploy/grafana/jhyded.json",
    ] {
        let text = read(path);
        let asked = named(&text);
        assert!(asked.len() > 6, "{asked:?}");
        let unknown: Vec<_> = asked.difference(&documented).collect();
        assert_eq!(unknown, Vec::<&&str>::new(), "{path}");
    }
    let dashboard: serde_json::Value =
        serde_json::from_str(&read("deploy/grafana/jhyded.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(
        panels
            .iter()
            .all(|panel| panel["targets"][0]["expr"].is_string())
    );
}

#[test]
fn metrics_are_served_on_loopback_alone() {
    let data = tempfile::tempdir().unwrap();
    for (address, words) in [
        ("0.0.0.0:0", "listen.metrics = \"127.0.0.1:0\""),
        ("here", "HOST:PORT"),
    ] {
        let output = jhyded(data.path())
            .env("JHYDED_LISTEN_METRICS", address)
            .arg("serve")
            .output()
            .unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains(words), "{said}");
    }
}
