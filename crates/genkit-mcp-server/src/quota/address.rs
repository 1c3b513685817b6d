//! Identifies the client of an HTTP request.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use http::{Extensions, HeaderMap, HeaderName};

use super::ClientKey;
use crate::principal::Principal;
use genkit_http_server::internal::client_for;

impl ClientKey {
    /// Returns the key for an address.
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(client_for(address))
    }

    /// Returns the key of the principal that a layer added, or else of the address in the trusted `header`, or else
    /// of the peer address.
    pub(crate) fn of_http(
        headers: &HeaderMap,
        extensions: &Extensions,
        header: Option<&HeaderName>,
    ) -> Self {
        if let Some(principal) = extensions.get::<Principal>().filter(|who| !who.id().is_empty()) {
            return Self::Principal(principal.id().to_owned());
        }
        let told = header.and_then(|header| last_address(headers, header));
        let connected = || extensions.get::<ConnectInfo<SocketAddr>>().map(|it| it.0.ip());
        told.or_else(connected).map_or(Self::Unknown, Self::address)
    }
}

/// Returns the last address in the header, which the proxy wrote; the client could have forged all earlier addresses.
fn last_address(headers: &HeaderMap, header: &HeaderName) -> Option<IpAddr> {
    let value = headers.get_all(header).iter().next_back()?.to_str().ok()?;
    let last = value.rsplit(',').next()?.trim();
    if let Ok(with_port) = last.parse::<SocketAddr>() {
        return Some(with_port.ip());
    }
    last.trim_matches(['[', ']']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: HeaderName = HeaderName::from_static("x-forwarded-for");

    fn key(values: &[&str], trusted: bool) -> ClientKey {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(HEADER, value.parse().expect("a value"));
        }
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 1))));
        ClientKey::of_http(&headers, &extensions, trusted.then_some(&HEADER))
    }

    fn address(text: &str) -> ClientKey {
        ClientKey::address(text.parse().expect("an address"))
    }

    #[test]
    fn only_the_address_added_by_the_proxy_is_trusted() {
        for (values, is) in [
            (&["203.0.113.7"][..], "203.0.113.7"),
            (&["1.1.1.1, 203.0.113.7"], "203.0.113.7"),
            (&["1.1.1.1", "2.2.2.2,203.0.113.7 "], "203.0.113.7"),
            (&["203.0.113.7:4711"], "203.0.113.7"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["2001:db8::1"], "2001:db8::1"),
            (&["203.0.113.7, unknown"], "10.0.0.1"),
            (&[""], "10.0.0.1"),
            (&[], "10.0.0.1"),
        ] {
            assert_eq!(key(values, true), address(is), "{values:?}");
        }
        assert_eq!(key(&["203.0.113.7"], false), address("10.0.0.1"));
    }

    #[test]
    fn principal_goes_before_every_address() {
        let mut extensions = Extensions::new();
        extensions.insert(Principal::new("ada"));
        let key = ClientKey::of_http(&HeaderMap::new(), &extensions, None);
        assert_eq!(key, ClientKey::Principal("ada".to_owned()));
        let nobody = ClientKey::of_http(&HeaderMap::new(), &Extensions::new(), None);
        assert_eq!(nobody, ClientKey::Unknown);
    }

    #[test]
    fn ipv6_network_counts_as_one_client() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:203.0.113.7"), address("203.0.113.7"));
        assert_ne!(address("203.0.113.7"), address("203.0.113.8"));
    }
}
