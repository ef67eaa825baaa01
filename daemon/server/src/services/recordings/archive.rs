//! Recordings as files, in and out. The store reads and writes on a blocking thread; between it and the wire
//! lies a short way, so that neither side runs ahead of the other, and either ends when the other goes.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jhyde_proto::v1;
use tokio::sync::mpsc::{Receiver, channel};
use tonic::{Response, Status, Streaming};

use super::recording;
use crate::daemon::Daemon;
use crate::daemon::record::blocking;
use crate::services::history::CancelOnDrop;
use crate::services::parts::{Answer, Parts, parts};
use crate::services::status::invalid;

/// Bytes of a piece of a file on the wire.
const CHUNK: usize = 256 << 10;
/// Pieces that wait for the store.
const WAITING: usize = 4;

/// Streams a recording as a file.
pub(super) fn export(daemon: Arc<Daemon>, name: String) -> Result<Answer<v1::ExportChunk>, Status> {
    let (parts, answer) = parts(&daemon, CancelOnDrop::default(), None)?;
    tokio::task::spawn_blocking(move || {
        let far = Far::default();
        let mut out = Chunked {
            parts: &parts,
            far: &far,
            buffer: Vec::with_capacity(CHUNK),
        };
        let done = daemon.export(&name, &mut out, &mut |done, total| {
            far.done.store(done, Ordering::Relaxed);
            far.total.store(total, Ordering::Relaxed);
            !parts.is_gone()
        });
        let last = match done {
            Ok(()) => out
                .send()
                .err()
                .map(|_| Status::cancelled("the client is gone")),
            Err(error) => Some(error.into()),
        };
        if let Some(status) = last {
            parts.fail(status);
        }
    });
    Ok(answer)
}

/// How far an export is.
#[derive(Debug, Default)]
struct Far {
    done: AtomicU64,
    total: AtomicU64,
}

/// Collects bytes into pieces and sends them.
#[derive(Debug)]
struct Chunked<'a> {
    parts: &'a Parts<v1::ExportChunk>,
    far: &'a Far,
    buffer: Vec<u8>,
}

impl Chunked<'_> {
    fn send(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let chunk = v1::ExportChunk {
            data: std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK)),
            done_bytes: self.far.done.load(Ordering::Relaxed),
            total_bytes: self.far.total.load(Ordering::Relaxed),
        };
        self.parts
            .send(chunk)
            .map_err(|_| io::Error::new(io::ErrorKind::BrokenPipe, "the client is gone"))
    }
}

impl Write for Chunked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK {
            self.send()?;
        }
        Ok(bytes.len())
    }

    /// What is left goes when the file is whole: the writer flushes often.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes a file from the wire.
pub(super) async fn import(
    daemon: Arc<Daemon>,
    mut chunks: Streaming<v1::ImportChunk>,
) -> Result<Response<v1::Recording>, Status> {
    let Some(first) = chunks.message().await? else {
        return Err(invalid("data", "no file came; send its bytes in pieces"));
    };
    let name = (!first.name.is_empty()).then_some(first.name);
    let origin = if first.origin.is_empty() {
        "the file".to_owned()
    } else {
        first.origin
    };
    let (sender, receiver) = channel(WAITING);
    let importing = tokio::spawn(blocking(move || {
        let input = Pieces {
            receiver,
            piece: first.data,
            at: 0,
        };
        daemon.import(input, Path::new(&origin), name.as_deref())
    }));
    loop {
        let piece = match chunks.message().await {
            Ok(Some(chunk)) => Ok(chunk.data),
            Ok(None) => break,
            // The file is cut here; the store must not take it for its end.
            Err(status) => Err(io::Error::other(status.message().to_owned())),
        };
        let broken = piece.is_err();
        // Who reads no more has found something wrong, and says so below.
        if sender.send(piece).await.is_err() || broken {
            break;
        }
    }
    drop(sender);
    let imported = importing
        .await
        .map_err(|_| Status::unavailable("the daemon is stopping; start it again and repeat"))??;
    Ok(Response::new(recording(&imported)))
}

/// The pieces of a file as one.
#[derive(Debug)]
struct Pieces {
    receiver: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.piece.get(self.at..).unwrap_or_default();
            if !left.is_empty() || into.is_empty() {
                let taken = left.len().min(into.len());
                if let (Some(to), Some(from)) = (into.get_mut(..taken), left.get(..taken)) {
                    to.copy_from_slice(from);
                }
                self.at += taken;
                return Ok(taken);
            }
            match self.receiver.blocking_recv() {
                Some(piece) => (self.piece, self.at) = (piece?, 0),
                None => return Ok(0),
            }
        }
    }
}
