//! Notifications of a server, taken in the order in which they come.

use rmcp::model::{ProgressNotificationParam, ServerNotification};

use super::state::{ListKind, SessionState};
use crate::context::{LogLevel, Progress};
use crate::mcp::host::event::McpEvent;
use crate::mcp::level;

/// Takes a notification; gives back what the protocol itself needs.
pub(crate) fn receive(
    session: &SessionState,
    notification: ServerNotification,
) -> Option<ServerNotification> {
    match notification {
        ServerNotification::ProgressNotification(notified) => progress(session, notified.params),
        ServerNotification::LoggingMessageNotification(notified) => {
            let notified = notified.params;
            log(session, level::of_mcp(notified.level), notified.logger, notified.data);
        }
        ServerNotification::ToolListChangedNotification(_) => {
            list_changed(session, ListKind::Tools);
        }
        ServerNotification::PromptListChangedNotification(_) => {
            list_changed(session, ListKind::Prompts);
        }
        ServerNotification::ResourceListChangedNotification(_) => {
            list_changed(session, ListKind::Resources);
        }
        ServerNotification::ResourceUpdatedNotification(notified) => {
            let (server, uri) = (session.server.to_string(), notified.params.uri);
            session.settings.emit(&McpEvent::ResourceUpdated { server, uri });
        }
        other => return Some(other),
    }
    None
}

fn progress(session: &SessionState, notified: ProgressNotificationParam) {
    let Some(request) = session.in_flight.by_token(&notified.progress_token) else { return };
    let progress =
        Progress { done: notified.progress, total: notified.total, message: notified.message };
    if request.progressed(progress.clone()) {
        let (server, of) = (session.server.to_string(), request.target.clone());
        session.settings.emit(&McpEvent::Progress { server, of, progress });
    }
}

fn list_changed(session: &SessionState, kind: ListKind) {
    session.list_changed(kind);
    let server = session.server.to_string();
    tracing::debug!(server, ?kind, "a list of an MCP server has changed");
    session.settings.emit(&match kind {
        ListKind::Tools => McpEvent::ToolsChanged { server },
        ListKind::Prompts => McpEvent::PromptsChanged { server },
        ListKind::Resources => McpEvent::ResourcesChanged { server },
    });
}

fn log(session: &SessionState, level: LogLevel, logger: Option<String>, data: serde_json::Value) {
    let server = &*session.server;
    match level {
        LogLevel::Debug => tracing::debug!(server, logger, %data, "log of an MCP server"),
        LogLevel::Info | LogLevel::Notice => {
            tracing::info!(server, logger, %data, "log of an MCP server");
        }
        LogLevel::Warning => tracing::warn!(server, logger, %data, "log of an MCP server"),
        _ => tracing::error!(server, logger, %data, "log of an MCP server"),
    }
    let server = server.to_owned();
    session.settings.emit(&McpEvent::Log { server, level, logger, data });
}
