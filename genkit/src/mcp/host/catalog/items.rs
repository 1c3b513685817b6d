//! Items that a server lists, as tools, prompts and resources of this library.
//!
//! One item that cannot be used is left out, with a notice; the others stay.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};

use serde_json::{Map, Value, json};

use super::error::{Error, LeftOut};
use super::pagination::ListMethod;
use crate::action::{Prompt, Resource, Tool, UriTemplate};
use crate::error::Result;
use crate::mcp::host::fingerprint::fingerprint;
use crate::mcp::host::lifecycle::server::ManagedServer;
use crate::mcp::host::limits::MAX_DEFINITION;
use crate::mcp::host::request::methods;
use crate::mcp::host::session::connection::Connection;

/// How long a title may be, in characters.
const MAX_TITLE: usize = 200;

/// An action of a server, by the name or address that the server has for it.
#[derive(Clone)]
struct RemoteAction {
    server: Weak<ManagedServer>,
    name: Arc<str>,
}

impl RemoteAction {
    fn new(server: &Arc<ManagedServer>, name: &str) -> Self {
        Self { server: Arc::downgrade(server), name: name.into() }
    }

    /// The server, unless its host is gone.
    fn server(&self) -> Result<Arc<ManagedServer>> {
        self.server.upgrade().ok_or_else(|| Error::HostDropped.into())
    }
}

/// Adds what every action has: origin, title, icons.
macro_rules! described {
    ($action:expr, $server:expr, $name:expr, $item:expr, $title:expr) => {{
        let mut action = $action.metadata("mcp", origin($server, $name, $item));
        if let Some(title) = $title {
            action = action.title(title);
        }
        for icon in $item["icons"].as_array().into_iter().flatten() {
            if let Some(source) = icon["src"].as_str() {
                action = action.icon(source.to_owned());
            }
        }
        action
    }};
}

pub(super) fn tools(
    server: &Arc<ManagedServer>,
    connection: &Connection,
    items: Vec<(ListMethod, Value)>,
    notices: &mut Vec<String>,
    known: &HashMap<String, Tool>,
) -> Vec<(String, Tool)> {
    let controls = &server.config.controls;
    let make = |item: &Value, name: &str| {
        let tool = Tool::remote(format!("{}/{name}", server.key), text(item, "description"));
        let annotated = item["annotations"]["title"].as_str().map(plain);
        let mut tool = described!(tool, server, name, item, title(item).or(annotated))
            .tag(server.key.to_string())
            .needs_approval(controls.asks_before(name))
            .timeout(connection.max_timeout)
            .input_schema(input_schema(item)?);
        // Raw results are MCP's own, whatever the tool's are.
        let output = item.get("outputSchema").filter(|schema| schema.is_object());
        if let Some(output) = output.filter(|_| !server.is_raw()) {
            tool = tool.output_schema(output.clone());
        }
        let hint = |key: &str| item["annotations"][key].as_bool();
        if let Some(yes) = hint("readOnlyHint") {
            tool = tool.read_only(yes);
        }
        if let Some(yes) = hint("destructiveHint") {
            tool = tool.destructive(yes);
        }
        if let Some(yes) = hint("idempotentHint") {
            tool = tool.idempotent(yes);
        }
        if let Some(yes) = hint("openWorldHint") {
            tool = tool.open_world(yes);
        }
        let remote = RemoteAction::new(server, name);
        Ok(tool.forwards(move |context, arguments| {
            let remote = remote.clone();
            Box::pin(async move {
                let server = remote.server()?;
                methods::call_tool(&server, &context, &remote.name, arguments).await
            })
        }))
    };
    let wanted = |name: &str| controls.wants(name);
    each(items, notices, known, wanted, make)
}

pub(super) fn prompts(
    server: &Arc<ManagedServer>,
    _: &Connection,
    items: Vec<(ListMethod, Value)>,
    notices: &mut Vec<String>,
    known: &HashMap<String, Prompt>,
) -> Vec<(String, Prompt)> {
    let make = |item: &Value, name: &str| {
        let prompt = Prompt::remote(format!("{}/{name}", server.key), text(item, "description"));
        let mut prompt = described!(prompt, server, name, item, title(item));
        let remote = RemoteAction::new(server, name);
        let (schema, arguments) = arguments(item);
        for argument in arguments {
            let remote = remote.clone();
            prompt =
                prompt.complete(argument, move |typed| {
                    let remote = remote.clone();
                    async move {
                        methods::complete_prompt(&*remote.server()?, &remote.name, typed).await
                    }
                });
        }
        Ok(prompt.forwards(schema, move |context, arguments| {
            let remote = remote.clone();
            Box::pin(async move {
                let server = remote.server()?;
                methods::get_prompt(&server, &context, &remote.name, arguments).await
            })
        }))
    };
    each(items, notices, known, |_| true, make)
}

