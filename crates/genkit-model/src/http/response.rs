//! A response, either from the network or from a recording.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Method, Request, Url};

use super::direct::{self, DirectBody, OriginRoute, SendError};
use super::error::CallError;
use super::intercept::{Observer, StoredResponse};
use super::prepared::PreparedHead;
use super::reach;
use genkit_core::{Error, Result};
use genkit_http_client::internal::net::root_cause;

/// The maximum number of bytes of an error's body that are read. Default is 1 MiB.
const MAX_ERROR_BYTES: usize = 1024 * 1024;

/// The maximum capacity to reserve before reading a body, regardless of its content length, in
/// bytes. Default is 1 MiB.
const MAX_RESERVED: u64 = 1024 * 1024;

/// The time to keep reading a response after its end marker, so that its connection can be reused.
/// Default is 1 second.
const LINGER: Duration = Duration::from_secs(1);

/// The sender of a response, and its size limit.
#[derive(Clone, Copy)]
pub(super) struct Sender<'a> {
    /// The provider and its host, as shown in errors.
    pub(super) api: &'a str,
    /// The hint shown when the server is unreachable.
    pub(super) remedy: Option<&'static str>,
    pub(super) max_bytes: usize,
}

/// A response whose body has not been read yet.
pub(super) struct HttpResponse<'a> {
    sender: Sender<'a>,
    status: u16,
    headers: HeaderMap,
    body: ResponseBody,
    read: usize,
    observer: Option<Box<dyn Observer>>,
}

enum ResponseBody {
    Direct(Box<DirectBody>),
    Proxied(Box<reqwest::Response>),
    Stored(Bytes),
    Ended,
}

/// Sends a call over the network.
pub(super) async fn send_observed<'a>(
    sender: Sender<'a>,
    host: &str,
    head: &PreparedHead,
    body: Vec<u8>,
) -> Result<HttpResponse<'a>> {
    reach::check_reachable(&head.url, host)?;
    let (status, headers, body) = match &head.way {
        OriginRoute::Direct(origin) => {
            let mut headers = head.headers.clone();
            headers.insert(CONTENT_LENGTH, body.len().into());
            let sent = direct::post_direct(origin, head.target.clone(), headers, body).await;
            let response =
                sent.map_err(|error| not_sent(error, sender.remedy).into_error(sender.api))?;
            (response.status, response.headers, ResponseBody::Direct(Box::new(response.body)))
        }
        OriginRoute::Proxied(client) => {
            let sent = post_proxied(client, head, body).await;
            let mut response =
                sent.map_err(|error| not_sent(error, sender.remedy).into_error(sender.api))?;
            let headers = std::mem::take(response.headers_mut());
            (response.status(), headers, ResponseBody::Proxied(Box::new(response)))
        }
    };
    let status = status.as_u16();
    Ok(HttpResponse { sender, status, headers, body, read: 0, observer: None })
}

async fn post_proxied(
    client: &Client,
    head: &PreparedHead,
    body: Vec<u8>,
) -> std::result::Result<reqwest::Response, SendError> {
    // Do not use the request builder, because it would copy each header into another map.
    let mut request = Request::new(Method::POST, head.url.clone());
    *request.headers_mut() = head.headers.clone();
    request.headers_mut().insert(CONTENT_LENGTH, body.len().into());
    *request.body_mut() = Some(body.into());
    client.execute(request).await.map_err(|error| match error.is_connect() {
        true => SendError::Connect(error.into()),
        false => SendError::Closed(error.into()),
    })
}

fn not_sent(error: SendError, remedy: Option<&str>) -> CallError {
    let (is_connect, error) = match error {
        SendError::Connect(error) => (true, error),
        SendError::Closed(error) => (false, error),
    };
    let mut cause = root_cause(&*error);
    if is_timeout(&*error) {
        CallError::ConnectTimeout(cause)
    } else if is_connect {
        if let Some(remedy) = remedy {
            cause = format!("{cause}; {remedy}");
        }
        CallError::Connect(cause)
    } else {
        CallError::Closed(cause)
    }
}

fn is_timeout(error: &(dyn StdError + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let reqwest = error.downcast_ref::<reqwest::Error>();
        let io = error.downcast_ref::<io::Error>();
        if reqwest.is_some_and(reqwest::Error::is_timeout)
            || io.is_some_and(|io| io.kind() == io::ErrorKind::TimedOut)
        {
            return true;
        }
        cause = error.source();
    }
    false
}

