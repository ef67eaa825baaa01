//! Leaving a JVM in the place of a daemon that died.
//!
//! A debug agent whose connection breaks resumes all threads, but HotSpot's does so before its event queue is
//! empty: an event on the way may suspend its thread after that, for ever. So the connection must not break
//! when jhyded is killed. A small process holds it open, too: the guard. It does nothing as long as its input
//! is open, which the daemon's death closes, and then lets the JVM stand still, waits until the agent has told
//! all that was on the way, sends what it was given for that hour ([`Guard::leave_word`]: the program's own code back into
//! classes that were instrumented, while it runs), lets it stand again where it was given something, and disposes of the session.
//! [`crate::events`] and [`crate::probe`] leave a JVM in the same order.
//!
//! A JVM that ends has told so and stands still, for the last time: it is resumed and nothing else. A session that is disposed of while the JVM
//! ends may bring the agent down, and the JVM with it ("cannot get thread local storage", `JVMTI_ERROR_WRONG_PHASE`).
//!
//! The daemon may have died in the middle of a packet. So the guard does not read packets, it looks for its own
//! reply among the bytes.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use jdwp::commands::virtual_machine::{Dispose, Resume, Suspend};
use jdwp::{ErrorCode, HEADER_LEN, Header, PacketId, PacketKind};

use crate::jvm::Link;

/// How long a JVM that stands still says nothing when it has told everything.
pub(crate) const QUIET: Duration = Duration::from_millis(100);
/// How long a JVM may take to come to a stand, and to close the connection after it was asked to.
pub(crate) const FAREWELL: Duration = Duration::from_secs(5);
/// How often a guard that waits for bytes looks at the clock.
const TICK: Duration = Duration::from_millis(10);
/// Number of the guard's first command, whose reply it looks for; like [`UNHEARD`] none that a daemon counts up to.
const SUSPEND: PacketId = PacketId(0xffff_fff0);
/// Number of all other commands of the guard's, and of those that were left with it: nobody looks for their replies.
const UNHEARD: PacketId = PacketId(0xffff_fff1);

/// What the daemon says: it needs no guard any more; a command follows, a packet.
const DISMISSED: u8 = b'.';
const WORD: u8 = b':';
/// The JVM has told that it ends.
const ENDS: u8 = b'!';
/// What an event of the JVM's end looks like, behind length and number of its packet: a command, `Event.Composite`, which suspends
/// all, and how many events it has. Their kinds come next.
const EVENTS: [u8; 7] = [0, 64, 100, 2, 0, 0, 0];
const VM_DEATH: u8 = 99;

/// The daemon's side of a guard. Dropped without [`Guard::dismiss`], it lets the guard act, and does not wait for that:
/// it takes twice [`FAREWELL`] where the JVM says nothing.
pub(crate) struct Guard {
    /// Until it is waited for.
    process: Option<Child>,
    /// Closed by the daemon's death, whatever kind of death that is.
    alive: Option<ChildStdin>,
}

impl Guard {
    /// Starts `program guard`, which is to call [`stand_guard`], over a connection.
    pub(crate) fn start(program: &Path, connection: &TcpStream) -> io::Result<Self> {
        let connection = OwnedFd::from(connection.try_clone()?);
        let mut process = Command::new(program)
            .arg("guard")
            .stdin(Stdio::piped())
            .stdout(connection)
            .stderr(Stdio::null())
            // Not in the terminal's group: Ctrl-C is for the daemon.
            .process_group(0)
            .spawn()?;
        let alive = process.stdin.take();
        Ok(Self {
            process: Some(process),
            alive,
        })
    }

    /// Leaves a command with the guard: should the daemon die, the JVM gets it before it is left, after those that were left
    /// before it.
    ///
    /// # Errors
    /// The guard is gone.
    pub(crate) fn leave_word<C: jdwp::Command>(
        &mut self,
        link: &Link,
        command: &C,
    ) -> io::Result<()> {
        let packet = link.packet(UNHEARD, command);
        let Some(alive) = &mut self.alive else {
            return Ok(());
        };
        alive.write_all(&[WORD])?;
        alive.write_all(&packet)
    }

    /// The JVM has told that it ends, and stands still until it is resumed.
    pub(crate) fn ends(&mut self) {
        if let Some(alive) = &mut self.alive {
            // One that is gone leaves nothing.
            let _ = alive.write_all(&[ENDS]);
        }
    }

