//! Files that messages name by their address.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::CONTENT_TYPE;

use super::client::{self, Route};
use super::failure::deepest;
use crate::error::{Error, ErrorKind, Result};

/// The media type that the server tells, and the bytes, of which there may be `limit`.
///
/// Redirects are not followed: a message may come from anybody.
pub(crate) async fn download(
    address: &str,
    limit: usize,
    timeout: Duration,
) -> Result<(Option<String>, Vec<u8>)> {
    let url = Url::parse(address)
        .map_err(|e| Error::invalid_argument(format!("a file has no usable address: {e}")))?;
    let host = url.host_str().unwrap_or_default().to_owned();
    client::may_reach(&url, &host)?;
    let reading = async {
        let sent = client::client(Route::to(&url))?.get(url).send().await;
        let mut response = sent.map_err(|e| gone(&host, "cannot be reached", &e))?;
        let status = response.status();
        if !status.is_success() {
            let kind = crate::model::wire::kind_of_status(status.as_u16());
            return Err(Error::new(kind, format!("{host} answered {status} for a file")));
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.map(|kind| kind.split(';').next().unwrap_or(kind).trim().to_owned());
        let mut bytes = Vec::new();
        while let Some(piece) =
            response.chunk().await.map_err(|e| gone(&host, "broke off in a file", &e))?
        {
            if bytes.len() + piece.len() > limit {
                let said = format!("a file of {host} has more than {limit} bytes");
                return Err(Error::new(ErrorKind::ResourceExhausted, said).retryable(false));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok((kind, bytes))
    };
    tokio::time::timeout(timeout, reading).await.unwrap_or_else(|_| {
        let said = format!("{host} did not send a file within {timeout:?}");
        Err(Error::new(ErrorKind::DeadlineExceeded, said))
    })
}

/// The cause, without the address: it may hold a signature.
fn gone(host: &str, what: &str, error: &reqwest::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("{host} {what}: {}", deepest(error)))
}
