//! The connector of one server, which creates its connections and outlives each of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::SseRetryPolicy;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::sync::watch;

use super::authorized_client::AuthorizedClient;
use super::endpoint::Endpoint;
use super::request_scope::RequestScope;
use crate::backoff::Backoff;
use crate::transport::boxed::BoxedTransport;
use crate::transport::http_client::client;
use crate::transport::oauth::Authorizer;
use crate::transport::redact::Redactor;
use genkit_core::Result;
use genkit_http_client::internal::net::is_loopback;

/// The delays before a broken stream is reopened. Default is 8 retries, which take about three minutes.
const REOPENING: Backoff = Backoff {
    first_delay: Duration::from_secs(1),
    max_delay: Duration::from_secs(60),
    max_retries: 8,
};

/// Creates connections to one server. It holds the connection pool and the OAuth tokens.
pub(crate) struct Connector {
    url: Arc<str>,
    headers: HashMap<HeaderName, HeaderValue>,
    pub(crate) client: AuthorizedClient,
    #[cfg(test)]
    busy: watch::Receiver<bool>,
}

impl SseRetryPolicy for Backoff {
    fn retry(&self, current_times: usize) -> Option<Duration> {
        self.next_delay(u32::try_from(current_times).unwrap_or(u32::MAX))
    }
}

impl Connector {
    /// Checks the settings of the server `key` without sending a request. `signing_in` is true while the user is asked
    /// for access. Callers should pause their time limits during this time.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL, a header or an OAuth setting is invalid.
    pub(crate) fn new(
        key: &str,
        endpoint: &Endpoint,
        signing_in: watch::Sender<bool>,
        redactor: Redactor,
    ) -> Result<Self> {
        let checked = endpoint.check_for(key)?;
        let has_secret = checked.headers.contains_key(&AUTHORIZATION) || endpoint.oauth.is_some();
        if has_secret && checked.url.scheme() == "http" && !is_loopback(&checked.url) {
            tracing::warn!(
                server = key,
                "the token for an MCP server is sent to another machine without encryption; use `https`"
            );
        }
        #[cfg(test)]
        let busy = signing_in.subscribe();
        let oauth = endpoint.oauth.as_deref().cloned();
        let oauth = oauth.map(|oauth| oauth.with_network(endpoint.network.clone()));
        let authorizer = oauth
            .map(|oauth| Authorizer::new(key, &checked.url, &oauth, signing_in, redactor.clone()))
            .transpose()?;
        // A proof is valid for one URL, so redirects cannot be followed.
        let follow = authorizer.as_ref().is_none_or(|authorizer| authorizer.dpop_key().is_none());
        let http =
            client::for_server(&checked.url, follow, &endpoint.network).map_err(|error| {
                let text = format!("server `{key}`: {error}");
                error.with_message(text)
            })?;
        let client = AuthorizedClient {
            http,
            target: client::without_secrets(&checked.url).as_str().into(),
            authorizer: authorizer.map(Arc::new),
            credentials: checked.headers.contains_key(&AUTHORIZATION),
            max_message: endpoint.max_message,
            redactor,
            scope: RequestScope::default(),
        };
        Ok(Self {
            url: checked.url.as_str().into(),
            headers: checked.headers,
            client,
            #[cfg(test)]
            busy,
        })
    }

    /// Creates a connection. Call it inside the runtime that uses the connection.
    pub(crate) fn open_transport(&self) -> BoxedTransport {
        let mut config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(&self.url))
            .custom_headers(self.headers.clone())
            // A new session has its own lists and subscriptions, so the host opens it.
            .reinit_on_expired_session(false);
        config.retry_config = Arc::new(REOPENING);
        let client = AuthorizedClient { scope: RequestScope::default(), ..self.client.clone() };
        // rmcp's worker does not notice that it is dropped while it waits for a response.
        let open = client.scope.closed.clone().drop_guard();
        let transport = StreamableHttpClientTransport::with_client(client, config);
        BoxedTransport::new(transport).cancelled_on_drop(open)
    }

    #[cfg(test)]
    pub(crate) fn busy_state(&self) -> watch::Receiver<bool> {
        self.busy.clone()
    }
}
