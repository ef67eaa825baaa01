//! `jhyde jvms`: the JVMs of this host, which of them can be recorded and what to do for the others; on a terminal, one of them
//! is recorded by its number.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use jhyde_proto::endpoint::Address;
use jhyde_proto::v1::{ListRecordingsRequest, Recording};
use tokio::time::timeout;

use super::Context;
use super::recordings::{self, is_open};
use crate::args::{AttachArgs, FollowArgs, Global, SourceArgs};
use crate::client::Client;
use crate::daemon;
use crate::error::Error;
use crate::json::JvmJson;
use crate::jvms::port::Port;
use crate::jvms::{self, Jvm};
use crate::output::{Look, Output};
use crate::text::{Listed, clean, jvm_advice, jvm_table};

/// How long the daemon may take to say what it records. The list does without.
const DAEMON_LIMIT: Duration = Duration::from_secs(2);
/// The most recordings that are looked through for one that is made of a JVM.
const RECORDINGS: u32 = 1000;

/// Lists the JVMs, and records the chosen one.
///
/// # Errors
/// When processes cannot be read, the daemon refuses to record, or the output cannot be written.
pub async fn jvms(args: &FollowArgs, global: &Global, mut out: Output) -> Result<(), Error> {
    let found = jvms::find()?;
    let recorded = recorded(&found, global).await;
    let listed: Vec<_> = found
        .iter()
        .map(|jvm| Listed::new(jvm, &recorded))
        .collect();
    if out.json {
        listed
            .iter()
            .try_for_each(|one| out.object(&JvmJson(one)))?;
        return out.flush();
    }
    if listed.is_empty() {
        let text = "no JVM runs here that can be seen; begin with: jhyde launch --name demo -- java -cp classes Main";
        let text = out.paint.text(Look::Faint, text);
        out.line(text)?;
        return out.flush();
    }
    jvm_table(&listed).write(&mut out)?;
    let choices: Vec<_> = listed.iter().filter(|one| one.attach().is_some()).collect();
    let chooses = io::stdin().is_terminal() && io::stdout().is_terminal() && is_here(global);
    let mut told = jvm_advice(&listed);
    if let Some(first) = choices.first().and_then(|one| one.attach()) {
        let elsewhere = global.daemon.as_deref().filter(|_| !is_here(global));
        match elsewhere {
            Some(daemon) => told.insert(0, not_reached(daemon)),
            None if !chooses => told.insert(0, format!("jhyde attach {first} records number 1")),
            None => {}
        }
    }
    for text in told {
        let text = out.paint.text(Look::Hint, text);
        out.line(text)?;
    }
    out.flush()?;
    if choices.is_empty() || !chooses {
        return Ok(());
    }
    match choose(choices.len(), &mut out).await? {
        Some(index) => record(choices[index], args, global, out).await,
        None => Ok(()),
    }
}

/// The recordings that the daemon makes now, if one runs and some JVM has a debugger.
async fn recorded(found: &[Jvm], global: &Global) -> Vec<Recording> {
    if !is_here(global) || !found.iter().any(|jvm| matches!(jvm.port, Port::Taken(_))) {
        return Vec::new();
    }
    let ask = async {
        let connection = daemon::running_one(global, true).await.ok()??;
        let request = ListRecordingsRequest {
            page_size: RECORDINGS,
            page_token: String::new(),
        };
        let answer = Client::new(connection)
            .recordings
            .list(request)
            .await
            .ok()?;
        Some(answer.into_inner().recordings)
    };
    // The list of JVMs is as good without a daemon that cannot be asked: it says then who is connected.
    let mut recordings = timeout(DAEMON_LIMIT, ask)
        .await
        .ok()
        .flatten()
        .unwrap_or_default();
    recordings.retain(is_open);
    recordings
}

fn not_reached(daemon: &str) -> String {
    format!(
        "the daemon at {} may be another machine's, which does not reach these ports: without --daemon they can be \
         recorded from here",
        clean(daemon)
    )
}

/// Does the daemon stand on this machine, where the ports are?
fn is_here(global: &Global) -> bool {
    let address = global.daemon.as_deref().map(str::parse::<Address>);
    match address {
        None | Some(Ok(Address::Unix(_))) => true,
        // A loopback port may be a tunnel to another machine.
        Some(Ok(Address::Tcp(_) | Address::Tls(_)) | Err(_)) => false,
    }
}

/// Asks which one; none with an empty line, or at the end of the input.
async fn choose(choices: usize, out: &mut Output) -> Result<Option<usize>, Error> {
    loop {
        let prompt = out.paint.text(Look::Hint, "record # (Enter: none)>");
        out.prompt(format!("{prompt} "))?;
        let mut line = String::new();
        let read = tokio::task::block_in_place(|| io::stdin().read_line(&mut line));
        let read = read.map_err(|source| Error::Terminal {
            what: "read the input",
            source,
        })?;
        match line.trim() {
            "" => {
                // The prompt is left as a line of its own where Ctrl-D ended the input.
                return if read == 0 { out.line("") } else { Ok(()) }.map(|()| None);
            }
            word => match word.parse::<usize>() {
                Ok(number) if (1..=choices).contains(&number) => return Ok(Some(number - 1)),
                _ => out.line(match choices {
                    1 => "there is only number 1".to_owned(),
                    _ => format!("write a number of the list, 1 to {choices}"),
                })?,
            },
        }
    }
}

/// Records the chosen one, if it is as it was: another process may have its port by now.
async fn record(
    chosen: &Listed<'_>,
    args: &FollowArgs,
    global: &Global,
    out: Output,
) -> Result<(), Error> {
    let (pid, program) = (chosen.jvm.facts.pid, chosen.jvm.program());
    let program = clean(&program);
    let again = |what: &str| {
        let text = format!("JVM {pid} ({program}) {what}; jhyde jvms lists what there is now");
        Error::Failed(text)
    };
    let Some(now) = chosen.jvm.again()? else {
        return Err(again("has ended since it was listed"));
    };
    if now.port != chosen.jvm.port {
        return Err(again(
            "has another debug port than when it was listed, or none",
        ));
    }
    let attach = AttachArgs {
        address: chosen.attach().unwrap_or_default(),
        how: args.clone(),
    };
    let mut context = Context {
        client: Client::new(daemon::reach(global).await?),
        out,
        source: SourceArgs::default(),
    };
    recordings::attach(&mut context, &attach).await?;
    context.out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_elsewhere_does_not_reach_what_is_listed() {
        for (daemon, here) in [
            (None, true),
            (Some("unix:/run/jhyde/jhyded.sock"), true),
            (Some("127.0.0.1:7707"), false),
            (Some("build.example:7707"), false),
            (Some("https://build.example:7707"), false),
        ] {
            let global = Global {
                daemon: daemon.map(str::to_owned),
                ..Global::default()
            };
            assert_eq!(is_here(&global), here, "{daemon:?}");
        }
    }
}
