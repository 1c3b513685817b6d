//! The parameters of each method, read once into the type of that method.

#![allow(deprecated, reason = "SEP-2577 deprecates logging; clients of today have it")]

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, ErrorData, GetPromptRequestParams,
    GetSkillRequestParams, InitializeRequestParams, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceRequestParams, RequestMetaObject,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    SubscriptionsListenRequestParams, UnsubscribeRequestParams,
};
#[cfg(feature = "durable")]
use rmcp::model::{CancelTaskParams, GetTaskParams, UpdateTaskParams};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::MessageFault;
use crate::mcp::server::handler::malformed;
use crate::mcp::server::lists::ListKind;
use crate::mcp::server::session::Era;
#[cfg(feature = "durable")]
use crate::mcp::server::tasks::TaskCall;

/// A request, by its method.
pub(super) enum Params {
    Initialize(Box<InitializeRequestParams>),
    Discover,
    Ping,
    List(ListKind, Option<String>),
    CallTool(CallToolRequestParams),
    GetPrompt(GetPromptRequestParams),
    ReadResource(ReadResourceRequestParams),
    GetSkill(GetSkillRequestParams),
    ReadDirectory(ReadResourceDirectoryRequestParams),
    Complete(CompleteRequestParams),
    Subscribe(String),
    Unsubscribe(String),
    SetLevel(SetLevelRequestParams),
    Listen(ListenParams),
    #[cfg(feature = "durable")]
    Task(TaskCall),
    /// Of a method that is unknown, or not with these parameters.
    Refused(Refused),
}

/// What a client listens to.
pub(super) struct ListenParams {
    pub(super) notifications: SubscriptionFilter,
    /// Also to tasks, by the extension that rmcp's filter does not know.
    pub(super) names_tasks: bool,
}

/// Parameters that are not those of their method.
pub(super) enum Refused {
    /// What stands there, if anything does.
    Malformed(Option<Value>),
    /// A number that no reader takes, such as `1e400`.
    Unreadable(String),
    /// They, or their `_meta`, are no object.
    NoObject,
}

impl Refused {
    pub(super) fn error(&self, method: &str, era: Era) -> ErrorData {
        match self {
            Self::Malformed(params) => malformed::refuse(method, params.as_ref(), era),
            Self::NoObject => MessageFault::Params.error(),
            Self::Unreadable(why) => {
                let known = malformed::refuse(method, None, era);
                if known.code == rmcp::model::ErrorCode::METHOD_NOT_FOUND {
                    return known;
                }
                ErrorData::invalid_params(format!("malformed params of {method}: {why}"), None)
            }
        }
    }
}

/// Reads the parameters of a request, and what stands in their `_meta`.
pub(super) fn read(method: &str, raw: Option<&str>) -> (RequestMetaObject, Params) {
    typed(method, raw).unwrap_or_else(|| untyped(raw))
}

