//! `GetSource`: the text of a class, in pages of lines.

use std::path::PathBuf;

use jhyde_proto::v1;
use jhyde_trace::MethodInfo;
use tonic::Status;

use crate::daemon::Daemon;
use crate::daemon::sources::{NoSource, Shown};
use crate::error::{Error, Kind};
use crate::services::status::{invalid, with_details};
use crate::source::text;

/// The most of a line that is told, in UTF-16 units, as strings are counted everywhere.
const LONGEST_LINE: usize = 2000;
/// The most lines of one answer.
const MOST_LINES: usize = 20_000;
/// After so many bytes of text an answer takes no more lines: clients take 4 MB unless told.
const MOST_BYTES: usize = 2 << 20;

/// Answers from the disk. `may_name_files`: whoever asks can open the daemon's files anyway.
pub(super) fn get(
    daemon: &Daemon,
    request: &v1::GetSourceRequest,
    may_name_files: bool,
) -> Result<v1::Source, Status> {
    if request.class.is_empty() {
        return Err(invalid("class", "name a class, with its package"));
    }
    if request.to != 0 && request.from > request.to {
        return Err(invalid("to", "the range of lines ends before it begins"));
    }
    let named: Vec<PathBuf> = request.source.iter().map(PathBuf::from).collect();
    if !may_name_files && !named.is_empty() {
        return Err(with_details(
            Kind::PermissionDenied,
            "SOURCE_OVER_TCP",
            Some("source"),
            "folders and jars with source on the daemon's machine can be named by its user alone, at its unix socket, \
             and with the right 'launch'; set source.path of the daemon",
        ));
    }
    if let Some(relative) = named.iter().find(|path| path.is_relative()) {
        // A message is sent as a header, of which clients take some KB.
        let shown: String = relative.display().to_string().chars().take(200).collect();
        let reason = format!("{shown} is not an absolute path");
        return Err(invalid("source", reason));
    }
    let recording = super::open(daemon, &request.recording)?;
    let shown = daemon
        .source(recording.recording(), &request.class, &named)
        .map_err(status)?;
    Ok(page(&shown, request))
}

fn status(error: NoSource) -> Status {
    let told = error.to_string();
    match error {
        NoSource::NoClass(_) => with_details(Kind::NotFound, "NO_CLASS", Some("class"), told),
        NoSource::Refused(_) | NoSource::Missing { .. } => {
            with_details(Kind::NotFound, "NO_SOURCE", Some("class"), told)
        }
        NoSource::Store(error) => Error::from(error).into(),
    }
}

fn page(shown: &Shown, request: &v1::GetSourceRequest) -> v1::Source {
    let last = if request.to == 0 {
        u32::MAX
    } else {
        request.to
    };
    let mut answer = v1::Source {
        class: request.class.clone(),
        file: shown.file.clone(),
        origin: shown.origin.clone(),
        kept: shown.kept,
        notes: shown.notes.clone(),
        methods: shown.class.methods.iter().filter_map(method).collect(),
        ..v1::Source::default()
    };
    let mut bytes = 0;
    for (line, number) in text::lines(&shown.text).zip(1_u32..) {
        answer.line_count = number;
        if number < request.from || number > last || answer.next_line != 0 {
            continue;
        }
        if answer.lines.len() == MOST_LINES || bytes > MOST_BYTES {
            answer.next_line = number;
            continue;
        }
        let told = beginning(line);
        bytes += told.len();
        answer.lines.push(v1::SourceLine {
            number,
            text: told.to_owned(),
            cut: told.len() < line.len(),
        });
    }
    answer
}

fn method(method: &MethodInfo) -> Option<v1::MethodLines> {
    let lines = method.lines.iter().map(|entry| entry.line);
    Some(v1::MethodLines {
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
        first_line: lines.clone().min()?,
        last_line: lines.max()?,
    })
}

/// As much of a line as is told.
fn beginning(line: &str) -> &str {
    let mut units = 0;
    let end = line.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > LONGEST_LINE
    });
    end.map_or(line, |(at, _)| line.get(..at).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use jhyde_trace::{ClassId, ClassInfo};

    use super::*;

    fn shown(text: &str) -> Shown {
        Shown {
            file: "A.java".to_owned(),
            origin: "/src/A.java".to_owned(),
            kept: true,
            text: text.into(),
            notes: Vec::new(),
            class: ClassInfo {
                id: ClassId(0),
                name: "A".to_owned(),
                source_file: None,
                modifiers: 0,
                super_name: None,
                interfaces: Vec::new(),
                in_scope: true,
                fields: Vec::new(),
                methods: Vec::new(),
            }
            .into(),
        }
    }

    fn asked(text: &str, from: u32, to: u32) -> v1::Source {
        let request = v1::GetSourceRequest {
            from,
            to,
            ..v1::GetSourceRequest::default()
        };
        page(&shown(text), &request)
    }

    fn numbers(source: &v1::Source) -> Vec<u32> {
        source.lines.iter().map(|line| line.number).collect()
    }

    #[test]
    fn the_lines_that_were_asked_for() {
        let text = "a\nb\nc\nd";
        assert_eq!(numbers(&asked(text, 0, 0)), [1, 2, 3, 4]);
        assert_eq!(numbers(&asked(text, 2, 3)), [2, 3]);
        assert_eq!(numbers(&asked(text, 9, 0)), [0_u32; 0]);
        assert_eq!(asked(text, 9, 0).line_count, 4);
    }

    #[test]
    fn a_megabyte_in_a_line_is_cut_and_a_large_file_comes_in_pages() {
        let long = asked(&format!("{}\nb", "x".repeat(1 << 20)), 0, 0);
        assert_eq!((long.lines[0].text.len(), long.lines[0].cut), (2000, true));
        assert!(!long.lines[1].cut && long.next_line == 0);
        // No character is cut in two.
        let wide = asked(&"\u{1f600}".repeat(1500), 0, 0);
        assert_eq!(wide.lines[0].text.chars().count(), 1000);
        let many = "x\n".repeat(50_000);
        let first = asked(&many, 0, 0);
        assert_eq!((first.lines.len(), first.next_line), (20_000, 20_001));
        let wide = asked(&format!("{}\n", "y".repeat(1900)).repeat(3000), 5, 0);
        let next = wide.next_line as usize;
        assert_eq!(wide.lines.len(), next - 5);
        assert!((1000..1200).contains(&next), "{next}");
    }
}
