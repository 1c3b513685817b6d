//! What clients are shown, built once for each state of the registry.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rmcp::model::{
    ErrorData, PaginatedRequestParams, Prompt as McpPrompt, PromptArgument as McpArgument,
    Resource as McpResource, ResourceTemplate, Tool as McpTool, ToolAnnotations,
};
use serde_json::{Map, Value, json};

use super::convert::{self, WRAP};
use super::era::Era;
use super::filter::Filter;
use crate::action::{Prompt, Resource, Tool};
use crate::model::Names;
use crate::registry::Registry;
use crate::schema::ResultShape;
use crate::sync::lock;

/// The key of `_meta` under which a prompt's version stands.
const VERSION_KEY: &str = "version";

/// Everything that can be listed, in the order of names.
pub(super) struct Lists {
    version: u64,
    /// The eras differ in results that are no object.
    legacy_tools: Vec<McpTool>,
    modern_tools: Vec<McpTool>,
    pub(super) prompts: Vec<McpPrompt>,
    pub(super) resources: Vec<McpResource>,
    pub(super) templates: Vec<ResourceTemplate>,
    /// What is shown under a safe name has this one here.
    tool_names: HashMap<String, String>,
    prompt_names: HashMap<String, String>,
}

impl Lists {
    fn build(registry: &Registry, filter: &Filter) -> Self {
        let version = registry.version();
        let tools: Vec<Tool> = registry.tools().into_iter().filter(|t| filter.tool(t)).collect();
        let names = Names::new(tools.iter().map(Tool::name));
        let shown = |era| {
            let of = |t: &Tool| tool(t, names.sent(t.name()).into_owned(), era);
            let mut shown: Vec<McpTool> = tools.iter().map(of).collect();
            shown.sort_by(|a, b| a.name.cmp(&b.name));
            shown
        };
        let (legacy_tools, modern_tools) = (shown(Era::Legacy), shown(Era::Modern));
        let prompts: Vec<Prompt> =
            registry.prompts().into_iter().filter(|p| filter.prompt(p)).collect();
        let prompt_names = Names::new(prompts.iter().map(Prompt::name));
        let of = |p: &Prompt| prompt(p, prompt_names.sent(p.name()).into_owned());
        let mut shown_prompts: Vec<McpPrompt> = prompts.iter().map(of).collect();
        shown_prompts.sort_by(|a, b| a.name.cmp(&b.name));
        let resources = registry.resources();
        let shown_resources = || resources.iter().filter(|r| filter.resource(r));
        Self {
            version,
            legacy_tools,
            modern_tools,
            prompts: shown_prompts,
            resources: shown_resources().filter(|r| !r.is_template()).map(resource).collect(),
            templates: shown_resources().filter(|r| r.is_template()).map(template).collect(),
            tool_names: names.changed().map(|(sent, ours)| (sent, ours.to_owned())).collect(),
            prompt_names: prompt_names
                .changed()
                .map(|(sent, ours)| (sent, ours.to_owned()))
                .collect(),
        }
    }

    /// The name in the registry of what clients know as `name`.
    pub(super) fn tool_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.tool_names.get(name).map_or(name, String::as_str)
    }

    /// The name in the registry of what clients know as `name`.
    pub(super) fn prompt_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.prompt_names.get(name).map_or(name, String::as_str)
    }

    pub(super) fn tools(&self, era: Era) -> &[McpTool] {
        match era {
            Era::Legacy => &self.legacy_tools,
            Era::Modern => &self.modern_tools,
        }
    }
}

/// The newest lists, made again when the registry has changed.
#[derive(Default)]
pub(super) struct ListCache(Mutex<Option<Arc<Lists>>>);

impl ListCache {
    pub(super) fn get(&self, registry: &Registry, filter: &Filter) -> Arc<Lists> {
        let mut slot = lock(&self.0);
        match &*slot {
            Some(lists) if lists.version == registry.version() => Arc::clone(lists),
            _ => Arc::clone(slot.insert(Arc::new(Lists::build(registry, filter)))),
        }
    }
}

