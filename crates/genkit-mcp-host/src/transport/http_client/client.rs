//! HTTP clients: for the requests of one server, and for its authorization server.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, ClientBuilder, StatusCode, Url};

use super::addresses::AddressPolicy;
use genkit_core::Result;
use genkit_http_client::internal::net::{KEEPALIVE, Route, build_client, client_builder};

/// How long an idle connection stays in the pool. Default is 4 seconds: many servers of Node and
/// Python hang up after 5, and a request into a connection that is being closed fails.
const POOL_IDLE: Duration = Duration::from_secs(4);

/// How long a request to an authorization server may take. Default is 30 seconds.
const OAUTH_TIMEOUT: Duration = Duration::from_secs(30);

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 5;

/// The client for the server at `url`; `follow`: whether redirects within its origin are followed. Its
/// requests have no time limit: their callers have one.
pub(crate) fn for_server(url: &Url, follow: bool) -> Result<Client> {
    let builder = base(url, &AddressPolicy::any())
        .pool_idle_timeout(POOL_IDLE)
        .tcp_keepalive(KEEPALIVE)
        .redirect(redirects(follow));
    build_client(builder)
}

/// A client for one request to an authorization server at `url`, which `policy` must allow;
/// `follow`: whether redirects within its origin are followed.
pub(crate) fn for_oauth(url: &Url, follow: bool, policy: &AddressPolicy) -> Result<Client> {
    policy.check(url)?;
    build_client(base(url, policy).timeout(OAUTH_TIMEOUT).redirect(redirects(follow)))
}

fn redirects(follow: bool) -> Policy {
    if follow { Policy::custom(within_origin) } else { Policy::none() }
}

fn base(url: &Url, policy: &AddressPolicy) -> ClientBuilder {
    client_builder(Route::to(url)).dns_resolver(Arc::new(policy.clone()))
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
