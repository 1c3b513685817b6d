//! Conversion of a server's items into tools, prompts and resources of this library.
//!
//! An unusable item is omitted with a notice; the others are kept.

use std::borrow::Cow;
use std::sync::{Arc, Weak};

use rmcp::model::{PromptReference, Reference, ResourceTemplateReference};
use serde_json::{Map, Value, json};

use super::error::{Error, ItemError};
use super::pagination::{ListMethod, PROMPTS, RESOURCES, TEMPLATES, TOOLS};
use super::{CachedList, Catalog, Listable, ListedItem};
use crate::apps;
use crate::lifecycle::server::ManagedServer;
use crate::request::methods;
use crate::session::state::ListKind;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::action::UriTemplate;
use genkit_core::internal::visible::{self, Logged};
use genkit_core::{CompleteRequest, Prompt, Resource, Tool, ToolBuilder};
use genkit_mcp::internal::extras::read_extras;
use genkit_mcp::internal::wrapped_result;
use genkit_schema::internal::truncate::excerpt;
use genkit_schema::internal::{Loss, Patterns, repair_arguments};

/// The longest title, in characters.
const MAX_TITLE: usize = 200;

/// The maximum number of icons of an item.
const MAX_ICONS: usize = 8;

/// The longest source of an icon, in bytes: a `data:` URL contains the image.
const MAX_ICON: usize = 64 * 1024;

/// The longest MIME type, in bytes.
const MAX_MIME_TYPE: usize = 255;

/// Returns the icons of an item that a program can display: `https:` URLs, and `data:` URLs that contain an image.
/// Other schemes, such as `javascript:` and `file:`, could do more than load an image.
fn icon_sources(item: &Value) -> impl Iterator<Item = &str> {
    let icons = item["icons"].as_array().into_iter().flatten();
    let sources = icons.filter_map(|icon| icon["src"].as_str());
    let is_image = |source: &&str| {
        let scheme = ["https://", "data:image/"];
        scheme.iter().any(|scheme| source.starts_with(scheme)) && is_plain(source, MAX_ICON)
    };
    sources.filter(is_image).take(MAX_ICONS)
}

/// Returns whether the text is short enough and needs no escaping.
fn is_plain(text: &str, limit: usize) -> bool {
    text.len() <= limit && visible::escape_line(text) == text
}

/// The member of a tool's origin that marks its results as wrapped.
const WRAPPED: &str = "wrapped";

/// Returns whether the tool's results are in a wrapper object.
pub(crate) fn is_wrapped(tool: &Tool) -> bool {
    tool.metadata().get("mcp").is_some_and(|origin| origin[WRAPPED] == true)
}

/// An action of a server, identified by the server's own name or URI for it.
#[derive(Clone)]
struct RemoteAction {
    server: Weak<ManagedServer>,
    name: Arc<str>,
}

impl RemoteAction {
    fn new(server: &Arc<ManagedServer>, name: &str) -> Self {
        Self { server: Arc::downgrade(server), name: name.into() }
    }

    /// Returns a function that completes an argument of the action.
    fn completer(
        &self,
        of: Reference,
    ) -> impl Fn(CompleteRequest) -> BoxFuture<'static, Result<Vec<String>>> + Send + Sync + 'static
    {
        let remote = self.clone();
        move |typed| {
            let (server, of) = (remote.server(), of.clone());
            Box::pin(async move { methods::complete_argument(&server?, of, typed).await })
        }
    }

    /// Returns the server, unless its host was dropped.
    fn server(&self) -> Result<Arc<ManagedServer>> {
        self.server.upgrade().ok_or_else(|| Error::HostDropped.into())
    }
}

/// Sets the fields that all actions have: origin, title, icons.
macro_rules! described {
    ($action:expr, $prefix:expr, $server:expr, $name:expr, $item:expr, $title:expr) => {{
        let mut origin = action_origin($server, $name, $item);
        if !$prefix.is_empty() {
            apps::share_page(&$server.key, &mut origin);
        }
        let mut action = $action.metadata("mcp", origin);
        if let Some(title) = $title {
            action = action.title(title);
        }
        for source in icon_sources($item) {
            action = action.icon(source.to_owned());
        }
        action
    }};
}

impl Listable for Tool {
    const KIND: ListKind = ListKind::Tools;
    const METHODS: &'static [ListMethod] = &[TOOLS];

    fn item_name(&self) -> &str {
        self.name()
    }

    fn cached_list(catalog: &Catalog) -> &CachedList<Self> {
        &catalog.tools
    }

    fn is_for_models(&self) -> bool {
        let origin = self.metadata().get("mcp");
        origin.is_none_or(|origin| apps::is_for_models(&origin["_meta"]))
    }

