//! Requests with the program's credentials, and their responses.

use std::error::Error as StdError;
use std::time::{Duration, Instant};

use genkit::{Error, ErrorKind, Result};
use genkit_core::internal::redact::{
    Secret, is_secret_name, redact_secrets, redact_secrets_in_json, secret_parts,
};
use reqwest::header::{ACCEPT, COOKIE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response, Url};
use serde_json::{Map, Value};

use crate::input::OwnParameters;
use crate::request::{FilledRequest, OperationRequest};
use crate::response::{HttpResponse, failure, success};

/// The maximum number of redirects that are followed. Default is 5.
const MAX_REDIRECTS: usize = 5;

/// The minimum length of a secret that is redacted, in bytes. Default is 6: shorter values are unlikely to be secrets, and
/// would match parts of other words.
const MIN_SECRET: usize = 6;

/// The settings for requests to an API. Does not implement `Debug`, because it contains credentials.
pub(crate) struct Api {
    pub(crate) client: Client,
    pub(crate) base: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) timeout: Duration,
    pub(crate) max_response: usize,
    secrets: Vec<ApiSecret>,
}

/// A value that the program sends with each request.
struct ApiSecret {
    secret: Secret,
    /// Whether its name suggests a credential. Other values, such as a language, may be part of a result.
    is_credential: bool,
}

impl Api {
    pub(crate) fn new(
        client: Client,
        base: Url,
        headers: HeaderMap,
        query: Vec<(String, String)>,
        (timeout, max_response): (Duration, usize),
    ) -> Self {
        let of_headers = headers.iter().filter_map(|(name, value)| {
            Some((is_secret_name(name.as_str()), value.to_str().ok()?))
        });
        let of_query = query.iter().map(|(name, value)| (is_secret_name(name), value.as_str()));
        let password = base.password().map(|password| (true, password));
        let secrets = of_headers
            .chain(of_query)
            .chain(password)
            .flat_map(|(is_credential, value)| {
                let parts = secret_parts(value, MIN_SECRET).into_iter();
                parts.map(move |part| (is_credential, Secret::new(&part, "[redacted]")))
            })
            .map(|(is_credential, secret)| ApiSecret { secret, is_credential })
            .collect();
        Self { client, base, headers, query, timeout, max_response, secrets }
    }

    pub(crate) async fn call(
        &self,
        route: &OperationRequest,
        input: &Map<String, Value>,
    ) -> Result<Value> {
        let ready = route.fill(&self.base, &self.own_parameters(), input)?;
        let deadline = Instant::now() + self.timeout;
        let response = self.send(route, ready, deadline).await?;
        let answer = HttpResponse::read(response, self.max_response).await;
        let answer = answer.map_err(|error| self.request_error(route, &error))?;
        if answer.status.is_success() {
            let result = success(route, answer, self.max_response)?;
            let credentials = self.secrets.iter().filter(|it| it.is_credential);
            return Ok(redact_secrets_in_json(result, credentials.map(|it| &it.secret)));
        }
        Err(failure(route, &answer, |text| self.redact(text)))
    }

    /// Returns the parameters that the program sends with each request.
    pub(crate) fn own_parameters(&self) -> OwnParameters<'_> {
        OwnParameters { headers: &self.headers, query: &self.query }
    }

    /// Sends a request. Follows redirects to the same server for read-only methods.
    async fn send(
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
                request.send().await.map_err(|error| self.request_error(route, &error))?;
            let Some(next) = redirect(&response) else { return Ok(response) };
            if next.origin() != self.base.origin() {
                let to = next.origin().ascii_serialization();
                return Err(Error::new(
                    ErrorKind::FailedPrecondition,
                    format!(
                        "{} was redirected to {to}, which is not followed because credentials are sent only to {}; if the API moved \
                         there, set that URL with `.base_url(..)`",
                        route.label,
                        self.base.origin().ascii_serialization()
                    ),
                ));
            }
            if !matches!(route.method, Method::GET | Method::HEAD) {
                return Err(Error::new(
                    ErrorKind::FailedPrecondition,
                    format!(
                        "{} was redirected, but redirects are followed only for GET and HEAD",
                        route.label
                    ),
                ));
            }
            url = next;
        }
        let text = format!("{} was redirected more than {MAX_REDIRECTS} times", route.label);
        Err(Error::new(ErrorKind::FailedPrecondition, text))
    }

    /// Returns the headers of the call, overridden by the headers that the program set.
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

    /// Returns the error for a missing response. The error omits the URL, whose query may contain a key.
    fn request_error(&self, route: &OperationRequest, error: &reqwest::Error) -> Error {
        let is_safe =
            matches!(route.method, Method::GET | Method::HEAD | Method::PUT | Method::DELETE);
        let perhaps = match is_safe || error.is_connect() {
            true => "",
            false => ". It may still have succeeded; check before calling it again",
        };
        if error.is_timeout() {
            let text =
                format!("{} did not respond within {:?}{perhaps}", route.label, self.timeout);
            return Error::new(ErrorKind::DeadlineExceeded, text)
                .with_retryable(perhaps.is_empty());
        }
        let cause = self.redact(&root_cause(error));
        let host = self.base.origin().ascii_serialization();
        let text = format!("{} received no response from {host}: {cause}{perhaps}", route.label);
        Error::new(ErrorKind::Unavailable, text).with_retryable(perhaps.is_empty())
    }

    /// Removes the program's credentials from a string, since a server may echo them.
    fn redact(&self, text: &str) -> String {
        redact_secrets(text, self.secrets.iter().map(|it| &it.secret)).into_owned()
    }
}

/// Returns the target of a redirect.
fn redirect(response: &Response) -> Option<Url> {
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
