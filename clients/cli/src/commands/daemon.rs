//! `jhyde daemon status|stop`: the daemon itself. Neither starts one.

use std::time::{Duration, Instant};

use jhyde_proto::token::Connection;
use jhyde_proto::v1::daemon_client::DaemonClient;
use jhyde_proto::v1::{DaemonStatus, GetStatusRequest, StopDaemonRequest, StopDaemonResponse};
use rustix::process::{Pid, test_kill_process};
use serde::Serialize;

use crate::args::{DaemonCommand, Global};
use crate::daemon;
use crate::error::Error;
use crate::output::{Look, Output};
use crate::text::{Cell, Table, age, clean, date, plural};

/// Exit code of `status` where no daemon runs.
const NONE_RUNS: u8 = 1;

/// How long the process may take to end once all recordings are closed.
const ENDS_WITHIN: Duration = Duration::from_secs(10);
/// How often it is looked at meanwhile.
const POLL: Duration = Duration::from_millis(20);

#[derive(Serialize)]
struct StatusJson<'a> {
    running: bool,
    version: &'a str,
    pid: u32,
    started_ms: u64,
    data: &'a str,
    sockets: &'a [String],
    recordings: &'a [String],
    sessions: u64,
    stopping: bool,
}

#[derive(Serialize)]
struct NoneJson {
    running: bool,
}

#[derive(Serialize)]
struct StopJson<'a> {
    was_running: bool,
    recordings: &'a [String],
    not_closed: u32,
}

/// The command; its exit code.
///
/// # Errors
/// When the daemon refuses or cannot be asked, or the output cannot be written.
pub async fn daemon(
    command: &DaemonCommand,
    global: &Global,
    out: &mut Output,
) -> Result<u8, Error> {
    // Whoever wants to end the machine's daemon names it: it is everybody's.
    let or_the_machines = matches!(command, DaemonCommand::Status);
    let connection = daemon::running_one(global, or_the_machines).await?;
    match (command, connection) {
        (DaemonCommand::Status, Some(connection)) => {
            let status = status_of(connection).await?;
            tell_status(&status, out).map(|()| 0)
        }
        (DaemonCommand::Status, None) => tell_none(global, out).map(|()| NONE_RUNS),
        (DaemonCommand::Stop, Some(connection)) => stop(connection, global, out).await,
        // What was wanted is so already.
        (DaemonCommand::Stop, None) => {
            if out.json {
                let nothing = StopJson {
                    was_running: false,
                    recordings: &[],
                    not_closed: 0,
                };
                return out.object(&nothing).map(|()| 0);
            }
            tell_none(global, out).map(|()| 0)
        }
    }
}

async fn status_of(connection: Connection) -> Result<DaemonStatus, Error> {
    let mut client = DaemonClient::new(connection);
    Ok(client.get_status(GetStatusRequest {}).await?.into_inner())
}

fn tell_none(global: &Global, out: &mut Output) -> Result<(), Error> {
    if out.json {
        return out.object(&NoneJson { running: false });
    }
    let data = daemon::data_folder(global.data.as_deref())?;
    out.line(format!("no daemon serves {}", data.display()))
}

fn tell_status(status: &DaemonStatus, out: &mut Output) -> Result<(), Error> {
    if out.json {
        return out.object(&StatusJson {
            running: true,
            version: &status.version,
            pid: status.pid,
            started_ms: status.started_ms,
            data: &status.data,
            sockets: &status.sockets,
            recordings: &status.recordings,
            sessions: status.sessions,
            stopping: status.stopping,
        });
    }
    let mut table = Table::new(&[]);
    let mut row = |name: &str, text: String| {
        let text = clean(&text).into_owned();
        table.row(vec![Cell::with(Look::Faint, name), Cell::new(text)]);
    };
    let state = if status.stopping { ", and ends" } else { "" };
    let version = &status.version;
    row(
        "daemon",
        format!("jhyded {version}, process {}{state}", status.pid),
    );
    let since = (date(status.started_ms), age(status.started_ms));
    row("since", format!("{} ({})", since.0, since.1));
    row("data", status.data.clone());
    for socket in &status.sockets {
        row("at", socket.clone());
    }
    row(
        "recordings",
        match status.recordings.as_slice() {
            [] => "none is being made".to_owned(),
            names => names.join(", "),
        },
    );
    row("sessions", status.sessions.to_string());
    table.write(out)
}

async fn stop(connection: Connection, global: &Global, out: &mut Output) -> Result<u8, Error> {
    let status = status_of(connection.clone()).await?;
    let mut client = DaemonClient::new(connection);
    let stopped = client.stop(StopDaemonRequest {}).await?.into_inner();
    if global.daemon.is_none() {
        gone(status.pid).await;
    }
    tell_stopped(&status, &stopped, out).map(|()| 0)
}

/// Waits until the process has ended, so that whoever starts another daemon next is not in its way. It is one of this
/// machine, and of the user that owns the data folder.
async fn gone(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else { return };
    let until = Instant::now() + ENDS_WITHIN;
    while test_kill_process(pid).is_ok() && Instant::now() < until {
        tokio::time::sleep(POLL).await;
    }
}

fn tell_stopped(
    status: &DaemonStatus,
    stopped: &StopDaemonResponse,
    out: &mut Output,
) -> Result<(), Error> {
    if out.json {
        return out.object(&StopJson {
            was_running: true,
            recordings: &stopped.recordings,
            not_closed: stopped.not_closed,
        });
    }
    out.line(format!("the daemon (process {}) has ended", status.pid))?;
    if !stopped.recordings.is_empty() {
        let count = u64::try_from(stopped.recordings.len()).unwrap_or(u64::MAX);
        let names = clean(&stopped.recordings.join(", ")).into_owned();
        out.line(format!(
            "{} ended with it, and the programs run on: {names}",
            plural(count, "recording")
        ))?;
    }
    if stopped.not_closed > 0 {
        let left = plural(u64::from(stopped.not_closed), "recording");
        out.line(format!(
            "{left} could not be closed in time; what was recorded until then is readable"
        ))?;
    }
    Ok(())
}