    fn from_listed(listed: ListedItem<'_>, prefix: &str) -> Result<Self, ItemError> {
        let ListedItem { server, connection, item, name } = listed;
        let tool = Tool::from_server(format!("{prefix}{name}"), read_text(item, "description"));
        let hints = &item["annotations"];
        let mut tool = described!(
            tool,
            prefix,
            server,
            name,
            item,
            read_title(item).or_else(|| read_title(hints))
        )
        .tag(server.key.to_string())
        .needs_approval(server.config.controls.needs_approval_for(name))
        .lazy(server.is_lazy(name))
        .timeout(connection.max_timeout)
        .input_schema(input_schema(item)?);
        // A raw result has MCP's format, which the output schema of the tool does not describe.
        let output = item.get("outputSchema").filter(|schema| schema.is_object());
        let output = output.filter(|_| !server.is_raw());
        let inner = output.and_then(wrapped_result::unwrap_schema);
        let is_wrapped = inner.is_some();
        if let Some(mut output) = inner.or_else(|| output.cloned()) {
            escape_descriptions(&mut output);
            tool = tool.output_schema(output);
        }
        let setters = [
            ("readOnlyHint", ToolBuilder::read_only as fn(ToolBuilder, bool) -> ToolBuilder),
            ("destructiveHint", ToolBuilder::destructive),
            ("idempotentHint", ToolBuilder::idempotent),
            ("openWorldHint", ToolBuilder::open_world),
        ];
        for (hint, set) in setters {
            if let Some(yes) = hints[hint].as_bool() {
                tool = set(tool, yes);
            }
        }
        let remote = RemoteAction::new(server, name);
        let tool = tool.forwards(move |context, arguments| {
            let remote = remote.clone();
            Box::pin(async move {
                let server = remote.server()?;
                let result = methods::call_tool(&server, &context, &remote.name, arguments).await?;
                Ok(result.mark_wrapped(is_wrapped).into_output())
            })
        });
        // This function runs twice for each tool, once per name. Warn only once.
        if prefix.is_empty() {
            warn_repairs(server, &tool);
        }
        Ok(tool)
    }
}

impl Listable for Prompt {
    const KIND: ListKind = ListKind::Prompts;
    const METHODS: &'static [ListMethod] = &[PROMPTS];

    fn item_name(&self) -> &str {
        self.name()
    }

    fn cached_list(catalog: &Catalog) -> &CachedList<Self> {
        &catalog.prompts
    }

    fn from_listed(listed: ListedItem<'_>, prefix: &str) -> Result<Self, ItemError> {
        let ListedItem { server, item, name, .. } = listed;
        let prompt = Prompt::from_server(format!("{prefix}{name}"), read_text(item, "description"));
        let mut prompt = described!(prompt, prefix, server, name, item, read_title(item));
        let remote = RemoteAction::new(server, name);
        let (schema, arguments) = read_arguments(item);
        for argument in arguments {
            let of = Reference::Prompt(PromptReference::new(name));
            prompt = prompt.complete(argument, remote.completer(of));
        }
        Ok(prompt.build_forwarding(schema, move |context, arguments| {
            let remote = remote.clone();
            Box::pin(async move {
                let server = remote.server()?;
                methods::get_prompt(&server, &context, &remote.name, arguments).await
            })
        }))
    }
}

/// Fixed resources and templates.
impl Listable for Resource {
    const KIND: ListKind = ListKind::Resources;
    const METHODS: &'static [ListMethod] = &[RESOURCES, TEMPLATES];

    fn item_name(&self) -> &str {
        self.name()
    }

    fn cached_list(catalog: &Catalog) -> &CachedList<Self> {
        &catalog.resources
    }

    fn from_listed(listed: ListedItem<'_>, prefix: &str) -> Result<Self, ItemError> {
        let ListedItem { server, item, name: uri, .. } = listed;
        let name = item["name"].as_str().map(escape_title).filter(|name| !name.is_empty());
        let name = &name.unwrap_or_else(|| uri.to_owned());
        // A host lists the pages of several servers, so their URIs include the key.
        let shown = if prefix.is_empty() { uri.into() } else { apps::shared_uri(&server.key, uri) };
        let resource = Resource::from_server(
            shown.into_owned(),
            format!("{prefix}{name}"),
            read_text(item, "description"),
        );
        let mut resource = described!(resource, prefix, server, name, item, read_title(item))
            .tag(server.key.to_string());
        if let Some(kind) = item["mimeType"].as_str().filter(|kind| is_plain(kind, MAX_MIME_TYPE)) {
            resource = resource.mime_type(kind.to_owned());
        }
        let remote = RemoteAction::new(server, uri);
        for variable in UriTemplate::parse(uri).iter().flat_map(UriTemplate::variables) {
            let of = Reference::Resource(ResourceTemplateReference::new(uri));
            resource = resource.complete(variable.to_owned(), remote.completer(of));
        }
        let is_shared = !prefix.is_empty();
        let resource = resource.forwards(move |context, uri| {
            let remote = remote.clone();
            Box::pin(async move {
                let server = remote.server()?;
                let uri =
                    if is_shared { apps::own_uri(&server.key, &uri) } else { uri.as_str().into() };
                methods::read_resource(&server, &context, &uri).await
            })
        });
        // A template that cannot be matched against URIs cannot be used to read them.
        resource.template().map_err(|error| ItemError::Template(error.to_owned()))?;
        Ok(resource)
    }
}

