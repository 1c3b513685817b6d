//! The body of a request: bounded in size and in time.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

/// How long the body of a request may take to arrive. Default is 30 seconds.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a body was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the body did not arrive within {0:?}")]
    Slow(Duration),
    #[error("the request has more than {0} bytes")]
    Long(usize),
    #[error("the body broke off")]
    Broken,
}

/// The whole body, of at most `limit` bytes.
pub(crate) async fn read_body(body: Body, limit: usize) -> Result<Bytes, BodyError> {
    let reading = Limited::new(body, limit).collect();
    match tokio::time::timeout(BODY_TIMEOUT, reading).await {
        Err(_) => Err(BodyError::Slow(BODY_TIMEOUT)),
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::Long(limit)),
        Ok(Err(_)) => Err(BodyError::Broken),
    }
}
