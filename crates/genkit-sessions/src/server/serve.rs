//! Serves agents until shutdown.

use std::future::IntoFuture;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse as _;
use tokio_util::sync::CancellationToken;

use genkit_core::{BoxFuture, Result};
use genkit_flows::internal::{Rejection, StartedServer};
use genkit_http_server::internal::Drain;

use super::builder::AgentServer;
use super::endpoint::AgentEndpoint;
use super::error::Error as E;

impl AgentServer {
    /// Serves until shutdown. Awaiting the server does the same; this `async fn` is for `tokio::spawn` and `join!`.
    ///
    /// # Errors
    /// See [`AgentServer`].
    pub async fn run(mut self) -> Result<()> {
        let shutdown = self.shutdown.take();
        let listening = std::mem::take(&mut self.listening);
        let started = StartedServer::start(listening, shutdown).await?;
        let (path, grace) = (self.path.clone(), self.gate.grace);
        started.default_hosts(&mut self.gate.hosts);
        let endpoint = AgentEndpoint::new(self, started.drain.clone(), started.end.clone())?;
        let app = router(Arc::new(endpoint), &path)
            .fallback(|| async { Rejection::from(E::PathNotFound).into_response() });
        started.serve(app, &path, grace).await
    }

    /// Returns a router for an existing axum application. The application controls the address and the shutdown.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if two agents have the same name, or if the sealing key is too short.
    pub fn router(self) -> Result<Router> {
        if self.listening.is_set() || self.shutdown.is_some() {
            tracing::warn!(
                "`.http(..)`, `.listener(..)`, `.on_listening(..)` and `.shutdown(..)` have no effect on a \
                 router; await the server instead to use them"
            );
        }
        let path = self.path.clone();
        let (drain, end) = (Drain::default(), CancellationToken::new());
        let endpoint = AgentEndpoint::new(self, drain, end)?;
        Ok(router(Arc::new(endpoint), &path))
    }
}

impl IntoFuture for AgentServer {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<'static, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

genkit_core::becomes_a_future!(AgentServer, Result<()>);

fn router(endpoint: Arc<AgentEndpoint>, path: &str) -> Router {
    let answer = move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { endpoint.answer(request).await }
    };
    let call = axum::routing::any(answer);
    let one = format!("{path}/{{agent}}");
    let more = format!("{path}/{{agent}}/{{action}}");
    Router::new().route(&one, call.clone()).route(&more, call)
}
