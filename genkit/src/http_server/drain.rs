//! Drain at shutdown: the requests that a server which stops has to wait for.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;
use http_body_util::BodyExt as _;
use tokio::sync::watch;

/// Counts the requests that are not answered to their last byte.
#[derive(Clone)]
pub(crate) struct Drain(Arc<watch::Sender<()>>);

/// One of them, until it is dropped.
pub(crate) struct RunningRequest(
    #[expect(dead_code, reason = "it counts while it is there")] watch::Receiver<()>,
);

impl Default for Drain {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(())))
    }
}

impl Drain {
    pub(crate) fn begin(&self) -> RunningRequest {
        RunningRequest(self.0.subscribe())
    }

    /// Waits until there are none.
    pub(crate) async fn finished(&self) {
        self.0.closed().await;
    }
}

impl RunningRequest {
    /// Counts until the answer was read to its end, or given up.
    #[cfg_attr(
        not(feature = "flows"),
        allow(dead_code, reason = "answers of MCP are counted below")
    )]
    pub(crate) fn until_sent(self, mut response: Response) -> Response {
        // What is mapped no longer says how long it is.
        if response.status() != StatusCode::NO_CONTENT
            && let Some(length) = response.body().size_hint().exact()
        {
            response.headers_mut().entry(CONTENT_LENGTH).or_insert(length.into());
        }
        response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _counts = &self;
                frame
            }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_counts_until_its_answer_was_sent() {
        let drain = Drain::default();
        drain.finished().await;
        let response = drain.begin().until_sent(Response::new(Body::from("answer")));
        assert_eq!(response.headers()[CONTENT_LENGTH], "6");
        let waiting = tokio::spawn({
            let drain = drain.clone();
            async move { drain.finished().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(body, "answer");
        waiting.await.expect("the end");
    }
}
