//! The handshake: from a configuration to a live connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use genkit_child_process::ChildProcess;
use rmcp::RoleClient;
use rmcp::model::{ErrorCode, InitializeResult, ProtocolVersion, ServerResult};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::{DynamicTransportError, Transport};
use serde::Deserialize as _;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::error::Error;
use super::server::ManagedServer;
use crate::config::{Launch, ProtocolEra};
use crate::error::ServerErrorExt as _;
use crate::error::attribute_to_server;
use crate::session::connection::{ClientTask, Connection};
use crate::session::error::Error as SessionError;
use crate::session::interceptor::Interceptor;
use crate::session::server_requests::ServerRequests;
use crate::session::state::SessionState;
use crate::transport::stdio::child;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error as PublicError, ErrorKind, Result};
use genkit_mcp::internal::spans::{Network, OpenSession, SessionEnd};

/// The factor by which the probe timeout is longer over HTTP, because the server may have to start first.
const HTTP_PROBE: u32 = 3;

/// A connection with its task and process.
pub(super) struct LiveConnection {
    pub(super) connection: Arc<Connection>,
    pub(super) task: ClientTask,
    pub(super) child: Option<ChildProcess>,
}

/// The parameters of a handshake.
struct Handshake {
    session: Arc<SessionState>,
    server_requests: Arc<ServerRequests>,
    mode: ClientLifecycleMode,
    limit: Duration,
    stop: CancellationToken,
}

/// The reason why the handshake failed.
struct HandshakeError {
    error: PublicError,
    hint: EraHint,
}

/// A hint from a failed handshake about the protocol era of the server.
#[derive(Clone, Copy, PartialEq)]
enum EraHint {
    None,
    /// An old server may behave like this when it is probed.
    MaybeOld,
    /// A new server may behave like this if it was too slow for the probe.
    MaybeNew,
}

impl From<PublicError> for HandshakeError {
    fn from(error: PublicError) -> Self {
        Self { error, hint: EraHint::None }
    }
}

impl Handshake {
    /// Performs the handshake over `transport` once that is ready, within the time limit.
    async fn connect_over<T>(
        self,
        transport: impl Future<Output = Result<T>>,
    ) -> Result<ClientTask, HandshakeError>
    where
        T: Transport<RoleClient> + 'static,
    {
        let Self { session, server_requests, mode, limit, stop } = self;
        let (server, client) = (Arc::clone(&session.server), Arc::clone(&session.client));
        let probes = matches!(mode, ClientLifecycleMode::Auto { .. });
        let work = async {
            let transport = Interceptor::new(transport.await?, session, probes);
            serve_client_with_lifecycle_and_ct(server_requests, transport, mode, stop)
                .await
                .map_err(|error| explain_error(&server, &error))
        };
        tokio::select! {
            done = work => done,
            () = client.wait_elapsed(limit) => Err(Error::SlowHandshake(limit).for_server(&server).into()),
        }
    }
}

/// Opens a connection with the newest protocol and, if the failure suggests an old server, with an older protocol.
///
/// # Errors
/// Returns an error if the server cannot be used; the error states the cause.
pub(super) async fn open_connection(
    server: &ManagedServer,
    stop: &CancellationToken,
) -> Result<LiveConnection> {
    let era = match server.config.controls.era {
        ProtocolEra::Probe if server.is_old.load(Ordering::Relaxed) => ProtocolEra::Sessions,
        era => era,
    };
    let refused = match attempt_handshake(server, era, stop).await {
        Ok(live) => return Ok(live),
        Err(refused) => refused,
    };
    let probed = server.config.controls.era == ProtocolEra::Probe;
    // The server may have been replaced: probe it again next time.
    server.is_old.store(false, Ordering::Relaxed);
    let other = match refused.hint {
        EraHint::MaybeOld if era == ProtocolEra::Probe => ProtocolEra::Sessions,
        EraHint::MaybeNew if probed => ProtocolEra::Stateless,
        _ => return Err(refused.error),
    };
    let why = Logged::text(&refused.error);
    tracing::debug!(server = %server.key, %why, ?other, "retrying with the other protocol version");
    let live = attempt_handshake(server, other, stop).await.map_err(|refused| refused.error)?;
    // Remember the result for local programs, which would otherwise be started twice per connection. Over HTTP, the
    // probe costs only one request.
    let is_program = matches!(server.config.launch, Launch::Stdio(_));
    server.is_old.store(is_program && other == ProtocolEra::Sessions, Ordering::Relaxed);
    Ok(live)
}

