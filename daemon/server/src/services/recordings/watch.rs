//! `Watch`: a recording now and after every change, at most ten a second, until it has ended.

use std::sync::Arc;
use std::time::Duration;

use jhyde_proto::v1;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::convert::recording;
use crate::daemon::record::blocking;
use crate::daemon::{Daemon, live};
use crate::error::Error;

/// Shortest time between two messages.
const INTERVAL: Duration = Duration::from_millis(100);

/// How long a recording may take to say how it ended, once its folder is deleted.
const CLOSING: Duration = Duration::from_secs(5);

/// Begins to watch.
pub(super) async fn watch(
    daemon: Arc<Daemon>,
    name: String,
) -> Result<ReceiverStream<Result<v1::Recording, Status>>, Status> {
    let asked = Arc::clone(&daemon);
    let (live, first) = blocking(move || {
        let live = asked.live(&name)?;
        let first = match live.as_ref().and_then(|live| final_of(live)) {
            Some(last) => Ok(last),
            None => asked.describe(&name).map(|now| recording(&now)),
        };
        Ok((live, first))
    })
    .await?;
    let first = match (first, &live) {
        (Ok(first), _) => first,
        (Err(error), Some(live)) => end_of(live, error).await?,
        (Err(error), None) => return Err(error.into()),
    };
    // One message waits for the client at most: a slow one gets fewer, newer ones.
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        if let Err(error) = follow(&daemon, live, first, &sender).await {
            let _ = sender.send(Err(error.into())).await;
        }
    });
    Ok(ReceiverStream::new(receiver))
}

/// Sends until the recording has ended or the client has gone.
async fn follow(
    daemon: &Arc<Daemon>,
    live: Option<Arc<live::Live>>,
    first: v1::Recording,
    sender: &mpsc::Sender<Result<v1::Recording, Status>>,
) -> Result<(), Error> {
    let mut last = first;
    if sender.send(Ok(last.clone())).await.is_err() {
        return Ok(());
    }
    let Some(live) = live else {
        return Ok(());
    };
    let changed = Arc::new(Notify::new());
    // Ends with this function.
    let _guard = live.recording().map(|recording| {
        let changed = Arc::clone(&changed);
        recording.watch().on_change(move || changed.notify_one())
    });
    let mut status = live.status();
    loop {
        let next_turn = Instant::now() + INTERVAL;
        if status.borrow_and_update().is_final() {
            break;
        }
        tokio::select! {
            () = changed.notified() => {}
            _ = status.changed() => {}
            () = sender.closed() => return Ok(()),
        }
        sleep_until(next_turn).await;
        if live.status().borrow().is_final() {
            break;
        }
        let (asked, id) = (Arc::clone(daemon), live.id.clone());
        let now = match blocking(move || asked.describe(&id)).await {
            // It closes just now; what it is then comes last.
            Ok(description) if !description.meta.state.is_live() => continue,
            Ok(description) => recording(&description),
            Err(error) => {
                end_of(&live, error).await?;
                break;
            }
        };
        if now != last {
            last = now;
            if sender.send(Ok(last.clone())).await.is_err() {
                return Ok(());
            }
        }
    }
    if let Some(end) = final_of(&live)
        && end != last
    {
        let _ = sender.send(Ok(end)).await;
    }
    Ok(())
}

/// The last message of a recording that could not be described: nothing is left of one that ends before anything was
/// recorded, and that is so a moment before its end is told.
async fn end_of(live: &live::Live, error: Error) -> Result<v1::Recording, Error> {
    match timeout(CLOSING, live.ended()).await {
        Ok(_) => final_of(live).ok_or(error),
        Err(_) => Err(error),
    }
}

/// The last message, if the recording has ended.
fn final_of(live: &live::Live) -> Option<v1::Recording> {
    match &*live.status().borrow() {
        live::Status::Ended(description) | live::Status::Gone(description) => {
            Some(recording(description))
        }
        live::Status::Waiting | live::Status::Running => None,
    }
}
