//! The metrics: what there is, and how it is written.

use std::time::Duration;

use prometheus::{
    Encoder as _, Gauge, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    IntGaugeVec, Opts, Registry, TextEncoder,
};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::access::table::Method;

/// Why calls are refused, in the words of `google.rpc.ErrorInfo`. One that is not here is told as `OTHER`.
pub const REASONS: &[&str] = &[
    "NO_TOKEN",
    "NO_BEARER",
    "TOKEN_UNKNOWN",
    "TOKEN_REVOKED",
    "TOKEN_EXPIRED",
    "RIGHT_MISSING",
    "OTHER_RECORDING",
    "OVER_TCP",
    "SOURCE_OVER_TCP",
    "JAR_OVER_TCP",
    "HOST_NOT_ALLOWED",
    "FOLDER_NOT_USABLE",
    "NO_KEY",
    "WRONG_KEY",
    "NOT_IN_A_BROWSER",
    "TICKET_UNKNOWN",
    "TICKET_EXPIRED",
    "TICKET_USED",
    "TOO_MANY_CALLS",
    "TOO_MANY_ANSWERS",
    "CALLS_TOO_FAST",
    "DISK",
];

/// What methods are called that the daemon does not have, whatever was asked for.
const UNKNOWN: &str = "unknown";

/// Bounds of the buckets of latencies, in seconds: most questions take milliseconds, some walk over a whole recording.
const LATENCIES: [f64; 11] = [
    0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0,
];

/// See the module. Counted from the daemon's start on.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    calls: IntCounterVec,
    refusals: IntCounterVec,
    latencies: HistogramVec,
    pub(super) under_way: IntGauge,
    pub(super) answers: IntGauge,
    pub(super) connections: IntGauge,
    pub(super) events: IntCounter,
    pub(super) store_wait: prometheus::Counter,
    pub(super) told: IntCounter,
    pub(super) stops: IntCounter,
    pub(super) standstill: prometheus::Counter,
    pub(super) recordings: IntGaugeVec,
    pub(super) memory: IntGauge,
    pub(super) memory_bound: IntGauge,
    pub(super) disk_used: IntGauge,
    pub(super) disk_free: IntGauge,
    pub(super) certificates: IntGaugeVec,
    pub(super) tokens: IntGaugeVec,
    /// Without a value where there is no token.
    pub(super) next_token: IntGaugeVec,
    pub(super) started: Gauge,
    pub(super) audit_lines: IntCounter,
    pub(super) audit_lost: IntCounter,
}

/// Names that metrics must not have: a bug of this file, which its test finds.
const WELL_FORMED: &str = "metrics are well formed, and no two have one name";

