//! Selects the tool to call and its arguments.

use std::cmp::Reverse;
use std::collections::HashSet;

use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::{ModelRequest, ToolDefinition};
use genkit::serde_json::json;
use genkit::{Message, Part, Role};

use crate::fill::fill;
use crate::replies::plain;
use crate::text::Text;
use crate::tokenize::{self, GENERIC, STOP, is_in};

/// The maximum number of tool calls per message.
const MAX_CALLS: usize = 8;

/// The next tool call, if any, or a description of the missing value.
type Called = Result<Option<ToolRequest>, String>;

/// The conversation since the last user message: the prompt, and the calls and results after it.
pub(crate) struct Turn<'r> {
    pub(crate) prompt: String,
    made: Vec<&'r ToolRequest>,
    /// The results, if the last message is from the tools.
    pub(crate) results: Vec<&'r ToolResponse>,
}

impl<'r> Turn<'r> {
    pub(crate) fn of(request: &'r ModelRequest) -> Self {
        let messages = &request.messages;
        let last = messages.iter().rposition(|message| message.role == Role::User);
        let (before, since) = messages.split_at(last.map_or(0, |at| at + 1));
        // Documents and the output schema were added by the library, not by the user.
        let is_own = |part: &&Part| !part.metadata().contains_key("purpose");
        let texts = before.last().into_iter().flat_map(|message| &message.content).filter(is_own);
        let is_answered = since.last().is_some_and(|message| message.role == Role::Tool);
        let answers = since.iter().filter(|_| is_answered).flat_map(|message| &message.content);
        Self {
            prompt: texts.filter_map(Part::as_text).collect::<Vec<_>>().join("\n"),
            made: since.iter().flat_map(Message::tool_requests).collect(),
            results: answers.filter_map(Part::as_tool_response).collect(),
        }
    }

    /// Returns a call to the best matching tool or, after results, to another named tool.
    pub(crate) fn call(&self, tools: &[ToolDefinition], must: bool) -> Called {
        let text = Text::new(&self.prompt);
        let is_called = |tool: &&ToolDefinition| self.made.iter().any(|c| c.name == tool.name);
        // Words that named a called tool, or were used as an argument, are not used again.
        let names = tools.iter().filter(is_called).flat_map(|tool| tokenize::stems(&tool.name));
        let inputs = self.made.iter().filter_map(|call| call.input.as_object()).flatten();
        let spent = inputs.flat_map(|(_, value)| tokenize::stems(&plain(value))).chain(names);
        let spent: HashSet<String> = spent.collect();
        let words = text.words.iter().filter(|word| !word.is_quoted);
        // `2 + 40` names a tool that adds.
        let plus = text.source.contains('+').then_some("add");
        let mut stems: HashSet<&str> = words.map(|word| word.stem.as_str()).chain(plus).collect();
        stems.retain(|stem| !spent.contains(*stem));
        let is_first = self.results.is_empty();
        let mut ranked: Vec<_> = tools.iter().map(|tool| (score(tool, &stems), tool)).collect();
        ranked.retain(|((is_named, _), tool)| is_first || *is_named && !is_called(tool));
        ranked.sort_by_key(|((_, score), _)| Reverse(*score));
        let best = ranked.first().map_or(0, |((_, score), _)| *score);
        // If a tool call is required, any possible call is better than none.
        let least = if must || !is_first { 0 } else { best.max(1) };
        ranked.retain(|((_, score), _)| *score >= least);
        let mut outcome = Ok(None);
        for (_, tool) in ranked {
            let call = self.call_of(tool);
            if let Ok(Some(_)) = call {
                return call;
            }
            outcome = outcome.and(call);
        }
        outcome
    }

    /// Returns a call to the tool, unless the same call was made before.
    fn call_of(&self, tool: &ToolDefinition) -> Called {
        let nothing = json!({"type": "object"});
        let schema = tool.input_schema().unwrap_or(&nothing);
        let input = fill(&self.prompt, schema, &tokenize::stems(&tool.name), &[]);
        let input = input.map_err(|missing| format!("`{}` needs {missing}", tool.name))?;
        let is_made = self.made.iter().any(|call| call.name == tool.name && call.input == input);
        let may_call = !is_made && self.made.len() < MAX_CALLS;
        Ok(may_call.then(|| ToolRequest::new(&tool.name, input)))
    }
}

/// Returns whether a message contains all distinctive words of the tool's name, and a score for how well the tool
/// matches.
fn score(tool: &ToolDefinition, stems: &HashSet<&str>) -> (bool, usize) {
    let name = tokenize::stems(&tool.name);
    let is_vague = |stem: &String| is_in(GENERIC, stem) || is_in(STOP, stem);
    let has = |stem: &&String| stems.contains(stem.as_str());
    let mut telling = name.iter().filter(|stem| !is_vague(stem) || name.iter().all(is_vague));
    let is_named = telling.all(|stem| has(&stem)) && !name.is_empty();
    // Matches in the description count less than matches in the name.
    let worth = |stem: &String| if is_vague(stem) { 2 } else { 8 };
    let named = name.iter().filter(has).map(worth).sum::<usize>() + usize::from(is_named) * 6;
    let described = tokenize::stems(&tool.description);
    let counts = |stem: &&String| has(stem) && !is_vague(stem) && !name.contains(stem);
    (is_named, named + described.iter().filter(counts).count().min(7))
}