impl<'a> HttpResponse<'a> {
    /// Creates a response from a recording.
    pub(super) fn from_stored(sender: Sender<'a>, stored: StoredResponse) -> Self {
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

    /// Attaches an observer of the body that is read.
    pub(super) fn with_observer(mut self, mut observer: Box<dyn Observer>) -> Self {
        observer.begin_response(self.status, &|name| self.header(name));
        self.observer = Some(observer);
        self
    }

    pub(super) fn status(&self) -> u16 {
        self.status
    }

    pub(super) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name)?.to_str().ok().map(str::to_owned)
    }

    /// Returns the next chunk of the body.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>> {
        if self.status < 300 {
            // The headers are no longer needed, and while they exist the connection cannot reuse
            // its buffer.
            self.headers = HeaderMap::new();
        }
        let piece = match &mut self.body {
            ResponseBody::Ended => return Ok(None),
            ResponseBody::Stored(bytes) if bytes.is_empty() => None,
            ResponseBody::Stored(bytes) => Some(std::mem::take(bytes)),
            ResponseBody::Direct(body) => match body.next().await {
                Ok(piece) => piece,
                Err(error) => return Err(self.cut_off(&*error)),
            },
            ResponseBody::Proxied(response) => match response.chunk().await {
                Ok(piece) => piece,
                Err(error) => return Err(self.cut_off(&error)),
            },
        };
        let Some(piece) = piece else {
            self.body = ResponseBody::Ended;
            self.finish_observer()?;
            return Ok(None);
        };
        self.read = self.read.saturating_add(piece.len());
        let limit = self.sender.max_bytes;
        if self.read > limit {
            return Err(CallError::TooLarge(limit).into_error(self.sender.api));
        }
        if let Some(observer) = &mut self.observer {
            observer.receive_piece(&piece);
        }
        Ok(Some(piece))
    }

    /// Reads the rest of the body and appends it to `head`.
    pub(super) async fn read_whole(&mut self, head: Vec<u8>) -> Result<Vec<u8>> {
        let mut whole = head;
        let announced = match &self.body {
            ResponseBody::Direct(body) => body.announced_length(),
            ResponseBody::Proxied(response) => response.content_length(),
            ResponseBody::Stored(_) | ResponseBody::Ended => None,
        };
        let room = announced.unwrap_or_default().min(MAX_RESERVED);
        whole.reserve(usize::try_from(room).unwrap_or_default());
        while let Some(piece) = self.next().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    /// Reads the body of an error. Ignores read errors, because the status is more important.
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

    /// Stops reading at the provider's end marker. The rest of the body is read in the background,
    /// because the connection can be reused only after the body has ended.
    pub(super) fn discard_rest(mut self) -> Result<()> {
        self.finish_observer()?;
        match self.body {
            ResponseBody::Direct(mut body) => {
                let mut rest =
                    Box::pin(async move { while let Ok(Some(_)) = body.next().await {} });
                // Usually the rest has already arrived.
                if rest.as_mut().now_or_never().is_none() {
                    tokio::spawn(tokio::time::timeout(LINGER, rest));
                }
            }
            ResponseBody::Proxied(mut response) => {
                tokio::spawn(tokio::time::timeout(LINGER, async move {
                    while let Ok(Some(_)) = response.chunk().await {}
                }));
            }
            ResponseBody::Stored(_) | ResponseBody::Ended => {}
        }
        Ok(())
    }

    /// Returns the error for a redirect, which is not followed.
    pub(super) fn redirect_error(&self) -> Error {
        let target = self.headers.get(LOCATION).and_then(|value| value.to_str().ok());
        // Only the host is shown: the rest may repeat data from the request.
        let host = target
            .and_then(|target| Url::parse(target).ok())
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_else(|| "another path".to_owned());
        CallError::Redirect { target: host, status: self.status }.into_error(self.sender.api)
    }

    fn cut_off(&self, error: &(dyn StdError + 'static)) -> Error {
        CallError::CutOff { read: self.read, cause: root_cause(error) }.into_error(self.sender.api)
    }

    fn finish_observer(&mut self) -> Result<()> {
        self.observer.take().map_or(Ok(()), |observer| observer.finish_response())
    }
}
