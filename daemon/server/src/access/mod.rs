//! Who may do what.
//!
//! Every call, by whatever socket it came, is let through or refused in one place ([`gate`]; for browsers
//! [`crate::web::keyed`]), by one table ([`table`]): it says which right a method needs, and where its request names
//! recordings. Who asks is known by the kernel at the unix socket, by a token ([`tokens`]) over TCP. Services see the
//! [`Caller`] in the extensions of their requests, for what a table cannot say: lists that show a part, and files of the
//! daemon's machine. A request without a caller is nobody's, who may do nothing.

pub mod gate;
mod guarded;
pub mod limits;
pub(crate) mod named;
pub mod rights;
pub mod table;
pub mod tokens;

use std::sync::Arc;

use glob::Pattern;
use serde::Serialize;
use tonic::Request;

pub use rights::{Right, Rights};

/// By what somebody is known, for those who look through an audit later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Identity {
    /// A user of this machine, by the kernel's word.
    Uid(u32),
    /// The name of a token.
    Token(String),
    /// The subject of a certificate.
    Certificate(String),
    /// Some user of this machine, over loopback without a token.
    Loopback,
    /// A browser that has a key.
    Page,
    /// By nothing.
    #[default]
    Unknown,
}

/// Who asks, as far as it matters.
#[derive(Clone, Debug)]
pub struct Caller {
    /// By what it is known.
    pub identity: Identity,
    /// In words for people: errors and logs name it.
    pub name: Arc<str>,
    /// What it may do.
    pub rights: Rights,
    /// The names of the recordings with which it may; `None`: of all.
    recordings: Option<Arc<Pattern>>,
    /// The daemon's own user, known by the kernel.
    owner: bool,
}

impl Caller {
    /// The daemon's own user.
    pub fn owner() -> Self {
        Self {
            identity: Identity::Uid(jhyde_proto::folder::user()),
            name: "the owner".into(),
            rights: Rights::ALL,
            recordings: None,
            owner: true,
        }
    }

    /// Somebody with these rights, for all recordings.
    pub fn with_rights(name: &str, rights: Rights) -> Self {
        Self {
            identity: Identity::Unknown,
            name: name.into(),
            rights,
            recordings: None,
            owner: false,
        }
    }

    /// The same, known by this.
    #[must_use]
    pub fn known_by(mut self, identity: Identity) -> Self {
        self.identity = identity;
        self
    }

    /// The same, for recordings with these names alone.
    #[must_use]
    pub fn within(mut self, recordings: Option<Arc<Pattern>>) -> Self {
        self.recordings = recordings;
        self
    }

    /// The daemon's own user, by the kernel's word?
    pub fn is_owner(&self) -> bool {
        self.owner
    }

    /// Whether files of the daemon's machine are opened because a request names them. Who starts programs there can open
    /// them anyway.
    pub fn may_name_files(&self) -> bool {
        self.rights.has(Right::Launch)
    }

    /// Is it concerned with a part of the recordings only?
    pub fn is_restricted(&self) -> bool {
        self.recordings.is_some()
    }

    /// May it deal with the recording of this name?
    pub fn may_see(&self, name: &str) -> bool {
        let recordings = self.recordings.as_ref();
        recordings.is_none_or(|pattern| pattern.matches(name))
    }

    /// The pattern of names, for messages.
    pub fn pattern(&self) -> &str {
        let pattern = self.recordings.as_ref();
        pattern.map_or("*", |pattern| pattern.as_str())
    }
}

/// Who sent a request. Nobody, if it came around the gate.
pub fn caller<T>(request: &Request<T>) -> Caller {
    let known = request.extensions().get::<Caller>();
    known
        .cloned()
        .unwrap_or_else(|| Caller::with_rights("nobody", Rights::NONE))
}
