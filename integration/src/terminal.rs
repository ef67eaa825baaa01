//! A terminal as a person sees it: what a program wrote, on lines of so many columns, and a keyboard that answers
//! whenever a prompt waits.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

/// The lines of a terminal of some width. It knows what prompts and listings use of ECMA-48.
#[derive(Debug)]
pub struct Screen {
    columns: usize,
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// The bytes of a control sequence or character that has not ended.
    pending: Vec<u8>,
}

impl Screen {
    /// An empty one.
    pub fn new(columns: usize) -> Self {
        Self {
            columns,
            lines: vec![Vec::new()],
            row: 0,
            column: 0,
            pending: Vec::new(),
        }
    }

    /// All that stands on it, without blanks at the ends of lines.
    pub fn text(&self) -> String {
        let line = |line: &Vec<char>| line.iter().collect::<String>().trim_end().to_owned();
        self.lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// A program writes.
    pub fn write(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        let text = match std::str::from_utf8(&self.pending) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                String::from_utf8_lossy(&self.pending[..error.valid_up_to()]).into_owned()
            }
        };
        let mut rest = text.as_str();
        while let Some(c) = rest.chars().next() {
            match (c, control(rest)) {
                ('\u{1b}', None) => break,
                (_, Some((parameter, last, length))) => {
                    self.control(parameter, last);
                    rest = &rest[length..];
                }
                (c, None) => {
                    self.character(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        self.pending.drain(..text.len() - rest.len());
    }

    fn control(&mut self, parameter: usize, last: char) {
        let count = parameter.max(1);
        match last {
            'A' => self.row = self.row.saturating_sub(count),
            'B' => self.row += count,
            'C' => self.column += count,
            'D' => self.column = self.column.saturating_sub(count),
            'K' => self.lines[self.row].truncate(self.column),
            'J' => {
                self.lines[self.row].truncate(self.column);
                self.lines.truncate(self.row + 1);
            }
            _ => {}
        }
        while self.lines.len() <= self.row {
            self.lines.push(Vec::new());
        }
    }

    fn character(&mut self, c: char) {
        match c {
            '\r' => self.column = 0,
            '\n' => {
                self.row += 1;
                if self.lines.len() <= self.row {
                    self.lines.push(Vec::new());
                }
            }
            '\u{8}' => self.column = self.column.saturating_sub(1),
            c if c.is_control() => {}
            c => {
                if self.column == self.columns {
                    self.column = 0;
                    self.character('\n');
                }
                let line = &mut self.lines[self.row];
                while line.len() <= self.column {
                    line.push(' ');
                }
                line[self.column] = c;
                self.column += 1;
            }
        }
    }
}

/// A control sequence at the beginning of a text: its first number, its last character, its length.
fn control(text: &str) -> Option<(usize, char, usize)> {
    let inside = text.strip_prefix("\u{1b}[")?;
    let last = inside.find(|c: char| ('@'..='~').contains(&c))?;
    let first = inside[..last].split(';').next().unwrap_or_default();
    let parameter = first.trim_start_matches('?').parse().unwrap_or(0);
    let last_char = inside[last..].chars().next()?;
    Some((parameter, last_char, last + 3))
}

/// Runs a command of the shell in a terminal of so many columns, without colours. Whenever its last line is a prompt
/// (`name #1> `), `answer` is shown what came since the last answer and says what to type. Gives all that was shown.
///
/// # Panics
/// When `script` (Debian package bsdutils) cannot be started.
pub fn converse(
    command: &mut Command,
    columns: usize,
    mut answer: impl FnMut(&str) -> String,
) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''")));
    let line = quoted.collect::<Vec<_>>().join(" ");
    let line = format!("stty cols {columns} rows 60; exec {line}");
    let mut session = Command::new("script");
    session.args(["-qfec", &line, "/dev/null"]);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => session.env(name, value),
            None => session.env_remove(name),
        };
    }
    let mut session = session
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script (Debian package bsdutils) can be started");
    let mut keyboard = session.stdin.take().expect("an input");
    let mut output = session.stdout.take().expect("an output");
    let (mut screen, mut seen, mut buffer) = (Screen::new(columns), 0, [0; 4096]);
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        screen.write(&buffer[..count]);
        let text = screen.text();
        let last = text.rsplit('\n').next().unwrap_or_default();
        if text.len() > seen && last.ends_with('>') && last.contains('#') {
            let typed = answer(&text[seen..]);
            seen = text.len() + typed.len() + 1;
            // A program that has ended listens no more, and says on its screen why.
            let _ = keyboard.write_all(format!("{typed}\r").as_bytes());
        }
    }
    session.wait().expect("it ends");
    screen.text()
}

#[cfg(test)]
mod tests {
    use super::Screen;

    fn shown(columns: usize, written: &str) -> String {
        let mut screen = Screen::new(columns);
        // Byte by byte, as a slow line brings it.
        for byte in written.as_bytes() {
            screen.write(&[*byte]);
        }
        screen.text()
    }

    #[test]
    fn lines_prompts_and_what_is_typed_over() {
        assert_eq!(shown(80, "a\r\nb  \r\n"), "a\nb\n");
        assert_eq!(shown(4, "abcdef\r\n–é"), "abcd\nef\n–é");
        assert_eq!(shown(80, "x> \r\u{1b}[Kx> y\u{1b}[1Dz"), "x> z");
        assert_eq!(shown(80, "\u{1b}[31mred\u{1b}[0m\u{1b}[?2004h"), "red");
        assert_eq!(shown(80, "a\r\nb\u{1b}[1A\u{1b}[Jc"), "ac");
    }
}
