//! `jhyded serve`: every socket is opened before anything else, SIGHUP reads the configuration anew, and the end is a
//! designed path.

use std::sync::Arc;
use std::time::Duration;

use super::failure::Failure;
use super::reload::Reloader;
use super::signals::{Came, Signals};
use super::{options, tokens};
use crate::access::gate::Access;
use crate::daemon::Daemon;
use crate::daemon::leaving::Phase;
use crate::daemon::record::blocking;
use crate::daemon::standing::Standing;
use crate::serve::{Activity, bind_besides, serve as serve_on};
use crate::services;
use crate::systemd::{Given, Manager, attending};

/// How often a daemon looks for recordings that have grown too old; it also does when one ends.
const KEEP_INTERVAL: Duration = Duration::from_secs(600);

/// Serves until a signal comes or nobody needs it.
pub(super) async fn serve(mut reloader: Reloader, given: Given) -> Result<u8, Failure> {
    let manager = Arc::new(Manager::of_environment());
    manager.status("opening the recordings");
    let settings = reloader.settings().clone();
    let orders = reloader.orders()?;
    let mut signals = Signals::new()?;
    let told = options(&settings);
    let daemon = blocking(move || Daemon::open(told)).await?;
    let tokens = tokens(&settings);
    let bound = bind_besides(given, &settings.listen, &settings.data).await?;
    let has_tcp = bound.has_tcp();
    if has_tcp {
        tokens.reload()?;
    }
    let addresses = bound.addresses();
    for listener in &bound.metrics {
        if let Ok(address) = listener.local_addr() {
            tracing::info!(%address, "metrics can be scraped");
        }
    }
    let tls = bound.tls.clone();
    let access = Access::new(settings.listen.allowed(), tokens, Arc::clone(&daemon));
    access.seen().audit.open(settings.audit.file());
    access.limiter().change(settings.limits);
    let access = Arc::new(access);
    let services = services::over(&daemon).await?;
    let serving = serve_on(bound, &services, Arc::clone(&access));
    daemon.leaving().heed();
    tracing::info!(?addresses, data = %settings.data.display(), "serving");
    let keeping = tokio::spawn(keep(Arc::clone(&daemon)));
    manager.ready(&attending::status(&daemon));
    let attending = attending::attend(Arc::clone(&manager), Arc::clone(&daemon));
    let attending = tokio::spawn(attending);
    let mut standing = Standing::new(&daemon);
    standing.change(orders);

    loop {
        let after = match standing.is_empty() {
            true => reloader.settings().shutdown.idle.0,
            // Who waits for a JVM is needed.
            false => Duration::ZERO,
        };
        tokio::select! {
            signal = signals.next() => if signal == Came::Hangup {
                reloader.reload(&daemon, &access, has_tcp, tls.as_deref(), &mut standing);
            } else {
                tracing::info!(?signal, "stopping");
                break;
            },
            _ = daemon.leaving().reached(Phase::Asked) => {
                tracing::info!("stopping: a client asked for it");
                break;
            }
            () = idle(after, &daemon, serving.activity()) => {
                tracing::info!("stopping: nobody needs the daemon");
                break;
            }
        }
    }
    keeping.abort();
    drop(standing);
    let grace = reloader.settings().shutdown.grace.0;
    services.not_serving().await;
    serving.stop_accepting();
    daemon.leaving().reach(Phase::Draining);
    manager.stopping(&attending::status(&daemon));
    let left = tokio::select! {
        left = daemon.stop(grace) => {
            if left > 0 {
                tracing::warn!(left, "the grace period ran out before all recordings were closed");
            }
            left
        }
        () = second(&mut signals) => {
            tracing::warn!("stopping at once: a second signal came");
            daemon.live_count()
        }
    };
    daemon.leaving().reach(Phase::Closed(left));
    attending.abort();
    // What still runs now are answers to clients that do not read them.
    if !serving.finish(Duration::from_secs(1)).await {
        tracing::info!("ended with requests under way");
    }
    access.seen().audit.settle(Duration::from_secs(1));
    Ok(0)
}

/// Completes when somebody wants it to end at once.
async fn second(signals: &mut Signals) {
    while signals.next().await == Came::Hangup {}
}

/// Deletes what is more than is to be kept, now and from time to time: recordings grow old by themselves.
async fn keep(daemon: Arc<Daemon>) {
    let mut turns = tokio::time::interval(KEEP_INTERVAL);
    loop {
        turns.tick().await;
        let daemon = Arc::clone(&daemon);
        let kept = blocking(move || {
            daemon.keep_within_limits();
            Ok(())
        });
        if let Err(error) = kept.await {
            tracing::warn!(%error, "cannot look for recordings to delete");
        }
    }
}

/// Completes when nobody has needed the daemon for so long; never for zero.
async fn idle(after: Duration, daemon: &Daemon, activity: &Activity) {
    if after.is_zero() {
        return std::future::pending().await;
    }
    let pace = (after / 4).clamp(Duration::from_millis(50), Duration::from_secs(5));
    let mut busy_until = tokio::time::Instant::now();
    loop {
        if daemon.live_count() > 0 {
            busy_until = tokio::time::Instant::now();
        }
        if activity.idle_for() >= after && busy_until.elapsed() >= after {
            return;
        }
        tokio::time::sleep(pace).await;
    }
}
