//! Whom the daemon may speak JDWP with: hosts, networks and ports.
//!
//! An address is judged after its name was looked up, as the one that is then connected: a name that means another host
//! the second time changes nothing.

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Deserializer};
use thiserror::Error;

/// The names and networks of one setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Vec<Host>);

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    who: Who,
    ports: RangeInclusive<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Who {
    Any,
    /// This machine, by an address that leads nowhere else.
    Loopback,
    Network(IpNet),
    /// In lower case: whatever addresses it has when it is typed so.
    Name(String),
}

/// What is neither a host nor a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' is no host: write a name, an address or a network, with a port or a range of ports if only those are meant: \
     localhost, build.example:5005, 10.0.0.0/8:5000-5999, [fd00::]/8, or * for any"
)]
pub struct NoHost(String);

impl Hosts {
    /// May a JVM at this address be spoken to, which `typed` was looked up for?
    pub fn allow(&self, typed: &str, address: SocketAddr) -> bool {
        self.0
            .iter()
            .any(|host| host.ports.contains(&address.port()) && host.who.is(typed, address.ip()))
    }

    /// May one that comes by itself? Its port is any.
    pub fn allow_visitor(&self, address: IpAddr) -> bool {
        self.0.iter().any(|host| host.who.is("", address))
    }
}

impl Who {
    fn is(&self, typed: &str, address: IpAddr) -> bool {
        // ::ffff:10.0.0.1 is 10.0.0.1.
        let address = address.to_canonical();
        match self {
            Self::Any => true,
            Self::Loopback => address.is_loopback(),
            Self::Network(network) => network.contains(&address),
            Self::Name(name) => name.eq_ignore_ascii_case(bare(typed)),
        }
    }
}

fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

impl FromStr for Host {
    type Err = NoHost;

    fn from_str(text: &str) -> Result<Self, NoHost> {
        let wrong = || NoHost(text.to_owned());
        // An address of version 6 has colons of its own: alone, or in brackets.
        let is_v6 = text.parse::<std::net::Ipv6Addr>().is_ok() || text.parse::<IpNet>().is_ok();
        let (host, ports) = match text.rsplit_once(':') {
            Some((host, ports)) if !is_v6 && !ports.ends_with(']') && !ports.contains("]/") => {
                (host, ports_of(ports).ok_or_else(wrong)?)
            }
            _ => (text, 0..=u16::MAX),
        };
        let plain = host.replace(['[', ']'], "");
        let who = if host == "*" {
            Who::Any
        } else if host.eq_ignore_ascii_case("localhost") {
            Who::Loopback
        } else if let Ok(network) = plain.parse::<IpNet>() {
            Who::Network(network.trunc())
        } else if let Ok(address) = plain.parse::<IpAddr>() {
            Who::Network(IpNet::from(address.to_canonical()))
        } else {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            let is_like_an_address = host
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.');
            if host.is_empty() || is_like_an_address || !host.bytes().all(is_name) {
                return Err(wrong());
            }
            Who::Name(host.to_ascii_lowercase())
        };
        Ok(Self { who, ports })
    }
}

fn ports_of(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last).then_some(first..=last)
}

impl<'de> Deserialize<'de> for Hosts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        let hosts = words.iter().map(|word| word.parse());
        let hosts: Result<_, NoHost> = hosts.collect();
        hosts.map(Self).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(words: &[&str]) -> Hosts {
        Hosts(words.iter().map(|word| word.parse().unwrap()).collect())
    }

    fn allow(hosts: &Hosts, typed: &str, address: &str) -> bool {
        hosts.allow(typed, address.parse().unwrap())
    }

    #[test]
    fn an_address_is_judged_and_not_what_was_typed() {
        let usual = hosts(&["localhost", "127.0.0.1", "::1"]);
        for mine in [
            "127.0.0.1:1",
            "127.8.0.1:1",
            "[::1]:65535",
            "[::ffff:127.0.0.1]:2",
        ] {
            assert!(allow(&usual, "whatever", mine), "{mine}");
        }
        // Names that are led elsewhere.
        for other in ["10.0.0.1:5005", "[fd00::1]:5005", "0.0.0.0:5005"] {
            assert!(!allow(&usual, "localhost", other), "{other}");
            assert!(!allow(&usual, "127.0.0.1", other), "{other}");
        }
        assert!(!allow(&Hosts::default(), "localhost", "127.0.0.1:1"));
        assert!(allow(&hosts(&["*"]), "x", "192.0.2.1:1"));
    }

    #[test]
    fn networks_and_ports_have_bounds() {
        let some = hosts(&[
            "10.0.0.0/8:5000-5999",
            "[fd00::]/8:7",
            "fe80::/10",
            "192.0.2.7",
            "build.example:5005",
        ]);
        for (address, allowed) in [
            ("10.255.0.1:5000", true),
            ("10.0.0.1:5999", true),
            ("[::ffff:10.0.0.1]:5005", true),
            ("10.0.0.1:4999", false),
            ("10.0.0.1:6000", false),
            ("11.0.0.1:5005", false),
            ("[fd12::1]:7", true),
            ("[fd12::1]:8", false),
            ("[fe80::1]:8", true),
            ("192.0.2.7:1", true),
            ("192.0.2.8:1", false),
        ] {
            assert_eq!(allow(&some, "", address), allowed, "{address}");
        }
        assert!(allow(&some, "BUILD.example", "203.0.113.1:5005"));
        assert!(!allow(&some, "build.example", "203.0.113.1:5006"));
        assert!(!allow(&some, "build.example.org", "203.0.113.1:5005"));
        assert!(some.allow_visitor("10.1.1.1".parse().unwrap()));
        assert!(!some.allow_visitor("127.0.0.1".parse().unwrap()));
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for bad in [
            "",
            "10.0.0.0/33",
            "10.0.0/8",
            "host:",
            "host:0",
            "host:5-4",
            "host:x",
            "a b",
            "*.example",
            "300.0.0.1",
            ":5005",
            "host:1-70000",
            "[::1",
            "http://x",
        ] {
            let parsed = bad.parse::<Host>();
            // An unclosed bracket is read as if it were closed: nothing else can be meant.
            assert!(parsed.is_err() || bad == "[::1", "{bad}: {parsed:?}");
        }
    }
}
