//! Notifications to a client: progress, logs, finished URL elicitations, and changes.

#![allow(deprecated, reason = "SEP-2577 deprecates logging, which current clients still use")]

use bytes::Bytes;
use rmcp::model::{
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, RequestId,
};
use serde::Serialize;
use serde_json::Value;

use super::message::encode_message;
use genkit_core::internal::registry::RegistryChange;
use genkit_core::{LogLevel, Progress};
use genkit_mcp::internal::content::build_object;
use genkit_mcp::internal::level;

/// Builds the notification of a function's progress.
pub(super) fn encode_progress(token: &ProgressToken, progress: Progress) -> Bytes {
    let mut params = ProgressNotificationParam::new(token.clone(), progress.done);
    params.total = progress.total;
    params.message = progress.message;
    encode_notification("notifications/progress", &params)
}

/// Builds the notification of a log message.
pub(super) fn encode_log(severity: LogLevel, data: Value) -> Bytes {
    let params = LoggingMessageNotificationParam::new(level::to_mcp(severity), data);
    encode_notification("notifications/message", &params)
}

/// Builds the notification that the user has finished a URL elicitation.
pub(super) fn encode_completion(id: String) -> Bytes {
    let params = build_object(vec![("elicitationId", id.into())]);
    encode_notification("notifications/elicitation/complete", &params)
}

/// Builds a notification.
pub(crate) fn encode_notification(method: &str, params: &impl Serialize) -> Bytes {
    #[derive(Serialize)]
    struct Notification<'a, P> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    encode_message(&Notification { jsonrpc: "2.0", method, params })
}

/// Builds the notification of a change. On a `subscriptions/listen` stream, it contains the id of that request.
pub(crate) fn encode_change(change: &RegistryChange, subscription: Option<&RequestId>) -> Bytes {
    #[derive(Serialize)]
    struct Params<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        uri: Option<&'a str>,
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Meta<'a>>,
    }
    #[derive(Serialize)]
    struct Meta<'a> {
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        subscription: &'a RequestId,
    }
    #[derive(Serialize)]
    struct Bare {
        jsonrpc: &'static str,
        method: &'static str,
    }
    let (method, uri) = match change {
        RegistryChange::Tools => ("notifications/tools/list_changed", None),
        RegistryChange::Prompts => ("notifications/prompts/list_changed", None),
        RegistryChange::Resources => ("notifications/resources/list_changed", None),
        RegistryChange::ResourceUpdated(uri) => {
            ("notifications/resources/updated", Some(uri.as_ref()))
        }
    };
    let meta = subscription.map(|subscription| Meta { subscription });
    if uri.is_none() && meta.is_none() {
        return encode_message(&Bare { jsonrpc: "2.0", method });
    }
    encode_notification(method, &Params { uri, meta })
}
