//! The way of a call: through the network, or from a cassette.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};

use super::cassette::{Heard, Recording};
use super::client::{self, Route};
use super::endpoint::Endpoint;
use super::failure::deepest;
use crate::error::{Error, ErrorKind, Result};

/// How much of an error's body is read, in bytes. Default is 1 MiB.
const MAX_ERROR_BYTES: usize = 1024 * 1024;

/// How much room is made before anything was read, whatever length is announced. Default is 1 MiB.
const MAX_RESERVED: u64 = 1024 * 1024;

/// How long the rest of an answer is read, after its end mark, so that its connection can be used
/// again. Default is 1 second.
const LINGER: Duration = Duration::from_secs(1);

/// An answer whose body is still to be read.
pub(super) struct Answer<'a> {
    endpoint: &'a Endpoint,
    status: u16,
    headers: HeaderMap,
    body: Body,
    read: usize,
    recording: Option<Recording>,
}

enum Body {
    Network(reqwest::Response),
    Replayed(Bytes),
    Ended,
}

/// Sends a call over the network.
pub(super) async fn send(
    endpoint: &Endpoint,
    url: Url,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<Answer<'_>> {
    client::may_reach(&url, endpoint.host())?;
    let client = client::client(Route::to(&url))?;
    let sent = client.post(url).headers(headers).body(body).send().await;
    let mut response = sent.map_err(|error| not_sent(endpoint, &error))?;
    Ok(Answer {
        endpoint,
        status: response.status().as_u16(),
        headers: std::mem::take(response.headers_mut()),
        body: Body::Network(response),
        read: 0,
        recording: None,
    })
}

fn not_sent(endpoint: &Endpoint, error: &reqwest::Error) -> Error {
    let what = if error.is_timeout() {
        "could not be connected to in time"
    } else if error.is_connect() {
        "cannot be connected to"
    } else {
        "closed the connection before it answered"
    };
    endpoint.error(ErrorKind::Unavailable, &format!("{what}: {}", deepest(error)))
}

impl<'a> Answer<'a> {
    /// An answer from a cassette.
    pub(super) fn replayed(endpoint: &'a Endpoint, heard: Heard) -> Self {
        let headers = heard.headers.iter().filter_map(|(name, value)| {
            Some((name.parse::<HeaderName>().ok()?, HeaderValue::from_str(value).ok()?))
        });
        Self {
            endpoint,
            status: heard.status,
            headers: headers.collect(),
            body: Body::Replayed(heard.body.into()),
            read: 0,
            recording: None,
        }
    }

    /// The same answer, which is recorded while it is read.
    pub(super) fn recorded(mut self, mut recording: Recording) -> Self {
        recording.answered(self.status, &|name| self.header(name));
        self.recording = Some(recording);
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
            Body::Ended => return Ok(None),
            Body::Replayed(bytes) if bytes.is_empty() => None,
            Body::Replayed(bytes) => Some(std::mem::take(bytes)),
            Body::Network(response) => match response.chunk().await {
                Ok(piece) => piece,
                Err(error) => return Err(self.cut_off(&error)),
            },
        };
        let Some(piece) = piece else {
            self.body = Body::Ended;
            self.save()?;
            return Ok(None);
        };
        self.read = self.read.saturating_add(piece.len());
        let limit = self.endpoint.max_answer();
        if self.read > limit {
            let text = format!("sent an answer of more than {limit} bytes");
            let error = self.endpoint.error(ErrorKind::ResourceExhausted, &text);
            return Err(error.retryable(false));
        }
        if let Some(recording) = &mut self.recording {
            recording.heard(&piece);
        }
        Ok(Some(piece))
    }

    /// The rest of the body, after what was read of it.
    pub(super) async fn whole(&mut self, head: Vec<u8>) -> Result<Vec<u8>> {
        let mut whole = head;
        if let Body::Network(response) = &self.body {
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

    /// Leaves the answer at the provider's end mark. What the server still has to say is read in
    /// the background: without its end the connection could not be used again.
    pub(super) fn leave(mut self) -> Result<()> {
        self.save()?;
        if let Body::Network(mut response) = self.body {
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
        let text = format!(
            "redirects to {host} (HTTP {}): that is not followed, since the key would go there too; \
             set the base URL",
            self.status
        );
        self.endpoint.error(ErrorKind::FailedPrecondition, &text)
    }

    fn cut_off(&self, error: &reqwest::Error) -> Error {
        let text = format!("cut its answer off after {} bytes: {}", self.read, deepest(error));
        self.endpoint.error(ErrorKind::Unavailable, &text)
    }

    fn save(&mut self) -> Result<()> {
        self.recording.take().map_or(Ok(()), Recording::save)
    }
}