impl Default for Metrics {
    fn default() -> Self {
        let registry = Registry::new();
        let made = Made(&registry);
        let build = made.gauges(
            "jhyde_build_info",
            "The daemon's version: always 1.",
            &["version"],
        );
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        Self {
            calls: made.counters(
                "jhyde_calls_total",
                "Calls that have ended, by method and gRPC code.",
                &["method", "code"],
            ),
            refusals: made.counters(
                "jhyde_refusals_total",
                "Calls that were refused to whoever made them, by reason.",
                &["reason"],
            ),
            latencies: made.histograms(
                "jhyde_call_duration_seconds",
                "How long calls took; of those that answer by a stream, until it began.",
                &["method"],
            ),
            under_way: made.gauge("jhyde_calls_under_way", "Calls that have not ended."),
            answers: made.gauge(
                "jhyde_answers",
                "Answers in parts of which more is looked for.",
            ),
            connections: made.gauge("jhyde_connections", "Connections to the daemon's sockets."),
            events: made.register(IntCounter::new(
                "jhyde_events_total",
                "Events that were recorded.",
            )),
            store_wait: made.register(prometheus::Counter::new(
                "jhyde_store_wait_seconds_total",
                "How long recordings have waited for the store to take events, while their programs may have stood still.",
            )),
            told: made.register(IntCounter::new(
                "jhyde_debuggee_reports_total",
                "How often JVMs told recordings something, steps among it.",
            )),
            stops: made.register(IntCounter::new(
                "jhyde_debuggee_stops_total",
                "How often recordings stopped a thread of a program, or the whole JVM.",
            )),
            standstill: made.register(prometheus::Counter::new(
                "jhyde_debuggee_standstill_seconds_total",
                "How long threads that recordings had stopped stood still, one after another; a whole JVM counts as one.",
            )),
            recordings: made.gauges("jhyde_recordings", "Recordings, by state.", &["state"]),
            memory: made.gauge("process_resident_memory_bytes", "Memory of the process."),
            memory_bound: made.gauge(
                "jhyde_memory_bound_bytes",
                "What recordings and debugging sessions may take of it (setting memory).",
            ),
            disk_used: made.gauge(
                "jhyde_disk_used_bytes",
                "What the data folder takes on its disk.",
            ),
            disk_free: made.gauge(
                "jhyde_disk_free_bytes",
                "What the daemon may still write on that disk.",
            ),
            certificates: made.gauges(
                "jhyde_certificate_end_timestamp_seconds",
                "When the certificate of TLS ends, and the first one of the clients' authorities (since 1970).",
                &["certificate"],
            ),
            tokens: made.gauges("jhyde_tokens", "Tokens, by how they stand.", &["state"]),
            next_token: made.gauges(
                "jhyde_token_end_timestamp_seconds",
                "When the next one of the good tokens ends (since 1970).",
                &[],
            ),
            started: made.register(Gauge::new(
                "process_start_time_seconds",
                "When the daemon began (since 1970).",
            )),
            audit_lines: made.register(IntCounter::new(
                "jhyde_audit_lines_total",
                "Lines of the audit that were written.",
            )),
            audit_lost: made.register(IntCounter::new(
                "jhyde_audit_lost_total",
                "Lines of the audit that could not be written.",
            )),
            registry,
        }
    }
}

/// Makes metrics of a registry.
struct Made<'a>(&'a Registry);

impl Made<'_> {
    fn register<C: prometheus::core::Collector + Clone + 'static>(
        &self,
        made: prometheus::Result<C>,
    ) -> C {
        let made = made.expect(WELL_FORMED);
        self.0.register(Box::new(made.clone())).expect(WELL_FORMED);
        made
    }

    fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.register(IntGauge::new(name, help))
    }

    fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.register(IntGaugeVec::new(Opts::new(name, help), labels))
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.register(IntCounterVec::new(Opts::new(name, help), labels))
    }

    fn histograms(&self, name: &str, help: &str, labels: &[&str]) -> HistogramVec {
        let options = HistogramOpts::new(name, help).buckets(LATENCIES.to_vec());
        self.register(HistogramVec::new(options, labels))
    }
}

impl Metrics {
    /// A call has ended so.
    pub(super) fn ended(&self, method: Option<&Method>, status: &Status) {
        let labels = [named(method), word(status.code())];
        self.calls.with_label_values(&labels).inc();
        if let Some(reason) = refusal(status) {
            self.refusals.with_label_values(&[reason]).inc();
        }
    }

    /// A call was answered after so long, or began to be.
    pub(super) fn answered(&self, method: Option<&Method>, after: Duration) {
        let latencies = self.latencies.with_label_values(&[named(method)]);
        latencies.observe(after.as_secs_f64());
    }

