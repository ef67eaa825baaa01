//! How long it takes, and how many blocks are looked into for it.

use std::sync::Arc;
use std::time::Instant;

use jhyde_history::History;
use jhyde_integration::peak::{forget_peak, peak};
use jhyde_query::sql::{Answered, Datum, Limits, Statement, Taker};
use jhyde_query::{Prepared, Request};
use jhyde_store::Recording;

use crate::asked::{LOOKUPS, NAMED, NAMED_ONCE, ROWS, SCANS};
use crate::places::places;

/// Keeps the first row.
#[derive(Default)]
struct First(Option<Vec<Datum>>);

impl Taker for First {
    fn columns(&mut self, _: &[Answered<'_>]) -> jhyde_query::Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: Vec<Datum>) -> jhyde_query::Result<()> {
        self.0.get_or_insert(cells);
        Ok(())
    }
}

/// The first row of an answer, and how many blocks were looked into for all.
pub(crate) fn ask(history: &History, text: &str) -> (Vec<Datum>, u64) {
    let asked = vec![history.clone().into()];
    let statement = Statement::new(asked, text.to_owned(), None, Limits::default());
    let mut first = First::default();
    let ended = statement.and_then(|statement| statement.run(&mut first));
    let ended = ended.unwrap_or_else(|error| panic!("{text}: {error}"));
    (first.0.unwrap_or_default(), ended.blocks)
}

/// What one kind of question took.
struct Took {
    /// Milliseconds, ascending.
    times: Vec<f64>,
    /// Blocks that were looked into, ascending.
    blocks: Vec<u64>,
    more: u64,
}

impl Took {
    /// Of questions that tell how many blocks they looked into, or why they cannot be asked.
    fn measure(
        asked: impl Iterator<Item = impl FnOnce() -> Result<u64, String>>,
    ) -> Result<Self, String> {
        forget_peak();
        let before = peak();
        let (mut times, mut blocks) = (Vec::new(), Vec::new());
        for ask in asked {
            let begun = Instant::now();
            blocks.push(ask()?);
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        blocks.sort_unstable();
        Ok(Self {
            times,
            blocks,
            more: peak().saturating_sub(before),
        })
    }

    fn part<T: Copy>(of: &[T], hundredths: usize) -> T {
        of[(of.len() * hundredths / 100).min(of.len() - 1)]
    }

    fn time(&self, hundredths: usize) -> f64 {
        Self::part(&self.times, hundredths)
    }

    /// The median, and the 99th percentile.
    fn blocks(&self) -> String {
        let (median, most) = (Self::part(&self.blocks, 50), Self::part(&self.blocks, 99));
        format!("{median} | {most}")
    }

    fn megabytes(&self) -> f64 {
        self.more as f64 / 1e6
    }
}

/// Runs a named query and takes a page.
fn run_named(
    history: &History,
    name: &str,
    parameters: Vec<(String, String)>,
) -> Result<u64, String> {
    let request = Request {
        query: name.to_owned(),
        parameters,
        from: None,
        to: None,
    };
    let prepared = Prepared::new(history.clone(), &request).map_err(|error| error.to_string())?;
    let mut rows = 0;
    let ran = prepared.run(&mut |_| {
        rows += 1;
        match rows < ROWS {
            true => Ok(()),
            false => Err(jhyde_query::Error::Cancelled),
        }
    });
    match ran {
        Ok(_) | Err(jhyde_query::Error::Cancelled) => Ok(prepared.reads().blocks()),
        Err(error) => Err(error.to_string()),
    }
}

/// Asks a recording all, and prints tables.
pub(crate) fn measure(recording: &Arc<Recording>) {
    let history = History::new(Arc::clone(recording));
    println!("{} blocks of events\n", recording.blocks_in_all());
    lookups(&history);
    scans(&history);
    named(&history);
}

fn lookups(history: &History) {
    let places = places(history);
    println!(
        "| looked up | median, ms | 99th percentile, ms | blocks, median | blocks, 99th percentile | History, median, ms | ratio | MB more |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, text, peer) in LOOKUPS {
        let ask = |place| move || Ok(ask(history, &text(place)).1);
        let took = Took::measure(places.iter().map(ask)).expect("asked");
        let below = peer.map(|peer| {
            // A question of its own each time, as statements are.
            let new = || History::new(Arc::clone(history.recording()));
            let ask = |place| {
                move || {
                    peer(&new(), place);
                    Ok(0)
                }
            };
            let below = Took::measure(places.iter().map(ask))
                .expect("asked")
                .time(50);
            format!("{below:.3} | {:.1}", took.time(50) / below)
        });
        println!(
            "| {name} | {:.3} | {:.3} | {} | {} | {:.1} |",
            took.time(50),
            took.time(99),
            took.blocks(),
            below.as_deref().unwrap_or(" | "),
            took.megabytes()
        );
    }
}

fn scans(history: &History) {
    println!("\n| all | s | events of the recording a second, million | blocks | MB more |");
    println!("| --- | --- | --- | --- | --- |");
    for (name, text) in SCANS {
        let took = Took::measure([|| Ok(ask(history, text).1)].into_iter()).expect("asked");
        let seconds = took.time(50) / 1e3;
        println!(
            "| {name} | {seconds:.3} | {:.2} | {} | {:.1} |",
            history.recording().end().0 as f64 / seconds / 1e6,
            Took::part(&took.blocks, 50),
            took.megabytes()
        );
    }
}

fn named(history: &History) {
    println!(
        "\n| named query, {ROWS} rows at most | median, ms | 99th percentile, ms | blocks, median | blocks, 99th percentile | MB more |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    let row = |name: &str, took: Result<Took, String>| match took {
        Err(error) => println!("| {name} | {error} | | | | |"),
        Ok(took) => println!(
            "| `{name}` | {:.3} | {:.3} | {} | {:.1} |",
            took.time(50),
            took.time(99),
            took.blocks(),
            took.megabytes()
        ),
    };
    let places = places(history);
    for (name, parameters) in NAMED {
        let ask = |place| {
            let given = parameters(place).into_iter();
            let given = given
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            move || run_named(history, name, given)
        };
        row(name, Took::measure(places.iter().map(ask)));
    }
    for (name, parameters) in NAMED_ONCE {
        let given = parameters.iter();
        let given = given.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let given = given.collect();
        row(
            name,
            Took::measure([|| run_named(history, name, given)].into_iter()),
        );
    }
}
