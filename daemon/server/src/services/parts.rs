//! Parts of an answer on their way from the thread that finds them to a client, which takes them when it likes.
//!
//! What waits for a client has bounds, in parts and in bytes, however large a part is; who finds more waits with it. That ends when the client goes,
//! when the time of the answer is over, and when the client has taken nothing for as long as the daemon's setting `limits.unread` says: whoever waits
//! holds a thread. A client that looks again then gets what waits, and why the answer ended.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use prost::Message;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;
use tokio_stream::Stream;
use tonic::Status;

use super::bursts::Bursts;
use super::history::CancelOnDrop;
use super::status::with_details;
use crate::config::Span;
use crate::daemon::Daemon;
use crate::daemon::live::lock;
use crate::error::Kind;

/// So many parts wait for a client that does not take them, beside those that go out in one burst, as many again,
const WAITING: usize = 64;
/// and so many bytes of all those; a longer part waits alone.
const BYTES: u32 = 4 << 20;

/// Why a part did not go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    /// The client has gone, or takes nothing.
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
    /// How long a client may take nothing that waits for it; `None`: for ever.
    unread: Option<Duration>,
    shared: Arc<Shared>,
    /// Counted for as long as more is looked for.
    _counted: Arc<()>,
}

/// A part, and its room among those that wait.
#[derive(Debug)]
struct Part<T> {
    part: T,
    _room: OwnedSemaphorePermit,
}

/// What both sides know of an answer.
#[derive(Debug)]
struct Shared {
    /// How it ends, behind what waits, unless it is whole.
    end: OnceLock<Status>,
    /// When the client took a part last.
    taken: Mutex<Instant>,
}

/// The parts as a client gets them. When it goes, because the client has gone, who finds them is told.
#[derive(Debug)]
pub struct Answer<T> {
    parts: Bursts<Part<T>>,
    shared: Arc<Shared>,
    has_ended: bool,
    _cancelled: CancelOnDrop,
}

/// A way for parts. `cancelled` is set when the client goes; no part waits for it behind the deadline, or for longer than the daemon lets it.
///
/// # Errors
/// There are too many answers already.
pub(super) fn parts<T>(
    daemon: &Daemon,
    cancelled: CancelOnDrop,
    deadline: Option<Instant>,
) -> Result<(Parts<T>, Answer<T>), Status> {
    let counted = daemon.answering().ok_or_else(|| {
        with_details(
            Kind::ResourceExhausted,
            "TOO_MANY_ANSWERS",
            None,
            "too many answers that come in parts are under way: try again in a second (the daemon's setting limits.answers is the limit)",
        )
    })?;
    let unread = daemon.options().unread;
    Ok(way(counted, unread, cancelled, deadline))
}

fn way<T>(
    counted: Arc<()>,
    unread: Option<Duration>,
    cancelled: CancelOnDrop,
    deadline: Option<Instant>,
) -> (Parts<T>, Answer<T>) {
    let (sender, receiver) = channel(WAITING);
    let shared = Arc::new(Shared {
        end: OnceLock::new(),
        taken: Mutex::new(Instant::now()),
    });
    let parts = Parts {
        sender,
        room: Arc::new(Semaphore::new(BYTES as usize)),
        deadline,
        unread,
        shared: Arc::clone(&shared),
        _counted: counted,
    };
    let answer = Answer {
        parts: Bursts::new(receiver),
        shared,
        has_ended: false,
        _cancelled: cancelled,
    };
    (parts, answer)
}

impl<T: Message> Parts<T> {
    /// Hands a part on, as soon as there is room.
    pub(super) fn send(&self, part: T) -> Result<(), Unsent> {
        let bytes = length(&part);
        let sending = async {
            let room = Arc::clone(&self.room).acquire_many_owned(bytes).await;
            let _room = room.map_err(|_| Unsent::Gone)?;
            let sent = self.sender.send(Ok(Part { part, _room })).await;
            sent.map_err(|_| Unsent::Gone)
        };
        Handle::current().block_on(self.within_time(sending))
    }

    /// Hands a part on that need not come, if there is room just now.
    pub(super) fn offer(&self, part: T) {
        let bytes = length(&part);
        if let Ok(_room) = Arc::clone(&self.room).try_acquire_many_owned(bytes) {
            // An error means that there is none, or that the client has gone.
            let _ = self.sender.try_send(Ok(Part { part, _room }));
        }
    }

    /// Waits until the part is sent, or for as long as it may wait.
    async fn within_time(
        &self,
        sending: impl Future<Output = Result<(), Unsent>>,
    ) -> Result<(), Unsent> {
        let began = Instant::now();
        let mut sending = pin!(sending);
        loop {
            let ends = [self.deadline, self.unread_at(began)];
            let Some(until) = ends.into_iter().flatten().min() else {
                return sending.await;
            };
            if let Ok(sent) = timeout_at(until.into(), &mut sending).await {
                return sent;
            }
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| deadline <= now) {
                return Err(Unsent::Late);
            }
            // Unless the client has taken something meanwhile.
            if self.unread_at(began).is_some_and(|at| at <= now) {
                self.fail(unread(self.unread.unwrap_or_default()));
                return Err(Unsent::Gone);
            }
        }
    }

    /// When a part that began to wait then has waited for too long, if the client takes nothing more.
    fn unread_at(&self, began: Instant) -> Option<Instant> {
        let since = began.max(*lock(&self.shared.taken));
        since.checked_add(self.unread?)
    }
}

