//! The options of the debugger agent, as a JVM got them: on its command line or in a variable of its environment.

use std::net::{IpAddr, SocketAddr};

/// Variables whose words a JVM or its launcher reads as options.
pub const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// How the agent was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// All its options as they stand there.
    pub text: String,
    /// The JVM waits for a debugger; without it, it goes to one.
    pub is_server: bool,
    /// It opens its port when `jcmd` says so.
    pub on_jcmd: bool,
    /// Where it listens, or connects to.
    pub address: Address,
}

/// What an agent was told of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: Host,
    /// 0: any free one.
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    /// Nothing was said: loopback; all addresses before Java 9.
    Default,
    /// `localhost`.
    Loopback,
    /// `*`.
    All,
    Ip(IpAddr),
    /// Only a name service knows.
    Name,
}

impl Agent {
    /// From the first word that loads the agent.
    pub fn in_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut words = words.into_iter();
        // Words of variables may be quoted; the options of this agent have no blanks, so quotes stand at the ends.
        words.find_map(|word| options(word.trim_matches(['"', '\''])).map(Self::new))
    }

    fn new(text: &str) -> Self {
        let value = |name: &str| {
            let mut settings = text
                .split(',')
                .filter_map(|setting| setting.split_once('='));
            settings
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value)
        };
        Self {
            text: text.to_owned(),
            is_server: value("server") == Some("y"),
            on_jcmd: value("onjcmd") == Some("y"),
            address: Address::new(value("address").unwrap_or_default()),
        }
    }
}

/// The agent's options, if the word loads it.
fn options(word: &str) -> Option<&str> {
    // What the launchers of JDK tools hand on to their JVM.
    let word = word.strip_prefix("-J").unwrap_or(word);
    for (name, behind) in [("-Xrunjdwp", ':'), ("-agentlib:jdwp", '=')] {
        match word.strip_prefix(name) {
            Some("") => return Some(""),
            Some(options) => return options.strip_prefix(behind),
            None => {}
        }
    }
    let (path, options) = word.strip_prefix("-agentpath:")?.split_once('=')?;
    path.ends_with("/libjdwp.so").then_some(options)
}

impl Address {
    fn new(text: &str) -> Self {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, port),
            None => ("", text),
        };
        let host = match host.trim_matches(['[', ']']) {
            "" => Host::Default,
            "*" => Host::All,
            host if host.eq_ignore_ascii_case("localhost") => Host::Loopback,
            host => host.parse().map_or(Host::Name, Host::Ip),
        };
        Self {
            host,
            port: port.parse().unwrap_or(0),
        }
    }

    /// Can a socket that listens here be the agent's?
    pub fn fits_listening(&self, at: SocketAddr) -> bool {
        let is_all = at.ip().to_canonical().is_unspecified();
        let fits = match &self.host {
            Host::All => is_all,
            Host::Default if is_all => is_plain(at),
            Host::Default | Host::Loopback => is_plain(at) && at.ip().is_loopback(),
            Host::Ip(ip) => at.ip() == *ip,
            Host::Name => is_plain(at),
        };
        fits && self.has_port(at)
    }

    /// Can a connection that was accepted here be that of a debugger?
    pub fn fits_connected(&self, at: SocketAddr) -> bool {
        let fits = match &self.host {
            Host::All => true,
            // Who listens everywhere is reached at any address.
            Host::Default => is_plain(at),
            Host::Loopback => is_plain(at) && at.ip().is_loopback(),
            Host::Ip(ip) => ip.is_unspecified() || at.ip() == *ip,
            Host::Name => is_plain(at),
        };
        fits && self.has_port(at)
    }

    /// Is it where the agent was told to connect to?
    pub fn is_target(&self, at: SocketAddr) -> bool {
        self.port != 0 && self.port == at.port()
    }

    /// Is a socket that fits the agent's for sure? One of a given port is. Of others those of IPv4 are, as long as the
    /// program's own are of IPv6 (`is_plain`).
    pub fn is_told_apart(&self, programs_are_ipv6: bool) -> bool {
        let is_ipv4 = match self.host {
            Host::Default | Host::Loopback => true,
            Host::Ip(ip) => ip.is_ipv4(),
            Host::All | Host::Name => false,
        };
        self.port != 0 || (is_ipv4 && programs_are_ipv6)
    }

    fn has_port(&self, at: SocketAddr) -> bool {
        self.port == 0 || self.port == at.port()
    }
}

/// The agent makes sockets of the family that its address is of; Java itself makes those of IPv6 for both, as long as the
/// machine has it, and shows `127.0.0.1` as `::ffff:127.0.0.1`.
fn is_plain(at: SocketAddr) -> bool {
    match at.ip() {
        IpAddr::V4(_) => true,
        IpAddr::V6(ip) => ip.to_ipv4_mapped().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_wherever_they_may_stand() {
        for word in [
            "-agentlib:jdwp=transport=dt_socket,server=y,address=5005",
            "-Xrunjdwp:transport=dt_socket,server=y,address=5005",
            "-agentpath:/opt/jdk/lib/libjdwp.so=transport=dt_socket,server=y,address=5005",
            "-J-agentlib:jdwp=transport=dt_socket,server=y,address=5005",
            "\"-agentlib:jdwp=transport=dt_socket,server=y,address=5005\"",
        ] {
            let agent = Agent::in_words(["-Xmx1g", word, "Main"]).unwrap();
            assert!(agent.is_server && !agent.on_jcmd, "{word}");
            assert_eq!(agent.address, Address::new("5005"), "{word}");
        }
        for word in [
            "-agentlib:jdwpx=server=y",
            "-agentpath:/x/libhprof.so=a",
            "-Dx=jdwp",
        ] {
            assert_eq!(Agent::in_words([word]), None, "{word}");
        }
        let client = Agent::in_words(["-agentlib:jdwp=transport=dt_socket,address=h:1"]);
        assert!(!client.unwrap().is_server, "server=n is the default");
        assert_eq!(Agent::in_words(["-agentlib:jdwp"]).unwrap().text, "");
        assert!(
            Agent::in_words(["-agentlib:jdwp=onjcmd=y,server=y"])
                .unwrap()
                .on_jcmd
        );
    }

    #[test]
    fn an_address_and_the_sockets_that_can_be_its() {
        let fits =
            |address: &str, at: &str| Address::new(address).fits_listening(at.parse().unwrap());
        for (address, at) in [
            ("127.0.0.1:0", "127.0.0.1:40000"),
            ("localhost:5005", "127.0.0.1:5005"),
            ("localhost:5005", "[::1]:5005"),
            ("5005", "127.0.0.1:5005"),
            ("5005", "0.0.0.0:5005"),
            ("", "127.0.0.1:40000"),
            ("*:5005", "[::]:5005"),
            ("*:5005", "0.0.0.0:5005"),
            ("[::1]:0", "[::1]:40000"),
            ("10.0.0.7:5005", "10.0.0.7:5005"),
            ("shop:5005", "10.0.0.7:5005"),
        ] {
            assert!(fits(address, at), "{address} {at}");
        }
        for (address, at) in [
            ("127.0.0.1:0", "[::ffff:127.0.0.1]:8080"),
            ("127.0.0.1:0", "[::]:8080"),
            ("127.0.0.1:5005", "127.0.0.1:5006"),
            ("localhost:0", "10.0.0.7:8080"),
            ("*:0", "127.0.0.1:8080"),
            ("5005", "127.0.0.1:5006"),
        ] {
            assert!(!fits(address, at), "{address} {at}");
        }
    }
}
