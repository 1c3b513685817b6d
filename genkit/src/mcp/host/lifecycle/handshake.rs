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

use super::server::Server;
use crate::error::{Error, ErrorKind, Result};
use crate::mcp::host::config::{Launch, ProtocolEra};
use crate::mcp::host::session::connection::{Connection, Running};
use crate::mcp::host::session::error::refused;
use crate::mcp::host::session::interceptor::Tap;
use crate::mcp::host::session::notifications::Inbox;
use crate::mcp::host::session::server_requests::Handler;
use crate::mcp::host::transport::stdio::child::Child;

/// A connection with what holds it.
pub(crate) struct Live {
    pub(crate) connection: Arc<Connection>,
    pub(crate) running: Running,
    pub(crate) child: Option<Child>,
}

/// A handshake that is about to begin.
pub(crate) struct Opening {
    inbox: Arc<Inbox>,
    handler: Arc<Handler>,
    lifecycle: ClientLifecycleMode,
    stop: CancellationToken,
}

/// Why there is no connection.
pub(crate) struct Refused {
    error: Error,
    hint: Hint,
}

/// What a failed handshake says of the server.
#[derive(Clone, Copy, PartialEq)]
enum Hint {
    None,
    /// An old server may behave like this when it is asked whether it is new.
    MaybeOld,
    /// A new server may behave like this when it was too slow to say so.
    MaybeNew,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error, hint: Hint::None }
    }
}

impl Opening {
    /// Shakes hands over `transport`.
    pub(crate) async fn over<T>(self, transport: T) -> std::result::Result<Running, Refused>
    where
        T: Transport<RoleClient> + 'static,
    {
        let server = self.inbox.server.to_string();
        let probes = matches!(self.lifecycle, ClientLifecycleMode::Auto { .. });
        let tap = Tap::new(transport, Arc::clone(&self.inbox), probes);
        serve_client_with_lifecycle_and_ct(self.handler, tap, self.lifecycle, self.stop)
            .await
            .map_err(|error| explain(&server, &error))
    }
}

/// Opens a connection, as a new server and, where that fails in such a way, as an old one.
///
/// # Errors
/// What keeps the server from being used, in words for whoever configured it.
pub(crate) async fn open(server: &Server, stop: &CancellationToken) -> Result<Live> {
    let era = match server.config.controls.era {
        ProtocolEra::Probe if server.is_old.load(Ordering::Relaxed) => ProtocolEra::Sessions,
        era => era,
    };
    let refused = match attempt(server, era, stop).await {
        Ok(live) => return Ok(live),
        Err(refused) => refused,
    };
    let probed = server.config.controls.era == ProtocolEra::Probe;
    // It may have been replaced by another: the next time it is asked again.
    server.is_old.store(false, Ordering::Relaxed);
    let other = match refused.hint {
        Hint::MaybeOld if era == ProtocolEra::Probe => ProtocolEra::Sessions,
        Hint::MaybeNew if probed => ProtocolEra::Stateless,
        _ => return Err(refused.error),
    };
    tracing::debug!(server = %server.key, why = %refused.error, ?other, "tries the other protocol");
    let live = attempt(server, other, stop).await.map_err(|refused| refused.error)?;
    // A program would have to be started twice each time; over HTTP it costs one request.
    let is_program = matches!(server.config.launch, Launch::Stdio(_));
    server.is_old.store(is_program && other == ProtocolEra::Sessions, Ordering::Relaxed);
    Ok(live)
}

/// A handshake that takes too long is refused.
async fn in_time<T>(
    server: &Server,
    limit: Duration,
    work: impl Future<Output = std::result::Result<T, Refused>>,
) -> std::result::Result<T, Refused> {
    tokio::select! {
        done = work => done,
        () = server.elapsed(limit) => {
            let said = format!(
                "the MCP server `{}` did not answer the handshake within {limit:?}: raise \
                 `.connect_timeout(..)` if it needs longer to start", server.key
            );
            Err(Error::new(ErrorKind::DeadlineExceeded, said).into())
        }
    }
}

