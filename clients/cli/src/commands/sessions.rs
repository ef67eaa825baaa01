//! `jhyde sessions`: the debugging sessions of a recording.

use jhyde_proto::v1::{ListSessionsRequest, Session, SessionRequest};

use super::{Context, Notes};
use crate::args::SessionsArgs;
use crate::error::Error;
use crate::json::{SessionJson, progress_word};
use crate::output::Look;
use crate::text::{Cell, Table, age, call_name, count};

/// Lists or deletes sessions.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn sessions(context: &mut Context, args: &SessionsArgs) -> Result<(), Error> {
    if !args.delete.is_empty() {
        for session in &args.delete {
            let request = SessionRequest {
                recording: args.recording.clone(),
                session: session.clone(),
            };
            context.client.debugging.delete_session(request).await?;
        }
        return Ok(());
    }
    let request = ListSessionsRequest {
        recording: args.recording.clone(),
    };
    let listed = context
        .client
        .debugging
        .list_sessions(request)
        .await?
        .into_inner();
    let sessions = listed.sessions;
    let mut unreadable = Notes::default();
    unreadable.add(listed.notes);
    if context.out.json {
        sessions
            .iter()
            .try_for_each(|session| context.out.object(&SessionJson(session)))?;
        return unreadable.tell(&mut context.out);
    }
    if sessions.is_empty() && unreadable.is_empty() {
        let text = format!("no sessions; jhyde debug {} begins one", args.recording);
        let text = context.out.paint.text(Look::Faint, text);
        return context.out.line(text);
    }
    let mut table = Table::new(&[
        "ID",
        "STRATEGY",
        "STANDS AT",
        "ANSWERS",
        "SUSPICIOUS",
        "BEGUN",
    ]);
    for session in &sessions {
        table.row(vec![
            Cell::with(Look::Strong, session.id.as_str()),
            Cell::new(session.strategy.as_str()),
            Cell::new(stands_at(session)),
            Cell::number(count(session.answers.len() as u64)),
            Cell::number(count(session.suspicious)),
            Cell::with(Look::Faint, age(session.created_ms)),
        ]);
    }
    table.write(&mut context.out)?;
    unreadable.tell(&mut context.out)
}

fn stands_at(session: &Session) -> String {
    let word = progress_word(session.progress());
    match session.question.as_ref().or(session.buggy.as_ref()) {
        Some(call) => format!("{word}: {} [{}]", call_name(call), call.id),
        None => word.to_owned(),
    }
}
