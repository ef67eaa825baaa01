//! Where answers are written: standard output, buffered, with or without colours. A reader that goes
//! away (`| head`) ends the program quietly.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::{env, fmt};

use anstyle::{AnsiColor, Color, Style};
use serde::Serialize;

use crate::args::ColorChoice;
use crate::error::Error;

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As it is.
    Plain,
    /// Names of methods, headings.
    Strong,
    /// What matters less: ids, places, boundary calls.
    Faint,
    /// A variable that was written (design, section 4: red); exceptions.
    Changed,
    /// A variable that was not written itself, but something below it (yellow).
    ChangedBelow,
    /// Answered valid; ended well.
    Good,
    /// Answered invalid; went wrong.
    Bad,
    /// What to type.
    Hint,
}

/// Paints text, or leaves it plain.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Always, or never.
    pub fn new(on: bool) -> Self {
        Self { on }
    }

    /// As `--color`, `NO_COLOR` and `TERM` say, for an output that is a terminal or not.
    pub fn choose(choice: ColorChoice, is_terminal: bool) -> Self {
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self::new(match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && !set("NO_COLOR") && !dumb,
        })
    }

    /// Are there colours at all?
    pub fn is_on(self) -> bool {
        self.on
    }

    /// The text in its look.
    pub fn text(self, look: Look, text: impl fmt::Display) -> String {
        if !self.on || look == Look::Plain {
            return text.to_string();
        }
        let style = style(look);
        format!("{style}{text}{style:#}")
    }
}

fn style(look: Look) -> Style {
    let color = |color: AnsiColor| Style::new().fg_color(Some(Color::Ansi(color)));
    match look {
        Look::Plain => Style::new(),
        Look::Strong => Style::new().bold(),
        Look::Faint => Style::new().dimmed(),
        Look::Changed => color(AnsiColor::Red),
        Look::ChangedBelow => color(AnsiColor::Yellow),
        Look::Good => color(AnsiColor::Green),
        Look::Bad => color(AnsiColor::Red).bold(),
        Look::Hint => color(AnsiColor::Cyan),
    }
}

/// Standard output, or what a test put in its place.
pub struct Output {
    writer: Box<dyn Write + Send>,
    /// Colours.
    pub paint: Paint,
    /// Programs read it.
    pub json: bool,
    /// Columns of the terminal; `None` when there is none to fit into.
    pub width: Option<usize>,
    /// Every line goes out at once: somebody waits for it.
    pub eager: bool,
    /// Nothing was written yet.
    untouched: bool,
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("json", &self.json)
            .field("width", &self.width)
            .finish()
    }
}

impl Output {
    /// Standard output.
    pub fn stdout(color: ColorChoice, json: bool) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        // Columns alone: a terminal that says no rows, as one made by a script may, is as wide as it says.
        let width = rustix::termios::tcgetwinsize(&stdout)
            .ok()
            .map(|size| usize::from(size.ws_col))
            .filter(|columns| *columns > 0);
        Self {
            paint: Paint::choose(color, is_terminal && !json),
            json,
            width: width.filter(|_| is_terminal),
            eager: is_terminal,
            untouched: true,
            writer: Box::new(BufWriter::with_capacity(1 << 16, stdout)),
        }
    }

    /// Any other place.
    pub fn to(writer: impl Write + Send + 'static, paint: Paint, json: bool) -> Self {
        Self {
            writer: Box::new(writer),
            paint,
            json,
            width: None,
            eager: false,
            untouched: true,
        }
    }

    /// Whether nothing was written yet: what is asked again then is told once.
    pub fn is_untouched(&self) -> bool {
        self.untouched
    }

    /// One line of text.
    ///
    /// # Errors
    /// [`Error::Closed`] when nobody reads any more.
    pub fn line(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        self.untouched = false;
        writeln!(self.writer, "{text}").map_err(failed)?;
        if self.eager { self.flush() } else { Ok(()) }
    }

    /// One line of JSON.
    ///
    /// # Errors
    /// [`Error::Closed`] when nobody reads any more.
    pub fn object(&mut self, value: &impl Serialize) -> Result<(), Error> {
        self.untouched = false;
        serde_json::to_writer(&mut self.writer, value)
            .map_err(|error| failed(error.into()))
            .and_then(|()| self.writer.write_all(b"\n").map_err(failed))?;
        if self.eager { self.flush() } else { Ok(()) }
    }

    /// Text without a line's end, out at once: a prompt.
    ///
    /// # Errors
    /// [`Error::Closed`] when nobody reads any more.
    pub fn prompt(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        self.untouched = false;
        write!(self.writer, "{text}").map_err(failed)?;
        self.flush()
    }

    /// Bytes as they are, for programs.
    ///
    /// # Errors
    /// [`Error::Closed`] when nobody reads any more.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.untouched = false;
        self.writer.write_all(bytes).map_err(failed)
    }

    /// Everything out.
    ///
    /// # Errors
    /// [`Error::Closed`] when nobody reads any more.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.writer.flush().map_err(failed)
    }
}

fn failed(source: io::Error) -> Error {
    if source.kind() == io::ErrorKind::BrokenPipe {
        Error::Closed
    } else {
        Error::Terminal {
            what: "write the output",
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn a_reader_that_goes_away_is_no_failure() {
        let mut out = Output::to(Gone, Paint::new(false), true);
        let text = out.line("x").unwrap_err();
        let object = out.object(&[1]).unwrap_err();
        assert!(matches!(text, Error::Closed) && matches!(object, Error::Closed));
        assert_eq!(text.exit_code(), 0);
    }

    #[test]
    fn colours_only_where_they_are_wanted() {
        assert!(!Paint::choose(ColorChoice::Auto, false).is_on());
        assert!(Paint::choose(ColorChoice::Always, false).is_on());
        assert!(!Paint::choose(ColorChoice::Never, true).is_on());
        assert_eq!(Paint::new(false).text(Look::Changed, "a"), "a");
        assert_eq!(
            Paint::new(true).text(Look::Changed, "a"),
            "\u{1b}[31ma\u{1b}[0m"
        );
    }
}
