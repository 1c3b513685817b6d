//! From a configuration to a live connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::{DynamicTransportError, Transport};
use tokio_util::sync::CancellationToken;

use super::child::Child;
use super::config::{Launch, ProtocolEra};
use super::connection::{Connection, Running, refused};
use super::handler::Handler;
use super::inbox::Inbox;
use super::server::Server;
use super::tap::Tap;
use crate::error::{Error, ErrorKind, Result};

/// A connection with what holds it.
pub(super) struct Live {
    pub(super) connection: Arc<Connection>,
    pub(super) running: Running,
    pub(super) child: Option<Child>,
}

/// A handshake that is about to begin.
pub(super) struct Opening {
    inbox: Arc<Inbox>,
    handler: Arc<Handler>,
    lifecycle: ClientLifecycleMode,
    stop: CancellationToken,
}

/// Why there is no connection.
pub(super) struct Refused {
    error: Error,
    /// An old server may behave like this when it is asked whether it is new.
    maybe_old: bool,
    /// It is new, and said so too late: a server that was slow to start.
    is_new: bool,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error, maybe_old: false, is_new: false }
    }
}

impl Opening {
    /// Shakes hands over `transport`.
    pub(super) async fn over<T>(self, transport: T) -> std::result::Result<Running, Refused>
    where
        T: Transport<RoleClient> + 'static,
    {
        let server = self.inbox.server.to_string();
        // Where there is no older protocol to fall back to, a slow start is only slow.
        let guesses = matches!(self.lifecycle, ClientLifecycleMode::Auto { .. });
        let tap = Tap::new(transport, Arc::clone(&self.inbox), guesses);
        serve_client_with_lifecycle_and_ct(self.handler, tap, self.lifecycle, self.stop)
            .await
            .map_err(|error| explain(&server, &error))
    }
}

/// Opens a connection, as a new server and, where that fails in such a way, as an old one.
///
/// # Errors
/// What keeps the server from being used, in words for whoever configured it.
pub(super) async fn open(server: &Server, stop: &CancellationToken) -> Result<Live> {
    let era = match server.config.controls.era {
        ProtocolEra::Probe if server.is_old.load(Ordering::Relaxed) => ProtocolEra::Sessions,
        era => era,
    };
    match attempt(server, era, stop).await {
        Err(refused) if era == ProtocolEra::Probe && refused.maybe_old => {
            let why = refused.error;
            tracing::debug!(server = %server.key, %why, "tries the older protocol");
            let live = attempt(server, ProtocolEra::Sessions, stop).await.map_err(|r| r.error)?;
            // It would fail the same way the next time.
            server.is_old.store(true, Ordering::Relaxed);
            Ok(live)
        }
        Err(refused) if era == ProtocolEra::Probe && refused.is_new => {
            let why = refused.error;
            tracing::debug!(server = %server.key, %why, "does without the older protocol");
            attempt(server, ProtocolEra::Stateless, stop).await.map_err(|refused| refused.error)
        }
        other => other.map_err(|refused| refused.error),
    }
}

async fn attempt(
    server: &Server,
    era: ProtocolEra,
    stop: &CancellationToken,
) -> std::result::Result<Live, Refused> {
    let inbox = Arc::new(Inbox::new(Arc::clone(&server.key), Arc::clone(&server.settings)));
    let handler = Arc::new(Handler { inbox: Arc::clone(&inbox), roots: server.roots() });
    let opening = Opening {
        inbox: Arc::clone(&inbox),
        handler: Arc::clone(&handler),
        lifecycle: lifecycle(era),
        stop: stop.child_token(),
    };
    let mut child = None;
    let running = match &server.config.launch {
        Launch::Stdio(command) => {
            let (mut started, pipe) = Child::spawn(&server.key, command)?;
            match opening.over(pipe).await {
                Ok(running) => {
                    child = Some(started);
                    running
                }
                Err(refused) => {
                    let said = format!("{}: {}", refused.error, started.obituary());
                    started.end().await;
                    let error = Error::new(refused.error.kind(), said);
                    return Err(Refused { error, ..refused });
                }
            }
        }
        #[cfg(feature = "mcp-host-http")]
        Launch::Http(endpoint) => {
            let make = || std::future::ready(super::http::Connector::new(&server.key, endpoint));
            let connector = server.connector.get_or_try_init(make).await?;
            opening.over(connector.transport()).await?
        }
        Launch::Custom(connector) => connector.open(opening).await?,
        Launch::Broken(error) => {
            return Err(Error::new(error.kind(), error.chain()).fatal().into());
        }
    };
    let live = describe(server, inbox, handler, running, child);
    match live {
        Ok(live) => Ok(live),
        Err((error, child)) => {
            if let Some(child) = child {
                child.end().await;
            }
            Err(error.into())
        }
    }
}

