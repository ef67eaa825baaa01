//! What `/proc` tells of the processes that have a JVM in them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::net::SocketAddr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use jhyde_proto::program::JavaCommand;
use procfs::ProcError;
use procfs::net::{TcpNetEntry, TcpState};
use procfs::process::{FDTarget, Process, all_processes};
use rustix::fs::OFlags;

use super::FindError;
use super::agent::{Agent, VARIABLES};

/// The most that is read of a file in `/proc`, or of a JDK.
const MOST: u64 = 16 << 20;

/// A process with a JVM in it, or with one as far as can be told.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Its number.
    pub pid: i32,
    /// When it was started, in the kernel's ticks: with the number it is one process for ever.
    pub started: u64,
    /// Whose it is.
    pub uid: u32,
    /// Its command line.
    pub command: Vec<OsString>,
    /// What only its user and root may read; none to others.
    pub inside: Option<Inside>,
}

/// What only its user and root may read.
#[derive(Clone, Debug)]
pub struct Inside {
    /// The library of the debugger agent is loaded.
    pub has_agent: bool,
    /// The JDK's version, as its own file says.
    pub version: Option<String>,
    /// The values of those [`VARIABLES`] that are set.
    pub variables: Vec<String>,
    /// It is in this network namespace.
    pub is_here: bool,
    /// There is IPv6 in its network namespace.
    pub has_ipv6: bool,
    /// Where its sockets listen.
    pub listening: Vec<SocketAddr>,
    /// Its connections.
    pub connections: Vec<Connection>,
}

/// A connection, from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Connection {
    /// This end as the socket has it, which tells the family of its addresses.
    pub bound: SocketAddr,
    /// This end.
    pub local: SocketAddr,
    /// The other one.
    pub remote: SocketAddr,
}

/// A process that has a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its number.
    pub pid: i32,
    /// What it is called.
    pub name: String,
}

impl Connection {
    /// Between these.
    pub fn new(bound: SocketAddr, remote: SocketAddr) -> Self {
        let plain = |at: SocketAddr| SocketAddr::new(at.ip().to_canonical(), at.port());
        Self {
            bound,
            local: plain(bound),
            remote: plain(remote),
        }
    }

    fn is_other_end_of(&self, other: &Self) -> bool {
        self.local == other.remote && self.remote == other.local
    }
}

impl Facts {
    /// Was it started by `java`?
    pub fn is_launcher(&self) -> bool {
        let program = self.command.first().map(Path::new);
        program.and_then(Path::file_name) == Some(OsStr::new("java"))
    }

    /// How the debugger agent was loaded, if that stands where it can be read.
    pub fn agent(&self) -> Option<Agent> {
        let words = self.options();
        Agent::in_words(words.iter().map(AsRef::as_ref))
    }

    /// Are the sockets that its program makes of IPv6, also those for IPv4? So they are unless there is none, or an option says so.
    pub fn are_own_sockets_ipv6(&self) -> bool {
        let has_ipv6 = self.inside.as_ref().is_some_and(|inside| inside.has_ipv6);
        let without = |word: &Cow<'_, str>| word.contains("-Djava.net.preferIPv4Stack=true");
        has_ipv6 && !self.options().iter().any(without)
    }

    /// The JVM's options, as far as they can be read.
    fn options(&self) -> Vec<Cow<'_, str>> {
        let options = match self.is_launcher() {
            true => JavaCommand::of_running(&self.command).options(),
            // Whose words are what is not known: an option is one wherever it stands.
            false => self.command.get(1..).unwrap_or_default(),
        };
        let options = options.iter().map(|word| word.to_string_lossy());
        let variables = self.inside.iter().flat_map(|inside| &inside.variables);
        let words = variables.flat_map(|text| text.split_whitespace());
        options.chain(words.map(Cow::Borrowed)).collect()
    }
}

/// Why a process is left out, or what of it is.
enum Lacking {
    /// It has ended, or has no JVM in it.
    Gone,
    /// It may not be read.
    Unreadable,
}

impl From<ProcError> for Lacking {
    fn from(error: ProcError) -> Self {
        match error {
            ProcError::NotFound(_) => Self::Gone,
            // A process that ends while it is read gives ESRCH.
            ProcError::Io(error, _) if error.raw_os_error() == Some(ESRCH) => Self::Gone,
            _ => Self::Unreadable,
        }
    }
}

/// "No such process".
const ESRCH: i32 = rustix::io::Errno::SRCH.raw_os_error();

