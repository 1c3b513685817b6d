//! Parses the parameters of each method.

#![allow(deprecated, reason = "SEP-2577 deprecates logging, but current clients use it")]

use std::collections::HashMap;

use rmcp::model::{
    ArgumentInfo, CallToolRequestParams, CompleteRequestParams, CompletionContext, ErrorData,
    GetPromptRequestParams, InitializeRequestParams, LoggingLevel,
    ReadResourceDirectoryRequestParams, ReadResourceRequestParams, Reference, RequestId,
    RequestMetaObject, SubscriptionFilter,
};
use serde::Deserialize as _;
use serde_json::Value;

use super::MessageError;
use crate::handler::malformed;
use crate::lists::ListKind;
use crate::session::Era;
use crate::tasks::{self, TaskCall};
use genkit_mcp::internal::{fields::Fields, jsonrpc::Id};

/// The parameters of a request, by method.
pub(super) enum Params {
    Initialize(Box<InitializeRequestParams>),
    Discover,
    Ping,
    List(ListKind, Option<String>),
    CallTool(CallToolRequestParams),
    GetPrompt(GetPromptRequestParams),
    ReadResource(ReadResourceRequestParams),
    GetSkill(String),
    ReadDirectory(ReadResourceDirectoryRequestParams),
    Complete(CompleteRequestParams),
    Subscribe(String),
    Unsubscribe(String),
    SetLevel(LoggingLevel),
    Listen(ListenParams),
    Task(TaskCall),
    /// The method is unknown, or the parameters are invalid.
    Refused(ParamsError),
}

/// The parameters of `subscriptions/listen`.
pub(super) struct ListenParams {
    pub(super) notifications: SubscriptionFilter,
    /// Whether the client also listens to tasks, an extension that rmcp's filter does not support.
    pub(super) names_tasks: bool,
}

/// The reason why parameters are invalid.
pub(super) enum ParamsError {
    /// The parameters, if any, do not match the method.
    Malformed(Option<Value>),
    /// They contain a number that cannot be parsed, such as `1e400`.
    Unreadable(String),
    /// The parameters or their `_meta` are not an object.
    NotObject,
}

impl ParamsError {
    pub(super) fn error_data(&self, method: &str, era: Era) -> ErrorData {
        match self {
            Self::Malformed(params) => malformed::malformed_error(method, params.as_ref(), era),
            Self::NotObject => MessageError::Params.error_data(),
            Self::Unreadable(why) => {
                let known = malformed::malformed_error(method, None, era);
                if known.code == rmcp::model::ErrorCode::METHOD_NOT_FOUND {
                    return known;
                }
                ErrorData::invalid_params(format!("malformed params of {method}: {why}"), None)
            }
        }
    }
}

/// Parses the parameters of a request and their `_meta`. Returns `None` for invalid parameters, for which
/// [`read_any`] determines the error. The fields are read one by one, because a derived parser for the type of each
/// method would add about 10 KB to the program.
pub(super) fn read_typed(method: &str, raw: Option<&str>) -> Option<(RequestMetaObject, Params)> {
    let needs_none = matches!(method, "ping" | "server/discover") || method.ends_with("/list");
    let mut given = Fields::parse_object(if needs_none { raw.unwrap_or("{}") } else { raw? })?;
    let meta = given.take_meta()?;
    let params = match method {
        "tools/call" => {
            let mut params = CallToolRequestParams::new(given.take_text("name")?);
            params.arguments = given.take_object("arguments")?;
            (params.input_responses, params.request_state) = given.take_rounds()?;
            Params::CallTool(params)
        }
        "prompts/get" => {
            let mut params = GetPromptRequestParams::new(given.take_text("name")?);
            params.arguments = given.take_object("arguments")?;
            (params.input_responses, params.request_state) = given.take_rounds()?;
            Params::GetPrompt(params)
        }
        "resources/read" => {
            let mut params = ReadResourceRequestParams::new(given.take_text("uri")?);
            (params.input_responses, params.request_state) = given.take_rounds()?;
            Params::ReadResource(params)
        }
        "skills/get" => Params::GetSkill(given.take_text("uri")?),
        "resources/directory/read" => {
            let mut params = ReadResourceDirectoryRequestParams::new(given.take_text("uri")?);
            params.cursor = given.optional_text("cursor")?;
            Params::ReadDirectory(params)
        }
        "completion/complete" => Params::Complete(read_complete(given)?),
        "initialize" => Params::Initialize(Box::new(read_initialize(given)?)),
        "logging/setLevel" => {
            Params::SetLevel(LoggingLevel::deserialize(given.get_value("level")?).ok()?)
        }
        "resources/subscribe" => Params::Subscribe(given.take_text("uri")?),
        "resources/unsubscribe" => Params::Unsubscribe(given.take_text("uri")?),
        "subscriptions/listen" => Params::Listen(read_listen(given)?),
        "tools/list" => Params::List(ListKind::Tools, given.optional_text("cursor")?),
        "prompts/list" => Params::List(ListKind::Prompts, given.optional_text("cursor")?),
        "resources/list" => Params::List(ListKind::Resources, given.optional_text("cursor")?),
        "resources/templates/list" => {
            Params::List(ListKind::Templates, given.optional_text("cursor")?)
        }
        "skills/list" => Params::List(ListKind::Skills, given.optional_text("cursor")?),
        "ping" => Params::Ping,
        "server/discover" => Params::Discover,
        _ => {
            let id = given.take_text("taskId");
            Params::Task(tasks::read_call(method, id, || given.take_responses()?)?)
        }
    };
    Some((meta, params))
}

