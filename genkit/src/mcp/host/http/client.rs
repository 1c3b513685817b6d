//! The HTTP client of one server.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, StatusCode, Url};

use super::addresses::Reach;
use crate::error::Result;
pub(super) use crate::net::CONNECT_TIMEOUT;
use crate::net::{KEEPALIVE, Route, build_client, client_builder};

/// How long an idle connection is kept. Default is 4 seconds: many servers of Node and Python hang
/// up after 5, and a request into a connection that is being closed fails.
const POOL_IDLE: Duration = Duration::from_secs(4);

/// How long a request to an authorization server may take. Default is 30 seconds.
const OAUTH_TIMEOUT: Duration = Duration::from_secs(30);

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 5;

/// The client for the server at `url`. Requests have no limit of their own: whoever asks has one.
pub(super) fn for_server(url: &Url) -> Result<Client> {
    let builder = client_builder(Route::to(url))
        .pool_idle_timeout(POOL_IDLE)
        .tcp_keepalive(KEEPALIVE)
        .redirect(Policy::custom(within_origin));
    build_client(builder)
}

/// A client for one request to an authorization server at `url`, which must be within `reach`;
/// `follow` says whether redirects within its origin are followed.
pub(super) fn for_oauth(url: &Url, follow: bool, reach: &Reach) -> Result<Client> {
    reach.check(url)?;
    let redirects = if follow { Policy::custom(within_origin) } else { Policy::none() };
    let builder = client_builder(Route::to(url)).timeout(OAUTH_TIMEOUT).redirect(redirects);
    build_client(builder.dns_resolver(Arc::new(reach.clone())))
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
