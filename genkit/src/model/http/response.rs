//! One response: from the network, or one that was stored.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Request, Url};

use super::error::CallFailure;
use super::intercept::{Observer, StoredResponse};
use super::reach;
use crate::error::{Error, Result};
use crate::net::{Route, pool, root_cause};

/// How much of an error's body is read, in bytes. Default is 1 MiB.
const MAX_ERROR_BYTES: usize = 1024 * 1024;

/// How much room is made before anything was read, whatever length is announced. Default is 1 MiB.
const MAX_RESERVED: u64 = 1024 * 1024;

/// How long the rest of an answer is read, after its end mark, so that its connection can be used
/// again. Default is 1 second.
const LINGER: Duration = Duration::from_secs(1);

/// Whose response it is, and how long it may be.
#[derive(Clone, Copy)]
pub(super) struct Sender<'a> {
    /// The provider and its host.
    pub(super) api: &'a str,
    /// What mends that nobody answers.
    pub(super) remedy: Option<&'static str>,
    pub(super) max_bytes: usize,
}

/// A response whose body is still to be read.
pub(super) struct HttpResponse<'a> {
    sender: Sender<'a>,
    status: u16,
    headers: HeaderMap,
    body: ResponseBody,
    read: usize,
    observer: Option<Box<dyn Observer>>,
}

enum ResponseBody {
    Network(reqwest::Response),
    Stored(Bytes),
    Ended,
}

/// Sends a call over the network.
pub(super) async fn send<'a>(
    sender: Sender<'a>,
    url: Url,
    host: &str,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<HttpResponse<'a>> {
    reach::may_reach(&url, host)?;
    let client = pool::client(Route::to(&url))?;
    // Not by the builder, which would put each header into another map.
    let mut request = Request::new(Method::POST, url);
    *request.headers_mut() = headers;
    *request.body_mut() = Some(body.into());
    let sent = client.execute(request).await;
    let mut response = sent.map_err(|error| not_sent(&error, sender.remedy).at(sender.api))?;
    Ok(HttpResponse {
        sender,
        status: response.status().as_u16(),
        headers: std::mem::take(response.headers_mut()),
        body: ResponseBody::Network(response),
        read: 0,
        observer: None,
    })
}

fn not_sent(error: &reqwest::Error, remedy: Option<&str>) -> CallFailure {
    let mut cause = root_cause(error);
    if error.is_timeout() {
        CallFailure::ConnectTimeout(cause)
    } else if error.is_connect() {
        if let Some(remedy) = remedy {
            cause = format!("{cause}: {remedy}");
        }
        CallFailure::Connect(cause)
    } else {
        CallFailure::Closed(cause)
    }
}

impl<'a> HttpResponse<'a> {
    /// A response that did not come over the network.
    pub(super) fn stored(sender: Sender<'a>, stored: StoredResponse) -> Self {
        let headers = stored.headers.iter().filter_map(|(name, value)| {
            Some((name.parse::<HeaderName>().ok()?, HeaderValue::from_str(value).ok()?))
        });
        Self {
            sender,
            status: stored.status,
            headers: headers.collect(),
            body: ResponseBody::Stored(stored.body.into()),
            read: 0,
            observer: None,
        }
    }

    /// The same response, observed while it is read.
    pub(super) fn observed(mut self, mut observer: Box<dyn Observer>) -> Self {
        observer.begin(self.status, &|name| self.header(name));
        self.observer = Some(observer);
        self
    }

    pub(super) fn status(&self) -> u16 {
        self.status
    }

    pub(super) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name)?.to_str().ok().map(str::to_owned)
    }

    /// The next piece of the body.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>> {
        let piece = match &mut self.body {
            ResponseBody::Ended => return Ok(None),
            ResponseBody::Stored(bytes) if bytes.is_empty() => None,
            ResponseBody::Stored(bytes) => Some(std::mem::take(bytes)),
            ResponseBody::Network(response) => match response.chunk().await {
                Ok(piece) => piece,
                Err(error) => return Err(self.cut_off(&error)),
            },
        };
        let Some(piece) = piece else {
            self.body = ResponseBody::Ended;
            self.finish()?;
            return Ok(None);
        };
        self.read = self.read.saturating_add(piece.len());
        let limit = self.sender.max_bytes;
        if self.read > limit {
            return Err(CallFailure::TooLarge(limit).at(self.sender.api));
        }
        if let Some(observer) = &mut self.observer {
            observer.receive(&piece);
        }
        Ok(Some(piece))
    }

    /// The rest of the body, after what was read of it.
    pub(super) async fn whole(&mut self, head: Vec<u8>) -> Result<Vec<u8>> {
        let mut whole = head;
        if let ResponseBody::Network(response) = &self.body {
            let announced = response.content_length().unwrap_or_default().min(MAX_RESERVED);
            whole.reserve(usize::try_from(announced).unwrap_or_default());
        }
        while let Some(piece) = self.next().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    /// The body of an error, as far as it comes: the status is what counts.
    pub(super) async fn error_body(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        while let Ok(Some(piece)) = self.next().await {
            body.extend_from_slice(&piece);
            if body.len() > MAX_ERROR_BYTES {
                body.truncate(MAX_ERROR_BYTES);
                break;
            }
        }
        body
    }

    /// Leaves the response at the provider's end mark. What the server still sends is read in
    /// the background: without its end the connection could not be used again.
    pub(super) fn leave(mut self) -> Result<()> {
        self.finish()?;
        if let ResponseBody::Network(mut response) = self.body {
            tokio::spawn(tokio::time::timeout(LINGER, async move {
                while let Ok(Some(_)) = response.chunk().await {}
            }));
        }
        Ok(())
    }

    /// A redirect, which is not followed.
    pub(super) fn redirected(&self) -> Error {
        let target = self.headers.get(LOCATION).and_then(|value| value.to_str().ok());
        // Its host alone: the rest may hold what was sent.
        let host = target
            .and_then(|target| Url::parse(target).ok())
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_else(|| "another path".to_owned());
        CallFailure::Redirect { target: host, status: self.status }.at(self.sender.api)
    }

    fn cut_off(&self, error: &reqwest::Error) -> Error {
        CallFailure::CutOff { read: self.read, cause: root_cause(error) }.at(self.sender.api)
    }

    fn finish(&mut self) -> Result<()> {
        self.observer.take().map_or(Ok(()), Observer::finish)
    }
}
