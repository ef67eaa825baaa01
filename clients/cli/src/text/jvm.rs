//! JVMs of this host: the list, and what is to be done about each.

use std::collections::HashSet;
use std::net::SocketAddr;

use jhyde_proto::v1::Recording;

use super::{Cell, Table, clean};
use crate::jvms::Jvm;
use crate::jvms::port::{Port, is_open_to_others, reached_at};
use crate::output::Look;

/// The agent's option for a JVM that is started anew.
const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";

/// A JVM in the list.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    pub(crate) jvm: &'a Jvm,
    /// Who runs it.
    pub(crate) user: String,
    /// The recording that is made of it.
    pub(crate) recording: Option<&'a str>,
}

impl<'a> Listed<'a> {
    pub(crate) fn new(jvm: &'a Jvm, recordings: &'a [Recording]) -> Self {
        let user = uzers::get_user_by_uid(jvm.facts.uid);
        let user = user.map(|user| user.name().to_string_lossy().into_owned());
        let own_port = jvm
            .port
            .connection()
            .map(|connection| connection.local.port());
        // The daemon knows a JVM by where it was connected to, or came from. A debugger that is no daemon makes no recording.
        let is_daemon = jvm
            .debugger
            .as_ref()
            .is_some_and(|owner| owner.name == "jhyded");
        let of_it = |recording: &&Recording| {
            let address = recording.jvm.as_ref().map(|jvm| jvm.address.as_str());
            let port = address.and_then(|address| address.rsplit_once(':')?.1.parse().ok());
            is_daemon && port.is_some() && port == own_port
        };
        Self {
            jvm,
            user: user.unwrap_or_else(|| jvm.facts.uid.to_string()),
            recording: recordings.iter().find(of_it).map(|one| one.name.as_str()),
        }
    }

    /// What `jhyde attach` takes, where that can be said.
    pub(crate) fn attach(&self) -> Option<String> {
        match self.jvm.port {
            Port::Open(at) if self.jvm.is_here() => Some(reached_at(at).to_string()),
            _ => None,
        }
    }

    /// Its debug port in a cell.
    fn port(&self) -> (Look, String) {
        let elsewhere = match self.jvm.facts.inside {
            Some(_) if !self.jvm.is_here() => " in another network namespace",
            _ => "",
        };
        let open = |at: &SocketAddr| match is_open_to_others(*at) {
            true => format!("{at}, open to others"),
            false => at.to_string(),
        };
        match &self.jvm.port {
            Port::Open(at) if is_open_to_others(*at) => (Look::ChangedBelow, open(at) + elsewhere),
            Port::Open(at) => (Look::Good, open(at) + elsewhere),
            Port::OneOf { sockets, .. } => {
                let sockets: Vec<_> = sockets.iter().map(open).collect();
                let text = format!("one of {}{elsewhere}", sockets.join("; "));
                (Look::ChangedBelow, text)
            }
            Port::Taken(_) => (Look::Hint, self.taken() + elsewhere),
            Port::OnJcmd => (Look::Faint, format!("opened by jcmd{elsewhere}")),
            Port::Shut(_) => (Look::Faint, format!("not open{elsewhere}")),
            Port::None => (Look::Faint, "none".to_owned()),
            Port::Unreadable => (Look::Faint, "not readable".to_owned()),
        }
    }

    fn taken(&self) -> String {
        match (
            self.recording,
            &self.jvm.debugger,
            self.jvm.port.connection(),
        ) {
            (Some(name), _, _) => format!("recorded as {}", clean(name)),
            (None, Some(owner), _) if owner.name == "jhyded" => {
                format!("recorded by jhyded, process {}", owner.pid)
            }
            (None, Some(owner), _) => {
                format!("debugged by {}, process {}", clean(&owner.name), owner.pid)
            }
            (None, None, Some(connection)) => format!("debugged from {}", connection.remote),
            (None, None, None) => "debugged".to_owned(),
        }
    }