impl From<std::io::Error> for Lacking {
    fn from(error: std::io::Error) -> Self {
        ProcError::from(error).into()
    }
}

/// All that are seen from here.
///
/// # Errors
/// [`FindError`] when there are no processes to read.
pub fn all() -> Result<Vec<Facts>, FindError> {
    let here = network(&Process::myself()?)?;
    let processes = all_processes()?.filter_map(Result::ok);
    Ok(processes.filter_map(|one| facts(&one, here)).collect())
}

/// One of them; none where no such JVM runs.
///
/// # Errors
/// [`FindError`] when there are no processes to read.
pub fn of_pid(pid: i32) -> Result<Option<Facts>, FindError> {
    let here = network(&Process::myself()?)?;
    let process = Process::new(pid).ok();
    Ok(process.and_then(|process| facts(&process, here)))
}

/// Whose process has the other end of each connection, where it is one of this network namespace and may be read.
///
/// # Errors
/// [`FindError`] when there are no processes to read.
pub fn other_ends(connections: &[Connection]) -> Result<HashMap<Connection, Owner>, FindError> {
    if connections.is_empty() {
        return Ok(HashMap::new());
    }
    let mut owners: HashMap<_, (u64, Owner)> = HashMap::new();
    let mut wanted = HashMap::new();
    for socket in sockets(&Process::myself()?)? {
        let found = connection(&socket);
        let here = connections.iter().find(|one| one.is_other_end_of(&found));
        if let Some(here) = here.filter(|_| socket.state == TcpState::Established) {
            wanted.insert(socket.inode, *here);
        }
    }
    for process in all_processes()?.filter_map(Result::ok) {
        for inode in inodes(&process).unwrap_or_default() {
            if let (Some(connection), Ok(stat)) = (wanted.get(&inode), process.stat()) {
                let owner = Owner {
                    pid: process.pid(),
                    name: stat.comm,
                };
                // A child has it, too, that was started with it open; the oldest is who made it.
                let older = |(started, _): &(u64, Owner)| *started <= stat.starttime;
                if !owners.get(connection).is_some_and(older) {
                    owners.insert(*connection, (stat.starttime, owner));
                }
            }
        }
    }
    let owners = owners.into_iter();
    Ok(owners
        .map(|(connection, (_, owner))| (connection, owner))
        .collect())
}

/// A network namespace: device and number of its file.
type Namespace = (u64, u64);

/// What can be told of a process, if it has a JVM.
fn facts(process: &Process, here: Namespace) -> Option<Facts> {
    let command = read(process, "cmdline").ok()?;
    // One of the kernel's, or one that has ended and is not waited for yet.
    if command.is_empty() {
        return None;
    }
    let words = command.split(|byte| *byte == 0);
    let mut command: Vec<_> = words
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    command.pop_if(|word| word.is_empty());
    let inside = match inside(process, here) {
        Ok(inside) => Some(inside),
        Err(Lacking::Gone) => return None,
        Err(Lacking::Unreadable) => None,
    };
    let facts = Facts {
        pid: process.pid(),
        started: process.stat().ok()?.starttime,
        uid: process.status().ok()?.euid,
        command,
        inside,
    };
    // Of what may not be read, only what is called so counts as one.
    (facts.inside.is_some() || facts.is_launcher()).then_some(facts)
}

fn inside(process: &Process, here: Namespace) -> Result<Inside, Lacking> {
    // The crate's parser of this file panics at names that a mapped file can have, and wants UTF-8.
    let maps = read(process, "maps")?;
    let library = library(&maps, "libjvm.so").ok_or(Lacking::Gone)?;
    let network = network(process)?;
    let own = inodes(process)?;
    // Read after the own ones, and for each process: in a list that another one left, those made since then would be missing.
    let all = sockets(process)?;
    let own: Vec<_> = all.iter().filter(|one| own.contains(&one.inode)).collect();
    let listening = own.iter().filter(|one| one.state == TcpState::Listen);
    let connected = own.iter().filter(|one| one.state == TcpState::Established);
    let environment = process.environ()?;
    let variable = |name| Some(environment.get(OsStr::new(name))?.to_string_lossy());
    Ok(Inside {
        has_agent: self::library(&maps, "libjdwp.so").is_some(),
        version: version(process, &library),
        variables: VARIABLES
            .iter()
            .filter_map(variable)
            .map(Into::into)
            .collect(),
        is_here: network == here,
        has_ipv6: process.tcp6().is_ok(),
        listening: listening.map(|one| one.local_address).collect(),
        connections: connected.map(|one| connection(one)).collect(),
    })
}

