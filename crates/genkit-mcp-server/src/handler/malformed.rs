//! Malformed parameters of a known method, which rmcp passes on as a custom request.

use rmcp::model::ErrorData;
use serde_json::Value;

use super::method_names;
use crate::session::Era;

/// What is wrong with the parameters.
#[derive(Debug, thiserror::Error)]
enum ParamsFault {
    #[error("there are none")]
    Missing,
    #[error("they must be an object")]
    NoObject,
    #[error("`{0}` is missing")]
    NoMember(&'static str),
    #[error("`{0}` must be a string")]
    NoString(&'static str),
    #[error("`{0}` must be an object")]
    MemberNoObject(&'static str),
    #[error("they do not match the protocol's schema")]
    Schema,
}

/// Returns the error for an unknown method, or for parameters that do not match the method.
pub(crate) fn malformed_error(method: &str, params: Option<&Value>, era: Era) -> ErrorData {
    if !method_names::is_known(method, era) {
        return method_names::unknown_method(method, era);
    }
    let fault = params_fault(method, params);
    ErrorData::invalid_params(format!("malformed params of {method}: {fault}"), None)
}

fn params_fault(method: &str, params: Option<&Value>) -> ParamsFault {
    let Some(params) = params else { return ParamsFault::Missing };
    let Some(params) = params.as_object() else { return ParamsFault::NoObject };
    let text = |key| match params.get(key) {
        Some(Value::String(_)) => None,
        Some(_) => Some(ParamsFault::NoString(key)),
        None => Some(ParamsFault::NoMember(key)),
    };
    let object = |key| match params.get(key) {
        Some(Value::Object(_) | Value::Null) | None => None,
        Some(_) => Some(ParamsFault::MemberNoObject(key)),
    };
    let found = match method {
        "subscriptions/listen" => match params.get("notifications") {
            Some(_) => object("notifications"),
            None => Some(ParamsFault::NoMember("notifications")),
        },
        "tools/call" | "prompts/get" => text("name").or_else(|| object("arguments")),
        "resources/read"
        | "resources/subscribe"
        | "resources/unsubscribe"
        | "resources/directory/read"
        | "skills/get" => text("uri"),
        "completion/complete" => object("ref").or_else(|| object("argument")),
        "logging/setLevel" => text("level"),
        "tasks/update" => text("taskId").or_else(|| object("inputResponses")),
        "tasks/get" | "tasks/cancel" => text("taskId"),
        _ => None,
    };
    found.unwrap_or(ParamsFault::Schema)
}
