//! Notifications of a server, processed in the order of their arrival.

use rmcp::model::{ProgressNotificationParam, ServerNotification};

use serde_json::Value;

use super::state::{ListKind, SessionState};
use crate::event::McpEvent;
use crate::limits::{MAX_LOG_EVENT, MAX_LOG_LINE, MAX_LOG_LINES, MAX_PROGRESS_MESSAGE};
use genkit_core::internal::action::MAX_URI_BYTES;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible;
use genkit_core::internal::visible::Logged;
use genkit_core::{LogLevel, Progress};
use genkit_mcp::internal::level;
use genkit_schema::internal::size::json_size;
use genkit_schema::internal::truncate::truncate;

/// The longest id of a question about a page, in bytes.
const MAX_ELICITATION_ID: usize = 1024;

/// The longest name of a logger, in bytes.
const MAX_LOGGER: usize = 200;

/// Handles a notification. Returns it if rmcp needs it as well.
pub(crate) fn receive_notification(
    session: &SessionState,
    notification: ServerNotification,
) -> Option<ServerNotification> {
    match notification {
        ServerNotification::ProgressNotification(notified) => {
            forward_progress(session, notified.params)
        }
        ServerNotification::LoggingMessageNotification(notified) => {
            let notified = notified.params;
            pass_log(session, level::from_mcp(notified.level), notified.logger, notified.data);
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
            if uri.len() > MAX_URI_BYTES {
                return None;
            }
            session.settings.emit_event(&McpEvent::ResourceUpdated { server, uri });
        }
        ServerNotification::CustomNotification(notified)
            if notified.method == "notifications/elicitation/complete" =>
        {
            let id = notified.params.as_ref().and_then(|params| params["elicitationId"].as_str());
            if let Some(id) = id.filter(|id| id.len() <= MAX_ELICITATION_ID) {
                let (server, id) = (session.server.to_string(), id.to_owned());
                session.settings.emit_event(&McpEvent::UrlCompleted { server, id });
            }
        }
        other => return Some(other),
    }
    None
}

fn forward_progress(session: &SessionState, notified: ProgressNotificationParam) {
    let Some(request) = session.in_flight.by_token(&notified.progress_token) else { return };
    let message = notified.message.map(|message| {
        let message = truncate(&message, MAX_PROGRESS_MESSAGE);
        visible::escape_line(&session.redactor.redact_text(message)).into_owned()
    });
    let progress = Progress { done: notified.progress, total: notified.total, message };
    if request.forward_progress(progress.clone()) {
        let (server, of) = (session.server.to_string(), request.target.clone());
        session.settings.emit_event(&McpEvent::Progress { server, of, progress });
    }
}

fn list_changed(session: &SessionState, kind: ListKind) {
    session.list_changed(kind);
    let server = session.server.to_string();
    tracing::debug!(server, ?kind, "a list of an MCP server has changed");
    session.settings.emit_event(&kind.changed_event(server));
}

fn pass_log(session: &SessionState, level: LogLevel, logger: Option<String>, data: Value) {
    let logger = logger.map(|logger| {
        visible::escape_line(&session.redactor.redact_text(truncate(&logger, MAX_LOGGER)))
            .into_owned()
    });
    let data = match json_size(&data) {
        size if size > MAX_LOG_EVENT => {
            let text = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
            Value::String(format!(
                "{}…",
                session.redactor.redact_text(truncate(&text, MAX_LOG_LINE))
            ))
        }
        _ => session.redactor.redact_json(data),
    };
    write_trace(session, level, logger.as_deref(), &data);
    let server = session.server.to_string();
    session.settings.emit_event(&McpEvent::Log { server, level, logger, data });
}

/// Logs a limited number of lines per second, and counts the omitted lines.
fn write_trace(session: &SessionState, level: LogLevel, logger: Option<&str>, data: &Value) {
    let server = &*session.server;
    let left_out = {
        let (rate, left_out) = &mut *lock(&session.client.logged);
        match rate.count_message() {
            1 => std::mem::take(left_out),
            count if count > MAX_LOG_LINES => {
                *left_out += 1;
                return;
            }
            _ => 0,
        }
    };
    if left_out > 0 {
        tracing::warn!(server, left_out, "omitted log lines from an MCP server");
    }
    let (logger, data) = (logger.map(Logged::name), Logged::truncated(data, MAX_LOG_LINE));
    let logger = logger.as_ref().map(tracing::field::display);
    match level {
        LogLevel::Debug => tracing::debug!(server, logger, %data, "log message from an MCP server"),
        LogLevel::Info | LogLevel::Notice => {
            tracing::info!(server, logger, %data, "log message from an MCP server");
        }
        LogLevel::Warning => {
            tracing::warn!(server, logger, %data, "log message from an MCP server")
        }
        _ => tracing::error!(server, logger, %data, "log message from an MCP server"),
    }
}
