//! The `Host` check, which rejects requests to unknown hosts. It protects against web pages that point their own host
//! name at this machine (DNS rebinding).

use std::collections::HashSet;
use std::sync::Mutex;

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;

/// The hosts accepted by a server on loopback.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The maximum number of rejected hosts that are logged, because an attacker can send arbitrarily many.
const MAX_WARNINGS: usize = 32;

/// The reason why a request is rejected.
#[derive(Debug, thiserror::Error)]
pub enum HostRejection {
    #[error("Bad Request: `Host` is missing or malformed")]
    Malformed,
    #[error(
        "Forbidden: the host `{0}` is not allowed; if it is a name of this server, add it with \
         `.allowed_hosts([\"{0}\"])`"
    )]
    Unknown(String),
}

/// The accepted hosts, and the rejected hosts that were logged.
pub struct AllowedHosts {
    allowed: Vec<NamedHost>,
    warned: Mutex<HashSet<String>>,
}

/// A host in lower case. Without a port it matches any port.
struct NamedHost {
    host: String,
    port: Option<u16>,
}

impl NamedHost {
    fn new(authority: &str) -> Self {
        match authority.parse::<Authority>() {
            Ok(authority) => Self::of(&authority),
            // An IPv6 address without brackets.
            Err(_) => Self { host: bare(authority), port: None },
        }
    }

    fn of(authority: &Authority) -> Self {
        Self { host: bare(authority.host()), port: authority.port_u16() }
    }
}

fn bare(host: &str) -> String {
    host.trim_matches(['[', ']']).to_ascii_lowercase()
}

impl AllowedHosts {
    /// Accepts these hosts, or loopback if the list is empty.
    pub fn new(hosts: Option<Vec<String>>) -> Self {
        let allowed = match hosts {
            Some(hosts) => hosts.iter().map(|host| NamedHost::new(host.trim())).collect(),
            None => LOOPBACK.into_iter().map(NamedHost::new).collect(),
        };
        Self { allowed, warned: Mutex::default() }
    }

    /// Rejects a request to an unknown host, and logs each host once.
    pub fn check(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), HostRejection> {
        let found = self.find(headers, uri);
        if let Err(HostRejection::Unknown(host)) = &found
            && self.is_news(host)
        {
            tracing::warn!(
                host = %Logged::name(host),
                "rejected a request to a host that is not allowed; if it is a name of this server, add it \
                 with `.allowed_hosts([..])`"
            );
        }
        found
    }

    /// Rejects a request to an unknown host.
    pub fn find(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), HostRejection> {
        let authority = match headers.get(HOST) {
            Some(host) => host.to_str().ok().and_then(|host| host.parse().ok()),
            // Layers can remove the `Host` header that was derived from HTTP/2's `:authority`.
            None => uri.authority().cloned(),
        };
        // A host contains no user information (RFC 9110, section 7.2).
        let authority: Option<Authority> = authority;
        let Some(authority) = authority.filter(|it| !it.as_str().contains('@')) else {
            return Err(HostRejection::Malformed);
        };
        let asked = NamedHost::of(&authority);
        let is_asked = |named: &NamedHost| {
            named.host == asked.host && (named.port.is_none() || named.port == asked.port)
        };
        if self.allowed.iter().any(is_asked) {
            return Ok(());
        }
        Err(HostRejection::Unknown(asked.host))
    }

    /// Returns whether the host is new and there is room to remember it.
    fn is_news(&self, host: &str) -> bool {
        let mut warned = lock(&self.warned);
        warned.len() < MAX_WARNINGS && warned.insert(host.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hosts: &AllowedHosts, host: &str) -> Result<(), HostRejection> {
        let headers = HeaderMap::from_iter([(HOST, host.parse().expect("a value"))]);
        hosts.check(&headers, &Uri::from_static("/mcp"))
    }

    #[test]
    fn only_hosts_that_are_named_are_answered_for() {
        let named = |hosts: &[&str]| {
            AllowedHosts::new(Some(hosts.iter().map(|host| (*host).to_owned()).collect()))
        };
        for (hosts, host, allowed) in [
            (AllowedHosts::new(None), "localhost:8000", true),
            (AllowedHosts::new(None), "LOCALHOST", true),
            (AllowedHosts::new(None), "127.0.0.1:1", true),
            (AllowedHosts::new(None), "[::1]:8000", true),
            (AllowedHosts::new(None), "tools.example.com", false),
            (AllowedHosts::new(None), "localhost.evil.example", false),
            (named(&["tools.example.com"]), "tools.example.com:8443", true),
            (named(&["tools.example.com"]), "localhost", false),
            (named(&["tools.example.com:80"]), "tools.example.com:81", false),
            (named(&["tools.example.com:80"]), "tools.example.com:80", true),
            (named(&[" [fe80::1] "]), "[FE80::1]:80", true),
            (named(&["fe80::1"]), "[fe80::1]", true),
            (named(&[]), "localhost", false),
        ] {
            assert_eq!(check(&hosts, host).is_ok(), allowed, "{host}");
        }
        let any = AllowedHosts::new(None);
        for malformed in ["", "a b", "a/b", "user@@host", "user@localhost"] {
            let refusal = check(&any, malformed).unwrap_err();
            assert!(matches!(refusal, HostRejection::Malformed), "{malformed}: {refusal}");
        }
        let nobody = any.check(&HeaderMap::new(), &Uri::from_static("/mcp"));
        assert!(matches!(nobody, Err(HostRejection::Malformed)));
        assert!(any.check(&HeaderMap::new(), &Uri::from_static("http://localhost/mcp")).is_ok());
    }

    #[test]
    fn a_refusal_names_the_host_and_the_remedy() {
        let refusal = check(&AllowedHosts::new(None), "Tools.Example.com:443").unwrap_err();
        let told = refusal.to_string();
        assert!(told.contains(r#"`.allowed_hosts(["tools.example.com"])`"#), "{told}");
    }

    #[test]
    fn a_host_is_warned_of_once_and_strangers_cannot_fill_the_log() {
        let hosts = AllowedHosts::new(None);
        assert!(hosts.is_news("a.example"));
        assert!(!hosts.is_news("a.example"));
        let warned = (0..1000).filter(|n| hosts.is_news(&format!("{n}.example"))).count();
        assert_eq!(warned, MAX_WARNINGS - 1);
    }
}
