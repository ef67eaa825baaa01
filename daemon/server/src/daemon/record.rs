//! Making a recording: attach or wait, then record on a thread of its own, then close.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jhyde_capture::{Connection, Controller, Ending};
use jhyde_store::{Error as StoreError, Writer};
use jhyde_trace::{JvmIdentity, RecordingOptions, State};

use super::attended::once_let_go_of;
use super::live::{Live, Status, lock};
use super::options::{Chosen, Wanted};
use super::tally::Tally;
use super::{Daemon, Description, capture, limits, set_exit_code, sources, words};
use crate::config::ByteSize;
use crate::error::Error;
use crate::source::{Program, SourcePath};

/// How long a folder that shall be deleted may still be held by somebody who reads it.
const DELETE_WAIT: Duration = Duration::from_secs(5);

/// To attach to a JVM that listens.
#[derive(Clone, Debug, Default)]
pub struct AttachRequest {
    /// `HOST:PORT`.
    pub address: String,
    /// Name for the recording; empty: one is made.
    pub name: String,
    /// How to record.
    pub wanted: Wanted,
}

/// To wait for a JVM that connects by itself.
#[derive(Clone, Debug, Default)]
pub struct ListenRequest {
    /// Port on loopback; 0: any.
    pub port: u16,
    /// Name for the recording; empty: one is made.
    pub name: String,
    /// How to record.
    pub wanted: Wanted,
    /// Give up after so long; `None`: never.
    pub timeout: Option<Duration>,
    /// The command line of the JVM, where it is known.
    pub command: Vec<String>,
    /// What a made name is made from; empty: the port.
    pub program: String,
}

impl Daemon {
    /// Attaches to a JVM and begins to record it. Returns when it records.
    ///
    /// Dropping the future abandons the recording: the JVM runs on, and nothing is left.
    ///
    /// # Errors
    /// Nothing is recorded and nothing is left, and the JVM runs on.
    pub async fn attach(self: &Arc<Self>, request: AttachRequest) -> Result<Arc<Live>, Error> {
        self.attach_as(request, false).await
    }

    /// The same for the next recording of a series: it gets the series' name, with a number if that is taken, and notes which one
    /// it continues.
    ///
    /// # Errors
    /// As [`Self::attach`].
    pub async fn attach_next(self: &Arc<Self>, request: AttachRequest) -> Result<Arc<Live>, Error> {
        self.attach_as(request, true).await
    }

    async fn attach_as(
        self: &Arc<Self>,
        request: AttachRequest,
        is_next: bool,
    ) -> Result<Arc<Live>, Error> {
        self.check_running()?;
        let mut chosen = request.wanted.choose(&self.options())?;
        capture::host_of(&request.address)?;
        let daemon = Arc::clone(self);
        let controller = Controller::counting(Arc::clone(self.tally().burden()));
        let abandoned = Abandoned(Some(controller.clone()));
        let live = blocking(move || {
            let attach = daemon.options().attach.clone();
            let connection = capture::attach(&request.address, &attach, &controller)?;
            let source = chosen.source.clone();
            let (name, program) = match is_next {
                true => ("", &request.name),
                false => (request.name.as_str(), &request.address),
            };
            if is_next && let Some(last) = daemon.last_of(&request.name, &request.address) {
                chosen
                    .notes
                    .push(format!("standing order: continues {last}"));
            }
            let (live, writer) = daemon.create(name, program, chosen, &[], controller)?;
            daemon.spawn(Arc::clone(&live), writer, source, move |_| Ok(connection))?;
            Ok(live)
        })
        .await?;
        let status = live.begun().await;
        abandoned.wanted();
        match status {
            Status::Gone(_) => Err(live.take_failure().unwrap_or_else(capture::abandoned)),
            _ => Ok(live),
        }
    }

    /// Opens a port and waits, on a thread of its own, for a JVM. Returns at once.
    ///
    /// # Errors
    /// The port cannot be opened, the options make no sense.
    pub fn listen(self: &Arc<Self>, request: ListenRequest) -> Result<Arc<Live>, Error> {
        self.check_running()?;
        let chosen = request.wanted.choose(&self.options())?;
        let waiter = capture::bind(request.port)?;
        let port = waiter.port();
        let program = if request.program.is_empty() {
            format!("port-{port}")
        } else {
            request.program
        };
        let controller = Controller::counting(Arc::clone(self.tally().burden()));
        let command = &request.command;
        let source = chosen.source.clone();
        let (live, writer) = self.create(&request.name, &program, chosen, command, controller)?;
        live.listen_port.store(port, Ordering::Relaxed);
        let timeout = request.timeout;
        let hosts = self.options().attach.hosts.clone();
        self.spawn(Arc::clone(&live), writer, source, move |live| {
            capture::accept(&waiter, timeout, &hosts, &live.controller)
        })?;
        Ok(live)
    }

