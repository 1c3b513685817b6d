//! The servers that calls are sent to, separately for each runtime.

use std::sync::{Arc, Mutex};

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{Client, Url};
use tokio::runtime::{Handle, Id};

use super::origin::Origin;
use super::tls::tls_config;
use genkit_core::Result;
use genkit_core::internal::sync::lock;
use genkit_http_client::internal::net::{Route, client_error, is_loopback, pool};

/// The maximum number of servers to remember. Default is 64; the oldest server is forgotten first,
/// and running calls to it continue.
const MAX_ORIGINS: usize = 64;

/// The route to a server: directly or through a proxy.
#[derive(Clone)]
pub(crate) enum OriginRoute {
    Direct(Arc<Origin>),
    /// Through a proxy configured in the environment.
    Proxied(Client),
}

/// Connections belong to the runtime that opened them, as in [`pool`].
static ROUTES: Mutex<Vec<(Id, Uri, OriginRoute)>> = Mutex::new(Vec::new());

/// Returns the route to the server of `url` in the current runtime.
pub(crate) fn find_route(url: &Url) -> Result<OriginRoute> {
    let runtime = Handle::current().id();
    let server = url.origin().ascii_serialization();
    let server: Uri = server.parse().map_err(|error| client_error(&error))?;
    let mut ways = lock(&ROUTES);
    let known = |(id, uri, _): &&(Id, Uri, OriginRoute)| *id == runtime && *uri == server;
    if let Some((_, _, way)) = ways.iter().find(known) {
        return Ok(way.clone());
    }
    let way = if is_proxied(url, &Matcher::from_system()) {
        OriginRoute::Proxied(pool::client(Route::to(url))?)
    } else {
        let tls = (url.scheme() == "https").then(tls_config).transpose()?;
        OriginRoute::Direct(Arc::new(Origin::new(server.clone(), tls)))
    };
    if ways.len() >= MAX_ORIGINS {
        ways.remove(0);
    }
    ways.push((runtime, server, way.clone()));
    Ok(way)
}

/// Returns whether reqwest would send requests for `url` through a proxy. Loopback addresses are
/// never proxied.
pub(super) fn is_proxied(url: &Url, proxies: &Matcher) -> bool {
    let server: Option<Uri> = url.origin().ascii_serialization().parse().ok();
    !is_loopback(url) && server.is_some_and(|server| proxies.intercept(&server).is_some())
}
