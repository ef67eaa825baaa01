//! `jhyde threads`, `classes`: what there is to look at.

use jhyde_proto::v1::{Class, ListClassesRequest, ListClassesResponse, ListThreadsRequest, Thread};
use serde::Serialize;

use super::{Context, Notes};
use crate::args::{ClassesArgs, RecordingArg};
use crate::error::Error;
use crate::output::Look;
use crate::text::{Cell, Table, clean, count};

#[derive(Serialize)]
struct ThreadJson<'a> {
    id: u32,
    name: &'a str,
    group: &'a str,
    calls: u64,
    start: Option<u64>,
    end: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    recording_ended: bool,
}

/// The threads.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn threads(context: &mut Context, args: &RecordingArg) -> Result<(), Error> {
    let request = ListThreadsRequest {
        recording: args.recording.clone(),
    };
    let answer = context.client.history.list_threads(request).await?;
    let answer = answer.into_inner();
    let threads = answer.threads;
    let mut notes = Notes::default();
    notes.add(answer.notes);
    if context.out.json {
        threads.iter().try_for_each(|t| {
            let Thread {
                id,
                calls,
                start,
                end,
                recording_ended,
                ..
            } = *t;
            context.out.object(&ThreadJson {
                id,
                name: &t.name,
                group: &t.group,
                calls,
                start,
                end,
                recording_ended,
            })
        })?;
        return notes.tell(&mut context.out);
    }
    let mut table = Table::new(&["ID", "THREAD", "GROUP", "CALLS", "FIRST SEEN", "ENDED"]);
    let time = |t: Option<u64>| t.map(|t| t.to_string()).unwrap_or_default();
    for thread in &threads {
        table.row(vec![
            Cell::number(thread.id.to_string()),
            Cell::new(clean(&thread.name)),
            Cell::with(Look::Faint, clean(&thread.group)),
            Cell::number(count(thread.calls)),
            Cell::number(time(thread.start)),
            Cell::number(time(thread.end)),
        ]);
    }
    table.write(&mut context.out)?;
    notes.tell(&mut context.out)
}

#[derive(Serialize)]
struct ClassJson<'a> {
    class: &'a str,
    source_file: &'a str,
    in_scope: bool,
    methods: Vec<MethodJson<'a>>,
}

#[derive(Serialize)]
struct MethodJson<'a> {
    method: &'a str,
    descriptor: &'a str,
    first_line: Option<u32>,
    last_line: Option<u32>,
    calls: u64,
}

/// The recorded classes.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn classes(context: &mut Context, args: &ClassesArgs) -> Result<(), Error> {
    let request = ListClassesRequest {
        recording: args.recording.clone(),
        all: args.all,
    };
    let response = context.client.history.list_classes(request).await?;
    let ListClassesResponse {
        classes,
        notes: told,
    } = response.into_inner();
    let mut notes = Notes::default();
    notes.add(told);
    if context.out.json {
        for class in &classes {
            context.out.object(&class_json(class))?;
        }
        return notes.tell(&mut context.out);
    }
    let mut table = Table::new(&["CLASS", "METHODS", "CALLS", "SOURCE"]);
    if args.methods {
        table = Table::new(&["METHOD", "DESCRIPTOR", "CALLS", "SOURCE"]);
    }
    for class in &classes {
        let look = if class.in_scope {
            Look::Plain
        } else {
            Look::Faint
        };
        let source = clean(&class.source_file);
        if !args.methods {
            table.row(vec![
                Cell::with(look, clean(&class.name)),
                Cell::number(count(class.methods.len() as u64)),
                Cell::number(count(class.methods.iter().map(|method| method.calls).sum())),
                Cell::with(Look::Faint, source),
            ]);
            continue;
        }
        for method in &class.methods {
            let line = method.first_line.map(|line| format!("{source}:{line}"));
            table.row(vec![
                Cell::with(look, clean(&format!("{}.{}", class.name, method.name))),
                Cell::with(Look::Faint, clean(&method.descriptor)),
                Cell::number(count(method.calls)),
                Cell::with(Look::Faint, line.unwrap_or_default()),
            ]);
        }
    }
    table.write(&mut context.out)?;
    notes.tell(&mut context.out)
}

fn class_json(class: &Class) -> ClassJson<'_> {
    let methods = class.methods.iter().map(|method| MethodJson {
        method: &method.name,
        descriptor: &method.descriptor,
        first_line: method.first_line,
        last_line: method.last_line,
        calls: method.calls,
    });
    ClassJson {
        class: &class.name,
        source_file: &class.source_file,
        in_scope: class.in_scope,
        methods: methods.collect(),
    }
}
