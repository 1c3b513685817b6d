//! HTTP clients for a server and for its authorization server.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, ClientBuilder, StatusCode, Url};

use super::addresses::AddressPolicy;
use super::network::Network;
use genkit_core::Result;
use genkit_http_client::internal::net::{KEEPALIVE, Route, build_client, client_builder};

/// How long an idle connection stays in the pool. Default is 4 seconds: many Node and Python servers close connections
/// after 5 seconds, and a request on a closing connection fails.
const POOL_IDLE: Duration = Duration::from_secs(4);

/// How long a request to an authorization server may take. Default is 30 seconds.
const OAUTH_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum number of redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// Creates the client for the server at `url`, reached through `network`. `follow` enables redirects within its origin.
/// Requests have no time limit, because their callers set a limit.
pub(crate) fn for_server(url: &Url, follow: bool, network: &Network) -> Result<Client> {
    let builder = base_builder(url, &AddressPolicy::allow_any())
        .pool_idle_timeout(POOL_IDLE)
        .tcp_keepalive(KEEPALIVE)
        .redirect(redirect_policy(follow));
    build_client(network.apply_to(builder)?)
}

/// Creates a client for one request to the authorization server at `url`, which `policy` must allow, reached through
/// `network`. `follow` enables redirects within its origin.
pub(crate) fn for_oauth(
    url: &Url,
    follow: bool,
    policy: &AddressPolicy,
    network: &Network,
) -> Result<Client> {
    policy.check_url(url)?;
    let builder = match &network.proxy {
        // The proxy resolves the name of the server; only the name of the proxy itself is resolved here.
        Some(_) => base_builder(url, &AddressPolicy::allow_any()),
        None => base_builder(url, policy),
    };
    let builder = builder.timeout(OAUTH_TIMEOUT).redirect(redirect_policy(follow));
    build_client(network.apply_to(builder)?)
}

fn redirect_policy(follow: bool) -> Policy {
    if follow { Policy::custom(within_origin) } else { Policy::none() }
}

fn base_builder(url: &Url, policy: &AddressPolicy) -> ClientBuilder {
    client_builder(Route::to(url)).dns_resolver(Arc::new(policy.clone()))
}

/// Follows redirects only within one origin: a token must not be sent elsewhere, and a POST must stay a POST.
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

/// Returns the scheme, host, port and path, without user, password, query and fragment.
pub(crate) fn without_secrets(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Neither can fail if there is a host; without a host there is nothing to remove.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}
