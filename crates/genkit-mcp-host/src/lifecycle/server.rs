//! One server of a host: its connection over time, and its desired state.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error::Error;
use super::link::{DesiredLink, DesiredState, LinkStatus};
use super::pins::Pins;
use crate::config::{Launch, Reconnect, ServerConfig};
use crate::error::ServerErrorExt as _;
use crate::event::McpEvent;
use crate::limits::{MAX_AWAITED_TRIES, MAX_IN_FLIGHT, MAX_INSTRUCTIONS};
use crate::session::client_state::ClientState;
use crate::session::connection::Connection;
use crate::session::state::ListKind;
use crate::settings::HostSettings;
use crate::status::{ServerState, ServerStatus};
use crate::transport::redact::Redactor;
use genkit_core::Root;
use genkit_core::internal::glob;
use genkit_core::internal::sync::{read, write};
use genkit_core::internal::visible;
use genkit_core::internal::warnings::WarningBudget;
use genkit_core::{Error as PublicError, ErrorKind, Result};
use genkit_schema::internal::truncate::excerpt;

/// How long to wait for a connection attempt to start, or for a connection to close.
const TRANSITION_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a failed call waits for the reason why its connection ended.
const CAUSE_TIMEOUT: Duration = Duration::from_secs(2);

/// One server of a host.
pub(crate) struct ManagedServer {
    pub(crate) key: Arc<str>,
    pub(crate) settings: Arc<HostSettings>,
    pub(crate) config: ServerConfig,
    pub(crate) client: Arc<ClientState>,
    /// Redacts secrets in data that is sent to the server.
    pub(crate) redactor: Redactor,
    /// The definitions of its tools.
    pub(crate) pins: Pins,
    /// Limits the warnings about its items.
    pub(crate) warnings: WarningBudget,
    /// Limits the requests in flight.
    pub(crate) permits: Arc<Semaphore>,
    /// Whether the server is known not to support the newest protocol.
    pub(super) is_old: AtomicBool,
    pub(super) connector: tokio::sync::OnceCell<crate::transport::http::Connector>,
    link: watch::Sender<LinkStatus>,
    pub(super) desired: watch::Sender<DesiredLink>,
    /// Cancelled when the supervisor, and with it the process, has ended.
    pub(super) ended: CancellationToken,
}

impl ManagedServer {
    pub(crate) fn new(key: &str, config: ServerConfig, settings: Arc<HostSettings>) -> Self {
        let target = match config.controls.disabled {
            true => DesiredState::Disabled,
            false => DesiredState::Connected,
        };
        let redactor = match &config.launch {
            Launch::Stdio(command) => Redactor::for_command(&command.child),
            Launch::Http(endpoint) => endpoint.build_redactor(),
            _ => Redactor::default(),
        };
        let client =
            ClientState { roots: config.controls.roots.clone().into(), ..Default::default() };
        Self {
            key: key.into(),
            settings,
            config,
            client: Arc::new(client),
            redactor,
            pins: Pins::default(),
            warnings: WarningBudget::default(),
            permits: Arc::new(Semaphore::new(MAX_IN_FLIGHT)),
            is_old: AtomicBool::new(false),
            connector: tokio::sync::OnceCell::new(),
            link: watch::Sender::new(LinkStatus::new(target)),
            desired: watch::Sender::new(DesiredLink {
                target,
                since: Instant::now(),
                resets: 0,
                retry_now: 0,
            }),
            ended: CancellationToken::new(),
        }
    }

    /// Returns how long the start and the handshake may take.
    pub(super) fn connect_timeout(&self) -> Duration {
        self.config.controls.connect_timeout.unwrap_or(self.settings.connect_timeout)
    }

    /// Returns the reconnection policy.
    pub(super) fn reconnect_policy(&self) -> Reconnect {
        self.config.controls.reconnect.unwrap_or(self.settings.reconnect)
    }

    /// Returns whether results are returned in MCP's own format.
    pub(crate) fn is_raw(&self) -> bool {
        self.config.controls.raw.unwrap_or(self.settings.raw)
    }

    /// Returns whether the tool with this name (the server's own) is lazy: models find it with a search.
    pub(crate) fn is_lazy(&self, tool: &str) -> bool {
        let is_chosen = || glob::matches_any(&self.settings.lazy, &format!("{}/{tool}", self.key));
        self.config.controls.is_lazy(tool) || (!self.settings.lazy.is_empty() && is_chosen())
    }

    pub(crate) fn state(&self) -> ServerState {
        self.link.borrow().state
    }

    /// Returns the current connection, if any.
    pub(crate) fn live_connection(&self) -> Option<Arc<Connection>> {
        self.link.borrow().live_connection()
    }

    /// Returns how many connections were established so far.
    pub(crate) fn connection_count(&self) -> u64 {
        self.link.borrow().connections
    }

    /// Returns whether lists still wait for the first connection to the server.
    pub(crate) fn is_starting(&self) -> bool {
        self.desired.borrow().since.elapsed() < self.settings.startup
    }

