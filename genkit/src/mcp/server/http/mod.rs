//! Streamable HTTP: the same server for many clients, mounted at `/mcp`.

mod bearer;
mod drain;
mod endpoint;
mod host;
mod listening;
mod origin;
mod refusal;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::serve::ListenerExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use self::bearer::BearerToken;
use self::drain::Drain;
use self::endpoint::McpEndpoint;
use self::host::AllowedHosts;
use self::listening::ToldAddress;
use self::origin::AllowedOrigins;
use super::error::Error as E;
use super::handler::McpHandler;
use crate::error::Result;

pub(super) use self::listening::{ListenPlace, Listening};

/// Where the endpoint is mounted.
const PATH: &str = "/mcp";

/// How long running requests may take to finish when the server stops. Default is 10 seconds.
const GRACE: Duration = Duration::from_secs(10);

/// Serves until `stop`, then lets what runs finish.
pub(super) async fn serve(
    handler: McpHandler,
    place: ListenPlace,
    told: Option<ToldAddress>,
    stop: CancellationToken,
) -> Result<()> {
    let (listener, local) = place.listen().await?;
    let (drain, streams) = (Drain::default(), CancellationToken::new());
    let app = router_with(handler, drain.clone(), streams.clone());
    // Without it every answer of a session waits some 40 ms for the acknowledgement of its
    // first half (Nagle's algorithm).
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    tracing::info!("listening on http://{local}{PATH}");
    if let Some(told) = told {
        told(local);
    }
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    let serving = axum::serve(listener, app).with_graceful_shutdown({
        let stop = stop.clone();
        async move { stop.cancelled().await }
    });
    let overdue = async {
        stop.cancelled().await;
        let deadline = tokio::time::Instant::now() + GRACE;
        let _ = tokio::time::timeout_at(deadline, drain.finished()).await;
        // Streams that wait for changes never end by themselves. Not earlier: this also ends
        // what still runs.
        streams.cancel();
        tokio::time::sleep_until(deadline).await;
    };
    tokio::select! {
        served = async { serving.await } => Ok(served.map_err(|source| E::Listener { source })?),
        () = overdue => Ok(()),
    }
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
