//! Tool search: a model with many tools first receives only their names, and then the schemas of the tools that it
//! opens.

mod lazy;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::chain::impl_model_middleware;
use super::{NextModel, NextTool, ToolCall, ToolOutcome};
use genkit_core::BoxFuture;
use genkit_core::Context;
use genkit_core::Tool;
use genkit_core::internal::glob::matches_glob;
use genkit_core::internal::model::{find_matches, list_groups};
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{Message, Part};
use genkit_core::{ModelRequest, ModelResponse, ToolChoice, ToolDefinition};
use genkit_model::ChunkSink;
use genkit_schema::internal::truncate::excerpt;

pub(crate) use lazy::{LazyTools, show_lazy_tools};

/// The name of the tool that opens other tools.
const SEARCH: &str = "search_tools";

/// If a request has at most this many tools, all are offered directly. Default is 16.
const THRESHOLD: usize = 16;

/// If a request has at most this many tools, the names of all are listed. Default is 200.
const LISTED: usize = 200;

/// The maximum length of the list of tools, in bytes. Default is 8,000, about 2,000 tokens. A longer list is reduced to
/// names, or to groups.
const LIST_LENGTH: usize = 8_000;

/// The number of tools that a query opens. Default is 8.
const RESULTS: usize = 8;

/// The maximum number of open tools. If it is exceeded, the tools opened first are closed. Default is 128, which all
/// providers accept.
const MAX_OPEN: usize = 128;

/// The maximum number of names in one call to `search_tools`. Default is 32.
const MAX_NAMES: usize = 32;

/// The maximum length of a description in a list, in characters. Default is 100.
const SHOWN: usize = 100;

/// Middleware that lets a model search for tools; created by [`tool_search()`].
#[derive(Clone, Debug)]
pub struct ToolSearch {
    tool: Tool,
    always: Vec<String>,
    threshold: usize,
    listed: usize,
    results: usize,
    /// Whether all tools except lazy tools are always offered.
    only_lazy: bool,
}

/// Creates middleware for tool search: a model with many tools first receives only their names, and then the schemas of
/// the tools that it opens.
///
/// If a run has more than 16 tools, the model is offered only `search_tools`. Its description lists each tool on one
/// line, with its name and a description. If that list exceeds 8,000 bytes, it contains only the names. If the names
/// exceed 8,000 bytes or there are more than 200 tools, the description contains the number of tools in each group. The
/// model opens tools by name or with a query. From the next turn on, open tools are offered with their schemas. If the
/// model calls a tool that is not open, it receives an error and the tool is opened, so that the model can correct the
/// call.
///
/// The set of open tools is derived from the tool calls and the responses of `search_tools` in the history. Tools
/// therefore stay open in a [`Chat`](crate::Chat), and when another process resumes the run. Add this middleware before
/// [`compact()`](super::compact()), so that it reads the messages before compaction removes any.
///
/// A run with [lazy](genkit_core::Tool::is_lazy) tools does not need this middleware. If the model's provider has no
/// tool search, the run provides `search_tools` for the lazy tools, and offers all other tools directly. With this
/// middleware, the provider's tool search is not used.
///
/// The tools of MCP hosts may change during a run as usual. Approval, limits and other middleware apply to each tool.
/// Opening a tool does not require approval.
///
/// ```
/// use genkit::message::ToolRequest;
/// use genkit::middleware::tool_search;
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Context, Tool};
/// use serde_json::{Value, json};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let tools: Vec<Tool> = (0..100)
///     .map(|n| {
///         Tool::builder(format!("room_{n}"), "Books the room.")
///             .handler(|_: Context, _: Value| async { Ok("booked") })
///     })
///     .collect();
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("search_tools", json!({"names": ["room_7"]}))]),
///     ModelResponse::from_tool_requests([ToolRequest::new("room_7", json!({}))]),
///     ModelResponse::from_text("Room 7 is yours."),
/// ]);
/// let run = genkit::generate("Room 7, please.").model(model.clone()).tools(tools);
/// assert_eq!(run.middleware(tool_search()).await?.text(), "Room 7 is yours.");
///
/// let offered = |turn: usize| model.requests()[turn].tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
/// assert_eq!(offered(0), ["search_tools"]);
/// assert_eq!(offered(1), ["search_tools", "room_7"]);
/// # Ok(())
/// # }
/// ```
pub fn tool_search() -> ToolSearch {
    // The middleware handles calls to `search_tools`, because the handler of a tool has no access to the other tools.
    let unreached = |_: Context, _: Value| async {
        let text = "`search_tools` must be handled by the middleware `tool_search()`";
        Err::<Value, _>(Error::new(ErrorKind::Internal, text).into())
    };
    let about = "Opens tools, so that they can be called. Pass the names of tools, or a query that describes what is needed.";
    let schema = json!({
        "type": "object",
        "properties": {
            "names": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The exact names of tools to open.",
            },
            "query": {"type": "string", "description": "A few words for what the tools should do."},
        },
    });
    ToolSearch {
        tool: Tool::builder(SEARCH, about).input_schema(schema).read_only(true).handler(unreached),
        always: Vec::new(),
        threshold: THRESHOLD,
        listed: LISTED,
        results: RESULTS,
        only_lazy: false,
    }
}

