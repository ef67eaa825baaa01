//! Which recordings a request names: its first message is read ahead, and handed on with the rest.
//!
//! Only callers who may see a part of the recordings need that. A message is looked at as bytes, by the field numbers of
//! the table: what the services read of it later, and whatever else stands under these numbers, must be allowed.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes, BytesMut};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tonic::body::Body;

use super::Caller;
use super::table::Names;
use crate::daemon::Daemon;
use crate::error::Kind;
use crate::services::status::with_details;
use tonic::Status;

/// What stands before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;
/// The longest message that the services take.
const LONGEST: usize = 4 << 20;

/// A request whose beginning was looked at.
pub(crate) struct Looked {
    /// The request as it was.
    pub(crate) body: Body,
    /// What it names, in the order of the table: for each place there all that stands under it. `Err`: it cannot be told.
    named: Result<Vec<Vec<String>>, Box<Status>>,
}

impl Looked {
    /// Looks at a request's first message.
    pub(crate) async fn at(names: Names, body: Body) -> Self {
        let paths: Vec<&[u32]> = match &names {
            Names::None | Names::Listed | Names::All => {
                let named = Ok(Vec::new());
                return Self { body, named };
            }
            Names::Made(field) => vec![std::slice::from_ref(field)],
            Names::Asked(paths) => paths.to_vec(),
        };
        let (message, body) = first_message(body).await;
        let named = message.and_then(|message| {
            let named = paths.into_iter().map(|path| texts(&message, path));
            named.collect()
        });
        Self { body, named }
    }

    /// Lets a request of a restricted caller through, whole, or says why not.
    pub(super) fn check(
        self,
        caller: &Caller,
        names: Names,
        daemon: &Daemon,
    ) -> Result<Body, Box<Status>> {
        let outside = |what: String| Box::new(outside(caller, &what));
        let named = self.named?;
        let first_is_missing = named
            .first()
            .is_some_and(|first| first.iter().all(String::is_empty));
        let mut named = named.into_iter().flatten();
        let other = match names {
            Names::None | Names::Listed => None,
            Names::All => return Err(outside("this is about all recordings".to_owned())),
            Names::Made(_) if first_is_missing => {
                let what = "the recording would get a name of its own: give it one";
                return Err(outside(what.to_owned()));
            }
            Names::Made(_) => named.find(|name| !caller.may_see(name)),
            Names::Asked(_) if first_is_missing => {
                return Err(outside("name the recording".to_owned()));
            }
            Names::Asked(_) => named.filter(|word| !word.is_empty()).find(|word| {
                // Where there is none, that may be known of names that could be its own.
                let name = daemon.name_of(word);
                !caller.may_see(name.as_deref().unwrap_or(word))
            }),
        };
        match other {
            Some(other) => Err(outside(format!("'{}' is not", shown(&other)))),
            None => Ok(self.body),
        }
    }

    /// What it names, by the names of recordings where these are known by what was asked for.
    pub(crate) fn recordings(&self, name_of: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let named = self.named.as_deref().unwrap_or_default();
        let words = named.iter().flatten().filter(|word| !word.is_empty());
        words
            .map(|word| name_of(word).unwrap_or_else(|| word.clone()))
            .collect()
    }
}

fn shown(word: &str) -> String {
    jhyde_trace::echo::shown(word).to_string()
}

fn outside(caller: &Caller, what: &str) -> Status {
    with_details(
        Kind::PermissionDenied,
        "OTHER_RECORDING",
        Some("recording"),
        format!(
            "{} may deal with recordings named '{}' alone: {what}",
            caller.name,
            caller.pattern()
        ),
    )
}

fn malformed(what: &str) -> Box<Status> {
    let told = format!("the request's first message cannot be read: {what}");
    Box::new(with_details(Kind::InvalidArgument, "MALFORMED", None, told))
}

/// The first message of a request, and the request as it was.
async fn first_message(mut body: Body) -> (Result<Bytes, Box<Status>>, Body) {
    let mut read = BytesMut::new();
    let mut trailers = None;
    let length = loop {
        match length_of(&read) {
            Ok(Some(length)) if read.len() >= PREFIX + length => break Ok(length),
            Ok(_) => {}
            Err(status) => break Err(status),
        }
        match body.frame().await {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => read.extend_from_slice(&data),
                Err(frame) => trailers = Some(frame),
            },
            Some(Err(status)) => break Err(Box::new(status)),
            None => break Err(malformed("it ends early")),
        }
    };
    let read = read.freeze();
    let message = length.map(|length| read.slice(PREFIX..PREFIX + length));
    let whole = Whole {
        read: Some(read).filter(|read| !read.is_empty()),
        trailers,
        rest: body,
    };
    (message, Body::new(whole))
}

/// How long the message is that begins so, once that is there.
fn length_of(read: &[u8]) -> Result<Option<usize>, Box<Status>> {
    let Some(prefix) = read.first_chunk::<PREFIX>() else {
        return Ok(None);
    };
    let [compressed, length @ ..] = *prefix;
    if compressed != 0 {
        return Err(malformed("it is compressed, which is not understood"));
    }
    let length = u32::from_be_bytes(length) as usize;
    match length > LONGEST {
        true => Err(malformed("it is longer than 4 MiB")),
        false => Ok(Some(length)),
    }
}

