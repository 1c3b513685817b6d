//! Drain at shutdown: the requests that a server which stops has to wait for.

use std::sync::Arc;

use axum::{body::Body, response::Response};
use tokio::sync::watch;

use super::until_sent::UntilSent;

/// Counts the requests that are not answered to their last byte.
#[derive(Clone)]
pub struct Drain(Arc<watch::Sender<()>>);

/// One of them, until it is dropped.
pub struct RunningRequest(
    #[expect(dead_code, reason = "it counts while it is there")] watch::Receiver<()>,
);

impl Default for Drain {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(())))
    }
}

impl Drain {
    pub fn begin(&self) -> RunningRequest {
        RunningRequest(self.0.subscribe())
    }

    /// Waits until there are none.
    pub(crate) async fn finished(&self) {
        self.0.closed().await;
    }
}

impl RunningRequest {
    /// Counts until the answer was read to its end, or given up.
    pub fn until_sent(self, response: Response) -> Response {
        response.map(|body| Body::new(UntilSent::new(body, self)))
    }
}

#[cfg(test)]
mod tests {
    use axum::body::HttpBody as _;
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn a_request_counts_until_its_answer_was_sent() {
        let drain = Drain::default();
        drain.finished().await;
        let response = drain.begin().until_sent(Response::new(Body::from("answer")));
        assert_eq!(response.body().size_hint().exact(), Some(6));
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
