//! SIGHUP: the configuration, the certificates and the tokens are read anew, and what can be is changed without a restart.

use super::failure::Failure;
use super::options;
use crate::access::gate::Access;
use crate::config::{ConfigError, Effective, Settings, Sources, keys, load};
use crate::daemon::Daemon;
use crate::daemon::standing::{Order, Standing};
use crate::serve::ServeError;
use crate::serve::certificates::{self, Tls};

/// What the names of the settings of TLS begin with.
const TLS: &str = "listen.tls.";

/// Changes what is logged.
pub(super) type Filtering = Box<dyn Fn(&str) -> Result<(), ConfigError> + Send + Sync>;

/// The settings in force, and where they come from.
pub(super) struct Reloader {
    sources: Sources,
    filtering: Filtering,
    now: Effective,
}

impl Reloader {
    pub(super) fn new(sources: Sources, filtering: Filtering, now: Effective) -> Self {
        Self {
            sources,
            filtering,
            now,
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.now.settings
    }

    pub(super) fn orders(&self) -> Result<Vec<Order>, ConfigError> {
        super::orders::orders(&self.now)
    }

    /// Reads everything anew. What cannot be used changes nothing, and the log says why.
    pub(super) fn reload(
        &mut self,
        daemon: &Daemon,
        access: &Access,
        has_tcp: bool,
        tls: Option<&Tls>,
        standing: &mut Standing,
    ) {
        match self.configuration(daemon, access, tls, standing) {
            Ok(Changed { now, later }) => {
                if !later.is_empty() {
                    let settings = later.join(", ");
                    tracing::warn!(settings, "these settings have changed and need a restart");
                }
                let settings = now.join(", ");
                tracing::info!(settings, "the configuration was read anew");
            }
            Err(error) => tracing::error!(%error, "the configuration is as it was"),
        }
        if !has_tcp {
            return;
        }
        if let Err(error) = access.tokens().reload() {
            tracing::error!(%error, "the tokens are as they were");
        }
    }

    fn configuration(
        &mut self,
        daemon: &Daemon,
        access: &Access,
        tls: Option<&Tls>,
        standing: &mut Standing,
    ) -> Result<Changed, Failure> {
        let mut new = load(&self.sources)?;
        // What can fail goes first, so that all is changed or nothing.
        let certificates = match tls {
            Some(_) => certificates::read(&new.settings.listen.tls).map_err(ServeError::from)?,
            None => None,
        };
        let orders = super::orders::orders(&new)?;
        (self.filtering)(&new.settings.log.filter)?;
        if let (Some(tls), Some(certificates)) = (tls, &certificates) {
            tls.change(certificates.clone());
        }
        // Sockets are plain for as long as they are open, or never.
        let same_kind = tls.is_some() && certificates.is_some();
        daemon.change(options(&new.settings));
        standing.change(orders);
        access.allow(new.settings.listen.allowed());
        access.limiter().change(new.settings.limits);
        // Opened anew even if it is the same: somebody may have moved it away.
        access.seen().audit.open(new.settings.audit.file());
        let mut changed = Changed::default();
        for ((key, before, _), (_, after, _)) in self.now.origins.iter().zip(&mut new.origins) {
            if before == after {
                continue;
            }
            match keys::find(key) {
                Some(known) if known.path.starts_with(TLS) && !same_kind => {
                    changed.later.push(key);
                }
                Some(known) if known.reloads() => changed.now.push(key),
                _ => changed.later.push(key),
            }
        }
        // Told again next time, for as long as it is not in force.
        let before = std::mem::replace(&mut self.now, new);
        for (now, before) in self.now.origins.iter_mut().zip(before.origins) {
            if changed.later.contains(&now.0) {
                *now = before;
            }
        }
        Ok(changed)
    }
}

/// Settings that have changed: those in force, and those that will be after a restart.
#[derive(Default)]
struct Changed {
    now: Vec<&'static str>,
    later: Vec<&'static str>,
}
