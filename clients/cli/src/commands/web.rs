//! `jhyde web`: opens the page in a browser.
//!
//! The browser is let in by a ticket. A command line can be read by other users, so it gets the name of a file that only
//! this user can read, and that leads on to the page. It lies in the home folder: browsers that are packed as snaps see
//! neither `/tmp` nor hidden folders. It is gone once the ticket was used, or is too old.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use jhyde_proto::endpoint::runtime_folder;
use jhyde_proto::folder;
use jhyde_proto::v1::{AwaitRedeemedRequest, OpenWebRequest};
use serde::Serialize;
use tokio::process::Command;

use super::{Context, notes, recordings};
use crate::args::WebArgs;
use crate::error::Error;
use crate::output::{Look, Output};

#[derive(Serialize)]
struct WebJson<'a> {
    url: &'a str,
    valid_ms: u32,
    notes: &'a [String],
}

/// Opens the page, or says where it is.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn web(context: &mut Context, args: &WebArgs) -> Result<(), Error> {
    let recording = match &args.recording {
        None => String::new(),
        Some(name) => {
            let named = recordings::named(name);
            let found = context.client.recordings.get(named).await?;
            format!("&recording={}", found.into_inner().id)
        }
    };
    let opened = context.client.web.open(OpenWebRequest {}).await?;
    let opened = opened.into_inner();
    let url = format!("{}/#ticket={}{recording}", opened.url, opened.ticket);
    let out = &mut context.out;
    if out.json {
        return out.object(&WebJson {
            url: &url,
            valid_ms: opened.valid_ms,
            notes: &opened.notes,
        });
    }
    notes(&opened.notes, out)?;
    if args.print {
        return print(&url, out);
    }
    let file = match Redirect::new(&url) {
        Ok(file) => file,
        Err(error) => {
            out.line(format!(
                "no file can be made for the browser ({error}); open this:"
            ))?;
            return print(&url, out);
        }
    };
    if let Err(reason) = browse(&file.0).await {
        out.line(format!("no browser was opened: {reason}; open this:"))?;
        return print(&url, out);
    }
    let told = format!("opening {} in a browser …", opened.url);
    let told = out.paint.text(Look::Hint, told);
    out.line(told)?;
    out.flush()?;
    let request = AwaitRedeemedRequest {
        ticket: opened.ticket,
    };
    let waited = context.client.web.await_redeemed(request).await?;
    match waited.into_inner().redeemed {
        true => Ok(()),
        false => Err(Error::Failed(
            "no browser came within a minute; `jhyde web --print` prints an address to open yourself".to_owned(),
        )),
    }
}

fn print(url: &str, out: &mut Output) -> Result<(), Error> {
    out.line(url)?;
    let hint = "once, within a minute; from another machine through a tunnel: ssh -L PORT:127.0.0.1:PORT HOST";
    let hint = out.paint.text(Look::Hint, hint);
    out.line(hint)
}

/// A file that leads a browser on. Gone with this value.
struct Redirect(PathBuf);

impl Redirect {
    fn new(url: &str) -> io::Result<Self> {
        let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
        let name = format!("jhyde-web-{}.html", std::process::id());
        let made = match home {
            Some(home) => Self::write(&Path::new(&home).join(&name), url),
            None => Err(io::Error::new(io::ErrorKind::NotFound, "HOME is not set")),
        };
        made.or_else(|_| {
            let runtime = runtime_folder();
            folder::make(&runtime).map_err(io::Error::other)?;
            Self::write(&runtime.join(&name), url)
        })
    }

    fn write(path: &Path, url: &str) -> io::Result<Self> {
        // What a process of this number left behind.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        // The address has hexadecimal digits and a number in it, nothing that HTML would take for its own.
        let url = url.replace('&', "&amp;");
        let made = Self(path.to_owned());
        writeln!(
            file,
            "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>\
             <meta http-equiv=refresh content=\"0; url={url}\"><title>jhyde</title>\
             <p><a href=\"{url}\">jhyde</a>"
        )?;
        Ok(made)
    }
}

impl Drop for Redirect {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Has the desktop open a file.
async fn browse(file: &Path) -> Result<(), String> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let (opener, shows) = match cfg!(target_os = "macos") {
        true => ("open", true),
        false => (
            "xdg-open",
            ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]
                .into_iter()
                .any(is_set),
        ),
    };
    if !shows {
        return Err("there is no screen here".to_owned());
    }
    let mut command = Command::new(opener);
    command
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot start {opener}: {error}"))?;
    // Some openers stay as long as the browser does.
    let ended = tokio::time::timeout(std::time::Duration::from_secs(2), child.wait()).await;
    match ended {
        Ok(Ok(status)) if !status.success() => Err(format!("{opener} failed ({status})")),
        _ => Ok(()),
    }
}
