//! The HTTP client of one server.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, ClientBuilder, StatusCode, Url};

use super::addresses::Reach;
use super::failure::deepest;
use crate::error::{Error, ErrorKind, Result};
use crate::net::{USER_AGENT, install_crypto, is_loopback};

/// How long a connection may take to be made. Default is 10 seconds.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an idle connection is kept. Default is 4 seconds: many servers of Node and Python hang
/// up after 5, and a request into a connection that is being closed fails.
const POOL_IDLE: Duration = Duration::from_secs(4);

/// How often a silent connection is asked whether it lives. Default is 60 seconds.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// How long a request to an authorization server may take. Default is 30 seconds.
const OAUTH_TIMEOUT: Duration = Duration::from_secs(30);

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 5;

/// The client for the server at `url`. Requests have no limit of their own: whoever asks has one.
pub(crate) fn for_server(url: &Url) -> Result<Client> {
    let builder = base(url)
        .pool_idle_timeout(POOL_IDLE)
        .tcp_keepalive(KEEPALIVE)
        .redirect(Policy::custom(within_origin));
    finish(builder)
}

/// A client for one request to an authorization server at `url`, which must be within `reach`;
/// `follow` says whether redirects within its origin are followed.
pub(crate) fn for_oauth(url: &Url, follow: bool, reach: &Reach) -> Result<Client> {
    reach.check(url)?;
    let redirects = if follow { Policy::custom(within_origin) } else { Policy::none() };
    let builder = base(url).timeout(OAUTH_TIMEOUT).redirect(redirects);
    finish(builder.dns_resolver(Arc::new(reach.clone())))
}

fn base(url: &Url) -> ClientBuilder {
    install_crypto();
    let builder = Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        // A message that was sent twice may be done twice.
        .retry(reqwest::retry::never())
        .referer(false);
    // Certificates are loaded, which takes time, only where they are needed.
    let builder = if url.scheme() == "https" { builder } else { builder.tls_certs_only([]) };
    // This machine is never reached through a proxy.
    if is_loopback(url) { builder.no_proxy() } else { builder }
}

fn finish(builder: ClientBuilder) -> Result<Client> {
    builder.build().map_err(|error| {
        let text = format!("cannot set up HTTP: {}", deepest(&error));
        Error::new(ErrorKind::FailedPrecondition, text)
    })
}

/// A token must not travel to where a server points, and a POST must stay one.
fn within_origin(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let stays = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT];
    let same = attempt.previous().last().is_some_and(|url| url.origin() == attempt.url().origin());
    if attempt.previous().len() > MAX_REDIRECTS {
        attempt.error("too many redirects")
    } else if same && stays.contains(&attempt.status()) {
        attempt.follow()
    } else {
        attempt.stop()
    }
}
