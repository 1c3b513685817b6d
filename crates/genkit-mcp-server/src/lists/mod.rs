//! The lists of tools, prompts and resources, built once per version of the registry.

mod digest;
mod encoded;
mod filter;
mod pagination;
mod searched;
mod skills;
mod view;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use rmcp::model::{
    CacheScope, Prompt as McpPrompt, PromptArgument as McpArgument, Resource as McpResource,
    ResourceTemplate, Skill as McpSkill, Tool as McpTool, ToolAnnotations,
};
use serde_json::{Map, Value};

use crate::session::Era;
pub(crate) use encoded::ListKind;
pub(crate) use filter::Filter;
use genkit_core::internal::names::NameTable;
use genkit_core::internal::sync::lock;
use genkit_core::{Prompt, Registry, Resource, Skill, Tool};
use genkit_mcp::internal::content;
use genkit_mcp::internal::extras::write_extras;
use genkit_mcp::internal::wrapped_result::wrap_schema;
use genkit_schema::internal::ResultShape;
pub(crate) use pagination::{PageSettings, take_page};

/// The key of a prompt's version in `_meta`.
const VERSION_KEY: &str = "version";

/// All items that can be listed, sorted by name or by URI.
pub(crate) struct Lists {
    version: u64,
    items: Items,
    names: Arc<Names>,
    /// Whether any function requires scopes.
    has_permits: bool,
    has_tasks: bool,
    /// Whether any resource is the page of an MCP App.
    pub(crate) has_apps: bool,
    /// Whether any tool is only for MCP Apps.
    has_app_tools: bool,
    /// Whether the items depend on the caller.
    is_private: bool,
    views: view::Views,
    /// The lists for clients that search lazy tools, built on first use; `None` if no tool is lazy.
    searched: OnceLock<Option<Arc<Lists>>>,
    /// The tool list for each protocol era, built on first use. The lists differ in the output schemas of tools that
    /// do not return an object.
    shown_tools: [OnceLock<Vec<McpTool>>; 2],
    pub(crate) prompts: Vec<McpPrompt>,
    pub(crate) resources: Vec<McpResource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) skills: Vec<McpSkill>,
    first_pages: encoded::FirstPages,
    digests: digest::Digests,
}

/// The listed items, as registered.
struct Items {
    tools: Vec<Tool>,
    prompts: Vec<Prompt>,
    resources: Vec<Resource>,
    skills: Vec<Skill>,
}

/// The names of items for clients, which are the same for all clients.
struct Names {
    tools: ClientNames,
    prompts: ClientNames,
}

/// A mapping between registered names and client names.
struct ClientNames {
    shown: HashMap<String, String>,
    ours: HashMap<String, String>,
}

impl ClientNames {
    /// Creates a mapping from registered names to client names. Stores only names that differ.
    fn new(names: &HashMap<&str, String>) -> Self {
        let changed = || names.iter().filter(|(ours, shown)| ours != shown);
        Self {
            shown: changed().map(|(ours, shown)| ((*ours).to_owned(), shown.clone())).collect(),
            ours: changed().map(|(ours, shown)| (shown.clone(), (*ours).to_owned())).collect(),
        }
    }

    fn shown_name(&self, ours: &str) -> String {
        self.shown.get(ours).map_or(ours, String::as_str).to_owned()
    }

    fn registered_name<'a>(&'a self, shown: &'a str) -> &'a str {
        self.ours.get(shown).map_or(shown, String::as_str)
    }
}

