//! Parts of an answer on their way from the thread that finds them to a client, which takes them when it likes.
//!
//! What waits for a client has bounds, in parts and in bytes, however large a part is; who finds more waits with it. That ends when the client goes,
//! and when the time of the answer is over, also where the client takes nothing: it gets what waits when it looks again, and then why it ended.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use prost::Message;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;
use tokio_stream::Stream;
use tonic::Status;

use super::bursts::Bursts;
use super::history::CancelOnDrop;

/// So many parts wait for a client that does not take them, beside those that go out in one burst, as many again,
const WAITING: usize = 64;
/// and so many bytes of all those; a longer part waits alone.
const BYTES: u32 = 4 << 20;

/// Why a part did not go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    /// The client has gone.
    Gone,
    /// The time of the answer is over.
    Late,
}

/// Where parts go. For threads that may wait.
#[derive(Debug)]
pub(super) struct Parts<T> {
    sender: Sender<Result<Part<T>, Status>>,
    room: Arc<Semaphore>,
    deadline: Option<Instant>,
    end: Arc<OnceLock<Status>>,
}

/// A part, and its room among those that wait.
#[derive(Debug)]
struct Part<T> {
    part: T,
    _room: OwnedSemaphorePermit,
}

/// The parts as a client gets them. When it goes, because the client has gone, who finds them is told.
#[derive(Debug)]
pub struct Answer<T> {
    parts: Bursts<Part<T>>,
    end: Option<Arc<OnceLock<Status>>>,
    _cancelled: CancelOnDrop,
}

/// A way for parts. `cancelled` is set when the client goes; no part waits for it behind the deadline.
pub(super) fn parts<T>(
    cancelled: CancelOnDrop,
    deadline: Option<Instant>,
) -> (Parts<T>, Answer<T>) {
    let (sender, receiver) = channel(WAITING);
    let end = Arc::default();
    let parts = Parts {
        sender,
        room: Arc::new(Semaphore::new(BYTES as usize)),
        deadline,
        end: Arc::clone(&end),
    };
    let answer = Answer {
        parts: Bursts::new(receiver),
        end: Some(end),
        _cancelled: cancelled,
    };
    (parts, answer)
}

impl<T: Message> Parts<T> {
    /// Hands a part on, as soon as there is room.
    pub(super) fn send(&self, part: T) -> Result<(), Unsent> {
        let bytes = u32::try_from(part.encoded_len()).map_or(BYTES, |bytes| bytes.min(BYTES));
        let waited = async {
            let room = Arc::clone(&self.room).acquire_many_owned(bytes).await;
            let _room = room.map_err(|_| Unsent::Gone)?;
            let sent = self.sender.send(Ok(Part { part, _room })).await;
            sent.map_err(|_| Unsent::Gone)
        };
        Handle::current().block_on(async {
            match self.deadline {
                None => waited.await,
                Some(deadline) => timeout_at(deadline.into(), waited)
                    .await
                    .unwrap_or(Err(Unsent::Late)),
            }
        })
    }

    /// The answer ends so, behind what waits.
    pub(super) fn fail(self, status: Status) {
        // Nobody else sets it.
        let _ = self.end.set(status);
    }
}

impl<T: Unpin> Stream for Answer<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let part = ready!(Pin::new(&mut self.parts).poll_next(context));
        Poll::Ready(match part {
            Some(part) => Some(part.map(|held| held.part)),
            None => {
                let end = self.end.take();
                end.and_then(|end| end.get().cloned()).map(Err)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::task::spawn_blocking;
    use tokio_stream::StreamExt as _;

    use super::*;

    fn megabytes(count: usize) -> String {
        "x".repeat(count << 20)
    }

    #[tokio::test]
    async fn what_waits_has_bounds_and_all_comes_in_its_order() {
        let (parts, mut answer) = parts::<String>(CancelOnDrop::default(), None);
        let (counted, mut sent) = tokio::sync::mpsc::unbounded_channel();
        let finding = spawn_blocking(move || {
            // One that is longer than all that may wait, too.
            for megabyte in [1, 1, 1, 9, 1, 0, 0] {
                parts.send(megabytes(megabyte)).expect("it is taken");
                counted.send(megabyte).expect("it is counted");
            }
            parts.fail(Status::data_loss("gone"));
        });
        for _ in 0..3 {
            sent.recv().await.expect("there is room");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(sent.try_recv().is_err(), "there is no room for the fourth");
        let mut lengths = Vec::new();
        let end = loop {
            match answer.next().await.expect("an end") {
                Ok(part) => lengths.push(part.len() >> 20),
                Err(status) => break status,
            }
        };
        assert_eq!(lengths, [1, 1, 1, 9, 1, 0, 0]);
        assert_eq!(end.code(), tonic::Code::DataLoss);
        assert!(answer.next().await.is_none());
        finding.await.expect("it ends");
    }

    #[tokio::test]
    async fn who_sends_does_not_wait_for_a_client_that_has_gone_or_is_late() {
        let send_all = |parts: &Parts<String>| loop {
            if let Err(unsent) = parts.send(megabytes(1)) {
                break unsent;
            }
        };
        let cancelled = CancelOnDrop::default();
        let flag = Arc::clone(&cancelled.0);
        let (gone, answer) = parts::<String>(cancelled, None);
        let finding = spawn_blocking(move || send_all(&gone));
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(answer);
        assert_eq!(finding.await.expect("it ends"), Unsent::Gone);
        assert!(flag.load(std::sync::atomic::Ordering::Relaxed));

        let deadline = Instant::now() + Duration::from_millis(100);
        let (late, mut answer) = parts::<String>(CancelOnDrop::default(), Some(deadline));
        let finding = spawn_blocking(move || {
            let unsent = send_all(&late);
            late.fail(Status::deadline_exceeded("its time is over"));
            unsent
        });
        assert_eq!(finding.await.expect("it ends"), Unsent::Late);
        assert!(deadline.elapsed() < Duration::from_secs(5));
        // Who looks again then gets what waited, and why it ended.
        let mut count = 0;
        while let Some(Ok(_)) = answer.next().await {
            count += 1;
        }
        // Each is a little more than a mebibyte.
        assert_eq!(count, 3);
    }
}
