//! Tool search: a model sees the names of many tools first, and the schemas of those that it opens.

pub(super) mod search;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Middleware, NextModel, NextTool, ToolCall, ToolOutcome};
use genkit_core::BoxFuture;
use genkit_core::Context;
use genkit_core::Tool;
use genkit_core::internal::glob::glob;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{Message, Part};
use genkit_core::{ModelRequest, ModelResponse, ToolChoice, ToolDefinition};
use genkit_model::ChunkSink;
use genkit_schema::internal::truncate::excerpt;

/// The name of the tool that opens others.
const SEARCH: &str = "search_tools";

/// With so many tools or fewer, all are offered as without the middleware. Default is 16.
const THRESHOLD: usize = 16;

/// With so many tools or fewer, all names are listed. Default is 200.
const LISTED: usize = 200;

/// How many tools a query opens. Default is 8.
const RESULTS: usize = 8;

/// How many tools may be open; of more the oldest are closed again. Default is 128, which is what providers take.
const MAX_OPEN: usize = 128;

/// How many names one call may give. Default is 32.
const MAX_NAMES: usize = 32;

/// How much of a description a list shows, in characters. Default is 100.
const SHOWN: usize = 100;

/// Tool search, as middleware: names first, schemas when asked for; see [`tool_search()`].
#[derive(Clone, Debug)]
pub struct ToolSearch {
    tool: Tool,
    always: Vec<String>,
    threshold: usize,
    listed: usize,
    results: usize,
}

/// Tool search: offers a model with many tools their names first, and the schemas of those that it
/// asks for.
///
/// With more than 16 tools the model gets one, `search_tools`, whose description lists the names of all others with a
/// line each (above 200 only how many there are). It opens tools by name or by a query; from the next turn on these are
/// offered with their schemas, and stay so. A call of a tool that is not open yet is answered with an error that opens
/// it, so that the model can mend the call.
///
/// What is open stands in the history, in the calls and the answers of `search_tools`: it holds in a
/// [`Chat`](crate::Chat), and where a run is resumed by another process. Give it before
/// [`compact()`](super::compact()), which then leaves out nothing that it reads.
///
/// Tools of MCP hosts come and go as without it, and approval, limits and other middleware are those of each tool;
/// opening one asks nobody.
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
    // Its calls are answered by the middleware: what it answers with, no function can see.
    let unreached = |_: Context, _: Value| async {
        let text = "`search_tools` is answered by the middleware `tool_search()`";
        Err::<Value, _>(Error::new(ErrorKind::Internal, text).into())
    };
    let about = "Opens tools, so that they can be called. Give the names of tools, or a query that says what is needed.";
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
    }
}

