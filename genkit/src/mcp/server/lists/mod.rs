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
use crate::names::KeptNames;
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
    fn build(registry: &Registry, filter: &Filter, kept: &Mutex<Kept>) -> Self {
        let version = registry.version();
        let tools: Vec<Tool> = registry.tools().into_iter().filter(|t| filter.tool(t)).collect();
        let names = {
            let mut kept = lock(kept);
            kept.tools.give(tools.iter().map(Tool::name), |_| false)
        };
        let shown = |era| {
            let of = |t: &Tool| tool(t, sent(&names, t.name()), era);
            let mut shown: Vec<McpTool> = tools.iter().map(of).collect();
            shown.sort_by(|a, b| a.name.cmp(&b.name));
            shown
        };
        let (legacy_tools, modern_tools) = (shown(Era::Legacy), shown(Era::Modern));
        let prompts: Vec<Prompt> =
            registry.prompts().into_iter().filter(|p| filter.prompt(p)).collect();
        let prompt_names = {
            let is_ours = |name: &str| {
                prompts
                    .binary_search_by(|prompt| prompt.name().cmp(name))
                    .is_ok_and(|at| is_path(name) && !prompts[at].info().is_remote())
            };
            let mut kept = lock(kept);
            kept.prompts.give(prompts.iter().map(Prompt::name), is_ours)
        };
        let of = |p: &Prompt| prompt(p, sent(&prompt_names, p.name()));
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
            tool_names: changed(&names),
            prompt_names: changed(&prompt_names),
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

/// The name that clients see.
fn sent(names: &HashMap<&str, String>, name: &str) -> String {
    names.get(name).map_or_else(|| name.to_owned(), Clone::clone)
}

/// Those that clients see under another name, by that.
fn changed(names: &HashMap<&str, String>) -> HashMap<String, String> {
    let changed = names.iter().filter(|(ours, sent)| ours != sent);
    changed.map(|(ours, sent)| (sent.clone(), (*ours).to_owned())).collect()
}

/// The names that clients know, which keep their owners.
#[derive(Default)]
struct Kept {
    tools: KeptNames,
    prompts: KeptNames,
}

/// The newest lists, made again when the registry has changed.
#[derive(Default)]
pub(crate) struct ListCache {
    newest: Mutex<Option<Arc<Lists>>>,
    names: Mutex<Kept>,
}

impl ListCache {
    pub(crate) fn get(&self, registry: &Registry, filter: &Filter) -> Arc<Lists> {
        let newest = lock(&self.newest).clone();
        if let Some(lists) = newest
            && lists.version == registry.version()
        {
            return lists;
        }
        // Without the lock: others go on with what there is, and who comes too late throws away what it made.
        let lists = Arc::new(Lists::build(registry, filter, &self.names));
        let mut newest = lock(&self.newest);
        match &*newest {
            Some(newer) if newer.version > lists.version => Arc::clone(newer),
            _ => Arc::clone(newest.insert(lists)),
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
