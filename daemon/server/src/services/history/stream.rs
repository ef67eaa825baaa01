//! The two streams: calls in preorder, and events, also those still to come.

use std::ops::Range;
use std::sync::Arc;

use jhyde_history::History;
use jhyde_history::slice::Slice;
use jhyde_history::tree::{CallList, Walked};
use jhyde_history::view::EventKindView;
use jhyde_proto::v1;
use jhyde_trace::{ThreadId, Timestamp};
use tokio::sync::Notify;
use tokio::sync::mpsc::{Sender, channel};
use tonic::Status;

use super::standing::Told;
use super::{blocking, status};
use crate::error::Kind;
use crate::services::bursts::Bursts;
use crate::services::status::{invalid, with_details};
use crate::services::to_proto;

/// So many messages wait for a client that does not take them; no more is read from the disk then.
const WAITING: usize = 64;

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
    history: History,
    list: CallList,
    with_values: bool,
    standing: Told,
) -> Bursts<v1::Call> {
    let (sender, receiver) = channel(WAITING);
    tokio::task::spawn_blocking(move || {
        let walk = match history.walk(&list, None) {
            Ok(walk) => walk,
            Err(error) => return drop(sender.blocking_send(Err(status(error)))),
        };
        let mut missing = Missing::default();
        for walked in walk {
            let call = match walked {
                Ok(Walked::Missing(note)) => {
                    missing.note(note);
                    continue;
                }
                Ok(Walked::Call(record)) => history.call(record, with_values),
                Err(error) => Err(error),
            };
            let call = call.map_err(status).and_then(|call| {
                let mut told = [to_proto::call(&call)];
                standing.tell(&history, &mut told)?;
                let [call] = told;
                Ok(call)
            });
            let is_last = call.is_err();
            // An error means that the client has gone.
            if sender.blocking_send(call).is_err() || is_last {
                return;
            }
        }
        if let Some(told) = missing.told() {
            let _ = sender.blocking_send(Err(told));
        }
    });
    Bursts::new(receiver)
}

/// A stream of steps of a slice.
pub(super) fn steps(mut slice: Slice) -> Bursts<v1::SliceStep> {
    let (sender, receiver) = channel(WAITING);
    tokio::task::spawn_blocking(move || {
        while let Some(step) = slice.next_step().transpose() {
            let step = step.map(|step| to_proto::slice_step(&step)).map_err(status);
            let is_last = step.is_err();
            // An error means that the client has gone.
            if sender.blocking_send(step).is_err() || is_last {
                return;
            }
        }
    });
    Bursts::new(receiver)
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
pub(super) fn events(history: History, request: &v1::StreamEventsRequest) -> Bursts<v1::Event> {
    let (sender, receiver) = channel(WAITING);
    let from = Timestamp(request.from.unwrap_or(0));
    let to = Timestamp(request.to.unwrap_or(u64::MAX));
    let thread = (request.thread != 0).then_some(ThreadId(request.thread));
    let follow = request.follow;
    tokio::spawn(async move {
        if let Err(error) = send_events(&history, from, to, thread, follow, &sender).await {
            // An error means that the client has gone.
            let _ = sender.send(Err(error)).await;
        }
    });
    Bursts::new(receiver)
}

async fn send_events(
    history: &History,
    mut next: Timestamp,
    to: Timestamp,
    thread: Option<ThreadId>,
    follow: bool,
    sender: &Sender<Result<v1::Event, Status>>,
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
            let (history, sender) = (history.clone(), sender.clone());
            let range = next..end;
            let sent = blocking(move || send_range(&history, range, thread, &sender, missing));
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
            () = sender.closed() => return Ok(()),
        }
    }
}

/// Sends the events of a range. Says what has been missing so far; `None` when the client has gone.
fn send_range(
    history: &History,
    range: Range<Timestamp>,
    thread: Option<ThreadId>,
    sender: &Sender<Result<v1::Event, Status>>,
    mut missing: Missing,
) -> Result<Option<Missing>, Status> {
    for event in history.range(range.start, range.end, thread) {
        let event = event.map_err(status)?;
        if sender.blocking_send(Ok(to_proto::event(&event))).is_err() {
            return Ok(None);
        }
        if let EventKindView::Unreadable(why) = event.kind {
            missing.note(why);
        }
    }
    Ok(Some(missing))
}