    /// Marks a list as changed, so that it is read again.
    pub(crate) fn list_changed(&self, kind: ListKind) {
        if let Some(connection) = self.live_connection() {
            connection.session.list_changed(kind);
            self.settings.emit_event(&kind.changed_event(self.key.to_string()));
        }
    }

    pub(crate) fn has_own_roots(&self) -> bool {
        read(&self.client.roots).is_some()
    }

    pub(crate) async fn set_roots(&self, roots: Vec<Root>) {
        *write(&self.client.roots) = Some(roots);
        self.notify_roots_changed().await;
    }

    /// Notifies a session that its roots changed.
    pub(crate) async fn notify_roots_changed(&self) {
        let connection = self.link.borrow().connection.clone();
        if let Some(connection) = connection.filter(|connection| !connection.is_stateless()) {
            // A disconnected server requests the roots after it reconnects.
            let _ = connection.peer.notify_roots_list_changed().await;
        }
    }

    /// Returns the connection, waiting for it as long as an attempt may succeed.
    pub(crate) async fn wait_connected(&self) -> Result<Arc<Connection>> {
        let limit = self.connect_timeout().saturating_add(TRANSITION_TIMEOUT);
        tokio::select! {
            connection = self.wait_for_connection() => connection,
            () = self.client.wait_elapsed(limit) => Err(Error::SlowConnection(limit).for_server(&self.key)),
        }
    }

    async fn wait_for_connection(&self) -> Result<Arc<Connection>> {
        let mut link = self.link.subscribe();
        let mut has_tried = false;
        loop {
            let now = link.borrow_and_update().clone();
            match now.state {
                ServerState::Connected => {
                    if let Some(connection) = now.live_connection() {
                        return Ok(connection);
                    }
                }
                ServerState::Connecting => has_tried = true,
                ServerState::Waiting if has_tried || now.tries > MAX_AWAITED_TRIES => {
                    return Err(self.not_connected_error(&now));
                }
                ServerState::Waiting => self.desired.send_modify(|desired| desired.retry_now += 1),
                ServerState::Failed => return Err(self.not_connected_error(&now)),
                ServerState::Disabled => {
                    return Err(Error::Disabled(self.key.to_string()).for_server(&self.key));
                }
                ServerState::Closed => return Err(Error::Closed.for_server(&self.key)),
            }
            // Cannot fail, because this value owns the channel.
            let _ = link.changed().await;
        }
    }

    /// Returns the last error, with the time of the next attempt or a hint on how to reconnect.
    fn not_connected_error(&self, link: &LinkStatus) -> PublicError {
        let last = link.last_error.as_ref();
        let cause = match last {
            Some(error) => error.chain(),
            None => Error::Absent.for_server(&self.key).to_string(),
        };
        let kind = last.map_or(ErrorKind::Unavailable, |error| error.kind());
        let text = match link.retry_at {
            Some(at) => {
                let wait = at.saturating_duration_since(Instant::now());
                format!("{cause}; the next attempt is in {wait:.0?}")
            }
            None => format!("{cause}; retry with `.reconnect(\"{}\")`", self.key),
        };
        PublicError::new(kind, text)
    }

    /// Returns the reason why a connection ended. Waits briefly until the reason is known.
    pub(crate) async fn end_cause(&self, connection: &Connection) -> Option<Arc<PublicError>> {
        let mut links = self.link.subscribe();
        let is_known = |link: &LinkStatus| {
            link.last_end.as_ref().is_some_and(|(number, _)| *number >= connection.number)
        };
        let known = tokio::time::timeout(CAUSE_TIMEOUT, links.wait_for(is_known)).await;
        known.ok()?.ok()?.last_end.as_ref()?.1.clone()
    }

    /// Redacts the error and its causes.
    pub(crate) fn redact_error(&self, error: PublicError) -> PublicError {
        self.redactor.redact_error(error)
    }

    pub(crate) fn note_error(&self, error: Option<PublicError>) {
        let error = error.map(|error| self.redact_error(error));
        self.link.send_modify(|link| link.last_error = error.map(Arc::new));
    }

    /// Records that a connection ended, and the cause if it ended on its own.
    pub(super) fn record_end(&self, connection: &Connection, cause: Option<PublicError>) {
        let cause = cause.map(|error| Arc::new(self.redact_error(error)));
        self.link.send_modify(|link| {
            link.last_error = cause.clone().or(link.last_error.take());
            link.last_end = Some((connection.number, cause));
        });
    }

    /// Publishes a change of the link, unless the desired state has changed from `seen`.
    pub(super) fn publish_link(&self, seen: &DesiredLink, change: impl FnOnce(&mut LinkStatus)) {
        let changed = {
            let desired = self.desired.borrow();
            // The state of a later request is already published.
            if !desired.has_same_target(seen) {
                return;
            }
            self.modify_link(change)
        };
        self.emit_state(changed);
    }

    fn modify_link(&self, change: impl FnOnce(&mut LinkStatus)) -> Option<ServerState> {
        let mut changed = None;
        self.link.send_modify(|link| {
            let before = link.state;
            change(link);
            changed = (link.state != before).then_some(link.state);
        });
        changed
    }

