//! What a JVM's debug port is like, from what was read of it.

use std::net::{Ipv4Addr, SocketAddr};

use super::agent::Agent;
use super::facts::{Connection, Facts, Inside};

/// A debug port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Port {
    /// It listens here.
    Open(SocketAddr),
    /// It is one of these sockets that listen, or none while a debugger is connected: the JVM chose its port itself and the
    /// program's own cannot be told from it, or the agent's options are where they cannot be read (`are_options_seen`).
    OneOf {
        /// Those that it can be.
        sockets: Vec<SocketAddr>,
        /// Are the agent's options known?
        are_options_seen: bool,
    },
    /// A debugger is connected; by which connection is not known where there are several that it can be.
    Taken(Option<Connection>),
    /// `jcmd` opens it.
    OnJcmd,
    /// The agent is loaded, and listens nowhere.
    Shut(Option<Agent>),
    /// No agent is loaded.
    None,
    /// What would tell may not be read.
    Unreadable,
}

impl Port {
    /// What follows from facts.
    pub fn of(facts: &Facts) -> Self {
        let Some(inside) = &facts.inside else {
            return Self::Unreadable;
        };
        if !inside.has_agent {
            return Self::None;
        }
        match facts.agent() {
            Some(agent) if agent.is_server => {
                let is_sure = agent.address.is_told_apart(facts.are_own_sockets_ipv6());
                Self::of_server(agent, inside, is_sure)
            }
            Some(agent) => {
                let connected = |c: &Connection| agent.address.is_target(c.remote);
                match inside.connections.iter().copied().find(connected) {
                    Some(connection) => Self::Taken(Some(connection)),
                    None => Self::Shut(Some(agent)),
                }
            }
            None => match inside.listening.clone() {
                sockets if sockets.is_empty() => Self::Shut(None),
                sockets => Self::OneOf {
                    sockets,
                    are_options_seen: false,
                },
            },
        }
    }

    fn of_server(agent: Agent, inside: &Inside, is_sure: bool) -> Self {
        let fits = |at: &SocketAddr| agent.address.fits_listening(*at);
        let sockets: Vec<_> = inside.listening.iter().copied().filter(fits).collect();
        match sockets.as_slice() {
            [] => Self::of_silent_server(agent, inside, is_sure),
            [at] if is_sure => Self::Open(*at),
            _ => Self::OneOf {
                sockets,
                are_options_seen: true,
            },
        }
    }

    /// While a debugger is connected, the agent does not listen.
    fn of_silent_server(agent: Agent, inside: &Inside, is_sure: bool) -> Self {
        // A port that listens has connections of the program's own clients.
        let is_programs = |c: &Connection| {
            inside
                .listening
                .iter()
                .copied()
                .any(|at| at.port() == c.local.port())
        };
        let mut connected = inside
            .connections
            .iter()
            .copied()
            .filter(|c| agent.address.fits_connected(c.bound) && !is_programs(c));
        match (connected.next(), connected.next()) {
            // What is connected may be the program's: nobody may have opened the port yet.
            _ if agent.on_jcmd && !is_sure => Self::OnJcmd,
            (Some(connection), None) => Self::Taken(Some(connection)),
            (Some(_), Some(_)) if !agent.on_jcmd => Self::Taken(None),
            _ if agent.on_jcmd => Self::OnJcmd,
            _ => Self::Shut(Some(agent)),
        }
    }

    /// The debugger's connection.
    pub fn connection(&self) -> Option<Connection> {
        match self {
            Self::Taken(connection) => *connection,
            _ => None,
        }
    }

    /// Those that it is, or can be.
    pub fn sockets(&self) -> &[SocketAddr] {
        match self {
            Self::Open(at) => std::slice::from_ref(at),
            Self::OneOf { sockets, .. } => sockets,
            _ => &[],
        }
    }
}

/// Do others than this machine reach a socket that listens there?
pub fn is_open_to_others(at: SocketAddr) -> bool {
    !at.ip().to_canonical().is_loopback()
}