    /// The JVM was left, or is gone: nothing is to be done.
    pub(crate) fn dismiss(mut self) {
        if let Some(mut alive) = self.alive.take() {
            // A guard that is gone needs no word.
            let _ = alive.write_all(&[DISMISSED]);
        }
        if let Some(mut process) = self.process.take() {
            // It ends at once.
            let _ = process.wait();
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(mut process) = self.process.take() {
            // Whoever is to wait for it cannot be told; without a thread it is waited for when jhyded has ended.
            let reap = move || drop(process.wait());
            let _ = thread::Builder::new().name("guard".into()).spawn(reap);
        }
    }
}

/// The life of a guard, in its own process: standard input is the daemon's, standard output the connection.
///
/// # Errors
/// The connection broke in the middle; the JVM's agent resumes its threads then.
pub fn stand_guard() -> io::Result<()> {
    let Some(left) = outlive(&mut io::stdin().lock()) else {
        return Ok(());
    };
    let connection = io::stdout().as_fd().try_clone_to_owned()?;
    take_leave(TcpStream::from(connection), &left)
}

/// What the daemon has left behind.
#[derive(Debug, Default, PartialEq, Eq)]
struct Left {
    /// Commands: whole packets.
    packets: Vec<u8>,
    /// The JVM ends.
    ends: bool,
}

/// Waits for the daemon's end, which the end of its words is, or an error of them. Gives what it left; `None`: the guard was
/// dismissed.
fn outlive(daemon: &mut impl io::Read) -> Option<Left> {
    let mut left = Left::default();
    loop {
        let mut says = [0];
        match daemon.read_exact(&mut says).map(|()| says[0]) {
            Ok(DISMISSED) => return None,
            Ok(ENDS) => {
                left.ends = true;
                continue;
            }
            Ok(WORD) => {}
            _ => return Some(left),
        }
        let whole = left.packets.len();
        if read_packet(daemon, &mut left.packets).is_err() {
            left.packets.truncate(whole);
            return Some(left);
        }
    }
}

fn read_packet(daemon: &mut impl io::Read, packets: &mut Vec<u8>) -> io::Result<()> {
    let mut start = [0; HEADER_LEN];
    daemon.read_exact(&mut start)?;
    let header = Header::decode(&start).map_err(io::Error::other)?;
    packets.extend_from_slice(&start);
    let rest = u64::from(header.length).saturating_sub(HEADER_LEN as u64);
    let read = daemon.take(rest).read_to_end(packets)?;
    match read as u64 == rest {
        true => Ok(()),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

fn take_leave(mut connection: TcpStream, left: &Left) -> io::Result<()> {
    connection.set_read_timeout(Some(TICK))?;
    connection.set_write_timeout(Some(FAREWELL))?;
    let Some(told) = stand_still(&mut connection)? else {
        return Ok(());
    };
    let mut ends = left.ends || told;
    if !ends && !left.packets.is_empty() {
        connection.write_all(&left.packets)?;
        // They let it run.
        match stand_still(&mut connection)? {
            Some(told) => ends = told,
            None => return Ok(()),
        }
    }
    if ends {
        // Once for the guard, once for the event.
        let resume = command::<Resume>(UNHEARD);
        connection.write_all(&[resume, resume].concat())?;
    } else {
        connection.write_all(&command::<Dispose>(UNHEARD))?;
    }
    let deadline = Instant::now() + FAREWELL;
    let mut heard = Vec::new();
    while Instant::now() < deadline && hear(&mut connection, &mut heard)? {
        heard.clear();
    }
    Ok(())
}

/// Lets the JVM stand, and waits until its agent has told all that was on the way. Does it tell its end? `None`: the connection is
/// closed.
fn stand_still(connection: &mut TcpStream) -> io::Result<Option<bool>> {
    let error = ErrorCode::NONE;
    let suspended = header(SUSPEND, PacketKind::Reply { error });
    connection.write_all(&command::<Suspend>(SUSPEND))?;
    let deadline = Instant::now() + FAREWELL;
    let (mut stands, mut ends, mut quiet) = (false, false, Instant::now());
    let mut heard = Vec::new();
    while Instant::now() < deadline {
        let before = heard.len();
        if !hear(connection, &mut heard)? {
            return Ok(None);
        }
        // Quiet is what was listened to in vain, not that nobody has listened.
        if heard.len() == before {
            if stands && quiet.elapsed() >= QUIET {
                break;
            }
        } else {
            quiet = Instant::now();
            stands |= heard.windows(HEADER_LEN).any(|bytes| bytes == suspended);
            ends |= heard.windows(EVENTS.len() + 2).any(tells_the_end);
            // Both may come in two parts.
            heard.drain(..heard.len().saturating_sub(HEADER_LEN - 1));
        }
    }
    Ok(Some(ends))
}

fn tells_the_end(bytes: &[u8]) -> bool {
    bytes.starts_with(&EVENTS) && bytes.last() == Some(&VM_DEATH)
}

fn command<C: jdwp::Command>(id: PacketId) -> [u8; HEADER_LEN] {
    let (set, command) = (C::SET, C::COMMAND);
    header(id, PacketKind::Command { set, command })
}

fn header(id: PacketId, kind: PacketKind) -> [u8; HEADER_LEN] {
    let length = HEADER_LEN as u32;
    Header { length, id, kind }.encode()
}

/// Reads what there is, for a tick. Says whether the connection is still open.
fn hear(connection: &mut TcpStream, heard: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 1 << 14];
    match connection.read(&mut buffer) {
        Ok(0) => Ok(false),
        Ok(read) => {
            heard.extend_from_slice(&buffer[..read]);
            Ok(true)
        }
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(true),
            ErrorKind::ConnectionReset => Ok(false),
            _ => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let guard = TcpStream::connect(address).expect("a connection");
        (guard, listener.accept().expect("the guard").0)
    }

    fn told(jvm: &mut TcpStream) -> Header {
        let mut bytes = [0; HEADER_LEN];
        jvm.read_exact(&mut bytes).expect("a command");
        Header::decode(&bytes).expect("a header")
    }

    #[test]
    fn a_jvm_is_left_when_it_stands_still_and_has_told_everything() {
        let (guard, mut jvm) = pair();
        let left = Left {
            packets: command::<Resume>(UNHEARD).to_vec(),
            ends: false,
        };
        let guard = thread::spawn(move || take_leave(guard, &left));
        let suspend = told(&mut jvm);
        assert_eq!(suspend.kind, PacketKind::Command { set: 1, command: 8 });
        // The rest of a packet that the daemon had begun to read; the reply, in two parts; events behind it.
        jvm.write_all(&[0, 0, 0, 11, 0xff, 0xff, 7])
            .expect("it is heard");
        let error = ErrorCode::NONE;
        let reply = header(suspend.id, PacketKind::Reply { error });
        jvm.write_all(&reply[..4]).expect("it is heard");
        thread::sleep(2 * TICK);
        jvm.write_all(&reply[4..]).expect("it is heard");
        let mut last = Instant::now();
        for _ in 0..12 {
            thread::sleep(QUIET / 5);
            jvm.write_all(&[1; 100]).expect("it is heard");
            last = Instant::now();
        }
        let resume = PacketKind::Command { set: 1, command: 9 };
        assert_eq!(told(&mut jvm).kind, resume, "what was left with it");
        assert!(last.elapsed() >= QUIET - TICK, "{:?}", last.elapsed());
        // Which let it run: it stands again, before it is left.
        let suspend = told(&mut jvm);
        assert_eq!(suspend.kind, PacketKind::Command { set: 1, command: 8 });
        let reply = header(suspend.id, PacketKind::Reply { error });
        jvm.write_all(&reply).expect("it is heard");
        let last = Instant::now();
        let dispose = told(&mut jvm);
        assert!(last.elapsed() >= QUIET - TICK, "{:?}", last.elapsed());
        assert_eq!(dispose.kind, PacketKind::Command { set: 1, command: 6 });
        drop(jvm);
        guard.join().expect("no panic").expect("no error");
    }

    #[test]
    fn what_the_daemon_leaves_is_kept_until_its_end() {
        let one = command::<Suspend>(PacketId(1));
        let other = command::<Resume>(PacketId(2));
        let says = [&[WORD][..], &one, &[WORD], &other].concat();
        let left = outlive(&mut &says[..]);
        let packets = |packets| Left {
            packets,
            ends: false,
        };
        assert_eq!(left, Some(packets([one, other].concat())), "it died");
        let ending = outlive(&mut &[&says[..], &[ENDS]].concat()[..]);
        assert!(ending.is_some_and(|left| left.ends));
        for cut in 0..says.len() {
            let whole = if cut < 1 + one.len() { &[][..] } else { &one };
            let left = outlive(&mut &says[..cut]);
            assert_eq!(
                left,
                Some(packets(whole.to_vec())),
                "it died after {cut} bytes"
            );
        }
        let dismissed = [&says[..], &[DISMISSED]].concat();
        assert_eq!(outlive(&mut &dismissed[..]), None);
    }

    #[test]
    fn a_jvm_that_ends_is_resumed() {
        // The daemon knew it, or the JVM tells the guard: two events, as HotSpot does.
        for knew in [true, false] {
            let (guard, mut jvm) = pair();
            let left = Left {
                packets: command::<Suspend>(UNHEARD).to_vec(),
                ends: knew,
            };
            let guard = thread::spawn(move || take_leave(guard, &left));
            let suspend = told(&mut jvm);
            if !knew {
                let kinds = [VM_DEATH, 0, 0, 0, 1, VM_DEATH, 0, 0, 0, 0];
                let event = [&[0, 0, 0, 26, 0, 0, 0, 9], &EVENTS[..], &[2], &kinds].concat();
                for byte in event {
                    jvm.write_all(&[byte]).expect("it is heard");
                }
            }
            let error = ErrorCode::NONE;
            jvm.write_all(&header(suspend.id, PacketKind::Reply { error }))
                .expect("it is heard");
            for _ in 0..2 {
                let resume = PacketKind::Command { set: 1, command: 9 };
                assert_eq!(told(&mut jvm).kind, resume, "{knew}");
            }
            drop(jvm);
            guard.join().expect("no panic").expect("no error");
        }
    }

    #[test]
    fn a_jvm_that_is_gone_needs_no_leave() {
        let (guard, jvm) = pair();
        drop(jvm);
        let begun = Instant::now();
        let _ = take_leave(guard, &Left::default());
        assert!(begun.elapsed() < FAREWELL);
    }
}
