//! Calls: a request with the credentials of the program, and what comes back of it.

use std::error::Error as StdError;
use std::time::{Duration, Instant};

use genkit::{Error, ErrorKind, Result};
use reqwest::header::{ACCEPT, COOKIE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response, Url};
use serde_json::{Map, Value};

use crate::request::{FilledRequest, OperationRequest};
use crate::response::{HttpAnswer, read_error, read_success};

/// How many redirects are followed. Default is 5.
const MAX_REDIRECTS: usize = 5;

/// An API, as the program reaches it. There is no `Debug`: it holds credentials.
pub(crate) struct Api {
    pub(crate) client: Client,
    pub(crate) base: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) timeout: Duration,
    pub(crate) max_response: usize,
}

impl Api {
    pub(crate) async fn call(
        &self,
        route: &OperationRequest,
        input: &Map<String, Value>,
    ) -> Result<Value> {
        let ready = route.fill_route(&self.base, &self.query, input)?;
        let deadline = Instant::now() + self.timeout;
        let response = self.send_request(route, ready, deadline).await?;
        let answer = HttpAnswer::read(response, self.max_response).await;
        let answer = answer.map_err(|error| self.connection_error(route, &error))?;
        if answer.status.is_success() {
            return read_success(route, answer, self.max_response);
        }
        Err(read_error(route, &answer, |text| self.redact_text(text)))
    }

    /// Sends it, and follows redirects to the same server where nothing is changed.
    async fn send_request(
        &self,
        route: &OperationRequest,
        ready: FilledRequest,
        deadline: Instant,
    ) -> Result<Response> {
        let mut url = ready.url;
        let headers = self.headers_with(ready.headers);
        for _ in 0..=MAX_REDIRECTS {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut request = self.client.request(route.method.clone(), url.clone());
            request = request.headers(headers.clone()).timeout(left);
            if let Some(body) = &ready.body {
                request = request.body(body.clone());
            }
            let response =
                request.send().await.map_err(|error| self.connection_error(route, &error))?;
            let Some(next) = redirect_target(&response) else { return Ok(response) };
            if next.origin() != self.base.origin() {
                let to = next.origin().ascii_serialization();
                return Err(Error::new(
                    ErrorKind::FailedPrecondition,
                    format!(
                        "{} was redirected to {to}, which is not followed: credentials go to {} only. If the API is \
                         there, it belongs into `.base_url(..)`",
                        route.label,
                        self.base.origin().ascii_serialization()
                    ),
                ));
            }
            if !matches!(route.method, Method::GET | Method::HEAD) {
                return Err(Error::new(
                    ErrorKind::FailedPrecondition,
                    format!(
                        "{} was redirected, which is followed for GET and HEAD only",
                        route.label
                    ),
                ));
            }
            url = next;
        }
        let text = format!("{} was redirected more than {MAX_REDIRECTS} times", route.label);
        Err(Error::new(ErrorKind::FailedPrecondition, text))
    }

    /// What the call sets, and over it what the program sets.
    fn headers_with(&self, mut headers: HeaderMap) -> HeaderMap {
        let cookies = headers.remove(COOKIE);
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        if let Some(cookies) = cookies {
            let given = headers.get(COOKIE).map(HeaderValue::as_bytes);
            let both = given.map(|given| [given, b"; ", cookies.as_bytes()].concat());
            let both = both.and_then(|both| HeaderValue::from_bytes(&both).ok());
            headers.insert(COOKIE, both.unwrap_or(cookies));
        }
        if !headers.contains_key(ACCEPT) {
            let any = HeaderValue::from_static("application/json, text/*;q=0.8, */*;q=0.1");
            headers.insert(ACCEPT, any);
        }
        headers
    }

    /// No answer: without the address, which may have a key in its query.
    fn connection_error(&self, route: &OperationRequest, error: &reqwest::Error) -> Error {
        let is_safe =
            matches!(route.method, Method::GET | Method::HEAD | Method::PUT | Method::DELETE);
        let perhaps = match is_safe || error.is_connect() {
            true => "",
            false => ". It may have been done all the same: look before it is called again",
        };
        if error.is_timeout() {
            let text = format!("{} did not answer within {:?}{perhaps}", route.label, self.timeout);
            return Error::new(ErrorKind::DeadlineExceeded, text)
                .with_retryable(perhaps.is_empty());
        }
        let cause = self.redact_text(&root_cause(error));
        let host = self.base.origin().ascii_serialization();
        let text = format!("{} had no answer of {host}: {cause}{perhaps}", route.label);
        Error::new(ErrorKind::Unavailable, text).with_retryable(perhaps.is_empty())
    }

    /// The text without the credentials of the program, which a server may repeat.
    fn redact_text(&self, text: &str) -> String {
        let headers = self.headers.values().filter_map(|value| value.to_str().ok());
        let headers = headers.map(|value| value.trim_start_matches("Bearer "));
        let query = self.query.iter().map(|(_, value)| value.as_str());
        let mut text = text.to_owned();
        // Shorter ones are no secrets, and stand in other words.
        for secret in headers.chain(query).filter(|secret| secret.len() >= 6) {
            text = text.replace(secret, "[redacted]");
        }
        text
    }
}

/// Where a response leads.
fn redirect_target(response: &Response) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let to = response.headers().get(LOCATION)?.to_str().ok()?;
    response.url().join(to).ok()
}

fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: Option<&(dyn StdError + 'static)> = error.source();
    while let Some(next) = cause.and_then(StdError::source) {
        cause = Some(next);
    }
    match cause {
        Some(cause) if !cause.is::<reqwest::Error>() => cause.to_string(),
        _ => "the connection failed".to_owned(),
    }
}
