//! `jhyde memory`: what earlier sessions answered, kept in a folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::args::{MemoryCommand, MemoryForgetArgs};
use crate::error::Error;
use crate::memory::{Entry, Memory, Verdict};
use crate::output::{Look, Output};
use crate::text::{Cell, Table, clean, plural};

/// Lists, forgets, exports or merges. No daemon is asked.
///
/// # Errors
/// When the folder cannot be read or changed, or the output not be written.
pub fn memory(command: &MemoryCommand, out: &mut Output) -> Result<(), Error> {
    match command {
        MemoryCommand::List(args) => list(&Memory::existing(&args.folder)?, out),
        MemoryCommand::Forget(args) => forget(args, out),
        MemoryCommand::Export(args) => {
            let lines = Memory::existing(&args.folder)?.lines()?;
            export(&args.file, &lines, out)
        }
        MemoryCommand::Merge(args) => {
            let mut memory = Memory::open(&args.folder)?;
            let new = memory.merge(&args.file)?;
            out.line(format!("{} more", plural(new as u64, "answer")))?;
            contradictions(&memory, out)
        }
    }
}

fn list(memory: &Memory, out: &mut Output) -> Result<(), Error> {
    if out.json {
        return memory.entries().try_for_each(|entry| out.object(entry));
    }
    let mut table = Table::new(&["ID", "ANSWER", "METHOD", "JUDGED", "RECORDING"]);
    let mut any = false;
    for entry in memory.entries() {
        any = true;
        let look = match entry.answer {
            Verdict::Valid | Verdict::Right => Look::Good,
            Verdict::Invalid | Verdict::Wrong => Look::Bad,
        };
        table.row(vec![
            Cell::new(entry.name()),
            Cell::with(look, entry.answer.word()),
            Cell::new(clean(&method(entry)).into_owned()),
            Cell::new(clean(&judged(entry)).into_owned()),
            Cell::with(Look::Faint, clean(&entry.recording).into_owned()),
        ]);
    }
    if !any {
        return out.line("no answers are kept here");
    }
    table.write(out)?;
    contradictions(memory, out)
}

/// The call, or the value of it, that was judged.
fn judged(entry: &Entry) -> String {
    match &entry.key.value {
        Some(way) => format!("{way} of {}", entry.call),
        None => entry.call.clone(),
    }
}

fn method(entry: &Entry) -> String {
    format!("{}.{}", entry.key.class, entry.key.method)
}

/// Says which answers contradict each other: they are not used.
fn contradictions(memory: &Memory, out: &mut Output) -> Result<(), Error> {
    let contradicted = memory.entries().filter(|e| memory.is_contradicted(e));
    let names: BTreeSet<String> = contradicted
        .map(|entry| format!("{} ({})", entry.name(), clean(&entry.call)))
        .collect();
    names.iter().try_for_each(|name| {
        let text = format!(
            "{name} is kept with two answers: such calls are asked, and the answer settles it"
        );
        let text = out.paint.text(Look::Bad, text);
        out.line(text)
    })
}

fn forget(args: &MemoryForgetArgs, out: &mut Output) -> Result<(), Error> {
    let mut memory = Memory::existing(&args.folder)?;
    for name in &args.ids {
        if !memory.entries().any(|entry| entry.name() == *name) {
            return Err(Error::Usage(format!(
                "no answer '{}' is kept here: jhyde memory list FOLDER shows their ids",
                clean(name)
            )));
        }
    }
    let is_method = |entry: &Entry| {
        let named = args.method.as_deref();
        named.is_some_and(|name| {
            method(entry) == name || method(entry).ends_with(&format!(".{name}"))
        })
    };
    let forgotten =
        memory.forget(|entry| args.all || args.ids.contains(&entry.name()) || is_method(entry))?;
    out.line(format!("{} forgotten", plural(forgotten as u64, "answer")))
}

fn export(file: &Path, lines: &str, out: &mut Output) -> Result<(), Error> {
    if file == Path::new("-") {
        return out.prompt(lines.to_owned());
    }
    let failed = |source| Error::File {
        what: "cannot create",
        path: file.to_owned(),
        source,
    };
    if file.exists() {
        return Err(failed(ErrorKind::AlreadyExists.into()));
    }
    fs::write(file, lines).map_err(failed)
}
