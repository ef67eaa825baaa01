//! `AddSource`: source text that a client sends.

use std::sync::Arc;

use jhyde_proto::v1;
use tonic::{Response, Status, Streaming};

use super::named;
use crate::daemon::Daemon;
use crate::daemon::added::{MOST_BYTES, NotTaken, Sent, Taken, add};
use crate::daemon::record::blocking;
use crate::error::Error;
use crate::services::status::invalid;

/// Takes all files before the first is kept.
pub(super) async fn add_source(
    daemon: Arc<Daemon>,
    mut files: Streaming<v1::AddSourceRequest>,
) -> Result<Response<v1::AddSourceResponse>, Status> {
    let Some(mut next) = files.message().await? else {
        return Err(invalid(
            "recording",
            "no recording is named; give its id or name",
        ));
    };
    let recording = named(std::mem::take(&mut next.recording))?;
    let mut sent = Vec::new();
    let mut bytes = 0_usize;
    let mut next = Some(next);
    while let Some(file) = next {
        let file = Sent {
            path: file.path,
            text: file.text,
            modified_ms: file.modified_ms,
        };
        file.check().map_err(status)?;
        bytes = bytes.saturating_add(file.text.len());
        if bytes > MOST_BYTES {
            return Err(status(NotTaken::TooMuch));
        }
        sent.push(file);
        next = files.message().await?;
    }
    let taken = blocking(move || {
        let recording = daemon.recording(&recording)?;
        Ok(add(&recording, &sent))
    });
    let taken: Taken = taken.await?.map_err(status)?;
    let added = taken.added.into_iter();
    Ok(Response::new(v1::AddSourceResponse {
        added: added
            .map(|(class, file, notes)| v1::AddedSource { class, file, notes })
            .collect(),
        unused: taken.unused,
    }))
}

fn status(error: NotTaken) -> Status {
    let told = error.to_string();
    match error {
        NotTaken::Path(_) => invalid("path", told),
        NotTaken::TooLong(_) | NotTaken::TooMuch => invalid("text", told),
        NotTaken::Store(error) => Error::from(error).into(),
    }
}
