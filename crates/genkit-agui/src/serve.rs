//! Serves an agent until shutdown.

use std::future::IntoFuture;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::response::IntoResponse as _;
use tokio_util::sync::CancellationToken;

use genkit_core::{BoxFuture, Result};
use genkit_flows::internal::{Rejection, StartedServer};
use genkit_http_server::internal::Drain;

use crate::builder::AguiServer;
use crate::endpoint::AguiEndpoint;
use crate::error::Error as E;

impl AguiServer {
    /// Serves until shutdown, as awaiting the server does. Use it where a future is required, as in `tokio::spawn` and
    /// `join!`.
    ///
    /// # Errors
    /// Returns the same errors as awaiting the [`AguiServer`].
    pub async fn run(mut self) -> Result<()> {
        let shutdown = self.shutdown.take();
        let listening = std::mem::take(&mut self.listening);
        let started = StartedServer::start(listening, shutdown).await?;
        let (path, grace) = (self.path.clone(), self.gate.grace);
        started.default_hosts(&mut self.gate.hosts);
        let endpoint = AguiEndpoint::new(self, started.drain.clone(), started.end.clone())?;
        let app = router(Arc::new(endpoint), &path)
            .fallback(|| async { Rejection::from(E::PathNotFound).into_response() });
        started.serve(app, &path, grace).await
    }

    /// Returns a router for an existing axum application. The application controls the address and the shutdown.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the sealing key is too short, or if an agent with sessions is client-managed.
    pub fn router(self) -> Result<Router> {
        if self.listening.is_set() || self.shutdown.is_some() {
            tracing::warn!(
                "`.http(..)`, `.listener(..)`, `.on_listening(..)` and `.shutdown(..)` have no effect on a \
                 router; await the server instead to use them"
            );
        }
        let path = self.path.clone();
        let (drain, end) = (Drain::default(), CancellationToken::new());
        let endpoint = AguiEndpoint::new(self, drain, end)?;
        Ok(router(Arc::new(endpoint), &path))
    }
}

impl IntoFuture for AguiServer {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<'static, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

genkit_core::becomes_a_future!(AguiServer, Result<()>);

/// The name of the path parameter with the id of a chat. It is unusual because an application can nest the router
/// below a path with other parameters.
const CHAT: &str = "genkit_chat";

fn router(endpoint: Arc<AguiEndpoint>, path: &str) -> Router {
    let poster = Arc::clone(&endpoint);
    let answer = move |request: Request| {
        let endpoint = Arc::clone(&poster);
        async move { endpoint.answer(request).await }
    };
    let resume = move |parameters: RawPathParams, request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move {
            let chat = parameters.iter().find(|(name, _)| *name == CHAT);
            endpoint.resume_stream(chat.map_or("", |(_, chat)| chat), request).await
        }
    };
    let resumed = format!("{}/{{{CHAT}}}/stream", path.trim_end_matches('/'));
    Router::new()
        .route(path, axum::routing::any(answer))
        .route(&resumed, axum::routing::any(resume))
}