async fn attempt_handshake(
    server: &ManagedServer,
    era: ProtocolEra,
    stop: &CancellationToken,
) -> Result<LiveConnection, HandshakeError> {
    let session = Arc::new(SessionState::new(
        Arc::clone(&server.key),
        Arc::clone(&server.settings),
        Arc::clone(&server.client),
        server.redactor.clone(),
    ));
    let server_requests = Arc::new(ServerRequests { session: Arc::clone(&session) });
    let handshake = Handshake {
        session: Arc::clone(&session),
        server_requests: Arc::clone(&server_requests),
        mode: lifecycle_mode(era),
        limit: server.connect_timeout(),
        stop: stop.child_token(),
    };
    let mut child = None;
    let task = match &server.config.launch {
        Launch::Stdio(command) => {
            let (mut started, pipe) =
                child::spawn_child(&server.key, command, server.redactor.clone())?;
            match handshake.connect_over(async { Ok(pipe) }).await {
                Ok(task) => {
                    child = Some(started);
                    task
                }
                Err(HandshakeError { mut error, hint }) => {
                    // After an invalid result, the process ends only because its input was closed.
                    let exit_report = match error.kind() {
                        ErrorKind::Internal => None,
                        _ => started.exit_report().await,
                    };
                    started.shutdown().await;
                    if let Some(exit_report) = exit_report {
                        let text = format!("{error}; {exit_report}");
                        error = error.with_message(text);
                    }
                    return Err(HandshakeError { error, hint });
                }
            }
        }
        Launch::Http(endpoint) => {
            use crate::transport::http::Connector;
            let signing_in = &server.client.signing_in;
            let redactor = &server.redactor;
            let make = || async {
                Connector::new(&server.key, endpoint, signing_in.clone(), redactor.clone())
            };
            let transport = server.connector.get_or_try_init(make).await?.open_transport();
            let handshake = match era {
                // rmcp's own probe would time out while the user signs in.
                ProtocolEra::Probe => Handshake {
                    mode: lifecycle_mode(ProtocolEra::Stateless),
                    limit: handshake.limit.min(server.settings.probe * HTTP_PROBE),
                    ..handshake
                },
                _ => handshake,
            };
            let done = handshake.connect_over(async { Ok(transport) }).await;
            done.map_err(|refused| match refused.error.kind() {
                ErrorKind::DeadlineExceeded if era == ProtocolEra::Probe => {
                    HandshakeError { hint: EraHint::MaybeOld, ..refused }
                }
                _ => refused,
            })?
        }
        Launch::Custom(make_transport) => handshake.connect_over(make_transport()).await?,
        Launch::Broken(error) => {
            return Err(PublicError::new(error.kind(), error.chain()).into_fatal().into());
        }
    };
    match new_connection(server, session, server_requests, &task) {
        Ok(connection) => Ok(LiveConnection { connection, task, child }),
        Err(error) => {
            drop(task);
            if let Some(child) = child {
                child.shutdown().await;
            }
            Err(error.into())
        }
    }
}

fn lifecycle_mode(era: ProtocolEra) -> ClientLifecycleMode {
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

/// Formats the versions as a list.
fn list_versions(versions: &[ProtocolVersion]) -> String {
    versions.iter().map(|version| version.to_string()).collect::<Vec<_>>().join(", ")
}

/// Creates the connection from the server's information about itself. Returns an error if the information is missing or
/// declares an unsupported version.
fn new_connection(
    server: &ManagedServer,
    session: Arc<SessionState>,
    server_requests: Arc<ServerRequests>,
    task: &ClientTask,
) -> Result<Arc<Connection>> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let Some(info) = task.peer_info() else {
        return Err(Error::MissingServerInfo.for_server(&server.key));
    };
    // rmcp accepts any version.
    if !ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version) {
        let version = info.protocol_version.to_string();
        let known = list_versions(ProtocolVersion::KNOWN_VERSIONS);
        return Err(Error::UnknownVersion { version, known }.for_server(&server.key));
    }
    let timeout = server.config.controls.timeout.unwrap_or(server.settings.timeout);
    let endpoint = server.config.launch.endpoint();
    let network = if endpoint.is_some() { Network::Http } else { Network::Pipe };
    Ok(Arc::new(Connection {
        peer: task.peer().clone(),
        session,
        server_requests,
        info,
        number: NUMBER.fetch_add(1, Ordering::Relaxed),
        timeout,
        max_timeout: server.settings.max_timeout.max(timeout),
        traces: server.config.controls.trace_context,
        _measured: OpenSession::start_timer(SessionEnd::Client, network),
        endpoint: endpoint.cloned(),
    }))
}

