//! Lazy tools, which Anthropic's tool search loads, and the blocks of earlier searches.

use std::cell::LazyCell;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::body::RequestTarget;
use crate::metadata::BLOCK;
use genkit_core::internal::names::Names;
use genkit_core::{ModelRequest, Part};
use genkit_model::internal::lazy::deferred_tools;

/// The type of the search tool, which searches names, descriptions and arguments by a query in plain language.
pub(super) const SEARCH_TYPE: &str = "tool_search_tool_bm25_20251119";

/// The name of the search tool, which the API prescribes.
pub(super) const SEARCH_NAME: &str = "tool_search_tool_bm25";

/// The prefix that the types and names of all search tools share.
const SEARCH: &str = "tool_search_tool";

/// The tool search of a request.
#[derive(Default)]
pub(super) struct ToolSearch<'a> {
    /// The names of the tools that the API loads when a search finds them.
    pub(super) deferred: HashSet<&'a str>,
    /// Whether the settings contain a search tool.
    pub(super) is_given: bool,
    /// The ids of the searches whose blocks are not sent back, because the API would reject their results.
    dropped: HashSet<&'a str>,
}

impl<'a> ToolSearch<'a> {
    pub(super) fn from_request(
        target: RequestTarget<'_>,
        request: &'a ModelRequest,
        names: &Names<'_>,
    ) -> Self {
        let given = request.config.get("tools").and_then(Value::as_array).into_iter().flatten();
        let is_given = given
            .filter_map(|tool| tool.get("type")?.as_str())
            .any(|kind| kind.starts_with(SEARCH));
        let mut search = Self { is_given, ..Self::default() };
        let known: LazyCell<HashSet<&str>, _> =
            LazyCell::new(|| request.tools.iter().map(|tool| tool.name.as_str()).collect());
        let mut loaded = HashSet::new();
        for (id, found) in request.messages.iter().flat_map(|it| &it.content).filter_map(results) {
            let found: Vec<&str> = found.iter().map(|name| names.own_name(name)).collect();
            // The API rejects a result that names a tool that is not in the request.
            match found.iter().all(|name| known.contains(name)) {
                true => loaded.extend(found.into_iter().map(str::to_owned)),
                false => drop(search.dropped.insert(id)),
            }
        }
        if target.traits.searches {
            search.deferred = deferred_tools(request, |name, _| loaded.contains(name));
        }
        search
    }

    /// Returns whether the request has a search tool.
    pub(super) fn is_on(&self) -> bool {
        self.is_given || !self.deferred.is_empty()
    }

    /// Returns whether an Anthropic-specific block can be sent back.
    pub(super) fn accepts_block(&self, block: &Map<String, Value>) -> bool {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let id = match text("type") {
            "server_tool_use" if text("name").starts_with(SEARCH) => text("id"),
            "tool_search_tool_result" => text("tool_use_id"),
            _ => return true,
        };
        self.is_on() && !self.dropped.contains(id)
    }
}

/// Returns the id of a search and the names that it found, if `part` is the result of a search.
fn results(part: &Part) -> Option<(&str, Vec<&str>)> {
    let Part::Custom { custom, .. } = part else { return None };
    let block = custom.get(BLOCK)?;
    let id = block.get("tool_use_id")?.as_str()?;
    let is_result = block.get("type").is_some_and(|kind| kind == "tool_search_tool_result");
    let found = block.get("content").filter(|_| is_result)?.get("tool_references")?.as_array()?;
    Some((id, found.iter().filter_map(|found| found.get("tool_name")?.as_str()).collect()))
}
