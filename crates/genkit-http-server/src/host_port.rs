//! A host with an optional port, as in `Host` and in origins.

use std::net::{IpAddr, Ipv6Addr};

/// A host, in lower case and without brackets, and its port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostPort {
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
}

impl HostPort {
    /// Parses `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; rejects anything else, such as user information.
    pub(crate) fn parse(authority: &str) -> Option<Self> {
        let (host, rest) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']')?;
                host.parse::<Ipv6Addr>().ok()?;
                (host, rest)
            }
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
        if host.is_empty() || !host.chars().all(is_name) {
            return None;
        }
        let port = match rest.strip_prefix(':') {
            Some(port) if port.bytes().all(|digit| digit.is_ascii_digit()) => {
                Some(port.parse().ok()?)
            }
            None if rest.is_empty() => None,
            _ => return None,
        };
        Some(Self { host: host.to_ascii_lowercase(), port })
    }

    /// Returns whether the host is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        self.host == "localhost" || address.is_ok_and(|it| it.to_canonical().is_loopback())
    }
}