/// Returns the id of the request that a client cancels.
pub(super) fn read_cancelled(raw: &str) -> Option<RequestId> {
    let mut given = Fields::parse_object(raw)?;
    given.optional_text("reason")?;
    given.take_object("_meta")?;
    Id::from_raw(&given.get_value("requestId")?.to_string()).usable()
}

/// Parses a handshake, with the fields that requests of the later era contain in `_meta`.
fn read_initialize(mut given: Fields) -> Option<InitializeRequestParams> {
    let mut said = RequestMetaObject::default();
    for (name, key) in [
        ("protocolVersion", "io.modelcontextprotocol/protocolVersion"),
        ("capabilities", "io.modelcontextprotocol/clientCapabilities"),
        ("clientInfo", "io.modelcontextprotocol/clientInfo"),
    ] {
        said.0.0.insert(key.to_owned(), given.take_value(name)?);
    }
    let params = InitializeRequestParams::new(said.client_capabilities()?, said.client_info()?);
    Some(params.with_protocol_version(said.protocol_version()?))
}

fn read_complete(mut given: Fields) -> Option<CompleteRequestParams> {
    let mut of = given.take_fields("ref")?;
    let of = match of.take_text("type")?.as_str() {
        "ref/prompt" => {
            of.optional_text("title")?;
            Reference::for_prompt(of.take_text("name")?)
        }
        "ref/resource" => Reference::for_resource(of.take_text("uri")?),
        _ => return None,
    };
    let mut argument = given.take_fields("argument")?;
    let argument = ArgumentInfo::new(argument.take_text("name")?, argument.take_text("value")?);
    let mut params = CompleteRequestParams::new(of, argument);
    if let Some(mut context) = given.take_object("context")? {
        let mut others = CompletionContext::new();
        if let Some(arguments) = context.shift_remove("arguments").filter(|given| !given.is_null())
        {
            let mut texts = HashMap::new();
            for (name, value) in arguments.as_object()? {
                texts.insert(name.clone(), value.as_str()?.to_owned());
            }
            others = CompletionContext::with_arguments(texts);
        }
        params.context = Some(others);
    }
    Some(params)
}

fn read_listen(mut given: Fields) -> Option<ListenParams> {
    let mut wanted = given.take_fields("notifications")?;
    let names_tasks = wanted.get_value("taskIds").is_some_and(|ids| !ids.is_null());
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = wanted.take_bool("toolsListChanged")?;
    filter.prompts_list_changed = wanted.take_bool("promptsListChanged")?;
    filter.resources_list_changed = wanted.take_bool("resourcesListChanged")?;
    filter.resource_subscriptions = wanted.take_texts("resourceSubscriptions")?;
    Some(ListenParams { notifications: filter, names_tasks })
}

/// Parses the `_meta` of parameters that [`read_typed`] does not accept, and determines the reason why they are
/// invalid.
pub(super) fn read_any(raw: Option<&str>) -> (RequestMetaObject, Params) {
    let refused = |refused| (RequestMetaObject::default(), Params::Refused(refused));
    let value = match raw.map(serde_json::from_str::<Value>).transpose() {
        Ok(value) => value,
        Err(error) => return refused(ParamsError::Unreadable(error.to_string())),
    };
    let meta = match &value {
        None => None,
        Some(Value::Object(params)) => params.get("_meta").filter(|meta| !meta.is_null()),
        Some(_) => return refused(ParamsError::NotObject),
    };
    let meta = match meta {
        None => RequestMetaObject::default(),
        Some(Value::Object(meta)) => meta.clone().into(),
        Some(_) => return refused(ParamsError::NotObject),
    };
    (meta, Params::Refused(ParamsError::Malformed(value)))
}