    /// What to do, or to know; JVMs with the same words are told together.
    pub(crate) fn advice(&self) -> Option<String> {
        let pid = self.jvm.facts.pid;
        let user = clean(&self.user);
        match &self.jvm.port {
            Port::Open(at) if !self.jvm.is_here() => Some(format!(
                "its network namespace is another one; as root: nsenter --net=/proc/{pid}/ns/net jhyded attach {} \
                 --data FOLDER (docs/jdwp.md)",
                reached_at(*at)
            )),
            Port::Open(at) if is_open_to_others(*at) => Some(
                "who reaches a debug port runs code in the JVM, and others than this machine may reach this one: \
                 write address=127.0.0.1:PORT where it is started"
                    .to_owned(),
            ),
            Port::OneOf { are_options_seen: true, .. } => Some(
                "the JVM chose its debug port, and the program listens likewise, so it is one of these, or none while a \
                 debugger is connected; the JVM said it when it started (\"Listening for transport dt_socket at address\"): \
                 jhyde attach HOST:PORT, or restart it with a port of your choice, or address=127.0.0.1:0"
                    .to_owned(),
            ),
            Port::OneOf { .. } => Some(
                "the debugger agent is loaded, but by options in neither its command line nor its environment (an @file?); \
                 the JVM said its port when it started: jhyde attach HOST:PORT"
                    .to_owned(),
            ),
            Port::Taken(_) if self.recording.is_none() => {
                Some("a JVM takes one debugger at a time: end that one first".to_owned())
            }
            Port::OnJcmd => Some(format!(
                "as {user}: jcmd {pid} VM.start_java_debugging; then jhyde jvms again"
            )),
            Port::Shut(Some(agent)) if agent.is_server => Some(format!(
                "the debugger agent is loaded, but no socket of it listens and no debugger is connected; its options: {}",
                clean(&agent.text)
            )),
            Port::Shut(Some(agent)) => Some(format!(
                "the debugger agent went to its debugger when the JVM started, and is connected to none any more: restart it; \
                 its options: {}",
                clean(&agent.text)
            )),
            Port::Shut(None) => Some(
                "the debugger agent is loaded, by options in neither its command line nor its environment (an @file?), \
                 and the JVM listens nowhere"
                    .to_owned(),
            ),
            Port::None => Some(format!(
                "no debugger agent: restart with {AGENT}, or from the beginning by: jhyde launch -- java …"
            )),
            Port::Unreadable => Some(format!("not readable: run jhyde jvms as {user} or root")),
            Port::Open(_) | Port::Taken(_) => None,
        }
    }
}