impl Lists {
    /// Builds the lists of all items that pass the filter.
    fn build(
        registry: &Registry,
        filter: &Filter,
        kept: &Mutex<AssignedNames>,
        is_private: bool,
    ) -> Self {
        let version = registry.version();
        let all = registry.tools();
        for tool in all.iter().filter(|tool| tool.is_declared()) {
            tracing::info!(tool = tool.name(), "not listed: a declared tool has no code to run");
        }
        let tools: Vec<Tool> = all.into_iter().filter(|tool| filter.has_tool(tool)).collect();
        let names = {
            let mut kept = lock(kept);
            ClientNames::new(&kept.tools.assign_names(tools.iter().map(Tool::name), |_| false))
        };
        let prompts: Vec<Prompt> =
            registry.prompts().into_iter().filter(|p| filter.has_prompt(p)).collect();
        let prompt_names = {
            let is_ours = |name: &str| {
                prompts
                    .binary_search_by(|prompt| prompt.name().cmp(name))
                    .is_ok_and(|at| is_path(name) && !prompts[at].info().is_remote())
            };
            let mut kept = lock(kept);
            ClientNames::new(&kept.prompts.assign_names(prompts.iter().map(Prompt::name), is_ours))
        };
        let resources =
            registry.resources().into_iter().filter(|r| filter.has_resource(r)).collect();
        let skills =
            registry.skills().into_iter().filter(|skill| filter.has_skill(skill)).collect();
        let names = Names { tools: names, prompts: prompt_names };
        let items = Items { tools, prompts, resources, skills };
        Self::from_items(version, items, Arc::new(names), is_private)
    }

    fn from_items(version: u64, items: Items, names: Arc<Names>, is_private: bool) -> Self {
        let of = |p: &Prompt| list_prompt(p, names.prompts.shown_name(p.name()));
        let prompts: Vec<McpPrompt> = items.prompts.iter().map(of).collect();
        let prompts = sort_by_key(prompts, |prompt| &prompt.name);
        let has_permits = items.iter().any(|item| item.scopes().next().is_some());
        let manifest =
            |skill: &Skill| Some(list_resource(&skill.file_resource(skill.manifest_file()?)));
        let fixed = items.resources.iter().filter(|r| !r.is_template()).map(list_resource);
        let resources: Vec<McpResource> =
            fixed.chain(items.skills.iter().filter_map(manifest)).collect();
        let mut resources = sort_by_key(resources, |resource| &resource.uri);
        // Skill files take precedence when a URI is resolved, so a resource with the same URI is unreachable.
        resources.dedup_by(|a, b| a.uri == b.uri);
        let templates = items.resources.iter().filter(|r| r.is_template());
        let skills: Vec<McpSkill> = items.skills.iter().map(skills::skill_entry).collect();
        let skills = sort_by_key(skills, |skill| &skill.uri);
        let has_tasks = items.tools.iter().any(|tool| tool.task().is_some());
        let has_apps = items.resources.iter().any(Resource::is_app);
        let has_app_tools = items.tools.iter().any(Tool::is_for_apps_only);
        Self {
            version,
            has_permits,
            has_tasks,
            has_apps,
            has_app_tools,
            is_private: is_private || has_permits,
            views: view::Views::default(),
            searched: OnceLock::new(),
            shown_tools: Default::default(),
            prompts,
            templates: templates.map(list_template).collect(),
            resources,
            skills,
            first_pages: encoded::FirstPages::default(),
            digests: digest::Digests::default(),
            items,
            names,
        }
    }

    /// Returns the registered name of the tool with this client name.
    pub(crate) fn tool_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.names.tools.registered_name(name)
    }

    /// Returns the registered name of the prompt with this client name.
    pub(crate) fn prompt_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.names.prompts.registered_name(name)
    }

    /// Returns whether shared caches are allowed to store these lists.
    pub(crate) fn cache_scope(&self) -> CacheScope {
        if self.is_private { CacheScope::Private } else { CacheScope::Public }
    }

    pub(crate) fn tools(&self, era: Era) -> &[McpTool] {
        self.shown_tools[era as usize].get_or_init(|| {
            let of = |t: &Tool| list_tool(t, self.names.tools.shown_name(t.name()), era);
            let shown: Vec<McpTool> = self.items.tools.iter().map(of).collect();
            sort_by_key(shown, |tool| &tool.name)
        })
    }

    /// Returns the number of tools, which is the same in both eras.
    pub(crate) fn tool_count(&self) -> usize {
        self.items.tools.len()
    }
}

/// Returns whether a prompt name looks like a path, such as `sub/trip.formal`. Such names are listed unchanged, except
/// for prompts of upstream servers.
fn is_path(name: &str) -> bool {
    name.contains(['/', '.'])
}

