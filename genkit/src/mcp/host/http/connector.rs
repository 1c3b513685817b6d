//! What makes connections to one server, and outlives each of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::sync::watch;

use super::client;
use super::endpoint::{Endpoint, target};
use super::oauth::Authorizer;
use super::wire::Wire;
use crate::error::Result;

/// How often a stream that broke is opened again before it is given up. Default is 8, about four
/// minutes.
const STREAM_TRIES: usize = 8;

/// The longest wait between two of these tries. Default is 60 seconds.
const STREAM_WAIT: Duration = Duration::from_secs(60);

/// Makes connections to one server. It keeps the pool of connections and what OAuth was given.
pub(in crate::mcp::host) struct Connector {
    url: Arc<str>,
    headers: HashMap<HeaderName, HeaderValue>,
    max_message: usize,
    wire: Wire,
    busy: watch::Receiver<bool>,
    /// Without OAuth nobody else holds it, and a channel without a sender has ended.
    _never_busy: Option<watch::Sender<bool>>,
}

impl Connector {
    /// Checks what was said of the server `key`; nothing is sent.
    ///
    /// # Errors
    ///
    /// An address, a header or an OAuth setting that cannot be used.
    pub(in crate::mcp::host) fn new(key: &str, endpoint: &Endpoint) -> Result<Self> {
        let checked = endpoint.checked(key)?;
        let http = client::for_server(&checked.url)?;
        let (sender, busy) = watch::channel(false);
        let (authorizer, never_busy) = match &endpoint.oauth {
            Some(oauth) => (Some(Authorizer::new(key, &checked.url, oauth, sender)?), None),
            None => (None, Some(sender)),
        };
        let wire = Wire {
            http,
            target: target(&checked.url).into(),
            authorizer: authorizer.map(Arc::new),
            credentials: checked.headers.contains_key(&AUTHORIZATION),
        };
        Ok(Self {
            url: checked.url.as_str().into(),
            headers: checked.headers,
            max_message: endpoint.max_message,
            wire,
            busy,
            _never_busy: never_busy,
        })
    }

    /// A new connection. It must be made inside of the runtime that uses it.
    pub(in crate::mcp::host) fn transport(&self) -> StreamableHttpClientTransport<Wire> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(&self.url))
            .custom_headers(self.headers.clone())
            .max_sse_event_size(self.max_message)
            // A new session has lists and subscriptions of its own: the host opens it.
            .reinit_on_expired_session(false);
        let mut retry = ExponentialBackoff::default();
        retry.max_times = Some(STREAM_TRIES);
        retry.max_delay = Some(STREAM_WAIT);
        config.retry_config = Arc::new(retry);
        StreamableHttpClientTransport::with_client(self.wire.clone(), config)
    }

    /// True while a person is asked for access: whoever measures time should stop the clock.
    pub(in crate::mcp::host) fn busy(&self) -> watch::Receiver<bool> {
        self.busy.clone()
    }
}