impl ToolSearch {
    /// Tools that are always offered, by name or pattern with `*`.
    #[must_use]
    pub fn always<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.always.extend(names.into_iter().map(Into::into));
        self
    }

    /// Threshold: with so many tools or fewer all are offered. Default is 16.
    #[must_use]
    pub fn threshold(mut self, tools: usize) -> Self {
        self.threshold = tools;
        self
    }

    /// List limit: with so many tools or fewer their names are listed; the model has to search
    /// among more. Default is 200.
    #[must_use]
    pub fn list_up_to(mut self, tools: usize) -> Self {
        self.listed = tools;
        self
    }

    /// Result limit: how many tools a query opens. Default is 8.
    #[must_use]
    pub fn results(mut self, tools: usize) -> Self {
        self.results = tools.max(1);
        self
    }

    /// The tools that a model is offered of `all`.
    fn offered(&self, all: &[ToolDefinition], request: &ModelRequest) -> Vec<ToolDefinition> {
        let others = || all.iter().filter(|tool| tool.name != SEARCH);
        let Some(search) = all.iter().find(|tool| tool.name == SEARCH) else { return all.to_vec() };
        if others().count() <= self.threshold {
            return others().cloned().collect();
        }
        let mut search = search.clone();
        let is_always = |tool: &&ToolDefinition| self.is_always(&tool.name, request);
        let closed: Vec<&ToolDefinition> = others().filter(|tool| !is_always(tool)).collect();
        self.describe(&mut search, &closed);
        let mut offered = vec![search];
        offered.extend(others().filter(is_always).cloned());
        let opened = opened(&request.messages);
        let newest = opened.len().saturating_sub(MAX_OPEN);
        for name in &opened[newest..] {
            offered
                .extend(closed.iter().find(|tool| tool.name == *name).map(|tool| (*tool).clone()));
        }
        offered
    }

    fn is_always(&self, name: &str, request: &ModelRequest) -> bool {
        let is_chosen =
            matches!(&request.tool_choice, Some(ToolChoice::Tool(chosen)) if chosen == name);
        is_chosen || self.always.iter().any(|pattern| glob(pattern, name))
    }

    /// Says in the description of `search_tools` what there is. It stays the same from turn to turn, so that what a
    /// provider caches of it stays.
    fn describe(&self, search: &mut ToolDefinition, closed: &[&ToolDefinition]) {
        let text = &mut search.description;
        if closed.len() > self.listed {
            text.push_str(&format!(
                "\n\nThere are {} tools: search them by a query.",
                closed.len()
            ));
            return;
        }
        text.push_str("\n\nThe tools:");
        for tool in closed {
            text.push_str(&format!("\n- {}", tool.name));
            let line = line(tool);
            if !line.is_empty() {
                text.push_str(&format!(": {line}"));
            }
        }
    }

    /// The answer to a call of `search_tools`.
    fn open(&self, tools: &[ToolDefinition], input: &Value) -> Value {
        let tools: Vec<ToolDefinition> =
            tools.iter().filter(|tool| tool.name != SEARCH).cloned().collect();
        let given = match &input["names"] {
            Value::Array(names) => names.iter().filter_map(Value::as_str).take(MAX_NAMES).collect(),
            Value::String(name) => vec![name.as_str()],
            _ => Vec::new(),
        };
        let query = input["query"].as_str().map(str::trim).filter(|query| !query.is_empty());
        if given.is_empty() && query.is_none() {
            return json!({ "error": "give `names`, the names of tools to open, or a `query`" });
        }
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for name in given {
            match named(&tools, name) {
                Some(tool) => found.push(tool),
                None => {
                    let known = tools.iter().map(|tool| tool.name.as_str());
                    unknown.push(genkit_core::internal::suggest::unknown("tool", name, known));
                }
            }
        }
        let mut fits = query.map(|query| search::search(&tools, query)).unwrap_or_default();
        fits.retain(|tool| !found.iter().any(|found| found.name == tool.name));
        let more = fits.split_off(fits.len().min(self.results));
        found.extend(fits);
        let opened =
            found.iter().map(|tool| json!({ "name": tool.name, "description": line(tool) }));
        let mut answer = json!({ "opened": opened.collect::<Vec<_>>() });
        let mut say = |key: &str, list: Vec<String>| {
            if !list.is_empty() {
                answer[key] = list.into();
            }
        };
        say("unknown", unknown);
        say("alsoFits", more.iter().take(MAX_NAMES).map(|tool| tool.name.clone()).collect());
        answer["note"] = match found.is_empty() {
            true => "no tool fits: try other words",
            false => "these tools can be called from now on",
        }
        .into();
        answer
    }
}

impl Middleware for ToolSearch {
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            let mut request = request.clone();
            request.tools = self.offered(&request.tools, &request);
            next.run(&request, chunks).await
        })
    }

    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        let request = call.request();
        let answer = if request.name == SEARCH {
            self.open(&next.tools(), &request.input)
        } else if call.tool().is_some() && next.is_withheld(&request.name) {
            let text = format!(
                "`{}` was not open, and its schema not known: it is now. Call it again with what it takes",
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
}

/// The names of the tools that a history opened, the oldest first: by `search_tools`, or by a call.
fn opened(messages: &[Message]) -> Vec<&str> {
    let mut seen = HashSet::new();
    let parts = messages.iter().flat_map(|message| &message.content);
    let names = parts.flat_map(|part| match part {
        Part::ToolRequest { tool_request: call, .. } => vec![call.name.as_str()],
        Part::ToolResponse { tool_response: answer, .. } if answer.name == SEARCH => {
            let opened = answer.output["opened"].as_array();
            opened.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect()
        }
        _ => Vec::new(),
    });
    names.filter(|name| seen.insert(*name)).collect()
}

/// The tool of that name, also as a provider spells it: `fs__read` for `fs/read`.
fn named<'a>(tools: &'a [ToolDefinition], name: &str) -> Option<&'a ToolDefinition> {
    let letters =
        |name: &str| name.chars().filter(|char| char.is_alphanumeric()).collect::<String>();
    let mut alike = tools.iter().filter(|tool| letters(&tool.name) == letters(name));
    let exact = tools.iter().find(|tool| tool.name == name);
    exact.or_else(|| alike.next().filter(|_| alike.next().is_none()))
}

/// The first line of what a tool says of itself.
fn line(tool: &ToolDefinition) -> String {
    excerpt(tool.description.trim().lines().next().unwrap_or_default(), SHOWN)
}