impl ToolSearch {
    /// Adds tools that are always offered, by name or by pattern with `*`.
    #[must_use]
    pub fn always<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.always.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the threshold: a run with at most this number of tools offers all of them directly. Default is 16.
    #[must_use]
    pub fn threshold(mut self, tools: usize) -> Self {
        self.threshold = tools;
        self
    }

    /// Sets the list limit: up to this number of tools, all names are listed if they fit into 8,000 bytes; otherwise
    /// the model must search. Default is 200.
    #[must_use]
    pub fn list_up_to(mut self, tools: usize) -> Self {
        self.listed = tools;
        self
    }

    /// Sets the number of tools that a query opens. Default is 8; 0 counts as 1.
    #[must_use]
    pub fn results(mut self, tools: usize) -> Self {
        self.results = tools.max(1);
        self
    }

    /// Returns the tools of `all` to offer to the model. None of them is lazy, so the provider does not search them.
    fn offered_tools(&self, all: &[ToolDefinition], request: &ModelRequest) -> Vec<ToolDefinition> {
        let complete = |tool: &ToolDefinition| tool.clone().with_lazy(false);
        let others = || all.iter().filter(|tool| tool.name != SEARCH);
        let Some(search) = all.iter().find(|tool| tool.name == SEARCH) else { return all.to_vec() };
        let is_always = |tool: &&ToolDefinition| self.is_always(tool, request);
        let closed: Vec<&ToolDefinition> = others().filter(|tool| !is_always(tool)).collect();
        if closed.is_empty() || others().count() <= self.threshold {
            return others().map(complete).collect();
        }
        let mut search = search.clone();
        self.describe_search(&mut search, &closed);
        let mut offered = vec![search];
        offered.extend(others().filter(is_always).map(complete));
        let opened = opened_names(&request.messages, true);
        let newest = opened.len().saturating_sub(MAX_OPEN);
        for name in &opened[newest..] {
            offered
                .extend(closed.iter().find(|tool| tool.name == *name).map(|tool| complete(tool)));
        }
        offered
    }

    fn is_always(&self, tool: &ToolDefinition, request: &ModelRequest) -> bool {
        is_chosen(request, &tool.name)
            || (self.only_lazy && !tool.lazy)
            || self.always.iter().any(|pattern| matches_glob(pattern, &tool.name))
    }

    /// Adds the list of tools to the description of `search_tools`. The text is the same in each turn, so that the
    /// provider's cache stays valid.
    fn describe_search(&self, search: &mut ToolDefinition, closed: &[&ToolDefinition]) {
        let listed = if closed.len() > self.listed { None } else { list_tools(closed) };
        let text = listed.unwrap_or_else(|| {
            let groups = list_groups(closed);
            format!("There are {} tools; search them by a query.{groups}", closed.len())
        });
        search.description.push_str("\n\n");
        search.description.push_str(&text);
    }

