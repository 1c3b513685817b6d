//! Lists of tools, prompts and resources, built once for each version of the registry.

mod encoded;
mod filter;
mod pagination;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    Prompt as McpPrompt, PromptArgument as McpArgument, Resource as McpResource, ResourceTemplate,
    Tool as McpTool, ToolAnnotations,
};
use serde_json::{Map, Value};

use crate::action::{Prompt, Resource, Tool};
use crate::mcp::server::content;
use crate::mcp::server::session::Era;
use crate::mcp::wrapped_result::wrap_schema;
use crate::model::Names;
use crate::registry::Registry;
use crate::schema::ResultShape;
use crate::sync::lock;
pub(crate) use encoded::ListKind;
pub(crate) use filter::Filter;
pub(crate) use pagination::page;

/// The key of `_meta` under which a prompt's version stands.
const VERSION_KEY: &str = "version";

/// Everything that can be listed, in the order of names.
pub(crate) struct Lists {
    version: u64,
    /// The eras differ in results that are no object.
    legacy_tools: Vec<McpTool>,
    modern_tools: Vec<McpTool>,
    pub(crate) prompts: Vec<McpPrompt>,
    pub(crate) resources: Vec<McpResource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    /// What is shown under a safe name has this one here.
    tool_names: HashMap<String, String>,
    prompt_names: HashMap<String, String>,
    first_pages: encoded::FirstPages,
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
        let prompt_names = Names::new(
            prompts.iter().filter(|p| p.info().is_remote() || !is_path(p.name())).map(Prompt::name),
        );
        let of = |p: &Prompt| match is_path(p.name()) && !p.info().is_remote() {
            true => prompt(p, p.name().to_owned()),
            false => prompt(p, prompt_names.sent(p.name()).into_owned()),
        };
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
            first_pages: encoded::FirstPages::default(),
        }
    }

    /// The name in the registry of what clients know as `name`.
    pub(crate) fn tool_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.tool_names.get(name).map_or(name, String::as_str)
    }

    /// The name in the registry of what clients know as `name`.
    pub(crate) fn prompt_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.prompt_names.get(name).map_or(name, String::as_str)
    }

    pub(crate) fn tools(&self, era: Era) -> &[McpTool] {
        match era {
            Era::Legacy => &self.legacy_tools,
            Era::Modern => &self.modern_tools,
        }
    }
}

/// Whether a name of a prompt of ours is that of a file, `sub/trip.formal`: it is shown as it is.
fn is_path(name: &str) -> bool {
    name.contains(['/', '.'])
}

/// The newest lists, made again when the registry has changed.
#[derive(Default)]
pub(crate) struct ListCache(Mutex<Option<Arc<Lists>>>);

impl ListCache {
    pub(crate) fn get(&self, registry: &Registry, filter: &Filter) -> Arc<Lists> {
        let mut slot = lock(&self.0);
        match &*slot {
            Some(lists) if lists.version == registry.version() => Arc::clone(lists),
            _ => Arc::clone(slot.insert(Arc::new(Lists::build(registry, filter)))),
        }
    }
}

fn tool(tool: &Tool, name: String, era: Era) -> McpTool {
    let mut shown =
        McpTool::new(name, tool.info().description.clone(), tool.schemas().served_input());
    shown.title = tool.title().map(str::to_owned);
    shown.output_schema = output_schema(tool, era);
    shown.annotations = annotations(tool);
    shown.icons = content::icons(tool.icons());
    shown.meta = content::meta(content::own_meta(tool.metadata()));
    shown
}

fn output_schema(tool: &Tool, era: Era) -> Option<Arc<Map<String, Value>>> {
    let schema = tool.schemas().served_output()?;
    match (tool.schemas().shape(), era) {
        (ResultShape::Object, _) | (ResultShape::Other, Era::Modern) => Some(schema),
        (ResultShape::Other, Era::Legacy) => Some(Arc::new(wrap_schema(&schema))),
        (ResultShape::Nothing | ResultShape::Text | ResultShape::Unknown, _) => None,
    }
}

fn annotations(tool: &Tool) -> Option<ToolAnnotations> {
    let hints = tool.annotations();
    if hints == crate::action::ToolAnnotations::default() {
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
    shown.icons = content::icons(prompt.icons());
    let mut meta = content::own_meta(prompt.metadata());
    if let Some(version) = prompt.version() {
        meta.insert(VERSION_KEY.to_owned(), version.into());
    }
    shown.meta = content::meta(meta);
    shown
}

fn resource(resource: &Resource) -> McpResource {
    let mut shown =
        McpResource::new(resource.uri(), resource.name()).with_description(resource.description());
    shown.title = resource.title().map(str::to_owned);
    shown.mime_type = resource.mime_type().map(str::to_owned);
    shown.icons = content::icons(resource.icons());
    shown.meta = content::meta(content::own_meta(resource.metadata()));
    shown
}

fn template(resource: &Resource) -> ResourceTemplate {
    let mut shown = ResourceTemplate::new(resource.uri(), resource.name())
        .with_description(resource.description());
    shown.title = resource.title().map(str::to_owned);
    shown.mime_type = resource.mime_type().map(str::to_owned);
    shown.icons = content::icons(resource.icons());
    shown.meta = content::meta(content::own_meta(resource.metadata()));
    shown
}
