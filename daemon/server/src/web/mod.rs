//! The page: a listener of its own on loopback for browsers, off until somebody asks for it over the unix socket.
//!
//! Everything about who may come in is told in `web.proto`; the checks are, from outside in:
//! - [`front`]: what every HTTP request must have (Host, Origin), the headers that every answer gets, the page's files;
//! - [`keyed`]: which gRPC calls a browser may make, and with which key;
//! - [`guests`]: the tickets and keys themselves.
//!
//! [`address`] chooses the port. What the page looks like is the business of `clients/web`, whose built files are
//! embedded here ([`page`]).

pub mod address;
pub mod front;
pub mod guests;
pub mod keyed;
pub mod page;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;
use tonic::service::Routes;

use crate::config::settings::WebListen;
use crate::seen::Seen;
use crate::serve::Activity;
use address::AddressError;
use guests::Guests;

/// The door for browsers: closed at first, open from the first [`Door::open`] to the end of the daemon.
#[derive(Debug)]
pub struct Door {
    listen: WebListen,
    data: PathBuf,
    guests: Arc<Guests>,
    /// What is behind it: there while the daemon serves. The services behind a door know the door, so that it has to let
    /// go of them in the end.
    behind: std::sync::Mutex<Option<Behind>>,
    opened: Mutex<Option<Opened>>,
}

/// What a door leads to, and how long.
#[derive(Debug)]
pub(crate) struct Behind {
    /// The services for browsers.
    pub(crate) routes: Routes,
    /// True when no more connections are taken.
    pub(crate) stopped: watch::Receiver<bool>,
    /// Counts connections.
    pub(crate) activity: Arc<Activity>,
    /// Sees calls.
    pub(crate) seen: Arc<Seen>,
}

#[derive(Debug)]
struct Opened {
    address: SocketAddr,
    notes: Vec<String>,
    serving: JoinHandle<()>,
}

/// Where the page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    /// What whoever opens it should know.
    pub notes: Vec<String>,
}

impl Door {
    /// A closed door of the daemon of a data folder.
    pub fn new(listen: WebListen, data: PathBuf) -> Self {
        Self {
            listen,
            data,
            guests: Arc::default(),
            behind: std::sync::Mutex::default(),
            opened: Mutex::default(),
        }
    }

    /// Who has tickets and keys.
    pub fn guests(&self) -> &Arc<Guests> {
        &self.guests
    }

    /// Builds the house behind it.
    pub(crate) fn leads_to(&self, behind: Behind) {
        *self.behind() = Some(behind);
    }

    /// Takes the house away: the door is not opened any more. What came in by then is answered ([`Door::finish`]).
    pub(crate) fn leads_nowhere(&self) {
        *self.behind() = None;
    }

    fn behind(&self) -> std::sync::MutexGuard<'_, Option<Behind>> {
        self.behind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the door, if nobody has, and says where it is.
    ///
    /// # Errors
    /// When there is to be none, or its address cannot be had.
    pub async fn open(&self) -> Result<Page, AddressError> {
        let mut opened = self.opened.lock().await;
        if let Some(opened) = opened.as_ref() {
            return Ok(opened.page());
        }
        let bound = address::bind(&self.listen, &self.data).await?;
        let (address, notes) = (bound.address, bound.notes);
        let guests = Arc::clone(&self.guests);
        let serving = match self.behind().as_ref() {
            Some(behind) => front::serve(bound.listener, behind, guests),
            None => return Err(AddressError::NotServing),
        };
        tracing::info!(%address, "serving the page");
        Ok(opened
            .insert(Opened {
                address,
                notes,
                serving,
            })
            .page())
    }

    /// Waits until what came through the door is answered. No more is taken since the daemon stopped accepting.
    pub(crate) async fn finish(&self) {
        if let Some(opened) = self.opened.lock().await.take()
            && let Err(error) = opened.serving.await
        {
            tracing::error!(%error, "bug: the page's server panicked");
        }
    }
}

impl Opened {
    fn page(&self) -> Page {
        Page {
            url: format!("http://{}", self.address),
            notes: self.notes.clone(),
        }
    }
}