/// Returns the schema of a tool's arguments. It is repaired when the tool is created.
fn input_schema(item: &Value) -> Result<Value, ItemError> {
    let schema = match item.get("inputSchema") {
        // Most likely a function without arguments.
        None | Some(Value::Null | Value::Bool(true)) => Map::new(),
        Some(Value::Object(schema)) => schema.clone(),
        Some(_) => return Err(ItemError::SchemaNotObject),
    };
    let repaired = repair_arguments(Value::Object(schema.clone()), Patterns::Supported).schema;
    let mut schema = Value::Object(schema);
    match repaired.get("type") {
        None => schema["type"] = "object".into(),
        Some(kind) if kind == "object" => {}
        Some(kind) => return Err(ItemError::SchemaTypeNotObject(kind.clone())),
    }
    escape_descriptions(&mut schema);
    Ok(schema)
}

/// Logs one warning for the repairs of a tool's schemas.
fn warn_repairs(server: &ManagedServer, tool: &Tool) {
    let repairs: Vec<&Loss> = tool.schemas().repairs().collect();
    let Some(first) = repairs.first() else { return };
    let Some(warnings) = server.warnings.count_warning() else { return };
    tracing::warn!(
        server = %server.key,
        warnings,
        tool = tool.name(),
        at = %Logged::text(&excerpt(&first.pointer, MAX_SHOWN)),
        repairs = repairs.len(),
        "the schema of a tool was repaired: {}; {}",
        Logged::text(&excerpt(&first.what, MAX_SHOWN)),
        first.remedy
    );
}

/// Returns the schema of a prompt's arguments, which are all strings, and the names of the arguments.
fn read_arguments(item: &Value) -> (Value, Vec<String>) {
    let (mut properties, mut required, mut names) = (Map::new(), Vec::new(), Vec::new());
    for argument in item["arguments"].as_array().into_iter().flatten() {
        let Some(name) = argument["name"].as_str() else { continue };
        let mut property = json!({ "type": "string" });
        if let Some(description) = argument["description"].as_str() {
            property["description"] = visible::escape_prose(description).into();
        }
        if argument["required"] == true {
            required.push(Value::from(name));
        }
        properties.insert(name.to_owned(), property);
        names.push(name.to_owned());
    }
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    (schema, names)
}

/// Returns the origin of an action as metadata: its server, its name there, its `_meta`, and whether its results are
/// wrapped.
fn action_origin(server: &ManagedServer, name: &str, item: &Value) -> Value {
    let mut origin = json!({ "server": &*server.key, "name": name });
    if wrapped_result::unwrap_schema(&item["outputSchema"]).is_some() {
        origin[WRAPPED] = true.into();
    }
    for (key, value) in read_extras(item) {
        // The annotations of tools are hints, which are set separately.
        if key != "annotations" || item.get("inputSchema").is_none() {
            origin[key] = value;
        }
    }
    origin
}

/// The maximum length of a repair in a log entry, in characters.
const MAX_SHOWN: usize = 200;

/// Returns escaped text from the server, for models and users.
fn read_text(item: &Value, key: &str) -> String {
    visible::escape_prose(item[key].as_str().unwrap_or_default()).into_owned()
}

fn read_title(item: &Value) -> Option<String> {
    item["title"].as_str().map(escape_title).filter(|title| !title.is_empty())
}

/// Shortens and escapes a title to one line, because it is displayed next to this program's own output.
fn escape_title(text: &str) -> String {
    let beginning: String = text.chars().take(MAX_TITLE).collect();
    visible::escape_line(&beginning).into_owned()
}

/// Escapes the descriptions within a schema, because a model may read characters that are invisible to users.
fn escape_descriptions(schema: &mut Value) {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    match member {
                        Value::String(words)
                            if matches!(name.as_str(), "title" | "description") =>
                        {
                            if let Cow::Owned(shown) = visible::escape_prose(words) {
                                *words = shown;
                            }
                        }
                        other => open.push(other),
                    }
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}
