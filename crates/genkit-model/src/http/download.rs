//! Downloads of files that messages link to.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::CONTENT_TYPE;

use super::error::Error as E;
use super::reach;
use genkit_core::{Error, Result};
use genkit_http_client::internal::net::{Route, pool, root_cause};

/// Downloads a file of at most `limit` bytes. Returns the media type from the headers, and the
/// bytes.
///
/// Redirects are not followed, because the message may come from an untrusted source.
pub async fn download(
    address: &str,
    limit: usize,
    timeout: Duration,
) -> Result<(Option<String>, Vec<u8>)> {
    let url = Url::parse(address).map_err(|error| E::FileAddress(error.to_string()))?;
    let host = url.host_str().unwrap_or_default().to_owned();
    reach::check_reachable(&url, &host)?;
    let reading = async {
        let sent = pool::client(Route::to(&url))?.get(url).send().await;
        let mut response = sent.map_err(|error| {
            // The cause is shown without the URL, which may contain a signature.
            E::FileUnreachable { host: host.clone(), cause: root_cause(&error) }
        })?;
        let status = response.status();
        if !status.is_success() {
            return Err(E::FileStatus { host: host.clone(), status }.into());
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.map(|kind| kind.split(';').next().unwrap_or(kind).trim().to_owned());
        let mut bytes = Vec::new();
        let cut_off =
            |error: reqwest::Error| E::FileCutOff { host: host.clone(), cause: root_cause(&error) };
        while let Some(piece) = response.chunk().await.map_err(cut_off)? {
            if bytes.len() + piece.len() > limit {
                let too_large = E::FileTooLarge { host: host.clone(), limit };
                return Err(Error::from(too_large).with_retryable(false));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok((kind, bytes))
    };
    tokio::time::timeout(timeout, reading)
        .await
        .unwrap_or_else(|_| Err(E::FileTimeout { host: host.clone(), limit: timeout }.into()))
}
