//! Streams of many small messages, handed on in bursts.
//!
//! Messages that are ready together go out in one HTTP/2 DATA frame; one that comes alone takes a frame of its own, of a dozen bytes. A reader that
//! does not keep up (a pager, a terminal) has thousands of those waiting, and clients take that for an attack: the crate h2 ends the connection
//! with "too_many_data_frames" once what waits is mostly frames under 256 bytes. So messages wait here for each other, a few milliseconds.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::{Sleep, sleep};
use tokio_stream::Stream;
use tonic::Status;

/// So many go at once.
const MOST: usize = 64;

/// So long a message waits for others.
const PATIENCE: Duration = Duration::from_millis(5);

/// See the module. The messages are those of a channel, in their order.
#[derive(Debug)]
pub(super) struct Bursts<T> {
    parts: Receiver<Result<T, Status>>,
    /// The channel has no more.
    ended: bool,
    waiting: VecDeque<Result<T, Status>>,
    /// Those that wait go out now.
    going: bool,
    /// Since the first of those that wait came.
    patience: Option<Pin<Box<Sleep>>>,
}

impl<T> Bursts<T> {
    /// Of what comes by a channel.
    pub(super) fn new(parts: Receiver<Result<T, Status>>) -> Self {
        Self {
            parts,
            ended: false,
            waiting: VecDeque::new(),
            going: false,
            patience: None,
        }
    }
}

impl<T: Unpin> Stream for Bursts<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if this.going
                && let Some(part) = this.waiting.pop_front()
            {
                return Poll::Ready(Some(part));
            }
            this.going = false;
            while !this.ended && this.waiting.len() < MOST {
                match this.parts.poll_recv(context) {
                    Poll::Ready(Some(part)) => this.waiting.push_back(part),
                    Poll::Ready(None) => this.ended = true,
                    Poll::Pending => break,
                }
            }
            if this.waiting.is_empty() {
                return if this.ended {
                    Poll::Ready(None)
                } else {
                    Poll::Pending
                };
            }
            if !this.ended && this.waiting.len() < MOST {
                let patience = this
                    .patience
                    .get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
                ready!(patience.as_mut().poll(context));
            }
            this.patience = None;
            this.going = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::channel;
    use tokio_stream::StreamExt as _;

    use super::*;

    /// What is ready at once: a frame has that.
    async fn burst(stream: &mut Bursts<u32>) -> Vec<u32> {
        let mut all = Vec::new();
        while let Some(part) = match all.is_empty() {
            true => stream.next().await,
            false => {
                std::future::poll_fn(|context| match Pin::new(&mut *stream).poll_next(context) {
                    Poll::Ready(part) => Poll::Ready(part),
                    Poll::Pending => Poll::Ready(None),
                })
                .await
            }
        } {
            all.push(part.unwrap());
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn messages_that_come_one_by_one_go_together() {
        let (sender, receiver) = channel(4);
        let mut stream = Bursts::new(receiver);
        let producer = tokio::spawn(async move {
            for number in 0..10 {
                sender.send(Ok(number)).await.unwrap();
                sleep(Duration::from_millis(1)).await;
            }
            sleep(Duration::from_secs(1)).await;
            sender.send(Ok(10)).await.unwrap();
        });
        let bursts = [
            burst(&mut stream).await,
            burst(&mut stream).await,
            burst(&mut stream).await,
        ];
        assert!(bursts[0].len() > 3, "{bursts:?}");
        assert_eq!(bursts.concat(), (0..=10).collect::<Vec<_>>());
        assert_eq!(
            bursts[2],
            [10],
            "one that comes late waits for nobody: {bursts:?}"
        );
        producer.await.unwrap();
        assert!(stream.next().await.is_none());
        assert!(stream.next().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn many_go_at_once_and_the_last_ones_do_not_wait() {
        let (sender, receiver) = channel(MOST * 2);
        for number in 0..MOST as u32 + 3 {
            sender.send(Ok(number)).await.unwrap();
        }
        drop(sender);
        let mut stream = Bursts::new(receiver);
        let begun = tokio::time::Instant::now();
        assert_eq!(burst(&mut stream).await.len(), MOST + 3);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test]
    async fn an_error_comes_in_its_place() {
        let (sender, receiver) = channel(4);
        sender.send(Ok(1)).await.unwrap();
        sender.send(Err(Status::data_loss("gone"))).await.unwrap();
        drop(sender);
        let mut stream = Bursts::new(receiver);
        assert_eq!(stream.next().await.unwrap().unwrap(), 1);
        assert!(stream.next().await.unwrap().is_err());
        assert!(stream.next().await.is_none());
    }
}
