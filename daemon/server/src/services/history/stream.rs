//! What is answered in parts: calls in preorder, steps of a slice, and events, also those still to come.

use std::ops::Range;
use std::sync::Arc;

use jhyde_history::History;
use jhyde_history::slice::Slice;
use jhyde_history::tree::{CallList, Walked};
use jhyde_history::view::EventKindView;
use jhyde_proto::v1;
use jhyde_trace::{ThreadId, Timestamp};
use tokio::sync::Notify;
use tonic::Status;

use super::standing::Told;
use super::{CancelOnDrop, blocking, status};
use crate::daemon::Daemon;
use crate::error::Kind;
use crate::services::parts::{Answer, Parts, parts};
use crate::services::status::{invalid, with_details};
use crate::services::to_proto;

/// What a stream could not read: its end says so.
#[derive(Debug, Default)]
struct Missing {
    first: Option<String>,
    others: usize,
}

impl Missing {
    fn note(&mut self, note: String) {
        match self.first {
            None => self.first = Some(note),
            Some(_) => self.others += 1,
        }
    }

    fn told(self) -> Option<Status> {
        let others = match self.others {
            0 => String::new(),
            others => format!(" (and in {others} more places)"),
        };
        let message = self.first? + others.as_str();
        Some(with_details(Kind::DataLoss, "DAMAGED", None, message))
    }
}

/// A stream of calls.
pub(super) fn calls(
    daemon: &Daemon,
    history: History,
    list: CallList,
    with_values: bool,
    standing: Told,
) -> Result<Answer<v1::Call>, Status> {
    let (history, parts, answer) = begun(daemon, history)?;
    tokio::task::spawn_blocking(move || {
        let send = || {
            let mut missing = Missing::default();
            for walked in history.walk(&list, None).map_err(status)? {
                let call = match walked.map_err(status)? {
                    Walked::Missing(note) => {
                        missing.note(note);
                        continue;
                    }
                    Walked::Call(record) => history.call(record, with_values).map_err(status)?,
                };
                let mut told = [to_proto::call(&call)];
                standing.tell(&history, &mut told)?;
                let [call] = told;
                if parts.send(call).is_err() {
                    return Ok(());
                }
            }
            missing.told().map_or(Ok(()), Err)
        };
        if let Err(error) = send() {
            parts.fail(error);
        }
    });
    Ok(answer)
}

/// A stream of steps of a slice, whose history ends with the flag.
pub(super) fn steps(
    daemon: &Daemon,
    cancelled: CancelOnDrop,
    mut slice: Slice,
) -> Result<Answer<v1::SliceStep>, Status> {
    let (parts, answer) = parts(daemon, cancelled, None)?;
    tokio::task::spawn_blocking(move || {
        while let Some(step) = slice.next_step().transpose() {
            match step {
                Ok(step) if parts.send(to_proto::slice_step(&step)).is_ok() => {}
                Ok(_) => return,
                Err(error) => return parts.fail(status(error)),
            }
        }
    });
    Ok(answer)
}

/// Does the request make sense for this recording?
pub(super) fn check(history: &History, request: &v1::StreamEventsRequest) -> Result<(), Status> {
    if request
        .from
        .zip(request.to)
        .is_some_and(|(from, to)| from > to)
    {
        return Err(invalid("to", "the range ends before it begins"));
    }
    if request.thread != 0 {
        let thread = ThreadId(request.thread);
        history
            .recording()
            .root(thread)
            .map_err(|error| status(error.into()))?;
    }
    Ok(())
}

/// A stream of events.
pub(super) fn events(
    daemon: &Daemon,
    history: History,
    request: &v1::StreamEventsRequest,
) -> Result<Answer<v1::Event>, Status> {
    let (history, parts, answer) = begun(daemon, history)?;
    let from = Timestamp(request.from.unwrap_or(0));
    let to = Timestamp(request.to.unwrap_or(u64::MAX));
    let thread = (request.thread != 0).then_some(ThreadId(request.thread));
    let follow = request.follow;
    tokio::spawn(async move {
        let parts = Arc::new(parts);
        if let Err(error) = send_events(&history, from, to, thread, follow, &parts).await {
            parts.fail(error);
        }
    });
    Ok(answer)
}

async fn send_events(
    history: &History,
    mut next: Timestamp,
    to: Timestamp,
    thread: Option<ThreadId>,
    follow: bool,
    parts: &Arc<Parts<v1::Event>>,
) -> Result<(), Status> {
    let changed = Arc::new(Notify::new());
    let _guard = follow.then(|| {
        let changed = Arc::clone(&changed);
        history
            .recording()
            .watch()
            .on_change(move || changed.notify_one())
    });
    let mut missing = Missing::default();
    loop {
        // Liveness first: what was recorded before a recording ended is then below the end read next.
        let live = history.recording().meta().state.is_live();
        let end = history.recording().end().min(to);
        if next < end {
            let (history, parts) = (history.clone(), Arc::clone(parts));
            let range = next..end;
            let sent = blocking(move || send_range(&history, range, thread, &parts, missing));
            match sent.await? {
                Some(so_far) => missing = so_far,
                None => return Ok(()),
            }
            next = end;
        }
        if !follow || !live || next >= to {
            return missing.told().map_or(Ok(()), Err);
        }
        // A change after the look above has left a permit, so that none is slept over.
        tokio::select! {
            () = changed.notified() => {}
            () = parts.gone() => return Ok(()),
        }
    }
}

/// Sends the events of a range. Says what has been missing so far; `None` when nobody takes more.
fn send_range(
    history: &History,
    range: Range<Timestamp>,
    thread: Option<ThreadId>,
    parts: &Parts<v1::Event>,
    mut missing: Missing,
) -> Result<Option<Missing>, Status> {
    for event in history.range(range.start, range.end, thread) {
        history.check().map_err(status)?;
        let event = event.map_err(status)?;
        if parts.send(to_proto::event(&event)).is_err() {
            return Ok(None);
        }
        if let EventKindView::Unreadable(why) = event.kind {
            missing.note(why);
        }
    }
    Ok(Some(missing))
}

/// A way for what a history tells, which is not asked any more when the client has gone.
fn begun<T>(daemon: &Daemon, history: History) -> Result<(History, Parts<T>, Answer<T>), Status> {
    let cancelled = CancelOnDrop::default();
    let history = history.cancelled_by(Arc::clone(&cancelled.0));
    let (parts, answer) = parts(daemon, cancelled, None)?;
    Ok((history, parts, answer))
}