pub(super) fn resources(
    server: &Arc<ManagedServer>,
    _: &Connection,
    items: Vec<(ListMethod, Value)>,
    notices: &mut Vec<String>,
    known: &HashMap<String, Resource>,
) -> Vec<(String, Resource)> {
    let make = |item: &Value, uri: &str| {
        let name = item["name"].as_str().map(plain).filter(|name| !name.is_empty());
        let name = &name.unwrap_or_else(|| uri.to_owned());
        let full = format!("{}/{name}", server.key);
        let resource = Resource::remote(uri.to_owned(), full, text(item, "description"));
        let mut resource =
            described!(resource, server, name, item, title(item)).tag(server.key.to_string());
        if let Some(kind) = item["mimeType"].as_str() {
            resource = resource.mime_type(kind.to_owned());
        }
        let remote = RemoteAction::new(server, uri);
        if let Ok(template) = UriTemplate::parse(uri) {
            for variable in template.variables() {
                let remote = remote.clone();
                resource = resource.complete(variable.to_owned(), move |typed| {
                    let remote = remote.clone();
                    async move {
                        methods::complete_resource(&*remote.server()?, &remote.name, typed).await
                    }
                });
            }
        }
        let resource = resource.forwards(move |context, uri| {
            let remote = remote.clone();
            Box::pin(
                async move { methods::read_resource(&*remote.server()?, &context, &uri).await },
            )
        });
        // What cannot be told apart by its address cannot be read by it.
        resource.template().map_err(|error| LeftOut::Template(error.to_owned()))?;
        Ok(resource)
    };
    each(items, notices, known, |_| true, make)
}

/// Makes of each item what can be made; of two with one name the first counts. An item that was known
/// before is the same action again.
fn each<T: Clone>(
    items: Vec<(ListMethod, Value)>,
    notices: &mut Vec<String>,
    known: &HashMap<String, T>,
    is_wanted: impl Fn(&str) -> bool,
    make: impl Fn(&Value, &str) -> Result<T, LeftOut>,
) -> Vec<(String, T)> {
    let mut names = BTreeSet::new();
    let mut all = Vec::with_capacity(items.len());
    let (mut list, mut number) = (None, 0);
    for (method, item) in &items {
        number = if list.replace(*method) == Some(*method) { number + 1 } else { 1 };
        let (what, key) = method.item();
        let made = check(item, key).and_then(|name| {
            if !names.insert((what, name.to_owned())) {
                return Err(LeftOut::NameTwice);
            }
            let print = fingerprint(&[what, &item.to_string()]);
            let action = match known.get(&print) {
                Some(action) => action.clone(),
                None => make(item, name)?,
            };
            Ok(is_wanted(name).then_some((print, action)))
        });
        match made {
            Ok(made) => all.extend(made),
            Err(why) => {
                let name = item[key].as_str().unwrap_or_default();
                // Names that are refused may hold anything.
                let name: String = name.chars().take(80).flat_map(char::escape_debug).collect();
                notices.push(format!("{what} {number} (`{name}`) is left out: {why}"));
            }
        }
    }
    all
}

/// The name of an item that can be used.
fn check<'a>(item: &'a Value, key: &'static str) -> Result<&'a str, LeftOut> {
    let Some(name) = item[key].as_str() else { return Err(LeftOut::NameNoText(key)) };
    LeftOut::check_name(key, name)?;
    let size = crate::size::json_size(item);
    if size > MAX_DEFINITION {
        return Err(LeftOut::TooLarge(size));
    }
    Ok(name)
}

fn input_schema(item: &Value) -> Result<Value, LeftOut> {
    let mut schema = match item.get("inputSchema") {
        // A function without arguments, most likely.
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(schema)) => schema.clone(),
        Some(_) => return Err(LeftOut::SchemaNoObject),
    };
    match schema.get("type") {
        None => {
            schema.insert("type".to_owned(), "object".into());
        }
        Some(kind) if kind == "object" => {}
        Some(kind) => return Err(LeftOut::SchemaOfOther(kind.clone())),
    }
    Ok(Value::Object(schema))
}

/// The schema of a prompt's arguments, which are texts, and their names.
fn arguments(item: &Value) -> (Value, Vec<String>) {
    let (mut properties, mut required, mut names) = (Map::new(), Vec::new(), Vec::new());
    for argument in item["arguments"].as_array().into_iter().flatten() {
        let Some(name) = argument["name"].as_str() else { continue };
        let mut property = json!({ "type": "string" });
        if let Some(description) = argument["description"].as_str() {
            property["description"] = description.into();
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

/// Where an action comes from, for programs: the server, its own name there, its `_meta`.
fn origin(server: &ManagedServer, name: &str, item: &Value) -> Value {
    let mut origin = json!({ "server": &*server.key, "name": name });
    if let Some(meta) = item.get("_meta").filter(|meta| meta.is_object()) {
        origin["_meta"] = meta.clone();
    }
    origin
}

fn text(item: &Value, key: &str) -> String {
    item[key].as_str().unwrap_or_default().to_owned()
}

fn title(item: &Value) -> Option<String> {
    item["title"].as_str().map(plain).filter(|title| !title.is_empty())
}

/// One short line: titles are shown to people, beside what this program says itself.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_TITLE).collect()
}