fn explain_error(server: &str, error: &ClientInitializeError) -> HandshakeError {
    use ClientInitializeError as E;
    let (error, hint) = match error {
        E::ConnectionClosed(_) => (Error::EndedEarly.for_server(server), EraHint::MaybeOld),
        E::JsonRpcError(error) => {
            let is_new = matches!(
                error.code,
                ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
            );
            let hint = if is_new { EraHint::None } else { EraHint::MaybeOld };
            (SessionError::Refused(error.clone()).for_server(server), hint)
        }
        E::TransportError { error, .. } => unsent_error(server, error),
        E::NoCompatibleProtocolVersion { server_supported, .. } => (
            Error::UnknownVersions(list_versions(server_supported)).for_server(server),
            EraHint::None,
        ),
        E::LegacyFallbackFailed { fallback, .. } => {
            let is_refused = matches!(**fallback, E::JsonRpcError(_));
            let hint = if is_refused { EraHint::MaybeNew } else { EraHint::None };
            (explain_error(server, fallback).error, hint)
        }
        E::Cancelled => (Error::ClosedEarly.for_server(server), EraHint::None),
        E::ExpectedInitResult(Some(result)) => match invalid_member(result) {
            Some(problem) => (Error::InvalidInitialize(problem).for_server(server), EraHint::None),
            None => (Error::NotMcp.for_server(server), EraHint::MaybeOld),
        },
        E::ExpectedInitResponse(_)
        | E::ExpectedInitResult(None)
        | E::ConflictInitResponseId(..)
        | E::UncorrelatedErrorResponse { .. } => {
            (Error::NotMcp.for_server(server), EraHint::MaybeOld)
        }
        other => (Error::Handshake(other.to_string()).for_server(server), EraHint::None),
    };
    HandshakeError { error, hint }
}

/// Describes the first missing or invalid member of an `initialize` result. Returns `None` if all members are valid, or
/// if the result has none of them.
fn invalid_member(result: &ServerResult) -> Option<String> {
    let result = serde_json::to_value(result).ok()?;
    let members = ["protocolVersion", "capabilities", "serverInfo"];
    members.iter().find(|key| result.get(**key).is_some())?;
    let is_text = |value: &Value| value.is_string();
    [
        ("/protocolVersion", "protocolVersion", Value::is_string as fn(&Value) -> bool),
        ("/capabilities", "capabilities", Value::is_object),
        ("/serverInfo", "serverInfo", Value::is_object),
        ("/serverInfo/name", "serverInfo.name", is_text),
        ("/serverInfo/version", "serverInfo.version", is_text),
    ]
    .into_iter()
    .find_map(|(pointer, member, is_valid)| match result.pointer(pointer) {
        None => Some(format!("`{member}` is missing")),
        Some(value) if is_valid(value) => None,
        Some(_) => Some(format!("`{member}` has the wrong type")),
    })
    .or_else(|| InitializeResult::deserialize(&result).err().map(|error| error.to_string()))
}

fn unsent_error(server: &str, error: &DynamicTransportError) -> (PublicError, EraHint) {
    if let Some(fault) = crate::transport::http::explain_error(error) {
        let kind = fault.error.kind();
        let is_settled = fault.unsent
            || matches!(kind, ErrorKind::Unauthenticated | ErrorKind::PermissionDenied);
        let hint = if is_settled { EraHint::None } else { EraHint::MaybeOld };
        return (attribute_to_server(server, fault.error), hint);
    }
    (Error::Unwritable(error.error.to_string()).for_server(server), EraHint::MaybeOld)
}