    /// Makes the recording on disk, in state waiting.
    fn create(
        &self,
        name: &str,
        program: &str,
        chosen: Chosen,
        command: &[String],
        controller: Controller,
    ) -> Result<(Arc<Live>, Writer), Error> {
        // Again: connecting may have taken its time.
        self.check_running()?;
        let Chosen { options, notes, .. } = chosen;
        let (recording, mut writer) = if name.is_empty() {
            self.create_with_made_name(&words::name_from(program), &options)?
        } else {
            self.catalogue.create(Some(name), options)?
        };
        writer.set_meta(|meta| {
            meta.notes = notes;
            if !command.is_empty() {
                meta.jvm.get_or_insert_default().command = command.to_vec();
            }
        })?;
        let live = Arc::new(Live::new(recording, controller));
        lock(&self.live).insert(live.id.clone(), Arc::clone(&live));
        Ok((live, writer))
    }

    /// The name of the last recording of a series: of this name, with or without a number, and of a JVM at this port.
    fn last_of(&self, series: &str, address: &str) -> Option<String> {
        let is_number = |rest: &str| {
            rest.strip_prefix('-')
                .is_some_and(|n| n.parse::<u64>().is_ok())
        };
        let is_one = |name: &str| {
            let rest = name.strip_prefix(series);
            rest.is_some_and(|rest| rest.is_empty() || is_number(rest))
        };
        let port = |address: &str| Some(address.rsplit_once(':')?.1.to_owned());
        let was_there = |jvm: &JvmIdentity| port(&jvm.address) == port(address);
        let mut newest_first = self.list().into_iter();
        let last = newest_first
            .find(|meta| is_one(&meta.name) && meta.jvm.as_ref().is_some_and(was_there));
        last.map(|meta| meta.name)
    }

    /// The first free one of `Main`, `Main-2`, `Main-3`, …
    fn create_with_made_name(
        &self,
        stem: &str,
        options: &RecordingOptions,
    ) -> Result<(Arc<jhyde_store::Recording>, Writer), Error> {
        let mut number = 1_u64;
        loop {
            let name = if number == 1 {
                stem.to_owned()
            } else {
                format!("{stem}-{number}")
            };
            match self.catalogue.create(Some(&name), options.clone()) {
                Err(StoreError::NameTaken { .. }) => number += 1,
                other => return Ok(other?),
            }
        }
    }

    /// Starts the recording's thread.
    fn spawn(
        self: &Arc<Self>,
        live: Arc<Live>,
        writer: Writer,
        source: Vec<PathBuf>,
        connect: impl FnOnce(&Live) -> Result<Connection, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let daemon = Arc::clone(self);
        let for_thread = Arc::clone(&live);
        let spawned = std::thread::Builder::new()
            .name(format!("record {}", live.name))
            .spawn(move || {
                let connect = |live: &Live| {
                    let mut connection = connect(live)?;
                    if let Some(program) = &daemon.options().guard {
                        capture::guard(&mut connection, program);
                    }
                    Ok(connection)
                };
                // A panic on this thread is a bug, and it must not take the other recordings along.
                // The writer, dropped on the way, closes the recording as failed.
                let looks = Looks {
                    named: source,
                    keep: daemon.options().source.keep,
                };
                let making = || make(&for_thread, writer, &looks, &daemon.tally, connect);
                let made = catch_unwind(AssertUnwindSafe(making));
                let made = made.unwrap_or_else(|_| {
                    tracing::error!(
                        recording = for_thread.name,
                        "bug: the recording thread panicked"
                    );
                    Ok(())
                });
                daemon.close(&for_thread, made);
            });
        match spawned {
            Ok(_) => Ok(()),
            Err(source) => {
                let error = Error::System {
                    what: "cannot start a thread",
                    source,
                };
                self.close(&live, Err(error));
                Err(live.take_failure().unwrap_or_else(capture::abandoned))
            }
        }
    }