    fn emit_state(&self, changed: Option<ServerState>) {
        if let Some(state) = changed {
            tracing::info!(server = %self.key, %state, "an MCP server changed its state");
            self.settings.emit_event(&McpEvent::State { server: self.key.to_string(), state });
        }
    }

    pub(crate) fn set_desired(&self, target: DesiredState) {
        let mut changed = None;
        self.desired.send_if_modified(|desired| {
            if desired.target == target || desired.target == DesiredState::Closed {
                return false;
            }
            if target == DesiredState::Connected {
                desired.since = Instant::now();
            }
            desired.target = target;
            desired.resets += 1;
            // Publish the new state to callers before the supervisor handles it.
            changed = self.modify_link(|link| {
                link.state = target.server_state();
                (link.connection, link.retry_at) = (None, None);
            });
            true
        });
        self.emit_state(changed);
    }

    /// Replaces the connection; returns once the new attempt has started.
    pub(crate) async fn reset_connection(&self) {
        let mut links = self.link.subscribe();
        let before = links.borrow_and_update().attempts;
        self.desired.send_modify(|desired| desired.resets += 1);
        let begun =
            links.wait_for(|link| link.attempts > before || link.state == ServerState::Closed);
        let _ = tokio::time::timeout(TRANSITION_TIMEOUT, begun).await;
    }

    /// Waits until the server is connected or the first attempt has failed.
    pub(crate) async fn wait_until_settled(&self) {
        let mut links = self.link.subscribe();
        let limit = self.connect_timeout().saturating_add(TRANSITION_TIMEOUT);
        tokio::select! {
            _ = links.wait_for(|link| link.state != ServerState::Connecting) => {}
            () = self.client.wait_elapsed(limit) => {}
        }
    }

    /// Closes the connection and stops the process behind it.
    pub(crate) async fn close_connection(&self) {
        self.set_desired(DesiredState::Closed);
        if tokio::time::timeout(TRANSITION_TIMEOUT, self.ended.cancelled()).await.is_err() {
            tracing::warn!(server = %self.key, "an MCP server did not shut down in time");
        }
    }

    pub(crate) fn status(&self, notices: Vec<String>) -> ServerStatus {
        let link = self.link.borrow().clone();
        let info = link.connection.as_ref().map(|connection| &connection.info);
        let named = info.and_then(|info| info.server_info.as_ref());
        ServerStatus {
            server: self.key.to_string(),
            state: link.state,
            last_error: link.last_error.map(|error| error.chain()),
            retry_in: link.retry_at.map(|at| at.saturating_duration_since(Instant::now())),
            protocol_version: info.map(|info| info.protocol_version.to_string()),
            server_name: named.map(|server| {
                let name =
                    format!("{} {}", excerpt(&server.name, 200), excerpt(&server.version, 50));
                visible::escape_line(&self.redactor.redact_text(&name)).into_owned()
            }),
            instructions: info.and_then(|info| info.instructions.as_ref()).map(|text| {
                let text = excerpt(text, MAX_INSTRUCTIONS);
                visible::escape_prose(&self.redactor.redact_text(&text)).into_owned()
            }),
            notices: notices
                .iter()
                .map(|text| self.redactor.redact_text(text).into_owned())
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::super::machine::LinkEvent;
    use super::*;
    use crate::config::ServerConfig;

    #[test]
    fn state_of_the_last_request_wins() {
        let server = ManagedServer::new("s", ServerConfig::stdio("s").into(), Arc::default());
        let seen = *server.desired.borrow();
        assert_eq!(seen.event_after(None), LinkEvent::Start);
        server.set_desired(DesiredState::Disabled);
        server.publish_link(&seen, |link| link.state = ServerState::Connected);
        assert_eq!(server.state(), ServerState::Disabled);
        let later = *server.desired.borrow();
        assert_eq!(later.event_after(Some(&seen)), LinkEvent::Disable);
        assert_eq!(later.event_after(Some(&later)), LinkEvent::RetryNow);
        server.set_desired(DesiredState::Closed);
        server.set_desired(DesiredState::Connected);
        assert_eq!(server.state(), ServerState::Closed);
    }

    #[test]
    fn event_handler_can_enable_a_disabled_server() {
        let known: Arc<OnceLock<Arc<ManagedServer>>> = Arc::default();
        let in_handler = Arc::clone(&known);
        let enable = move |event: &McpEvent| {
            let is_off = matches!(event, McpEvent::State { state: ServerState::Disabled, .. });
            if let Some(server) = in_handler.get().filter(|_| is_off) {
                server.set_desired(DesiredState::Connected);
            }
        };
        let settings = HostSettings { on_event: Some(Arc::new(enable)), ..Default::default() };
        let server = ManagedServer::new("s", ServerConfig::stdio("s").into(), Arc::new(settings));
        let server = known.get_or_init(|| Arc::new(server));
        server.set_desired(DesiredState::Disabled);
        assert_eq!(server.state(), ServerState::Connecting);
    }
}