    /// All of them in Prometheus's text format, as they stand.
    pub(super) fn text(&self) -> String {
        let mut text = Vec::new();
        if let Err(error) = TextEncoder::new().encode(&self.registry.gather(), &mut text) {
            tracing::error!(%error, "bug: metrics cannot be written");
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// What a method is called: `jhyde.v1.Recordings/Get`.
pub(super) fn named(method: Option<&Method>) -> &'static str {
    method.map_or(UNKNOWN, |method| method.path.trim_start_matches('/'))
}

/// Why a call was refused, if it was.
pub(super) fn refusal(status: &Status) -> Option<&'static str> {
    if !matches!(
        status.code(),
        Code::Unauthenticated | Code::PermissionDenied | Code::ResourceExhausted
    ) {
        return None;
    }
    let details = status.get_error_details();
    let reason = details.error_info().map(|info| info.reason.as_str());
    let known = REASONS.iter().find(|known| Some(**known) == reason);
    Some(known.copied().unwrap_or("OTHER"))
}

/// A code as gRPC writes it.
pub(super) const fn word(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::table::find;
    use crate::error::Kind;
    use crate::services::status::with_details;

    fn samples(metrics: &Metrics) -> Vec<prometheus_parse::Sample> {
        let text = metrics.text();
        let lines = text.lines().map(|line| Ok(line.to_owned()));
        prometheus_parse::Scrape::parse(lines).unwrap().samples
    }

    #[test]
    fn what_was_counted_is_written_so_that_it_can_be_read() {
        let metrics = Metrics::default();
        let get = find("/jhyde.v1.Recordings/Get");
        metrics.ended(get, &Status::ok(""));
        metrics.answered(get, Duration::from_millis(2));
        for (kind, reason) in [
            (Kind::Unauthenticated, "NO_TOKEN"),
            (Kind::Unauthenticated, "a reason that came from elsewhere"),
            // No refusal.
            (Kind::NotFound, "NO_RECORDING"),
        ] {
            metrics.ended(None, &with_details(kind, reason, None, "x"));
        }
        let all = samples(&metrics);
        let value = |name: &str, labels: &[(&str, &str)]| {
            let has = |sample: &&prometheus_parse::Sample| {
                let mut labels = labels.iter();
                sample.metric == name
                    && labels.all(|(key, value)| sample.labels.get(key) == Some(value))
            };
            all.iter().find(has).map(|sample| sample.value.clone())
        };
        let counter = |count| Some(prometheus_parse::Value::Counter(count));
        let got = [("method", "jhyde.v1.Recordings/Get"), ("code", "OK")];
        assert_eq!(value("jhyde_calls_total", &got), counter(1.0));
        let unknown = [("method", "unknown"), ("code", "UNAUTHENTICATED")];
        assert_eq!(value("jhyde_calls_total", &unknown), counter(2.0));
        for reason in ["NO_TOKEN", "OTHER"] {
            assert_eq!(
                value("jhyde_refusals_total", &[("reason", reason)]),
                counter(1.0)
            );
        }
        let refusals = all
            .iter()
            .filter(|sample| sample.metric == "jhyde_refusals_total");
        assert_eq!(refusals.count(), 2);
        assert!(value("jhyde_call_duration_seconds", &got[..1]).is_some());
    }

    /// Each service says its own words; those of refusals have to be known here.
    #[test]
    fn every_reason_of_a_refusal_is_known() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let mut sources = vec![std::path::PathBuf::from(folder)];
        let mut texts = String::new();
        while let Some(path) = sources.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(path).unwrap().flatten();
                sources.extend(entries.map(|entry| entry.path()));
            } else {
                texts.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
        let kinds = [
            "Kind::PermissionDenied,",
            "Kind::Unauthenticated,",
            "Kind::ResourceExhausted,",
        ];
        let mut seen = 0;
        for kind in kinds {
            for (place, _) in texts.match_indices(kind) {
                let rest = texts[place + kind.len()..].trim_start();
                // A word in quotes is the reason of `with_details`.
                let word = rest.strip_prefix('"').and_then(|it| it.split_once('"'));
                let is_word =
                    |word: &&str| word.chars().all(|c| c == '_' || c.is_ascii_uppercase());
                let Some(reason) = word.map(|(word, _)| word).filter(is_word) else {
                    continue;
                };
                assert!(REASONS.contains(&reason), "{reason}");
                seen += 1;
            }
        }
        assert!(seen > 5, "{seen}");
    }
}
