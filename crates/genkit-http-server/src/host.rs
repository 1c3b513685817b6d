//! The `Host` check, which rejects requests to unknown hosts. It protects against web pages that point their own host
//! name at this machine (DNS rebinding).

use std::collections::HashSet;
use std::sync::Mutex;

use axum::http::header::HOST;
use axum::http::{HeaderMap, Uri};

use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;

use super::host_port::HostPort;

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
    /// `None` accepts any host.
    allowed: Option<Vec<HostPort>>,
    warned: Mutex<HashSet<String>>,
}

/// Returns the host of a request. If the request target also contains a host, the two must match.
fn requested_host(headers: &HeaderMap, uri: &Uri) -> Option<HostPort> {
    let mut hosts = headers.get_all(HOST).iter();
    let target = uri.authority().map(|authority| HostPort::parse(authority.as_str()));
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => HostPort::parse(host.to_str().ok()?)?,
        // Layers can remove the `Host` header that was derived from HTTP/2's `:authority`.
        (None, _) => target.clone()??,
        (Some(_), Some(_)) => return None,
    };
    target.is_none_or(|target| target.as_ref() == Some(&host)).then_some(host)
}

impl AllowedHosts {
    /// Creates a check that accepts these hosts, or loopback if there is no list. A host without a port matches any
    /// port.
    pub fn new(hosts: Option<Vec<String>>) -> Self {
        let named = |host: &str| {
            // An IPv6 address may have no brackets.
            let bare = || HostPort {
                host: host.trim_matches(['[', ']']).to_ascii_lowercase(),
                port: None,
            };
            HostPort::parse(host).unwrap_or_else(bare)
        };
        let allowed = match hosts {
            Some(hosts) => hosts.iter().map(|host| named(host.trim())).collect(),
            None => LOOPBACK.into_iter().map(named).collect(),
        };
        Self { allowed: Some(allowed), warned: Mutex::default() }
    }

    /// Creates a check like [`new`](Self::new), but accepts any host if `*` is in the list.
    pub fn with_wildcard(hosts: Option<Vec<String>>) -> Self {
        if hosts.as_ref().is_some_and(|hosts| hosts.iter().any(|host| host == "*")) {
            return Self { allowed: None, warned: Mutex::default() };
        }
        Self::new(hosts)
    }

    /// Rejects a request to an unknown host, and logs each host once.
    pub fn check(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), HostRejection> {
        let found = self.find(headers, uri);
        if let Err(HostRejection::Unknown(host)) = &found
            && self.record_host(host)
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
        if self.allowed.is_none() && !headers.contains_key(HOST) && uri.authority().is_none() {
            return Ok(()); // For example HTTP/1.0.
        }
        let asked = requested_host(headers, uri).ok_or(HostRejection::Malformed)?;
        let is_asked = |named: &HostPort| {
            named.host == asked.host && (named.port.is_none() || named.port == asked.port)
        };
        if self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(is_asked)) {
            return Ok(());
        }
        Err(HostRejection::Unknown(asked.host))
    }

    /// Records a rejected host, within the limit. Returns whether it is new and must be logged.
    fn record_host(&self, host: &str) -> bool {
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
        for malformed in [
            "",
            "a b",
            "a/b",
            "user@@host",
            "user@localhost",
            "localhost:",
            "localhost:x",
            "localhost:+1",
            "localhost:65536",
            "localhost:80:80",
            "[::1",
            "[::1]x",
            "[localhost]",
            "::1",
            "localhost,evil",
            "localhost%00",
            "http://localhost",
        ] {
            let refusal = check(&any, malformed).unwrap_err();
            assert!(matches!(refusal, HostRejection::Malformed), "{malformed}: {refusal}");
        }
        let nobody = any.check(&HeaderMap::new(), &Uri::from_static("/mcp"));
        assert!(matches!(nobody, Err(HostRejection::Malformed)));
        assert!(any.check(&HeaderMap::new(), &Uri::from_static("http://localhost/mcp")).is_ok());
    }

    #[test]
    fn there_is_one_host_and_the_target_agrees() {
        let check = |hosts: &[&str], target: &'static str| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, host.parse().expect("a value"));
            }
            let any = AllowedHosts::with_wildcard(Some(vec!["*".to_owned()]));
            let named = AllowedHosts::new(None).check(&headers, &Uri::from_static(target));
            assert_eq!(any.check(&headers, &Uri::from_static(target)).is_ok(), named.is_ok());
            named.is_ok()
        };
        assert!(check(&["localhost:80"], "http://LOCALHOST:80/mcp"));
        assert!(!check(&["localhost", "localhost"], "/mcp"));
        assert!(!check(&["localhost:80"], "http://localhost:81/mcp"));
        assert!(!check(&["localhost"], "http://evil.example/mcp"));
        assert!(!check(&["localhost"], "http://user@localhost/mcp"));
    }

    #[test]
    fn rejection_names_the_host_and_the_remedy() {
        let refusal = check(&AllowedHosts::new(None), "Tools.Example.com:443").unwrap_err();
        let told = refusal.to_string();
        assert!(told.contains(r#"`.allowed_hosts(["tools.example.com"])`"#), "{told}");
    }

    #[test]
    fn rejected_host_is_logged_once_and_log_is_bounded() {
        let hosts = AllowedHosts::new(None);
        assert!(hosts.record_host("a.example"));
        assert!(!hosts.record_host("a.example"));
        let warned = (0..1000).filter(|n| hosts.record_host(&format!("{n}.example"))).count();
        assert_eq!(warned, MAX_WARNINGS - 1);
    }
}
