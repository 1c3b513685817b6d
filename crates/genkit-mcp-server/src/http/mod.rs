//! Streamable HTTP: the same server for many clients, mounted at `/mcp`.
//!
//! ```text
//! request ─ endpoint ─ host, origin, token ─┬─ post ─ rules ─ engine ─┬─ one message
//!                                           │                        └─ running ─ streams
//!                                           └─ get ─ sessions ─ streams
//! ```

pub(crate) mod auth;
mod endpoint;
mod get;
mod health;
mod message;
mod parameter_cache;
mod pending_response;
mod post;
mod rejection;
mod request_head;
mod responses;
mod rules;
mod running_call;
mod serving;
pub(crate) mod session_store;
mod sessions;
pub(crate) mod settings;
mod standalone_stream;
mod step_up;
mod streams;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use tokio_util::sync::CancellationToken;

pub use self::auth::{ProtectedResource, TokenError, TokenVerifier};
use self::endpoint::McpEndpoint;
pub(crate) use self::request_head::http_parts;
pub(super) use self::serving::{warn_unknown_callers, warn_unused};
pub use self::session_store::{MemorySessions, SessionStore, StoredSession};
pub(crate) use self::settings::HttpSettings;
use super::state::SharedState;
use genkit_core::Result;
pub use genkit_http_server::HttpStream;
pub(crate) use genkit_http_server::internal::Listening;
use genkit_http_server::internal::{Drain, GRACE, HttpServing};

/// The path of the endpoint.
pub(super) const PATH: &str = "/mcp";

/// The header that contains the id of a session.
pub(super) const SESSION: &str = "mcp-session-id";

/// The header that contains the id of the last event that a client received.
pub(super) const LAST_EVENT: &str = "last-event-id";

/// Serves until `stop`, then lets running requests finish.
async fn serve_listening(
    shared: Arc<SharedState>,
    listening: Listening,
    stop: CancellationToken,
) -> Result<()> {
    let Listening { listen_address, on_listening, acceptor } = listening;
    let Some(listen_address) = listen_address else { return Ok(()) };
    let listener = listen_address.listen().await?;
    let (drain, end) = (Drain::default(), CancellationToken::new());
    // `end` also ends streams that wait for changes, which never end on their own.
    let endpoint = McpEndpoint::new(shared, drain.clone(), end.clone());
    // On a Unix socket, the HTTP path would look like a part of the file path.
    let path = if listener.address().is_some() { PATH } else { "" };
    tracing::info!("listening on {listener}{path}");
    if let (Some(notify), Some(local)) = (on_listening, listener.address()) {
        notify(local);
    }
    let served = HttpServing { listener, acceptor, stop, drain, grace: GRACE, end }
        .run(endpoint.clone())
        .await;
    endpoint.end_sessions();
    served
}

/// Returns the endpoint as a router, for an app that itself listens and shuts down.
fn router(shared: Arc<SharedState>) -> Router {
    let endpoint = McpEndpoint::new(shared, Drain::default(), CancellationToken::new());
    let health = endpoint.health_paths();
    let metadata_path = endpoint.metadata_path().map(str::to_owned);
    let answer = move |request: Request| {
        let endpoint = endpoint.clone();
        async move { endpoint.answer_in_app(request).await.map(axum::body::Body::new) }
    };
    let router = Router::new().route(PATH, axum::routing::any(answer.clone()));
    let paths = health.into_iter().chain(metadata_path);
    paths.fold(router, |router, path| router.route(&path, axum::routing::any(answer.clone())))
}
