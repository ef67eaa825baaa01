//! From the settings to the standing orders.

use jhyde_trace::echo::shown;

use super::options;
use crate::config::watch::Watch;
use crate::config::{COMMAND_LINE, ConfigError, Effective};
use crate::daemon::capture::host_of;
use crate::daemon::options::{Wanted, WantedSnapshots};
use crate::daemon::standing::Order;
use crate::daemon::words::name_from;

/// The standing orders, checked as far as they can be without their JVMs. None for a daemon that a command line told to end when
/// nobody needs it, as clients do that start one: those in the machine's configuration are its service's.
pub(super) fn orders(effective: &Effective) -> Result<Vec<Order>, ConfigError> {
    let mut origins = effective.origins.iter();
    if origins.any(|(key, _, origin)| *key == "shutdown.idle" && origin == COMMAND_LINE) {
        return Ok(Vec::new());
    }
    let settings = &effective.settings;
    let defaults = options(settings);
    let origin = effective.origins.iter().find(|(key, ..)| *key == "watch");
    let check = |watch: &Watch| {
        let order = order(watch);
        let wrong = |reason: String| ConfigError::Value {
            key: "watch".to_owned(),
            origin: origin.map_or_else(String::new, |(.., origin)| origin.clone()),
            reason: format!("entry '{}': {reason}", shown(&watch.name)),
        };
        if order.name != name_from(&order.name) {
            let reason = "its name is for recordings: write up to 60 letters, digits, and - _ . behind the first";
            return Err(wrong(reason.to_owned()));
        }
        let address = host_of(&order.address);
        address.map_err(|error| wrong(error.to_string()))?;
        let chosen = order.wanted.choose(&defaults);
        chosen.map_err(|error| wrong(error.to_string()))?;
        Ok(order)
    };
    settings.watch.0.iter().map(check).collect()
}

fn order(watch: &Watch) -> Order {
    Order {
        address: watch.address.clone(),
        name: watch.name.clone(),
        wanted: Wanted {
            level: watch.level.clone(),
            engine: watch.engine.clone(),
            include: watch.include.clone(),
            exclude: watch.exclude.clone(),
            string_limit: watch.string_limit,
            snapshots: WantedSnapshots {
                depth: watch.snapshot_depth,
                elements: watch.snapshot_elements,
                bytes: watch.snapshot_bytes,
            },
            no_contents: !watch.contents,
            source: watch.source.clone(),
            max_bytes: watch.max_bytes.clone(),
            max_duration: watch.max_duration.clone(),
            max_slowdown: watch.max_slowdown.clone(),
            at_limit: watch.at_limit.clone(),
            ring: watch.ring.clone(),
            probe_log: watch.probe_log.clone(),
        },
    }
}