/// Client names, each of which remains assigned to its first item.
#[derive(Default)]
struct AssignedNames {
    tools: NameTable,
    prompts: NameTable,
}

/// A cache of the newest lists, rebuilt when the registry changes.
#[derive(Default)]
pub(crate) struct ListCache {
    newest: Mutex<Option<Arc<Lists>>>,
    names: Mutex<AssignedNames>,
}

impl ListCache {
    /// Returns the current lists. `is_private` specifies whether the items can differ between callers.
    pub(crate) fn current_lists(
        &self,
        registry: &Registry,
        filter: &Filter,
        is_private: bool,
    ) -> Arc<Lists> {
        let newest = lock(&self.newest).clone();
        if let Some(lists) = newest
            && lists.version == registry.version()
        {
            return lists;
        }
        // Build the lists without holding the lock, so that other requests continue with the current lists. The
        // newest version wins.
        let lists = Arc::new(Lists::build(registry, filter, &self.names, is_private));
        let mut newest = lock(&self.newest);
        match &*newest {
            Some(newer) if newer.version > lists.version => Arc::clone(newer),
            _ => Arc::clone(newest.insert(lists)),
        }
    }
}

fn list_tool(tool: &Tool, name: String, era: Era) -> McpTool {
    let mut shown =
        McpTool::new(name, tool.info().description.clone(), tool.schemas().served_input());
    shown.title = tool.title().map(str::to_owned);
    shown.output_schema = output_schema(tool, era);
    shown.annotations = list_annotations(tool);
    shown.icons = content::to_icons(tool.icons());
    shown.meta = content::to_meta(content::client_meta(tool.metadata()));
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

fn list_annotations(tool: &Tool) -> Option<ToolAnnotations> {
    let hints = tool.annotations();
    if hints == genkit_core::ToolAnnotations::default() {
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

fn list_prompt(prompt: &Prompt, name: String) -> McpPrompt {
    let arguments = prompt.arguments().into_iter().map(|argument| {
        let mut shown = McpArgument::new(argument.name).with_required(argument.required);
        shown.description = argument.description;
        shown
    });
    let arguments: Vec<McpArgument> = arguments.collect();
    let mut shown = McpPrompt::new(name, Some(prompt.description()), Some(arguments));
    shown.title = prompt.title().map(str::to_owned);
    shown.icons = content::to_icons(prompt.icons());
    let mut meta = content::client_meta(prompt.metadata());
    if let Some(version) = prompt.version() {
        meta.insert(VERSION_KEY.to_owned(), version.into());
    }
    shown.meta = content::to_meta(meta);
    shown
}

fn list_resource(resource: &Resource) -> McpResource {
    let mut shown =
        McpResource::new(resource.uri(), resource.name()).with_description(resource.description());
    shown.title = resource.title().map(str::to_owned);
    shown.mime_type = resource.mime_type().map(str::to_owned);
    shown.icons = content::to_icons(resource.icons());
    shown.meta = content::to_meta(content::client_meta(resource.metadata()));
    write_extras(shown, resource.metadata())
}

fn list_template(resource: &Resource) -> ResourceTemplate {
    let mut shown = ResourceTemplate::new(resource.uri(), resource.name())
        .with_description(resource.description());
    shown.title = resource.title().map(str::to_owned);
    shown.mime_type = resource.mime_type().map(str::to_owned);
    shown.icons = content::to_icons(resource.icons());
    shown.meta = content::to_meta(content::client_meta(resource.metadata()));
    shown
}

/// Sorts items by key. Sorts indices instead of items, because each instantiation of a sort for another type adds 7
/// KB of code.
fn sort_by_key<T>(items: Vec<T>, key: fn(&T) -> &str) -> Vec<T> {
    let order = sorted_indices(&items.iter().map(key).collect::<Vec<_>>());
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| items[at].take()).collect()
}

/// Returns the indices of names, in the order of the names.
fn sorted_indices(names: &[&str]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..names.len()).collect();
    places.sort_by_key(|at| names[*at]);
    places
}
