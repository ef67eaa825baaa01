//! Progress of long work, on standard error and only on a terminal: answers stay clean.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often the picture changes.
const TICK: Duration = Duration::from_millis(120);

/// A spinner with a message, for work whose answer comes when the spinner is gone.
pub fn spinner(message: impl Into<String>) -> ProgressBar {
    spin(message.into(), false)
}

/// A spinner beside rows that come one by one and go to a file or pipe: on a terminal it would stand in their way, and
/// they are progress enough.
pub fn reading(message: impl Into<String>) -> ProgressBar {
    spin(message.into(), io::stdout().is_terminal())
}

fn spin(message: String, hidden: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, target(hidden));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar.set_message(message);
    bar.enable_steady_tick(TICK);
    bar
}

/// A bar over a known number of rows, for answers that go to a file or pipe: on a terminal the rows
/// themselves are progress enough.
pub fn rows(total: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), target(io::stdout().is_terminal()));
    let template = "{bar:30} {human_pos}/{human_len} {msg}  {per_sec}  {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar
}

fn target(hidden: bool) -> ProgressDrawTarget {
    if hidden || !io::stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    }
}