    /// Bookkeeping after a recording's thread is done: `Err` means that nothing was recorded, and nothing
    /// is to be left.
    fn close(&self, live: &Live, made: Result<(), Error>) {
        let recording = live.recording();
        // From here on an exit code is told to the catalogue; one told before is found below.
        live.release();
        let stats = recording
            .as_ref()
            .and_then(|recording| recording.stats().ok());
        let status = match &made {
            Ok(()) => {
                let meta = self.catalogue.update_meta(&live.id, |meta| {
                    // The program's end may have been told too late for the recording thread.
                    if let Some(code) = live.exit_code() {
                        set_exit_code(meta, code);
                    }
                });
                let meta = match meta {
                    Ok(meta) => Some(meta),
                    Err(error) => {
                        tracing::warn!(recording = live.name, %error, "cannot note how it ended");
                        recording.as_ref().map(|recording| recording.meta())
                    }
                };
                if let Some(stats) = &stats {
                    lock(&self.stats).insert(live.id.clone(), stats.clone());
                }
                // While we hold it: what was recorded just now is not what goes.
                self.keep_within_limits();
                // Whoever hears of the end may end the process: the database is closed before.
                drop(recording);
                meta.map(|meta| (meta, false))
            }
            Err(error) => {
                let meta = recording.as_ref().map(|recording| recording.meta());
                // As long as somebody holds it, it cannot be deleted.
                drop(recording);
                self.discard(live);
                meta.map(|mut meta| {
                    // Not even the JVM's identity counts as recorded.
                    meta.jvm = None;
                    meta.state = State::Failed {
                        reason: error.to_string(),
                    };
                    meta.ended_ms = Some(words::now_ms());
                    (meta, true)
                })
            }
        };
        lock(&self.live).remove(&live.id);
        if let Some((meta, gone)) = status {
            tracing::info!(
                recording = live.name,
                state = words::state(&meta.state),
                "closed"
            );
            let description = Arc::new(Description {
                meta,
                stats,
                unusable: None,
                listen_port: 0,
            });
            let status = if gone {
                Status::Gone(description)
            } else {
                Status::Ended(description)
            };
            live.over(status, made.err());
        }
    }

    /// Deletes a recording in which there is nothing.
    fn discard(&self, live: &Live) {
        // Somebody may ask it something just now.
        match once_let_go_of(DELETE_WAIT, || self.catalogue.delete(&live.id)) {
            Ok(()) | Err(StoreError::NotFound(_)) => {}
            Err(error) => {
                tracing::warn!(recording = live.name, %error, "cannot delete an empty recording");
            }
        }
    }
}

/// A recording, or the connection for one, that nobody wants any more if this is dropped.
struct Abandoned(Option<Controller>);

impl Abandoned {
    /// It has come to be, or will not.
    fn wanted(mut self) {
        self.0 = None;
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.end(Ending::Detach);
        }
    }
}

/// Runs what may block away from the runtime's own threads.
///
/// # Errors
/// What it says; a panic in it is an error, too.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => {
            let source = std::io::Error::other(error);
            Err(Error::System {
                what: "the request ended by a bug of the daemon",
                source,
            })
        }
    }
}

/// How source is looked for.
struct Looks {
    /// Folders and archives that are searched first.
    named: Vec<PathBuf>,
    /// Most of it that is kept.
    keep: ByteSize,
}

/// The recording thread: connect, record, close. `Err`: nothing was recorded.
fn make(
    live: &Live,
    mut writer: Writer,
    looks: &Looks,
    tally: &Arc<Tally>,
    connect: impl FnOnce(&Live) -> Result<Connection, Error>,
) -> Result<(), Error> {
    let mut connection = connect(live)?;
    let identity = connection.identity();
    let class_paths = capture::class_paths(&mut connection)?;
    let mut options = None;
    let mut program = Program::default();
    writer.set_meta(|meta| {
        let command = meta.jvm.take().map(|jvm| jvm.command).unwrap_or_default();
        let mut identity = identity;
        if !command.is_empty() {
            identity.command = command;
        }
        program = sources::program(&identity, class_paths);
        meta.jvm = Some(identity);
        meta.state = State::Running;
        options = Some(meta.options.clone());
    })?;
    let options = options.unwrap_or_default();
    let path = SourcePath::of_program(&looks.named, &program);
    let (sink, gathering) = sources::gather(writer, path, looks.keep);
    let limits = options.limits;
    let capture = capture::begin(connection, options, tally.counting(sink))?;
    if !live.running() {
        // Somebody has ended it before it began, and nobody wants what is there.
        drop(capture.run());
        return Err(capture::abandoned());
    }
    tracing::info!(recording = live.name, "recording");

    let watching = live
        .recording()
        .map(|recording| limits::watch(recording, limits, live.controller.clone()))
        .transpose();
    if let Err(error) = &watching {
        // It was asked for: a recording that may grow without end is not what somebody wanted.
        let reason = format!("its limits cannot be watched: {error}");
        live.controller.end_at_limit(reason);
    }
    let finished = capture.run();
    // Its hold on the recording goes before the recording is closed.
    drop(watching);
    let mut writer = finished.sink.into_inner().into_writer();
    let state = match (finished.state, live.exit_code()) {
        (State::Complete { exit_code: None }, code) => State::Complete { exit_code: code },
        (state, _) => state,
    };
    let mut notes = finished.notes;
    notes.extend(gathering.finish());
    if !notes.is_empty()
        && let Err(error) = writer.set_meta(|meta| meta.notes.extend(notes))
    {
        tracing::warn!(recording = live.name, %error, "cannot write the recording's notes");
    }
    if let Err(error) = writer.finish(state) {
        // What was flushed before is there and readable, and the store knows that it was not closed.
        tracing::error!(recording = live.name, %error, "cannot close the recording");
    }
    Ok(())
}
