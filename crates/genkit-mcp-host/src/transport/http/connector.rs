//! The connector of one server: makes its connections, and outlives each of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::sync::watch;

use super::authorized_client::AuthorizedClient;
use super::endpoint::Endpoint;
use super::request_scope::RequestScope;
use crate::transport::boxed::BoxedTransport;
use crate::transport::http_client::{client, url};
use crate::transport::oauth::Authorizer;
use crate::transport::redact::Redactor;
use genkit_core::Result;
use genkit_http_client::internal::net::is_loopback;

/// How often a stream that broke is opened again before it is given up. Default is 8, about four
/// minutes.
const STREAM_TRIES: usize = 8;

/// The longest wait between two of these tries. Default is 60 seconds.
const STREAM_WAIT: Duration = Duration::from_secs(60);

/// Makes connections to one server. It holds the pool of connections and what OAuth was given.
pub(crate) struct Connector {
    url: Arc<str>,
    headers: HashMap<HeaderName, HeaderValue>,
    pub(crate) client: AuthorizedClient,
    #[cfg(test)]
    busy: watch::Receiver<bool>,
}

impl Connector {
    /// Checks the settings of the server `key`; nothing is sent. `signing_in` is true while the user is
    /// asked for access: time limits should stand still.
    ///
    /// # Errors
    ///
    /// An address, a header or an OAuth setting that cannot be used.
    pub(crate) fn new(
        key: &str,
        endpoint: &Endpoint,
        signing_in: watch::Sender<bool>,
        redactor: Redactor,
    ) -> Result<Self> {
        let checked = endpoint.checked(key)?;
        let has_secret = checked.headers.contains_key(&AUTHORIZATION) || endpoint.oauth.is_some();
        if has_secret && checked.url.scheme() == "http" && !is_loopback(&checked.url) {
            tracing::warn!(
                server = key,
                "the token for an MCP server is sent without encryption, to another machine: use `https`"
            );
        }
        #[cfg(test)]
        let busy = signing_in.subscribe();
        let oauth = endpoint.oauth.as_deref();
        let authorizer = oauth
            .map(|oauth| Authorizer::new(key, &checked.url, oauth, signing_in, redactor.clone()))
            .transpose()?;
        // A proof is for one address.
        let follow = authorizer.as_ref().is_none_or(|authorizer| authorizer.dpop().is_none());
        let http = client::for_server(&checked.url, follow)?;
        let client = AuthorizedClient {
            http,
            target: url::without_secrets(&checked.url).as_str().into(),
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

    /// A new connection. It must be made inside of the runtime that uses it.
    pub(crate) fn transport(&self) -> BoxedTransport {
        let mut config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(&self.url))
            .custom_headers(self.headers.clone())
            // A new session has lists and subscriptions of its own: the host opens it.
            .reinit_on_expired_session(false);
        let mut retry = ExponentialBackoff::default();
        retry.max_times = Some(STREAM_TRIES);
        retry.max_delay = Some(STREAM_WAIT);
        config.retry_config = Arc::new(retry);
        let client = AuthorizedClient { scope: RequestScope::default(), ..self.client.clone() };
        // rmcp's worker does not see that it is dropped while it waits for an answer.
        let open = client.scope.closed.clone().drop_guard();
        let transport = StreamableHttpClientTransport::with_client(client, config);
        BoxedTransport::new(transport).cancels(open)
    }

    #[cfg(test)]
    pub(crate) fn busy(&self) -> watch::Receiver<bool> {
        self.busy.clone()
    }
}