/// One page of `all`, which is in the order of `key`, and the cursor of the next.
///
/// A cursor is the last key that was shown: it holds while things come and go, and on any
/// instance of a server.
pub(super) fn page<T: Clone>(
    all: &[T],
    key: impl Fn(&T) -> &str,
    request: Option<PaginatedRequestParams>,
    size: Option<usize>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match request.and_then(|params| params.cursor) {
        None => 0,
        Some(cursor) => {
            let last = read_cursor(&cursor).ok_or_else(|| {
                ErrorData::invalid_params(
                    "Invalid cursor: use `nextCursor` of the page before",
                    None,
                )
            })?;
            all.partition_point(|item| key(item) <= last.as_str())
        }
    };
    let end = size.map_or(all.len(), |size| all.len().min(start.saturating_add(size.max(1))));
    let items = all[start..end].to_vec();
    let next = (end < all.len()).then(|| items.last().map(|item| write_cursor(key(item))));
    Ok((items, next.flatten()))
}

/// What tells our cursors from anything else.
const CURSOR_MARK: &str = "after:";

fn write_cursor(last: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{CURSOR_MARK}{last}"))
}

fn read_cursor(cursor: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    text.strip_prefix(CURSOR_MARK).map(str::to_owned)
}

fn tool(tool: &Tool, name: String, era: Era) -> McpTool {
    let mut shown =
        McpTool::new(name, tool.info().description.clone(), tool.schemas().served_input());
    shown.title = tool.title().map(str::to_owned);
    shown.output_schema = output_schema(tool, era);
    shown.annotations = annotations(tool);
    shown.icons = convert::icons(tool.icons());
    shown.meta = convert::meta(convert::own_meta(tool.metadata()));
    shown
}

fn output_schema(tool: &Tool, era: Era) -> Option<Arc<Map<String, Value>>> {
    let schema = tool.schemas().served_output()?;
    match (tool.schemas().shape(), era) {
        (ResultShape::Object, _) | (ResultShape::Other, Era::Modern) => Some(schema),
        (ResultShape::Other, Era::Legacy) => {
            let wrapped = json!({
                "type": "object",
                "properties": { WRAP: Value::Object(Map::clone(&schema)) },
                "required": [WRAP],
            });
            wrapped.as_object().cloned().map(Arc::new)
        }
        (ResultShape::Nothing | ResultShape::Text | ResultShape::Unknown, _) => None,
    }
}

fn annotations(tool: &Tool) -> Option<ToolAnnotations> {
    let hints = tool.hints();
    if hints == crate::action::Hints::default() {
        return None;
    }
    Some(ToolAnnotations::from_raw(
        None,
        hints.read_only,
        hints.destructive,
        hints.idempotent,
        hints.open_world,
    ))
}

fn prompt(prompt: &Prompt, name: String) -> McpPrompt {
    let arguments = prompt.arguments().into_iter().map(|argument| {
        let mut shown = McpArgument::new(argument.name).with_required(argument.required);
        shown.description = argument.description;
        shown
    });
    let arguments: Vec<McpArgument> = arguments.collect();
    let mut shown = McpPrompt::new(name, Some(prompt.description()), Some(arguments));
    shown.title = prompt.title().map(str::to_owned);
    shown.icons = convert::icons(prompt.icons());
    let mut meta = convert::own_meta(prompt.metadata());
    if let Some(version) = prompt.version() {
        meta.insert(VERSION_KEY.to_owned(), version.into());
    }
    shown.meta = convert::meta(meta);
    shown
}

fn resource(resource: &Resource) -> McpResource {
    let mut shown =
        McpResource::new(resource.uri(), resource.name()).with_description(resource.description());
    shown.title = resource.title().map(str::to_owned);
    shown.mime_type = resource.mime_type().map(str::to_owned);
    shown.icons = convert::icons(resource.icons());
    shown.meta = convert::meta(convert::own_meta(resource.metadata()));
    shown
}

fn template(resource: &Resource) -> ResourceTemplate {
    let mut shown = ResourceTemplate::new(resource.uri(), resource.name())
        .with_description(resource.description());
    shown.title = resource.title().map(str::to_owned);
    shown.mime_type = resource.mime_type().map(str::to_owned);
    shown.icons = convert::icons(resource.icons());
    shown.meta = convert::meta(convert::own_meta(resource.metadata()));
    shown
}
