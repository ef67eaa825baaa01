//! The figures as text.

use crate::measure::Figures;

impl Figures {
    /// Millions of events per second that the slower of the two threads is able to take.
    pub(crate) fn able(&self) -> f64 {
        1e3 / self.append_ns.max(self.flush_ns)
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "| {} | {:.1} | {:.1} ({:.0} + {:.0} ns) | {:.2} | {:.0} | {:.0} | {:.1} |",
            power(self.events),
            self.ingest,
            self.able(),
            self.append_ns,
            self.flush_ns,
            self.bytes_per_event,
            self.peak_ingest,
            self.peak,
            self.opening_ms,
        )
    }
}

fn power(events: u64) -> String {
    let power = events.ilog10();
    match events == 10u64.pow(power) {
        true => format!("10^{power}"),
        false => events.to_string(),
    }
}

/// The tables.
pub(crate) fn text(all: &[Figures], level: &str) -> String {
    let mut text = format!(
        "Level `{level}`.\n\n| events | ingest, M/s | threads able, M/s (append + flush) | bytes/event | RSS after \
         ingest, MB | RSS after questions, MB | opening, ms |\n| --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for figures in all {
        text += &figures.line();
        text += "\n";
    }
    text += "\nMilliseconds: median / 99th percentile (99th percentile of processor time).\n\n| query |";
    for figures in all {
        text += &format!(" {} |", power(figures.events));
    }
    text += "\n| --- |";
    text += &" --- |".repeat(all.len());
    let names = all.first().map_or(&[][..], |figures| &figures.questions);
    for (at, question) in names.iter().enumerate() {
        text += &format!("\n| {} |", question.name);
        for figures in all {
            let question = &figures.questions[at];
            text += &format!(
                " {:.2} / {:.1} ({:.1}) |",
                question.median, question.p99, question.processor_p99
            );
        }
    }
    text + "\n"
}

/// The page of the docs.
pub(crate) fn page(all: &[Figures], level: &str) -> String {
    let sizes: Vec<String> = all
        .iter()
        .map(|figures| figures.events.to_string())
        .collect();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "# Growth\n\nMade by `cargo bench -p jhyde-store --bench growth -- --docs --level {level} {}` \
         on a machine with {processors} processors, which other work may have shared: load {} at the end. The \
         generated history has four threads with nested calls, loops, objects, small arrays that are \
         sorted, one array of a million elements, now and then an exception; it goes through the same \
         writer as a JVM's. `threads able` is what the slower of the two threads of the ingest path could \
         take by its processor time. Each kind of question is asked 300 times at random places.\n\n\
         ![the figures as curves](growth.svg)\n\n{}",
        sizes.join(" "),
        load(),
        text(all, level)
    )
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace()
        .next()
        .unwrap_or("unknown")
        .to_owned()
}
