//! What makes connections to one server, and outlives each of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::sync::watch;
use tokio_util::sync::DropGuard;

use super::client;
use super::endpoint::{Endpoint, target};
use super::transport::{HttpTransport, Link};
use super::wire::Wire;
use crate::error::Result;
use crate::mcp::host::transport::oauth::Authorizer;

/// How often a stream that broke is opened again before it is given up. Default is 8, about four
/// minutes.
const STREAM_TRIES: usize = 8;

/// The longest wait between two of these tries. Default is 60 seconds.
const STREAM_WAIT: Duration = Duration::from_secs(60);

/// Makes connections to one server. It keeps the pool of connections and what OAuth was given.
pub(crate) struct Connector {
    url: Arc<str>,
    headers: HashMap<HeaderName, HeaderValue>,
    max_message: usize,
    pub(crate) wire: Wire,
    /// A sign-in that is under way ends with it and its connections.
    sign_in: Option<Arc<DropGuard>>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests look at it"))]
    signing_in: watch::Sender<bool>,
}

impl Connector {
    /// Checks what was said of the server `key`; nothing is sent. `signing_in` is true while the user is
    /// asked for access: whoever measures time should stop the clock.
    ///
    /// # Errors
    ///
    /// An address, a header or an OAuth setting that cannot be used.
    pub(crate) fn new(
        key: &str,
        endpoint: &Endpoint,
        signing_in: watch::Sender<bool>,
    ) -> Result<Self> {
        let checked = endpoint.checked(key)?;
        let http = client::for_server(&checked.url)?;
        let (authorizer, sign_in) = match &endpoint.oauth {
            Some(oauth) => {
                let sender = signing_in.clone();
                let (authorizer, open) = Authorizer::new(key, &checked.url, oauth, sender)?;
                (Some(authorizer), Some(Arc::new(open)))
            }
            None => (None, None),
        };
        let wire = Wire {
            http,
            target: target(&checked.url).into(),
            authorizer: authorizer.map(Arc::new),
            credentials: checked.headers.contains_key(&AUTHORIZATION),
            link: Link::default(),
        };
        Ok(Self {
            url: checked.url.as_str().into(),
            headers: checked.headers,
            max_message: endpoint.max_message,
            wire,
            sign_in,
            signing_in,
        })
    }

    /// A new connection. It must be made inside of the runtime that uses it.
    pub(crate) fn transport(&self) -> HttpTransport {
        let mut config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(&self.url))
            .custom_headers(self.headers.clone())
            .max_sse_event_size(self.max_message)
            // A new session has lists and subscriptions of its own: the host opens it.
            .reinit_on_expired_session(false);
        let mut retry = ExponentialBackoff::default();
        retry.max_times = Some(STREAM_TRIES);
        retry.max_delay = Some(STREAM_WAIT);
        config.retry_config = Arc::new(retry);
        let link = Link::default();
        let wire = Wire { link: link.clone(), ..self.wire.clone() };
        let inner = StreamableHttpClientTransport::with_client(wire, config);
        HttpTransport::new(inner, &link, self.sign_in.clone())
    }

    #[cfg(test)]
    pub(crate) fn busy(&self) -> watch::Receiver<bool> {
        self.signing_in.subscribe()
    }
}
