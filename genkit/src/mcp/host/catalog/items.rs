//! From what a server lists to tools, prompts and resources of this library.
//!
//! One item that cannot be used is left out and said; the others stay.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use serde_json::{Map, Value, json};

use super::Made;
use crate::action::{Prompt, Resource, Tool};
use crate::error::{Error, ErrorKind, Result};
use crate::mcp::host::lifecycle::server::Server;
use crate::mcp::host::limits::MAX_DEFINITION;
use crate::mcp::host::request::fingerprint::fingerprint;
use crate::mcp::host::request::methods;
use crate::mcp::host::session::connection::Connection;

/// How long a name may be, in bytes.
const MAX_NAME: usize = 256;

/// How long a title may be, in characters.
const MAX_TITLE: usize = 200;

type Tried<T> = std::result::Result<T, String>;

pub(crate) fn tools(
    server: &Arc<Server>,
    connection: &Connection,
    items: Vec<Value>,
    notices: &mut Vec<String>,
    made: &Made<Tool>,
) -> Vec<(String, Tool)> {
    let controls = &server.config.controls;
    let limit = connection.max_timeout;
    let raw = server.is_raw();
    let all = each("tool", "name", items, notices, made, |item, name| {
        let (input, output) = (input_schema(item)?, item.get("outputSchema"));
        let weak = Arc::downgrade(server);
        let named = name.to_owned();
        let mut tool = Tool::remote(format!("{}/{name}", server.key), text(item, "description"))
            .metadata("mcp", origin(server, name, item))
            .tag(server.key.to_string())
            .needs_approval(controls.asks_before(name))
            .timeout(limit)
            .input_schema(input);
        let annotated = item["annotations"]["title"].as_str().map(plain);
        if let Some(title) = title(item).or(annotated) {
            tool = tool.title(title);
        }
        // Raw results are MCP's own, whatever the tool's are.
        if let Some(output) = output.filter(|schema| schema.is_object() && !raw) {
            tool = tool.output_schema(output.clone());
        }
        for icon in icons(item) {
            tool = tool.icon(icon);
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
        Ok(tool.forwards(move |context, arguments| {
            let (weak, name) = (weak.clone(), named.clone());
            Box::pin(async move {
                methods::call_tool(&*alive(&weak)?, &context, &name, arguments).await
            })
        }))
    });
    let wanted = all.into_iter().filter(|named| controls.wants(&named.name));
    wanted.map(|named| (named.print, named.item)).collect()
}

pub(crate) fn prompts(
    server: &Arc<Server>,
    items: Vec<Value>,
    notices: &mut Vec<String>,
    made: &Made<Prompt>,
) -> Vec<(String, Prompt)> {
    let all = each("prompt", "name", items, notices, made, |item, name| {
        let weak = Arc::downgrade(server);
        let named = name.to_owned();
        let mut prompt =
            Prompt::remote(format!("{}/{name}", server.key), text(item, "description"))
                .metadata("mcp", origin(server, name, item));
        if let Some(title) = title(item) {
            prompt = prompt.title(title);
        }
        for icon in icons(item) {
            prompt = prompt.icon(icon);
        }
        let (schema, arguments) = arguments(item);
        for argument in arguments {
            let (weak, prompt_name) = (weak.clone(), named.clone());
            prompt = prompt.complete(argument, move |typed| {
                let (weak, name) = (weak.clone(), prompt_name.clone());
                async move { methods::complete_prompt(&*alive(&weak)?, &name, typed).await }
            });
        }
        Ok(prompt.forwards(schema, move |context, arguments| {
            let (weak, name) = (weak.clone(), named.clone());
            Box::pin(async move {
                methods::get_prompt(&*alive(&weak)?, &context, &name, arguments).await
            })
        }))
    });
    all.into_iter().map(|named| (named.print, named.item)).collect()
}

pub(crate) fn resources(
    server: &Arc<Server>,
    fixed: Vec<Value>,
    templates: Vec<Value>,
    notices: &mut Vec<String>,
    made: &Made<Resource>,
) -> Vec<(String, Resource)> {
    let make = |item: &Value, uri: &str| {
        let made = resource(server, item, uri)?;
        // What cannot be told apart by its address cannot be read by it.
        made.template().map_err(str::to_owned)?;
        Ok(made)
    };
    let fixed = each("resource", "uri", fixed, notices, made, make);
    let templates = each("resource template", "uriTemplate", templates, notices, made, make);
    let all = fixed.into_iter().chain(templates);
    all.map(|named| (named.print, named.item)).collect()
}

fn resource(server: &Arc<Server>, item: &Value, uri: &str) -> Tried<Resource> {
    let name = item["name"].as_str().map(plain).filter(|name| !name.is_empty());
    let name = &name.unwrap_or_else(|| uri.to_owned());
    let full = format!("{}/{name}", server.key);
    let mut resource = Resource::remote(uri.to_owned(), full, text(item, "description"))
        .metadata("mcp", origin(server, name, item))
        .tag(server.key.to_string());
    if let Some(title) = title(item) {
        resource = resource.title(title);
    }
    if let Some(kind) = item["mimeType"].as_str() {
        resource = resource.mime_type(kind.to_owned());
    }
    for icon in icons(item) {
        resource = resource.icon(icon);
    }
    let weak = Arc::downgrade(server);
    if let Ok(template) = crate::action::UriTemplate::parse(uri) {
        for variable in template.variables() {
            let (weak, template) = (weak.clone(), uri.to_owned());
            resource = resource.complete(variable.to_owned(), move |typed| {
                let (weak, template) = (weak.clone(), template.clone());
                async move { methods::complete_resource(&*alive(&weak)?, &template, typed).await }
            });
        }
    }
    Ok(resource.forwards(move |context, uri| {
        let weak = weak.clone();
        Box::pin(async move { methods::read_resource(&*alive(&weak)?, &context, &uri).await })
    }))
}

/// The server of an action, unless its host is gone.
fn alive(server: &Weak<Server>) -> Result<Arc<Server>> {
    server.upgrade().ok_or_else(|| {
        let said = "the MCP host of this action was dropped: keep it as long as it is used";
        Error::new(ErrorKind::FailedPrecondition, said)
    })
}

/// An item that can be used.
struct Named<T> {
    name: String,
    print: String,
    item: T,
}

/// Makes of each item what can be made; of two with one name the first counts. What was made of the same
/// item before is taken again.
fn each<T: Clone>(
    what: &str,
    key: &str,
    items: Vec<Value>,
    notices: &mut Vec<String>,
    made: &Made<T>,
    make: impl Fn(&Value, &str) -> Tried<T>,
) -> Vec<Named<T>> {
    let mut names = BTreeSet::new();
    let mut all = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let tried = named(item, key).and_then(|name| {
            if !names.insert(name.to_owned()) {
                return Err("there is one of this name before it".to_owned());
            }
            let print = fingerprint(&[what, &item.to_string()]);
            let item = match made.get(&print) {
                Some(item) => item.clone(),
                None => make(item, name)?,
            };
            Ok(Named { name: name.to_owned(), print, item })
        });
        match tried {
            Ok(named) => all.push(named),
            Err(why) => {
                let name = item[key].as_str().unwrap_or_default();
                // Names that are refused may hold anything.
                let name: String = name.chars().take(80).flat_map(char::escape_debug).collect();
                notices.push(format!("{what} {} (`{name}`) is left out: {why}", at + 1));
            }
        }
    }
    all
}

