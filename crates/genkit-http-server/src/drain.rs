//! Draining: tracks the requests that a server waits for during shutdown.

use std::sync::Arc;

use axum::{body::Body, response::Response};
use tokio::sync::watch;

use super::until_sent::UntilSent;

/// Counts the requests whose responses are not completely sent.
#[derive(Clone)]
pub struct Drain(Arc<watch::Sender<()>>);

/// A counted request; ends on drop.
pub struct RunningRequest {
    _counted: watch::Receiver<()>,
}

impl Default for Drain {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(())))
    }
}

impl Drain {
    pub fn count_request(&self) -> RunningRequest {
        RunningRequest { _counted: self.0.subscribe() }
    }

    /// Waits until all requests have finished.
    pub(crate) async fn finished(&self) {
        self.0.closed().await;
    }
}

impl RunningRequest {
    /// Extends the count until the response is completely sent, or abandoned.
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
    async fn request_counts_until_its_answer_was_sent() {
        let drain = Drain::default();
        drain.finished().await;
        let response = drain.count_request().until_sent(Response::new(Body::from("answer")));
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