/// Bytes of a part that count.
fn length(part: &impl Message) -> u32 {
    u32::try_from(part.encoded_len()).map_or(BYTES, |bytes| bytes.min(BYTES))
}

impl<T> Parts<T> {
    /// The answer ends so, behind what waits. What was said first holds.
    pub(super) fn fail(&self, status: Status) {
        // An error means that something was.
        let _ = self.shared.end.set(status);
    }

    /// Has the client gone?
    pub(super) fn is_gone(&self) -> bool {
        self.sender.is_closed()
    }

    /// Waits until it has.
    pub(super) async fn gone(&self) {
        self.sender.closed().await;
    }
}

/// The client took nothing for so long.
fn unread(most: Duration) -> Status {
    let told = format!(
        "nothing of the answer was read for {}, so it was ended: ask again, and read on or ask for less (the daemon's setting limits.unread is the limit)",
        Span(most)
    );
    with_details(Kind::DeadlineExceeded, "UNREAD", None, told)
}

impl<T: Unpin> Stream for Answer<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let part = ready!(Pin::new(&mut self.parts).poll_next(context));
        Poll::Ready(match part {
            Some(part) => {
                *lock(&self.shared.taken) = Instant::now();
                Some(part.map(|held| held.part))
            }
            None if std::mem::replace(&mut self.has_ended, true) => None,
            None => self.shared.end.get().cloned().map(Err),
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::spawn_blocking;
    use tokio::time::sleep;
    use tokio_stream::StreamExt as _;
    use tonic_types::StatusExt as _;

    use super::*;

    fn parts(
        unread: Option<Duration>,
        cancelled: CancelOnDrop,
        deadline: Option<Instant>,
    ) -> (Parts<String>, Answer<String>) {
        way(Arc::default(), unread, cancelled, deadline)
    }

    fn megabytes(count: usize) -> String {
        "x".repeat(count << 20)
    }

    #[tokio::test]
    async fn what_waits_has_bounds_and_all_comes_in_its_order() {
        let (parts, mut answer) = parts(None, CancelOnDrop::default(), None);
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
        sleep(Duration::from_millis(50)).await;
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
        let (gone, answer) = parts(None, cancelled, None);
        let finding = spawn_blocking(move || send_all(&gone));
        sleep(Duration::from_millis(50)).await;
        drop(answer);
        assert_eq!(finding.await.expect("it ends"), Unsent::Gone);
        assert!(flag.load(std::sync::atomic::Ordering::Relaxed));

        let deadline = Instant::now() + Duration::from_millis(100);
        let (late, mut answer) = parts(None, CancelOnDrop::default(), Some(deadline));
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

    #[tokio::test]
    async fn who_sends_waits_for_a_client_that_takes_something_now_and_then_and_for_no_other() {
        const UNREAD: Duration = Duration::from_secs(2);
        const PAUSE: Duration = Duration::from_millis(800);
        let (parts, mut answer) = parts(Some(UNREAD), CancelOnDrop::default(), None);
        let (counted, mut sent) = tokio::sync::mpsc::unbounded_channel();
        let finding = spawn_blocking(move || {
            // The last one has to wait until there is room for all of it.
            for megabyte in [1, 1, 1, 9, 9] {
                if parts.send(megabytes(megabyte)).is_err() {
                    return Instant::now();
                }
                counted.send(megabyte).expect("it is counted");
            }
            panic!("it was sent");
        });
        for _ in 0..3 {
            sleep(PAUSE).await;
            answer.next().await.expect("a part").expect("no end");
        }
        let last = Instant::now();
        let ended = finding.await.expect("it ends");
        let waited = ended.saturating_duration_since(last);
        assert!(waited >= UNREAD.mul_f64(0.9), "{waited:?}");
        let mut all = Vec::new();
        while let Some(megabyte) = sent.recv().await {
            all.push(megabyte);
        }
        assert_eq!(
            all,
            [1, 1, 1, 9],
            "the long part waited longer, for three others"
        );
        answer.next().await.expect("it waits").expect("no end");
        let end = answer.next().await.expect("an end").expect_err("not whole");
        assert_eq!(end.code(), tonic::Code::DeadlineExceeded);
        let details = end.get_error_details();
        assert!(
            details
                .error_info()
                .is_some_and(|info| info.reason == "UNREAD")
        );
        assert!(end.message().contains("limits.unread"), "{end}");
        assert!(answer.next().await.is_none());
    }
}