/// The list; those that can be recorded have numbers.
pub(crate) fn jvm_table(listed: &[Listed<'_>]) -> Table {
    let mut table = Table::new(&["#", "PID", "USER", "JAVA", "DEBUG PORT", "PROGRAM"])
        .leaving_out(&["JAVA", "USER"]);
    let mut number = 0;
    for one in listed {
        let number = match one.attach() {
            Some(_) => {
                number += 1;
                number.to_string()
            }
            None => String::new(),
        };
        let version = one.jvm.facts.inside.as_ref();
        let version = version.and_then(|inside| inside.version.as_deref());
        let (look, port) = one.port();
        table.row(vec![
            Cell::number(number).looking(Look::Strong),
            Cell::number(one.jvm.facts.pid.to_string()),
            Cell::new(clean(&one.user)),
            Cell::new(clean(version.unwrap_or_default())),
            Cell::with(look, port),
            Cell::new(clean(&one.jvm.program())),
        ]);
    }
    table
}

/// What is to be done, for the JVMs that share it.
pub(crate) fn jvm_advice(listed: &[Listed<'_>]) -> Vec<String> {
    let told: Vec<_> = listed
        .iter()
        .filter_map(|one| Some((one.jvm.facts.pid, one.advice()?)))
        .collect();
    let mut seen = HashSet::new();
    let texts = told.iter().map(|(_, text)| text);
    texts
        .filter(|text| seen.insert(*text))
        .map(|text| {
            let pids = told.iter().filter(|(_, other)| other == text);
            let pids: Vec<_> = pids.map(|(pid, _)| pid.to_string()).collect();
            format!("{}: {text}", pids.join(", "))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jvms::facts::{Connection, Facts, Inside, Owner};
    use crate::output::{Output, Paint};

    fn jvm(pid: i32, port: Port, is_here: bool) -> Jvm {
        let words = ["java", "-jar", "shop.jar", "80"];
        let facts = Facts {
            pid,
            started: 1,
            uid: 0,
            command: words.map(Into::into).into(),
            inside: Some(Inside {
                has_agent: true,
                version: Some("17.0.15".to_owned()),
                variables: Vec::new(),
                is_here,
                has_ipv6: true,
                listening: Vec::new(),
                connections: Vec::new(),
            }),
        };
        Jvm {
            facts,
            port,
            debugger: None,
        }
    }

    fn open(at: &str) -> Port {
        Port::Open(at.parse().unwrap())
    }

    #[test]
    fn only_what_can_be_recorded_from_here_has_a_number() {
        let jvms = [
            jvm(1, Port::None, true),
            jvm(2, open("127.0.0.1:5005"), true),
            jvm(3, open("127.0.0.1:5005"), false),
            jvm(4, open("[::]:5006"), true),
        ];
        let listed: Vec<_> = jvms.iter().map(|jvm| Listed::new(jvm, &[])).collect();
        let attach: Vec<_> = listed.iter().map(Listed::attach).collect();
        let at = |text: &str| Some(text.to_owned());
        assert_eq!(
            attach,
            [None, at("127.0.0.1:5005"), None, at("127.0.0.1:5006")]
        );
        let (write, read) = std::sync::mpsc::channel();
        let mut out = Output::to(Lines(write), Paint::new(false), false);
        jvm_table(&listed).write(&mut out).unwrap();
        drop(out);
        let text: Vec<u8> = read.iter().flatten().collect();
        let text = String::from_utf8(text).unwrap();
        let expected = "\
#  PID  USER  JAVA     DEBUG PORT                                  PROGRAM
     1  root  17.0.15  none                                        shop 80
1    2  root  17.0.15  127.0.0.1:5005                              shop 80
     3  root  17.0.15  127.0.0.1:5005 in another network namespace  shop 80
2    4  root  17.0.15  [::]:5006, open to others                   shop 80
";
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeezed(&text), squeezed(expected));
    }

    struct Lines(std::sync::mpsc::Sender<Vec<u8>>);

    impl std::io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let _ = self.0.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_same_advice_is_told_once_for_all() {
        let jvms = [
            jvm(1, Port::None, true),
            jvm(2, Port::OnJcmd, true),
            jvm(3, Port::None, true),
            jvm(4, open("127.0.0.1:5005"), true),
        ];
        let listed: Vec<_> = jvms.iter().map(|jvm| Listed::new(jvm, &[])).collect();
        let told = jvm_advice(&listed);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].starts_with("1, 3: no debugger agent"), "{told:?}");
        assert!(
            told[1].contains("jcmd 2 VM.start_java_debugging"),
            "{told:?}"
        );
    }

    #[test]
    fn a_recording_is_its_daemons_alone() {
        let at = |text: &str| text.parse().unwrap();
        let connection = Connection::new(at("127.0.0.1:5005"), at("127.0.0.1:50000"));
        let mut one = jvm(1, Port::Taken(Some(connection)), true);
        let recording = |address: &str| Recording {
            name: "shop".to_owned(),
            jvm: Some(jhyde_proto::v1::Jvm {
                address: address.to_owned(),
                ..Default::default()
            }),
            ..Recording::default()
        };
        let recordings = [recording("localhost:5006"), recording("localhost:5005")];
        let told = |one: &Jvm| Listed::new(one, &recordings).port().1;
        assert_eq!(told(&one), "debugged from 127.0.0.1:50000");
        let owner = |name: &str| Owner {
            pid: 9,
            name: name.to_owned(),
        };
        one.debugger = Some(owner("java"));
        assert_eq!(told(&one), "debugged by java, process 9");
        one.debugger = Some(owner("jhyded"));
        assert_eq!(told(&one), "recorded as shop");
        assert_eq!(
            Listed::new(&one, &[]).port().1,
            "recorded by jhyded, process 9"
        );
    }
}
