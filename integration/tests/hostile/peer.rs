//! Whoever speaks in a JVM's place: answers like a JVM in which nothing happens, until its script says otherwise.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

const HANDSHAKE: &[u8; 14] = b"JDWP-Handshake";
const HEADER: usize = 11;

/// Suspend policies.
pub(crate) const NONE: u8 = 0;
pub(crate) const THREAD: u8 = 1;
pub(crate) const ALL: u8 = 2;

/// Commands, by set and number.
pub(crate) const RESUME_ALL: (u8, u8) = (1, 9);
pub(crate) const RESUME: (u8, u8) = (11, 3);
pub(crate) const SUSPEND_COUNT: (u8, u8) = (11, 12);
pub(crate) const VERSION: (u8, u8) = (1, 1);
const DISPOSE: (u8, u8) = (1, 6);

/// A command of the debugger.
#[derive(Debug)]
pub(crate) struct Asked {
    id: [u8; 4],
    pub(crate) command: (u8, u8),
    pub(crate) body: Vec<u8>,
}

/// See the module.
pub(crate) struct Peer {
    pub(crate) stream: TcpStream,
    requests: u32,
    /// It connects by itself, and says when it has started.
    came: bool,
    /// What `ThreadReference.SuspendCount` says.
    pub(crate) suspended: u32,
}

/// Listens, and follows a script with whoever comes first. The script says when it has come to its point.
pub(crate) fn listen(
    script: impl FnOnce(Peer, Sender<()>) + Send + 'static,
) -> (String, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let stream = listener.accept().expect("somebody comes").0;
        script(Peer::over(stream, false), tell);
    });
    (address, told)
}

/// Goes to a debugger that waits, and follows a script with it.
pub(crate) fn come(
    port: u16,
    script: impl FnOnce(Peer, Sender<()>) + Send + 'static,
) -> Receiver<()> {
    let (tell, told) = channel();
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("it waits for a JVM");
    std::thread::spawn(move || script(Peer::over(stream, true), tell));
    told
}

impl Peer {
    pub(crate) fn over(stream: TcpStream, came: bool) -> Self {
        Self {
            stream,
            requests: 0,
            came,
            suspended: 0,
        }
    }

    pub(crate) fn greet(&mut self) {
        let mut hello = [0; HANDSHAKE.len()];
        self.stream.read_exact(&mut hello).expect("a handshake");
        assert_eq!(&hello, HANDSHAKE);
        self.say(HANDSHAKE);
    }

    /// What is said to somebody who has gone is lost, as it is in a JVM.
    pub(crate) fn say(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// The next command; `None` when the debugger has closed the connection.
    pub(crate) fn asked(&mut self) -> Option<Asked> {
        let mut header = [0; HEADER];
        self.stream.read_exact(&mut header).ok()?;
        let [a, b, c, d, id @ .., _, set, number] = header;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let mut body = vec![0; length - HEADER];
        self.stream.read_exact(&mut body).ok()?;
        Some(Asked {
            id,
            command: (set, number),
            body,
        })
    }

    fn reply(&mut self, asked: &Asked, error: u16, body: &[u8]) {
        let length = (HEADER + body.len()) as u32;
        let mut packet = length.to_be_bytes().to_vec();
        packet.extend(asked.id);
        packet.push(0x80);
        packet.extend(error.to_be_bytes());
        packet.extend(body);
        self.say(&packet);
    }

    /// Answers one command.
    pub(crate) fn answer(&mut self, asked: &Asked) {
        let number = |number: u32| number.to_be_bytes().to_vec();
        let text = |text: &str| [number(text.len() as u32), text.as_bytes().to_vec()].concat();
        let body = match asked.command {
            // The widths of ids.
            (1, 7) => number(8).repeat(5),
            VERSION => [
                text("a peer"),
                number(17),
                number(0),
                text("17"),
                text("peer"),
            ]
            .concat(),
            // No classes; one thread, without frames and group.
            (1, 3) | (11, 6) => number(0),
            (1, 4) => [number(1), 1_u64.to_be_bytes().to_vec()].concat(),
            (11, 1) => text("main"),
            (11, 5) => 0_u64.to_be_bytes().to_vec(),
            SUSPEND_COUNT => number(self.suspended),
            (15, 1) => {
                self.requests += 1;
                number(self.requests)
            }
            (15, 2) | (1, 8) | DISPOSE | RESUME_ALL | RESUME => Vec::new(),
            _ => return self.reply(asked, 99, &[]),
        };
        self.reply(asked, 0, &body);
    }

    /// Answers up to the first such command. False if the debugger goes before.
    pub(crate) fn answer_until(&mut self, command: (u8, u8)) -> bool {
        while let Some(asked) = self.asked() {
            self.answer(&asked);
            if asked.command == command {
                return true;
            }
        }
        false
    }

    /// Is recorded: every request is set, and it was resumed.
    pub(crate) fn begin(&mut self) {
        self.greet();
        assert!(self.answer_until(VERSION), "it is asked who it is");
        if self.came {
            self.tell(ALL, &[vm_start()]);
        }
        assert!(self.answer_until(RESUME_ALL), "it is recorded");
    }

    /// Tells so many events, as one.
    pub(crate) fn tell(&mut self, policy: u8, events: &[Vec<u8>]) {
        let mut body = vec![policy];
        body.extend((events.len() as u32).to_be_bytes());
        body.extend(events.concat());
        let length = (HEADER + body.len()) as u32;
        let mut packet = length.to_be_bytes().to_vec();
        packet.extend([0, 0, 0, 1, 0, 64, 100]);
        packet.extend(body);
        self.say(&packet);
    }
}

/// An event of this kind in this thread, which carries nothing else.
pub(crate) fn event(kind: u8, thread: u64) -> Vec<u8> {
    let mut event = vec![kind, 0, 0, 0, 0];
    event.extend(thread.to_be_bytes());
    event
}

pub(crate) fn vm_start() -> Vec<u8> {
    event(90, 1)
}

pub(crate) fn thread_start(thread: u64) -> Vec<u8> {
    event(6, thread)
}

pub(crate) fn vm_death() -> Vec<u8> {
    vec![99, 0, 0, 0, 0]
}