/// What was read ahead, then the rest.
struct Whole {
    read: Option<Bytes>,
    trailers: Option<Frame<Bytes>>,
    rest: Body,
}

impl HttpBody for Whole {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(read) = self.read.take() {
            return Poll::Ready(Some(Ok(Frame::data(read))));
        }
        if let Some(trailers) = self.trailers.take() {
            return Poll::Ready(Some(Ok(trailers)));
        }
        Pin::new(&mut self.rest).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.read.is_none() && self.trailers.is_none() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// All texts at a path of field numbers in a protobuf message. Of a field that is given several times all, though only
/// the last may count.
fn texts(message: &[u8], path: &[u32]) -> Result<Vec<String>, Box<Status>> {
    let mut found = Vec::new();
    collect(message, path, &mut found).ok_or_else(|| malformed("it is no such message"))?;
    Ok(found)
}

fn collect(mut message: &[u8], path: &[u32], found: &mut Vec<String>) -> Option<()> {
    let (wanted, below) = path.split_first()?;
    while !message.is_empty() {
        let key = varint(&mut message)?;
        let (field, wire) = (u32::try_from(key >> 3).ok()?, key & 7);
        match wire {
            0 => drop(varint(&mut message)?),
            1 => advance(&mut message, 8)?,
            5 => advance(&mut message, 4)?,
            2 => {
                let length = usize::try_from(varint(&mut message)?).ok()?;
                let content = message.get(..length)?;
                message = message.get(length..)?;
                if field != *wanted {
                } else if below.is_empty() {
                    found.push(std::str::from_utf8(content).ok()?.to_owned());
                } else {
                    collect(content, below, found)?;
                }
            }
            // Groups: none of ours has one.
            _ => return None,
        }
    }
    Some(())
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn advance(bytes: &mut &[u8], count: usize) -> Option<()> {
    (bytes.len() >= count).then(|| bytes.advance(count))
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1;
    use prost::Message as _;

    use super::*;

    fn request() -> v1::CreateSessionRequest {
        v1::CreateSessionRequest {
            recording: "shop-1".to_owned(),
            against: "shop-0".to_owned(),
            evidence: Some(v1::Evidence {
                passing: vec!["a".to_owned(), "b".to_owned()],
                trust_passing: true,
                ..v1::Evidence::default()
            }),
            values: true,
            ..v1::CreateSessionRequest::default()
        }
    }

    #[test]
    fn names_are_found_wherever_they_stand() {
        let mut message = request().encode_to_vec();
        assert_eq!(texts(&message, &[1]).unwrap(), ["shop-1"]);
        assert_eq!(texts(&message, &[5]).unwrap(), ["shop-0"]);
        assert_eq!(texts(&message, &[10, 4]).unwrap(), ["a", "b"]);
        assert!(texts(&message, &[3]).unwrap().is_empty());
        // A second one wins in the services; both are looked at.
        let other = v1::CreateSessionRequest {
            recording: "other".to_owned(),
            ..v1::CreateSessionRequest::default()
        };
        message.extend(other.encode_to_vec());
        assert_eq!(texts(&message, &[1]).unwrap(), ["shop-1", "other"]);
        let merged = v1::CreateSessionRequest::decode(&message[..]).unwrap();
        assert_eq!(merged.recording, "other");
    }

    #[test]
    fn what_is_cut_is_refused() {
        let message = request().encode_to_vec();
        let whole = |cut: &&usize| v1::CreateSessionRequest::decode(&message[..**cut]).is_err();
        let cuts: Vec<usize> = (1..message.len()).collect();
        assert!(cuts.iter().filter(whole).count() > 10);
        for cut in cuts.iter().filter(whole) {
            // What the services would not read either.
            assert!(
                texts(&message[..*cut], &[1]).is_err()
                    || texts(&message[..*cut], &[10, 4]).is_err(),
                "{cut}"
            );
        }
        assert!(texts(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f], &[1]).is_err());
        assert!(texts(&[0xff; 11], &[1]).is_err());
        assert!(texts(&[0x0b, 0x0c], &[1]).is_err());
    }

    #[tokio::test]
    async fn a_request_is_handed_on_as_it_came() {
        let message = request().encode_to_vec();
        let mut framed = vec![0];
        framed.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        framed.extend(&message);
        framed.extend(b"more");
        for piece in [1, 3, framed.len()] {
            let pieces: Vec<_> = framed.chunks(piece).map(Bytes::copy_from_slice).collect();
            let frames = pieces
                .into_iter()
                .map(|data| Ok::<_, Status>(Frame::data(data)));
            let body = Body::new(http_body_util::StreamBody::new(tokio_stream::iter(frames)));
            let (first, body) = first_message(body).await;
            assert_eq!(first.unwrap(), message);
            assert_eq!(body.collect().await.unwrap().to_bytes(), framed);
        }
        for bad in [
            &[0, 0][..],
            &[1, 0, 0, 0, 0],
            &[0, 255, 0, 0, 0],
            &[0, 0, 0, 0, 9, 1],
        ] {
            let body = Body::new(http_body_util::Full::new(Bytes::copy_from_slice(bad)));
            let (first, body) = first_message(body).await;
            assert!(first.is_err(), "{bad:?}");
            // Whoever may deal with all recordings sends it on nevertheless.
            assert_eq!(body.collect().await.unwrap().to_bytes(), bad);
        }
    }
}