/// `None` is for all that is unusual.
fn typed(method: &str, raw: Option<&str>) -> Option<(RequestMetaObject, Params)> {
    macro_rules! meta {
        ($params:ident) => {
            $params.meta.take().unwrap_or_default()
        };
    }
    Some(match method {
        "tools/call" => {
            let mut params: CallToolRequestParams = parse(raw?)?;
            (meta!(params), Params::CallTool(params))
        }
        "prompts/get" => {
            let mut params: GetPromptRequestParams = parse(raw?)?;
            (meta!(params), Params::GetPrompt(params))
        }
        "resources/read" => {
            let mut params: ReadResourceRequestParams = parse(raw?)?;
            (meta!(params), Params::ReadResource(params))
        }
        "skills/get" => {
            let mut params: GetSkillRequestParams = parse(raw?)?;
            (meta!(params), Params::GetSkill(params))
        }
        "resources/directory/read" => {
            let mut params: ReadResourceDirectoryRequestParams = parse(raw?)?;
            (meta!(params), Params::ReadDirectory(params))
        }
        "completion/complete" => {
            let mut params: CompleteRequestParams = parse(raw?)?;
            (meta!(params), Params::Complete(params))
        }
        "initialize" => {
            let mut params: InitializeRequestParams = parse(raw?)?;
            (meta!(params), Params::Initialize(Box::new(params)))
        }
        "logging/setLevel" => {
            let mut params: SetLevelRequestParams = parse(raw?)?;
            (meta!(params), Params::SetLevel(params))
        }
        "resources/subscribe" => {
            let mut params: SubscribeRequestParams = parse(raw?)?;
            (meta!(params), Params::Subscribe(params.uri))
        }
        "resources/unsubscribe" => {
            let mut params: UnsubscribeRequestParams = parse(raw?)?;
            (meta!(params), Params::Unsubscribe(params.uri))
        }
        "subscriptions/listen" => {
            let mut params: SubscriptionsListenRequestParams = parse(raw?)?;
            let names_tasks = names_tasks(raw?);
            (
                meta!(params),
                Params::Listen(ListenParams { notifications: params.notifications, names_tasks }),
            )
        }
        "tools/list" => list(ListKind::Tools, raw)?,
        "prompts/list" => list(ListKind::Prompts, raw)?,
        "resources/list" => list(ListKind::Resources, raw)?,
        "resources/templates/list" => list(ListKind::Templates, raw)?,
        "skills/list" => list(ListKind::Skills, raw)?,
        #[cfg(feature = "durable")]
        "tasks/get" => {
            let mut params: GetTaskParams = parse(raw?)?;
            (meta!(params), Params::Task(TaskCall::Get(params.task_id)))
        }
        #[cfg(feature = "durable")]
        "tasks/update" => {
            let mut params: UpdateTaskParams = parse(raw?)?;
            let answers = params.input_responses;
            (meta!(params), Params::Task(TaskCall::Update(params.task_id, answers)))
        }
        #[cfg(feature = "durable")]
        "tasks/cancel" => {
            let mut params: CancelTaskParams = parse(raw?)?;
            (meta!(params), Params::Task(TaskCall::Cancel(params.task_id)))
        }
        "ping" => (none(raw)?, Params::Ping),
        "server/discover" => (none(raw)?, Params::Discover),
        _ => return None,
    })
}

fn parse<T: DeserializeOwned>(raw: &str) -> Option<T> {
    // An array would do for a type with these fields.
    if raw.starts_with('{') { serde_json::from_str(raw).ok() } else { None }
}

/// Whether the filter of a `subscriptions/listen` has `taskIds`.
fn names_tasks(raw: &str) -> bool {
    #[derive(Deserialize)]
    struct OnlyTasks {
        notifications: TaskIds,
    }
    #[derive(Deserialize)]
    struct TaskIds {
        #[serde(rename = "taskIds", default)]
        ids: Option<IgnoredAny>,
    }
    parse::<OnlyTasks>(raw).is_some_and(|only| only.notifications.ids.is_some())
}

fn list(kind: ListKind, raw: Option<&str>) -> Option<(RequestMetaObject, Params)> {
    let mut params: PaginatedRequestParams = raw.map_or_else(|| Some(Default::default()), parse)?;
    Some((params.meta.take().unwrap_or_default(), Params::List(kind, params.cursor)))
}

/// The `_meta` of a request without parameters of its own.
fn none(raw: Option<&str>) -> Option<RequestMetaObject> {
    #[derive(Deserialize)]
    struct OnlyMeta {
        #[serde(rename = "_meta", default)]
        meta: Option<RequestMetaObject>,
    }
    let Some(raw) = raw else { return Some(RequestMetaObject::default()) };
    Some(parse::<OnlyMeta>(raw)?.meta.unwrap_or_default())
}

/// What can be told of other parameters.
fn untyped(raw: Option<&str>) -> (RequestMetaObject, Params) {
    let refused = |refused| (RequestMetaObject::default(), Params::Refused(refused));
    let value = match raw.map(serde_json::from_str::<Value>).transpose() {
        Ok(value) => value,
        Err(error) => return refused(Refused::Unreadable(error.to_string())),
    };
    let meta = match &value {
        None => None,
        Some(Value::Object(params)) => params.get("_meta").filter(|meta| !meta.is_null()),
        Some(_) => return refused(Refused::NoObject),
    };
    let meta = match meta {
        None => RequestMetaObject::default(),
        Some(Value::Object(meta)) => meta.clone().into(),
        Some(_) => return refused(Refused::NoObject),
    };
    (meta, Params::Refused(Refused::Malformed(value)))
}