/// Where to connect to, from this machine, to reach a socket that listens there.
pub fn reached_at(at: SocketAddr) -> SocketAddr {
    let ip = match at.ip().to_canonical() {
        // A socket for all addresses of IPv6 takes those of IPv4, too.
        ip if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, at.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=";

    /// Of a JVM with the agent, started by these words; `LISTENING` or `LOCAL>REMOTE` for each of its sockets.
    fn port(words: &[&str], sockets: &[&str]) -> Port {
        of(words, &[], true, sockets)
    }

    fn of(words: &[&str], variables: &[&str], has_agent: bool, sockets: &[&str]) -> Port {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let (connected, listening): (Vec<&str>, Vec<&str>) =
            sockets.iter().copied().partition(|s| s.contains('>'));
        let connection = |text: &str| {
            let (local, remote) = text.split_once('>').unwrap();
            Connection::new(at(local), at(remote))
        };
        Port::of(&Facts {
            pid: 7,
            started: 1,
            uid: 0,
            command: words.iter().map(Into::into).collect(),
            inside: Some(Inside {
                has_agent,
                version: None,
                variables: variables.iter().map(|&text| text.to_owned()).collect(),
                is_here: true,
                has_ipv6: true,
                listening: listening.into_iter().map(at).collect(),
                connections: connected.into_iter().map(connection).collect(),
            }),
        })
    }

    fn open(at: &str) -> Port {
        Port::Open(at.parse().unwrap())
    }

    #[test]
    fn a_port_that_listens_is_the_one_that_the_options_allow() {
        let any = format!("{SERVER}127.0.0.1:0");
        let others = ["[::ffff:127.0.0.1]:8080", "[::]:9090", "0.0.0.0:7070"];
        let mut sockets = vec!["127.0.0.1:40001"];
        sockets.extend(others);
        assert_eq!(
            port(&["java", &any, "Main"], &sockets),
            open("127.0.0.1:40001")
        );
        let fixed = format!("{SERVER}*:5005");
        let sockets = ["[::]:8080", "[::]:5005"];
        assert_eq!(port(&["java", &fixed, "Main"], &sockets), open("[::]:5005"));
    }

    #[test]
    fn what_the_command_line_says_is_not_believed_without_a_socket() {
        let fixed = format!("{SERVER}127.0.0.1:5005");
        let words = ["java", &fixed, "Main"];
        assert!(matches!(port(&words, &[]), Port::Shut(Some(_))));
        assert!(matches!(
            port(&words, &["127.0.0.1:5006"]),
            Port::Shut(Some(_))
        ));
        // An argument of the program is no option.
        assert_eq!(
            of(&["java", "Main", &fixed], &[], false, &["127.0.0.1:5005"]),
            Port::None
        );
    }

    #[test]
    fn several_that_it_can_be_are_told_as_such() {
        let any = format!("{SERVER}*:0");
        let sockets = ["[::]:8080", "[::]:40001"];
        let told = port(&["java", &any, "Main"], &sockets);
        assert_eq!(told.sockets().len(), 2);
        // One that fits may be the program's, while the agent's is taken.
        let told = port(&["java", &any, "Main"], &["[::]:8080"]);
        assert!(matches!(told, Port::OneOf { .. }), "{told:?}");
        let any = format!("{SERVER}127.0.0.1:0");
        let words = ["java", "-Djava.net.preferIPv4Stack=true", &any, "Main"];
        let told = port(&words, &["127.0.0.1:8080"]);
        assert!(matches!(told, Port::OneOf { .. }), "{told:?}");
        let told = port(&["java", "@options", "Main"], &["127.0.0.1:40001"]);
        let Port::OneOf {
            are_options_seen, ..
        } = told
        else {
            panic!("{told:?}")
        };
        assert!(!are_options_seen);
        assert_eq!(port(&["java", "@options", "Main"], &[]), Port::Shut(None));
    }

    #[test]
    fn options_of_the_environment_count_as_well() {
        let fixed = format!("-Xmx1g {SERVER}127.0.0.1:5005 -ea");
        let told = of(
            &["java", "Main"],
            &[&fixed],
            true,
            &["127.0.0.1:5005", "0.0.0.0:80"],
        );
        assert_eq!(told, open("127.0.0.1:5005"));
    }

    #[test]
    fn a_debugger_that_is_connected() {
        let fixed = format!("{SERVER}127.0.0.1:5005");
        let any = format!("{SERVER}127.0.0.1:0");
        let everywhere = format!("{SERVER}*:0");
        let client = "-agentlib:jdwp=transport=dt_socket,server=n,address=127.0.0.1:40000";
        for (option, debugger) in [
            (fixed.as_str(), "127.0.0.1:5005>127.0.0.1:50000"),
            (&any, "127.0.0.1:40001>127.0.0.1:50000"),
            (
                &everywhere,
                "[::ffff:10.0.0.7]:40001>[::ffff:10.0.0.8]:50000",
            ),
            (client, "127.0.0.1:50000>127.0.0.1:40000"),
        ] {
            // A client of the program's own server is no debugger.
            let sockets = ["[::1]:8080", "[::1]:8080>[::1]:3", debugger];
            let told = port(&["java", option, "Main"], &sockets);
            let local: SocketAddr = debugger.split_once('>').unwrap().0.parse().unwrap();
            let local = SocketAddr::new(local.ip().to_canonical(), local.port());
            assert_eq!(told.connection().map(|c| c.local), Some(local), "{option}");
        }
        let two = ["127.0.0.1:1>127.0.0.1:2", "127.0.0.1:3>127.0.0.1:4"];
        assert_eq!(port(&["java", &any, "Main"], &two), Port::Taken(None));
    }

    #[test]
    fn a_port_that_jcmd_opens() {
        let option = format!("{SERVER}127.0.0.1:5005,onjcmd=y");
        let words = ["java", &option, "Main"];
        assert_eq!(port(&words, &["[::]:8080"]), Port::OnJcmd);
        assert_eq!(port(&words, &["127.0.0.1:5005"]), open("127.0.0.1:5005"));
    }

    #[test]
    fn who_is_let_in_and_where() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        for (listens, open, reached) in [
            ("127.0.0.1:1", false, "127.0.0.1:1"),
            ("[::1]:1", false, "[::1]:1"),
            ("[::ffff:127.0.0.1]:1", false, "127.0.0.1:1"),
            ("0.0.0.0:1", true, "127.0.0.1:1"),
            ("[::]:1", true, "127.0.0.1:1"),
            ("10.0.0.7:1", true, "10.0.0.7:1"),
        ] {
            assert_eq!(is_open_to_others(at(listens)), open, "{listens}");
            assert_eq!(reached_at(at(listens)), at(reached), "{listens}");
        }
    }
}