fn lifecycle(era: ProtocolEra) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        ProtocolEra::Sessions => ClientLifecycleMode::Initialize,
        ProtocolEra::Stateless => ClientLifecycleMode::Discover { preferred_versions },
        ProtocolEra::Probe => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
    }
}

/// Reads what the server says of itself.
fn describe(
    server: &Server,
    inbox: Arc<Inbox>,
    handler: Arc<Handler>,
    running: Running,
    child: Option<Child>,
) -> std::result::Result<Live, (Error, Option<Child>)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let Some(info) = running.peer_info() else {
        let said = format!("the MCP server `{}` does not say what it is", server.key);
        return Err((Error::new(ErrorKind::Internal, said), child));
    };
    // rmcp takes any answer for a version.
    if !ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version) {
        let known: Vec<_> = ProtocolVersion::KNOWN_VERSIONS.iter().map(|v| v.to_string()).collect();
        let said = format!(
            "the MCP server `{}` speaks version `{}` of MCP; known are {}",
            server.key,
            info.protocol_version,
            known.join(", ")
        );
        return Err((Error::new(ErrorKind::FailedPrecondition, said), child));
    }
    let controls = &server.config.controls;
    let timeout = controls.timeout.unwrap_or(server.settings.timeout);
    let connection = Arc::new(Connection {
        peer: running.peer().clone(),
        inbox,
        handler,
        info,
        number: NUMBER.fetch_add(1, Ordering::Relaxed),
        timeout,
        max_timeout: server.settings.max_timeout.max(timeout),
        #[cfg(feature = "mcp-host-http")]
        endpoint: match &server.config.launch {
            Launch::Http(endpoint) => Some(endpoint.clone()),
            _ => None,
        },
    });
    Ok(Live { connection, running, child })
}

fn explain(server: &str, error: &ClientInitializeError) -> Refused {
    use ClientInitializeError as E;
    let failed = |kind, said: String| Error::new(kind, format!("the MCP server `{server}` {said}"));
    let (error, maybe_old) = match error {
        E::ConnectionClosed(_) => {
            (failed(ErrorKind::Unavailable, "ended before it answered the handshake".into()), true)
        }
        E::JsonRpcError(error) => (refused(server, error), false),
        E::TransportError { error, .. } => transport(server, error),
        E::NoCompatibleProtocolVersion { server_supported, .. } => {
            let theirs: Vec<_> = server_supported.iter().map(|v| v.to_string()).collect();
            let said =
                format!("speaks only versions of MCP that are unknown: {}", theirs.join(", "));
            (failed(ErrorKind::FailedPrecondition, said), false)
        }
        E::LegacyFallbackFailed { fallback, .. } => {
            let inner = explain(server, fallback);
            // Both questions waited for it: it answered the first, and refuses the second.
            let is_new = matches!(&**fallback, E::JsonRpcError(error)
                if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION);
            return Refused { error: inner.error, maybe_old: false, is_new };
        }
        E::Cancelled => {
            (failed(ErrorKind::Cancelled, "was closed while it was connected".into()), false)
        }
        E::ExpectedInitResponse(_)
        | E::ExpectedInitResult(_)
        | E::ConflictInitResponseId(..)
        | E::UncorrelatedErrorResponse { .. } => {
            let said = "answered the handshake with something else: it is no MCP server, or one that \
                        is broken";
            (failed(ErrorKind::Unavailable, said.into()), true)
        }
        other => (failed(ErrorKind::Internal, format!("cannot be connected: {other}")), false),
    };
    Refused { error, maybe_old, is_new: false }
}

fn transport(server: &str, error: &DynamicTransportError) -> (Error, bool) {
    #[cfg(feature = "mcp-host-http")]
    if let Some(fault) = super::http::explain(error) {
        let kind = fault.error.kind();
        let said = format!("the MCP server `{server}`: {}", fault.error);
        let settled = fault.unsent
            || matches!(kind, ErrorKind::Unauthenticated | ErrorKind::PermissionDenied);
        return (Error::new(kind, said).with_source(fault.error), !settled);
    }
    let said = format!("the MCP server `{server}` cannot be written to: {}", error.error);
    (Error::new(ErrorKind::Unavailable, said), true)
}

/// How long the end of a session may take before it is cut off.
pub(super) const CLOSE: Duration = Duration::from_secs(3);
