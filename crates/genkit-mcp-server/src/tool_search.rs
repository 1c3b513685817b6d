//! Tool search: a search tool and a call tool, listed in place of lazy tools.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::error::Error as E;
use super::lists::Lists;
use super::session::ClientDescription;
use super::state::SharedState;
use genkit_core::internal::model::{find_matches, list_groups};
use genkit_core::internal::suggest;
use genkit_core::{Error, ErrorKind, Tool, ToolDefinition};

/// The name of the tool that searches lazy tools.
pub(crate) const SEARCH: &str = "search_tools";

/// The name of the tool that calls lazy tools.
pub(crate) const CALL: &str = "call_tool";

/// The number of definitions that a search returns. Default is 8.
const RESULTS: usize = 8;

/// The maximum number of names in one search, and of additional names in its result. Default is 32.
const MAX_NAMES: usize = 32;

/// The maximum number of lazy tools whose names the description of the search tool lists. Default is 32.
const LISTED: usize = 32;

/// The reported names of the clients that have their own tool search.
const WITH_SEARCH: [&str; 2] = ["claude-code", "codex-mcp-client"];

impl SharedState {
    /// Checks that no tool of the registry has the name of the search tool or the call tool.
    pub(crate) fn check_tool_search(&self) -> Result<(), E> {
        let is_taken = |name: &&str| self.settings.tool_search && self.has_tool(name);
        match [SEARCH, CALL].into_iter().find(is_taken) {
            Some(name) => Err(E::ReservedToolName(name)),
            None => Ok(()),
        }
    }

    /// Returns the lists for a client, with the search tool unless the client has its own.
    pub(crate) fn searched_lists(
        &self,
        lists: Arc<Lists>,
        client: &ClientDescription,
    ) -> Arc<Lists> {
        let searches = client.reported_name().is_some_and(|(name, _)| WITH_SEARCH.contains(&name));
        if self.settings.tool_search && !searches { lists.with_search() } else { lists }
    }

    /// Returns the search tool or the call tool, if `name` is its name and the caller has lazy tools.
    pub(crate) fn find_search_tool(
        &self,
        name: &str,
        lists: impl FnOnce() -> Arc<Lists>,
    ) -> Option<Tool> {
        if !self.settings.tool_search || !matches!(name, SEARCH | CALL) {
            return None;
        }
        let lists = lists();
        let lazy = lists.lazy_tools();
        match name {
            _ if lazy.is_empty() => None,
            SEARCH => Some(search_tool(lazy)),
            _ => Some(call_tool()),
        }
    }

    /// Returns the name and the arguments of the lazy tool that a call to `call_tool` calls. Returns `None` for other
    /// tools, and for invalid arguments, which the schema of `call_tool` then rejects.
    pub(crate) fn called_tool(
        &self,
        name: &str,
        arguments: Option<&Map<String, Value>>,
    ) -> Option<(String, Option<Map<String, Value>>)> {
        let arguments = arguments.filter(|_| self.settings.tool_search && name == CALL)?;
        let inner = match arguments.get("arguments") {
            None | Some(Value::Null) => None,
            Some(Value::Object(inner)) => Some(inner.clone()),
            // Some models send the object as a string.
            Some(Value::String(text)) => Some(serde_json::from_str(text).ok()?),
            Some(_) => return None,
        };
        Some((arguments.get("name")?.as_str()?.to_owned(), inner))
    }
}

/// Creates the tool that returns the definitions of lazy tools.
pub(crate) fn search_tool(lazy: Vec<ToolDefinition>) -> Tool {
    let shown: Vec<&ToolDefinition> = lazy.iter().collect();
    let listed = match lazy.len() {
        few if few <= LISTED => {
            let names: Vec<&str> = lazy.iter().map(|tool| tool.name.as_str()).collect();
            format!(" They are: {}.", names.join(", "))
        }
        _ => list_groups(&shown),
    };
    let about = format!(
        "Finds tools by a query that describes what is needed, or by their exact names. Returns their descriptions and \
         schemas; call them with `{CALL}`. Number of tools: {}.{listed}",
        lazy.len()
    );
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "A few words that describe what the tools should do."},
            "names": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The exact names of tools.",
            },
        },
    });
    let builder = Tool::builder(SEARCH, about).input_schema(schema).read_only(true);
    let lazy: Arc<[ToolDefinition]> = lazy.into();
    builder.handler(move |_: genkit_core::Context, input: Value| {
        let found = search_tools(&lazy, &input);
        async move { Ok(found?) }
    })
}

/// Creates the tool that calls a lazy tool. Its handler only runs if the call names `call_tool` itself: the schema
/// rejects invalid arguments, and all other calls are treated as calls to the named tool.
pub(crate) fn call_tool() -> Tool {
    let about =
        format!("Calls a tool that `{SEARCH}` found. Pass its arguments according to its schema.");
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The exact name of the tool."},
            "arguments": {"type": "object", "description": "The arguments of the tool."},
        },
        "required": ["name"],
    });
    Tool::builder(CALL, about).input_schema(schema).handler(
        |_: genkit_core::Context, _: Value| async {
            let text = format!("`{CALL}` cannot call itself; pass the name of another tool");
            Err::<Value, _>(Error::new(ErrorKind::InvalidArgument, text).into())
        },
    )
}

/// Returns the definitions of the tools that the input names or describes.
fn search_tools(lazy: &[ToolDefinition], input: &Value) -> Result<Value, Error> {
    let names: Vec<&str> = match &input["names"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).take(MAX_NAMES).collect(),
        _ => Vec::new(),
    };
    let query = input["query"].as_str().map(str::trim).filter(|query| !query.is_empty());
    if names.is_empty() && query.is_none() {
        let text = "missing argument: pass a `query`, or the `names` of tools";
        return Err(Error::new(ErrorKind::InvalidArgument, text));
    }
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for name in names {
        match lazy.iter().find(|tool| tool.name == name) {
            Some(tool) => found.push(tool),
            None => {
                let known = lazy.iter().map(|tool| tool.name.as_str());
                unknown.push(suggest::unknown_name("tool", name, known));
            }
        }
    }
    let mut fits = query.map(|query| find_matches(lazy, query)).unwrap_or_default();
    fits.retain(|tool| !found.iter().any(|found| found.name == tool.name));
    let more = fits.split_off(fits.len().min(RESULTS));
    found.extend(fits);
    let tools = found.iter().map(|tool| {
        json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema() })
    });
    let mut answer = json!({ "tools": tools.collect::<Vec<_>>() });
    if !unknown.is_empty() {
        answer["unknown"] = unknown.into();
    }
    if !more.is_empty() {
        answer["alsoFits"] = more.iter().take(MAX_NAMES).map(|tool| tool.name.clone()).collect();
    }
    if found.is_empty() {
        answer["note"] = "no tool matches; try other words".into();
    }
    Ok(answer)
}