fn named<'a>(item: &'a Value, key: &str) -> Tried<&'a str> {
    let Some(name) = item[key].as_str() else { return Err(format!("`{key}` is no text")) };
    // A URI template may be longer than a name.
    let limit = if key == "name" { MAX_NAME } else { crate::action::MAX_URI_BYTES };
    if name.is_empty() || name.len() > limit || name.chars().any(char::is_control) {
        return Err(format!("`{key}` is empty, too long, or has control characters"));
    }
    let size = crate::size::json_size(item);
    if size > MAX_DEFINITION {
        return Err(format!("it is {size} bytes long; {MAX_DEFINITION} are read"));
    }
    Ok(name)
}

fn input_schema(item: &Value) -> Tried<Value> {
    let mut schema = match item.get("inputSchema") {
        // A function without arguments, most likely.
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(schema)) => schema.clone(),
        Some(_) => return Err("`inputSchema` is no object".to_owned()),
    };
    match schema.get("type") {
        None => {
            schema.insert("type".to_owned(), "object".into());
        }
        Some(kind) if kind == "object" => {}
        Some(kind) => return Err(format!("`inputSchema` is for {kind}, not for an object")),
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
fn origin(server: &Server, name: &str, item: &Value) -> Value {
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

fn icons(item: &Value) -> Vec<String> {
    let icons = item["icons"].as_array().into_iter().flatten();
    icons.filter_map(|icon| Some(icon["src"].as_str()?.to_owned())).collect()
}
