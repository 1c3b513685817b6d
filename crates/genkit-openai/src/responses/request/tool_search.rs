//! Lazy tools, which the tool search of the Responses API loads, and the items of earlier searches.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::responses::metadata::{ITEM, NAMESPACE};
use genkit_core::internal::names::{Names, safe_name};
use genkit_core::{ModelRequest, Part, ToolDefinition};
use genkit_model::internal::lazy::deferred_tools;
use genkit_schema::internal::truncate::excerpt;

/// The type of the search tool.
pub(super) const SEARCH_TYPE: &str = "tool_search";

/// The maximum number of tools in a namespace. A search loads all tools of a namespace, so OpenAI recommends few.
/// Default is 10.
const MAX_TOOLS: usize = 10;

/// The maximum number of namespaces. Each costs tokens for its name and description, so more are merged. Default is 40.
const MAX_NAMESPACES: usize = 40;

/// The maximum total length of the namespace descriptions, in characters. Default is 6,000.
const MAX_DESCRIPTION_CHARS: usize = 6_000;

/// The namespace of tools whose names have no prefix, or different prefixes.
const DEFAULT_NAMESPACE: &str = "tools";

/// The tool search of a request.
#[derive(Default)]
pub(super) struct ToolSearch<'a> {
    /// The names of the tools that the API loads when a search finds them.
    pub(super) deferred: HashSet<&'a str>,
    /// Whether the settings contain a search tool.
    pub(super) is_given: bool,
    /// The functions that searches found, each with its namespace.
    loaded: HashSet<(&'a str, &'a str)>,
}

impl<'a> ToolSearch<'a> {
    /// Creates the tool search of a request. `searches` is true if the model supports tool search.
    pub(super) fn from_request(
        request: &'a ModelRequest,
        names: &Names<'_>,
        searches: bool,
    ) -> Self {
        let mut given = request.config.get("tools").and_then(Value::as_array).into_iter().flatten();
        let is_given = given.any(|tool| tool.get("type").is_some_and(|kind| kind == SEARCH_TYPE));
        let items = request.messages.iter().flat_map(|message| &message.content);
        let loaded = items.filter_map(found_tools).flatten().flat_map(found_names).collect();
        let mut search = Self { is_given, loaded, ..Self::default() };
        if searches {
            search.deferred = deferred_tools(request, |name, call| {
                search.find_namespace(call, &names.sent_name(name)).is_some()
            });
        }
        search
    }

    /// Returns whether the request has a search tool.
    pub(super) fn is_enabled(&self) -> bool {
        self.is_given || !self.deferred.is_empty()
    }

