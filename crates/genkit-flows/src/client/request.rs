//! The HTTP request of a call.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, Url};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::answer::{self, FlowHost};
use super::error::Error as E;
use crate::STREAM_ID;
use genkit_core::Result;
use genkit_core::internal::redact::{Secret, is_secret_name, secret_parts};
use genkit_http_client::internal::net::{Route, pool, root_cause};

/// The minimum length of a secret that is redacted, in bytes. Default is 6: a shorter secret could be an ordinary word.
const MIN_SECRET: usize = 6;

/// The time limit of a call, including its stream. Default is 10 minutes.
const CALL_TIMEOUT: Duration = Duration::from_secs(600);

/// The request of a call, independent of the types of its response.
pub(super) struct CallRequest {
    pub(super) url: String,
    pub(super) input: std::result::Result<Option<Value>, String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) timeout: Duration,
    pub(super) stream_id: Option<String>,
    pub(super) from: usize,
}

impl CallRequest {
    pub(super) fn new(url: String) -> Self {
        Self {
            url,
            input: Ok(None),
            headers: Vec::new(),
            timeout: CALL_TIMEOUT,
            stream_id: None,
            from: 0,
        }
    }

    /// Returns the server and the URL.
    pub(super) fn server(&self) -> Result<(FlowHost, Url)> {
        // The URL can contain a secret, so the error does not repeat it.
        let mut url = Url::parse(&self.url).map_err(|error| E::Address(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(E::Address("it must begin with https:// or http://".to_owned()).into());
        }
        if self.stream_id.is_some() && self.from > 0 {
            url.query_pairs_mut().append_pair("from", &self.from.to_string());
        }
        let host = url.host_str().unwrap_or_default();
        let host = url.port().map_or(host.to_owned(), |port| format!("{host}:{port}"));
        let headers = self.headers.iter().filter(|(name, _)| is_secret_name(name));
        let given = headers.map(|(_, value)| value.to_owned());
        let pairs = url.query_pairs().filter(|(name, _)| is_secret_name(name));
        let query = pairs.map(|(_, value)| value.into_owned());
        let values = given.chain(query).chain(url.password().map(str::to_owned));
        let parts = values.flat_map(|value| secret_parts(&value, MIN_SECRET));
        let secrets = parts.map(|part| Secret::new(&part, "<redacted>"));
        Ok((FlowHost { host, secrets: secrets.collect() }, url))
    }

    pub(super) fn deadline(&self) -> (Duration, Instant) {
        // Limit the deadline to a century, since a longer one could overflow the clock.
        let limit = self.timeout.min(Duration::from_secs(3_153_600_000));
        (self.timeout, Instant::now() + limit)
    }

    /// Sends the request, and returns the response if its status is a success.
    pub(super) async fn send(
        &self,
        server: &FlowHost,
        url: Url,
        accept: &'static str,
    ) -> Result<Response> {
        let input = self.input.as_ref().map_err(|why| E::Input(why.clone()))?;
        let mut body = Map::new();
        body.extend(input.clone().map(|input| ("data".to_owned(), input)));
        let headers = self.headers(accept)?;
        let client = pool::client(Route::to(&url))?;
        let body = Value::Object(body).to_string();
        let sent = client.post(url).headers(headers).body(body).send().await;
        let response = sent.map_err(|error| {
            let (host, cause) = (server.host.clone(), root_cause(&error));
            match error.is_connect() {
                true => E::Connect { host, cause },
                false => E::Closed { host, cause },
            }
        })?;
        answer::let_in(server, response).await
    }

    fn headers(&self, accept: &'static str) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        let id = self.stream_id.as_ref().map(|id| (STREAM_ID, id.as_str()));
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in own.chain(id) {
            let parsed = name.parse::<HeaderName>().map_err(|_| E::HeaderName(name.to_owned()))?;
            let mut value =
                HeaderValue::from_str(value).map_err(|_| E::HeaderValue(name.to_owned()))?;
            // Most of these headers identify the caller.
            value.set_sensitive(true);
            headers.append(parsed, value);
        }
        Ok(headers)
    }
}