fn connection(socket: &TcpNetEntry) -> Connection {
    Connection::new(socket.local_address, socket.remote_address)
}

fn read(process: &Process, file: &str) -> Result<Vec<u8>, Lacking> {
    let mut bytes = Vec::new();
    let file = process.open_relative(file)?;
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The path of a mapped library.
fn library(maps: &[u8], name: &str) -> Option<OsString> {
    // An update of the JDK takes it away under those that run.
    const DELETED: &[u8] = b" (deleted)";
    let lines = maps.split(|byte| *byte == b'\n');
    let mut paths = lines.filter_map(|line| {
        let path = &line[line.iter().position(|byte| *byte == b'/')?..];
        Some(OsStr::from_bytes(
            path.strip_suffix(DELETED).unwrap_or(path),
        ))
    });
    let found = paths.find(|path| Path::new(path).file_name() == Some(OsStr::new(name)));
    found.map(OsStr::to_owned)
}

/// The version in the file `release` of the JDK that a library is of, as the process sees it.
fn version(process: &Process, library: &OsStr) -> Option<String> {
    // lib/server/libjvm.so, with a folder for the architecture before Java 9, and below jre/ then.
    let folders = Path::new(library).ancestors().skip(1).take(5);
    let mut releases = folders.filter_map(|folder| {
        let inside = folder.strip_prefix("/").ok()?.join("release");
        // It may be in a container of somebody's who has put something else there: nothing is waited for.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = process.open_relative_flags(Path::new("root").join(inside), flags);
        let file = file.ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut text = String::new();
        file.take(1 << 16).read_to_string(&mut text).ok()?;
        let mut lines = text.lines();
        let line = lines.find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        Some(line.trim_matches('"').to_owned())
    });
    releases.next().filter(|version| !version.is_empty())
}

fn network(process: &Process) -> Result<Namespace, ProcError> {
    let namespaces = process.namespaces()?.0;
    let network = namespaces.get(OsStr::new("net"));
    let network = network.ok_or(ProcError::NotFound(None))?;
    Ok((network.device_id, network.identifier))
}

/// All sockets of TCP in a process's network namespace.
fn sockets(process: &Process) -> Result<Vec<TcpNetEntry>, ProcError> {
    let sixth = process.tcp6();
    // A machine without IPv6 has no list of these, nor has a process that has just ended: that has none for IPv4, either.
    let mut all = process.tcp()?;
    match sixth {
        Ok(more) => all.extend(more),
        Err(ProcError::NotFound(_)) => {}
        Err(error) => return Err(error),
    }
    Ok(all)
}

/// The sockets that a process has.
fn inodes(process: &Process) -> Result<Vec<u64>, ProcError> {
    let open = process.fd()?.filter_map(Result::ok);
    let sockets = open.filter_map(|one| match one.target {
        FDTarget::Socket(inode) => Some(inode),
        _ => None,
    });
    Ok(sockets.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_among_what_is_mapped() {
        let maps =
            b"7f00-7f01 r-xp 00000000 08:01 1234    /opt/a jdk/lib/server/libjvm.so (deleted)\n\
            7f02-7f03 rw-p 00000000 00:00 0 \n\
            7f04-7f05 r--p 00000000 08:01 99 /SYSV\xff\n\
            7f06-7f07 r--p 00000000 08:01 99 /tmp/not-libjdwp.so\n";
        let found = library(maps, "libjvm.so");
        assert_eq!(found, Some("/opt/a jdk/lib/server/libjvm.so".into()));
        assert_eq!(library(maps, "libjdwp.so"), None);
        assert_eq!(library(b"", "libjvm.so"), None);
    }

    /// Else it would be said to listen nowhere.
    #[test]
    fn one_that_has_ended_has_no_list_of_sockets() {
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let process = Process::new(i32::try_from(child.id()).unwrap()).unwrap();
        assert!(sockets(&process).is_ok());
        child.kill().unwrap();
        child.wait().unwrap();
        let lacking = sockets(&process).map_err(Lacking::from);
        assert!(matches!(lacking, Err(Lacking::Gone)));
    }

    #[test]
    fn a_process_without_a_jvm_is_none() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(of_pid(own).unwrap().is_none());
        assert!(of_pid(i32::MAX).unwrap().is_none());
    }
}