async fn attempt(
    server: &Server,
    era: ProtocolEra,
    stop: &CancellationToken,
) -> std::result::Result<Live, Refused> {
    let inbox = Arc::new(Inbox::new(Arc::clone(&server.key), Arc::clone(&server.settings)));
    let handler = Arc::new(Handler { inbox: Arc::clone(&inbox), roots: Arc::clone(&server.roots) });
    let opening = Opening {
        inbox: Arc::clone(&inbox),
        handler: Arc::clone(&handler),
        lifecycle: lifecycle(era),
        stop: stop.child_token(),
    };
    let limit = server.connect_timeout();
    let mut child = None;
    let running = match &server.config.launch {
        Launch::Stdio(command) => {
            let (mut started, pipe) = Child::spawn(&server.key, command)?;
            match in_time(server, limit, opening.over(pipe)).await {
                Ok(running) => {
                    child = Some(started);
                    running
                }
                Err(refused) => {
                    let words = started.last_words().await;
                    started.end().await;
                    let error = match words {
                        Some(words) => {
                            let said = format!("{}; {words}", refused.error);
                            Error::new(refused.error.kind(), said)
                        }
                        None => refused.error,
                    };
                    return Err(Refused { error, hint: refused.hint });
                }
            }
        }
        #[cfg(feature = "mcp-host-http")]
        Launch::Http(endpoint) => {
            let make = || {
                std::future::ready(crate::mcp::host::transport::http::Connector::new(
                    &server.key,
                    endpoint,
                ))
            };
            let connector = server.connector.get_or_try_init(make).await?;
            inbox.sign_in(connector.busy());
            let transport = connector.transport();
            if era == ProtocolEra::Probe {
                // rmcp's own probe takes a person who signs in for a server that keeps silent.
                let opening = Opening { lifecycle: lifecycle(ProtocolEra::Stateless), ..opening };
                let limit = limit.min(server.settings.probe * HTTP_PROBE);
                let probed = in_time(server, limit, opening.over(transport)).await;
                probed.map_err(|refused| match refused.error.kind() {
                    ErrorKind::DeadlineExceeded => Refused { hint: Hint::MaybeOld, ..refused },
                    _ => refused,
                })?
            } else {
                in_time(server, limit, opening.over(transport)).await?
            }
        }
        Launch::Custom(make_transport) => {
            let opened = async { opening.over(make_transport().await?).await };
            in_time(server, limit, opened).await?
        }
        Launch::Broken(error) => {
            return Err(Error::new(error.kind(), error.chain()).fatal().into());
        }
    };
    match describe(server, inbox, handler, &running) {
        Ok(connection) => Ok(Live { connection, running, child }),
        Err(error) => {
            drop(running);
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
    running: &Running,
) -> Result<Arc<Connection>> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let Some(info) = running.peer_info() else {
        let said = format!("the MCP server `{}` does not say what it is", server.key);
        return Err(Error::new(ErrorKind::Internal, said));
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
        return Err(Error::new(ErrorKind::FailedPrecondition, said));
    }
    let controls = &server.config.controls;
    let timeout = controls.timeout.unwrap_or(server.settings.timeout);
    Ok(Arc::new(Connection {
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
    }))
}

fn explain(server: &str, error: &ClientInitializeError) -> Refused {
    use ClientInitializeError as E;
    let failed = |kind, said: String| Error::new(kind, format!("the MCP server `{server}` {said}"));
    let (error, hint) = match error {
        E::ConnectionClosed(_) => {
            let said = "ended before it answered the handshake".to_owned();
            (failed(ErrorKind::Unavailable, said), Hint::MaybeOld)
        }
        E::JsonRpcError(error) => {
            let is_new = matches!(
                error.code,
                ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
            );
            (refused(server, error), if is_new { Hint::None } else { Hint::MaybeOld })
        }
        E::TransportError { error, .. } => transport(server, error),
        E::NoCompatibleProtocolVersion { server_supported, .. } => {
            let theirs: Vec<_> = server_supported.iter().map(|v| v.to_string()).collect();
            let said =
                format!("speaks only versions of MCP that are unknown: {}", theirs.join(", "));
            (failed(ErrorKind::FailedPrecondition, said), Hint::None)
        }
        E::LegacyFallbackFailed { fallback, .. } => {
            let refuses = matches!(**fallback, E::JsonRpcError(_));
            (explain(server, fallback).error, if refuses { Hint::MaybeNew } else { Hint::None })
        }
        E::Cancelled => {
            let said = "was closed while it was connected".to_owned();
            (failed(ErrorKind::Cancelled, said), Hint::None)
        }
        E::ExpectedInitResponse(_)
        | E::ExpectedInitResult(_)
        | E::ConflictInitResponseId(..)
        | E::UncorrelatedErrorResponse { .. } => {
            let said = "answered the handshake with something else: it is no MCP server, or one \
                        that is broken";
            (failed(ErrorKind::Unavailable, said.to_owned()), Hint::MaybeOld)
        }
        other => (failed(ErrorKind::Internal, format!("cannot be connected: {other}")), Hint::None),
    };
    Refused { error, hint }
}

fn transport(server: &str, error: &DynamicTransportError) -> (Error, Hint) {
    #[cfg(feature = "mcp-host-http")]
    if let Some(fault) = crate::mcp::host::transport::http::explain(error) {
        let kind = fault.error.kind();
        let said = format!("the MCP server `{server}`: {}", fault.error);
        let settled = fault.unsent
            || matches!(kind, ErrorKind::Unauthenticated | ErrorKind::PermissionDenied);
        let error = Error::new(kind, said).with_source(fault.error);
        return (error, if settled { Hint::None } else { Hint::MaybeOld });
    }
    let said = format!("the MCP server `{server}` cannot be written to: {}", error.error);
    (Error::new(ErrorKind::Unavailable, said), Hint::MaybeOld)
}

/// How many times the probe's limit an answer may take over HTTP, where a server may have to be woken.
const HTTP_PROBE: u32 = 3;

/// How long the end of a session may take before it is cut off.
pub(crate) const CLOSE: Duration = Duration::from_secs(3);
