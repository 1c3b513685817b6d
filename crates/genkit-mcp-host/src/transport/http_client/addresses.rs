//! The address policy, which limits the addresses that a server can make this program contact (SSRF protection).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::Error;
use genkit_http_client::internal::net::is_loopback;

/// Environment variables for proxies. The host name of a proxy may resolve to any address.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// The addresses that requests may be sent to.
#[derive(Clone)]
pub(crate) struct AddressPolicy {
    loopback: bool,
    private: bool,
    other: bool,
    proxies: Arc<[String]>,
}

/// The error for a host name that does not resolve, or resolves only to forbidden addresses.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupError {
    #[error(transparent)]
    Failed(#[from] std::io::Error),
    #[error(transparent)]
    Forbidden(Error),
}

impl AddressPolicy {
    /// Allows all addresses, for URLs that the user configured.
    pub(crate) fn allow_any() -> Self {
        Self { loopback: true, private: true, other: true, proxies: Arc::default() }
    }

    /// Returns the policy for the server at `resource`: loopback is allowed only if the server itself is local, and
    /// private addresses only if the server has a private address or the user allows them.
    pub(crate) fn for_resource(resource: &Url, private_network: bool) -> Self {
        let private = private_network || literal_address(resource).is_some_and(is_private);
        let named = PROXIES.iter().filter_map(|name| std::env::var(name).ok());
        let proxies = named.filter_map(|text| {
            let text = if text.contains("://") { text } else { format!("http://{text}") };
            Some(Url::parse(&text).ok()?.host_str()?.to_owned())
        });
        let loopback = is_loopback(resource);
        Self { loopback, private, other: false, proxies: proxies.collect() }
    }

    /// Checks a URL whose host is an IP address; host names are checked when they are resolved.
    ///
    /// # Errors
    /// Returns an error if the address is forbidden.
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), Error> {
        match literal_address(url).filter(|ip| !self.is_allowed(*ip)) {
            None => Ok(()),
            Some(ip) => Err(forbidden_error(ip)),
        }
    }

    fn is_allowed(&self, ip: IpAddr) -> bool {
        let ip = plain_address(ip);
        if ip.is_loopback() {
            self.loopback
        } else if is_private(ip) {
            self.private
        } else {
            self.other || is_public(ip)
        }
    }
}

impl Resolve for AddressPolicy {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            let found: Vec<SocketAddr> = found.map_err(LookupError::Failed)?.collect();
            if this.proxies.iter().any(|proxy| proxy == name.as_str()) {
                return Ok(Box::new(found.into_iter()) as Addrs);
            }
            let (good, bad): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|address| this.is_allowed(address.ip()));
            match bad.first().filter(|_| good.is_empty()) {
                None => Ok(Box::new(good.into_iter()) as Addrs),
                Some(address) => Err(LookupError::Forbidden(forbidden_error(address.ip())).into()),
            }
        })
    }
}

fn forbidden_error(ip: IpAddr) -> Error {
    let hint =
        if is_private(plain_address(ip)) { "; allow it with `.private_network(true)`" } else { "" };
    Error::ForbiddenAddress { ip, hint }
}

/// Returns the IP address in a URL, if its host is an IP address.
fn literal_address(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    host.trim_start_matches('[').trim_end_matches(']').parse().ok().map(plain_address)
}

/// Converts IPv6 forms of IPv4 addresses to IPv4.
fn plain_address(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip else { return ip };
    let [a, b, c, d, e, f, g, h] = v6.segments();
    let of = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)).into();
    match [a, b, c, d, e, f] {
        // IPv4-mapped addresses, and NAT64.
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => of(g, h),
        // IPv4-compatible addresses.
        [0, 0, 0, 0, 0, 0] if g != 0 => of(g, h),
        // 6to4.
        [0x2002, ..] => of(b, c),
        _ => ip,
    }
}

fn is_private(ip: IpAddr) -> bool {
    match ip {
        // The second range is shared address space (RFC 6598).
        IpAddr::V4(v4) => v4.is_private() || matches!(v4.octets(), [100, 64..=127, ..]),
        IpAddr::V6(v6) => v6.is_unique_local(),
    }
}

/// Returns whether this is a public unicast address. The caller has already excluded loopback and private addresses.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => {
            let reserved = matches!(v4.octets(), [0 | 240..=255, ..] | [198, 18 | 19, ..]);
            !(reserved || v4.is_link_local() || v4.is_multicast())
        }
        IpAddr::V6(v6) => !is_reserved(v6),
    }
}

fn is_reserved(v6: Ipv6Addr) -> bool {
    let teredo_or_local_nat = matches!(v6.segments(), [0x2001, 0, ..] | [0x64, 0xff9b, 1, ..]);
    teredo_or_local_nat || v6.is_unspecified() || v6.is_multicast() || v6.is_unicast_link_local()
}