    /// Returns the namespace that a call must be sent with. The API rejects a call without the namespace that
    /// a search found its tool in, and a call with a namespace that the request does not have.
    pub(super) fn call_namespace(&self, call: &'a Part, sent_name: &str) -> Option<&'a str> {
        if self.is_enabled() { self.find_namespace(call, sent_name) } else { None }
    }

    fn find_namespace<'b>(&self, call: &'b Part, sent_name: &str) -> Option<&'b str> {
        let namespace = call.metadata().get(NAMESPACE)?.as_str()?;
        self.loaded.contains(&(namespace, sent_name)).then_some(namespace)
    }

    /// Returns whether an item may be sent back unchanged. Items of a search require a search tool in the request.
    pub(super) fn accepts_item(&self, item: &Map<String, Value>) -> bool {
        let kind = item.get("type").and_then(Value::as_str);
        !matches!(kind, Some("tool_search_call" | "tool_search_output")) || self.is_enabled()
    }

    /// Groups the deferred tools into namespaces. The model sees only the names and descriptions of namespaces.
    pub(super) fn namespaces(
        &self,
        tools: &'a [ToolDefinition],
        names: &Names<'_>,
    ) -> Vec<Namespace<'a>> {
        let mut bundles = self.bundle_tools(tools);
        if bundles.len() > MAX_NAMESPACES {
            bundles = merge_bundles(bundles);
        }
        let length = MAX_DESCRIPTION_CHARS / bundles.len().max(1);
        let mut taken = HashSet::new();
        let describe = |bundle: Bundle<'a>| {
            let listed: Vec<_> =
                bundle.tools.iter().map(|tool| names.sent_name(&tool.name)).collect();
            let listed = listed.join(", ");
            let (group, listed) = match bundle.groups[..] {
                [group] => (group, listed),
                _ => (DEFAULT_NAMESPACE, format!("{}: {listed}", bundle.groups.join(", "))),
            };
            let name = free_name(group, &mut taken);
            Namespace { name, description: excerpt(&listed, length), tools: bundle.tools }
        };
        bundles.into_iter().map(describe).collect()
    }

    /// Bundles the deferred tools, up to ten of the same group in each bundle.
    fn bundle_tools(&self, tools: &'a [ToolDefinition]) -> Vec<Bundle<'a>> {
        let mut bundles: Vec<Bundle<'a>> = Vec::new();
        // The last bundle of each group.
        let mut last: HashMap<&str, usize> = HashMap::new();
        for tool in tools.iter().filter(|tool| self.deferred.contains(tool.name.as_str())) {
            let group = tool.name.split_once('/').map_or(DEFAULT_NAMESPACE, |(group, _)| group);
            let open = last.get(group).copied().filter(|at| bundles[*at].tools.len() < MAX_TOOLS);
            let at = open.unwrap_or_else(|| {
                bundles.push(Bundle { groups: vec![group], tools: Vec::new() });
                bundles.len() - 1
            });
            last.insert(group, at);
            bundles[at].tools.push(tool);
        }
        bundles
    }
}

/// The tools of one namespace, with the groups that they belong to.
#[derive(Default)]
struct Bundle<'a> {
    groups: Vec<&'a str>,
    tools: Vec<&'a ToolDefinition>,
}

/// Merges bundles evenly until there are at most [`MAX_NAMESPACES`]. Bundles of the same group are merged first.
fn merge_bundles(mut bundles: Vec<Bundle<'_>>) -> Vec<Bundle<'_>> {
    bundles.sort_by_key(|bundle| bundle.groups[0]);
    let count = bundles.len();
    let mut merged: Vec<Bundle<'_>> = Vec::new();
    merged.resize_with(MAX_NAMESPACES, Bundle::default);
    for (at, bundle) in bundles.into_iter().enumerate() {
        let into = &mut merged[at * MAX_NAMESPACES / count];
        into.groups.extend(bundle.groups);
        into.groups.dedup();
        into.tools.extend(bundle.tools);
    }
    merged
}

/// Deferred tools that the API loads together.
pub(super) struct Namespace<'a> {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) tools: Vec<&'a ToolDefinition>,
}

/// Returns a name that is not taken: `github`, `github_2`, and so on.
fn free_name(group: &str, taken: &mut HashSet<String>) -> String {
    let stem = safe_name(group);
    let numbered = (2..).map(|number: usize| format!("{}_{number}", &stem[..stem.len().min(56)]));
    let mut all = std::iter::once(stem.clone()).chain(numbered);
    let name = all.find(|name| !taken.contains(name)).unwrap_or(stem.clone());
    taken.insert(name.clone());
    name
}

/// Returns the tools in the result of a search.
fn found_tools(part: &Part) -> Option<&Vec<Value>> {
    let Part::Custom { custom, .. } = part else { return None };
    let item = custom.get(ITEM)?;
    let is_result = item.get("type").is_some_and(|kind| kind == "tool_search_output");
    item.get("tools").filter(|_| is_result)?.as_array()
}

/// Returns the functions of a tool that a search found, each with its namespace. The namespace of a top-level function
/// is its own name.
fn found_names(tool: &Value) -> Vec<(&str, &str)> {
    let Some(name) = tool.get("name").and_then(Value::as_str) else { return Vec::new() };
    match tool.get("tools").and_then(Value::as_array) {
        Some(inner) => {
            let inner = inner.iter().filter_map(|tool| tool.get("name")?.as_str());
            inner.map(|function| (name, function)).collect()
        }
        None => vec![(name, name)],
    }
}
