//! Streamable HTTP: the same server for many clients, mounted at `/mcp`.

mod bearer;
mod endpoint;
mod refusal;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use self::bearer::BearerToken;
use self::endpoint::McpEndpoint;
use super::handler::McpHandler;
use crate::error::Result;
use crate::http_server::{
    AllowedHosts, AllowedOrigins, Drain, GRACE, HttpServing, ListenPlace, ToldAddress,
};

/// Where the endpoint is mounted.
const PATH: &str = "/mcp";

/// Serves until `stop`, then lets what runs finish.
pub(super) async fn serve(
    handler: McpHandler,
    place: ListenPlace,
    told: Option<ToldAddress>,
    stop: CancellationToken,
) -> Result<()> {
    let (listener, local) = place.listen().await?;
    let (drain, end) = (Drain::default(), CancellationToken::new());
    // The end also ends streams that wait for changes, which never do so by themselves.
    let app = router_with(handler, drain.clone(), end.clone());
    tracing::info!("listening on http://{local}{PATH}");
    if let Some(told) = told {
        told(local);
    }
    HttpServing { listener, stop, drain, grace: GRACE, end }.run(app).await
}

/// The endpoint for an app that listens, drains and stops by itself.
pub(super) fn router(handler: McpHandler) -> Router {
    router_with(handler, Drain::default(), CancellationToken::new())
}

fn router_with(handler: McpHandler, drain: Drain, streams: CancellationToken) -> Router {
    let settings = handler.settings().http.clone();
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(settings.sessions)
        .with_json_response(true)
        .with_max_request_body_bytes(settings.max_body)
        .with_cancellation_token(streams);
    let service = StreamableHttpService::new(
        move || Ok(handler.for_new_session()),
        Arc::clone(&sessions),
        config,
    );
    let endpoint = Arc::new(McpEndpoint {
        hosts: AllowedHosts::new(settings.hosts),
        origins: AllowedOrigins(settings.origins),
        bearer: BearerToken(settings.bearer),
        max_body: settings.max_body,
        sessions,
        drain,
        service,
    });
    let answer = move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { endpoint.answer(request).await }
    };
    Router::new().route(PATH, axum::routing::any(answer))
}