    /// Returns the response to a `search_tools` call.
    fn open_tools(&self, tools: &[ToolDefinition], input: &Value) -> Value {
        let tools: Vec<ToolDefinition> =
            tools.iter().filter(|tool| tool.name != SEARCH).cloned().collect();
        let given = match &input["names"] {
            Value::Array(names) => names.iter().filter_map(Value::as_str).take(MAX_NAMES).collect(),
            Value::String(name) => vec![name.as_str()],
            _ => Vec::new(),
        };
        let query = input["query"].as_str().map(str::trim).filter(|query| !query.is_empty());
        if given.is_empty() && query.is_none() {
            return json!({ "error": "missing argument: pass `names`, the names of tools to open, or a `query`" });
        }
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for name in given {
            match find_named(&tools, name) {
                Some(tool) => found.push(tool),
                None => {
                    let known = tools.iter().map(|tool| tool.name.as_str());
                    unknown.push(genkit_core::internal::suggest::unknown_name("tool", name, known));
                }
            }
        }
        let mut fits = query.map(|query| find_matches(&tools, query)).unwrap_or_default();
        fits.retain(|tool| !found.iter().any(|found| found.name == tool.name));
        let more = fits.split_off(fits.len().min(self.results));
        found.extend(fits);
        let opened =
            found.iter().map(|tool| json!({ "name": tool.name, "description": first_line(tool) }));
        let mut answer = json!({ "opened": opened.collect::<Vec<_>>() });
        let mut say = |key: &str, list: Vec<String>| {
            if !list.is_empty() {
                answer[key] = list.into();
            }
        };
        say("unknown", unknown);
        say("alsoFits", more.iter().take(MAX_NAMES).map(|tool| tool.name.clone()).collect());
        answer["note"] = match found.is_empty() {
            true => "no tool matches; try other words",
            false => "these tools can be called from now on",
        }
        .into();
        answer
    }
}

impl ToolSearch {
    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        let mut request = request.clone();
        request.tools = self.offered_tools(&request.tools, &request);
        next.run(&request, chunks).await
    }
}

impl_model_middleware!(ToolSearch, {
    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        let request = call.request();
        let answer = if request.name == SEARCH {
            self.open_tools(&next.tools(), &request.input)
        } else if call.tool().is_some() && next.is_withheld(&request.name) {
            let text = format!(
                "`{}` was not open, so its schema was unknown; it is open now. Call it again with arguments that match its schema",
                request.name
            );
            json!({ "error": text })
        } else {
            return next.run(call);
        };
        let outcome = ToolOutcome::respond(request.respond(answer));
        Box::pin(std::future::ready(Ok(outcome)))
    }

    fn tools(&self) -> Vec<Tool> {
        vec![self.tool.clone()]
    }
});

/// Returns whether the request forces a call to this tool.
fn is_chosen(request: &ModelRequest, name: &str) -> bool {
    matches!(&request.tool_choice, Some(ToolChoice::Tool(chosen)) if chosen == name)
}

/// Returns the names of the tools that were opened in `messages`, the oldest first. Tools are opened with
/// `search_tools` or, if `with_calls` is set, by calling them directly.
fn opened_names(messages: &[Message], with_calls: bool) -> Vec<&str> {
    let mut seen = HashSet::new();
    let parts = messages.iter().flat_map(|message| &message.content);
    let names = parts.flat_map(|part| match part {
        Part::ToolRequest { tool_request: call, .. } if with_calls => vec![call.name.as_str()],
        Part::ToolResponse { tool_response: answer, .. } if answer.name == SEARCH => {
            let opened = answer.output["opened"].as_array();
            opened.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect()
        }
        _ => Vec::new(),
    });
    names.filter(|name| seen.insert(*name)).collect()
}

/// Returns the tool with this name. Also accepts the form that a provider uses, such as `fs__read` for `fs/read`.
fn find_named<'a>(tools: &'a [ToolDefinition], name: &str) -> Option<&'a ToolDefinition> {
    let letters =
        |name: &str| name.chars().filter(|char| char.is_alphanumeric()).collect::<String>();
    let mut alike = tools.iter().filter(|tool| letters(&tool.name) == letters(name));
    let exact = tools.iter().find(|tool| tool.name == name);
    exact.or_else(|| alike.next().filter(|_| alike.next().is_none()))
}

/// Returns the list of tools with their descriptions, or only their names if that is too long. Returns `None` if the
/// names are too long as well.
fn list_tools(tools: &[&ToolDefinition]) -> Option<String> {
    let mut lines = "The tools:".to_owned();
    for tool in tools {
        lines.push_str(&format!("\n- {}", tool.name));
        let line = first_line(tool);
        if !line.is_empty() {
            lines.push_str(&format!(": {line}"));
        }
    }
    if lines.len() <= LIST_LENGTH {
        return Some(lines);
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    Some(format!("The tools: {}.", names.join(", "))).filter(|names| names.len() <= LIST_LENGTH)
}

/// Returns the first line of the tool's description.
fn first_line(tool: &ToolDefinition) -> String {
    excerpt(tool.description.trim().lines().next().unwrap_or_default(), SHOWN)
}
