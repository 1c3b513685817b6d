//! Which tool is called, and with what.

use std::cmp::Reverse;
use std::collections::HashSet;

use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::{ModelRequest, ToolDefinition};
use genkit::serde_json::json;
use genkit::{Message, Part, Role};

use crate::fill::fill;
use crate::tell::plain;
use crate::text::Text;
use crate::words::{self, GENERIC, STOP, is_in};

/// How many calls are made for one message.
const MAX_CALLS: usize = 8;

/// A call, if there is one to make, or what the message lacks for it.
type Called = Result<Option<ToolRequest>, String>;

/// The conversation from the user's last message on: the request, and what came of it.
pub(crate) struct Turn<'r> {
    pub(crate) prompt: String,
    made: Vec<&'r ToolRequest>,
    /// The results, where the tools answered last.
    pub(crate) results: Vec<&'r ToolResponse>,
}

impl<'r> Turn<'r> {
    pub(crate) fn of(request: &'r ModelRequest) -> Self {
        let messages = &request.messages;
        let last = messages.iter().rposition(|message| message.role == Role::User);
        let (before, since) = messages.split_at(last.map_or(0, |at| at + 1));
        // Documents and the schema of the output are the library's words, not the user's.
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

    /// The call of the tool that fits best; where tools have answered, of another that is named too.
    pub(crate) fn call(&self, tools: &[ToolDefinition], must: bool) -> Called {
        let text = Text::new(&self.prompt);
        let is_called = |tool: &&ToolDefinition| self.made.iter().any(|c| c.name == tool.name);
        // A word that stood for a tool that was called, or went into a call, stands for no other.
        let names = tools.iter().filter(is_called).flat_map(|tool| words::stems(&tool.name));
        let inputs = self.made.iter().filter_map(|call| call.input.as_object()).flatten();
        let spent = inputs.flat_map(|(_, value)| words::stems(&plain(value))).chain(names);
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
        // Where one must be called, any that can be is better than none.
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

    /// The call of a tool, if it was not made before.
    fn call_of(&self, tool: &ToolDefinition) -> Called {
        let nothing = json!({"type": "object"});
        let schema = tool.input_schema().unwrap_or(&nothing);
        let input = fill(&self.prompt, schema, &words::stems(&tool.name), &[]);
        let input = input.map_err(|missing| format!("`{}` needs {missing}", tool.name))?;
        let is_made = self.made.iter().any(|call| call.name == tool.name && call.input == input);
        let may_call = !is_made && self.made.len() < MAX_CALLS;
        Ok(may_call.then(|| ToolRequest::new(&tool.name, input)))
    }
}

/// Whether a message has all words of a tool's name that tell it from others, and how much the tool
/// has to do with it.
fn score(tool: &ToolDefinition, stems: &HashSet<&str>) -> (bool, usize) {
    let name = words::stems(&tool.name);
    let is_vague = |stem: &String| is_in(GENERIC, stem) || is_in(STOP, stem);
    let has = |stem: &&String| stems.contains(stem.as_str());
    let mut telling = name.iter().filter(|stem| !is_vague(stem) || name.iter().all(is_vague));
    let is_named = telling.all(|stem| has(&stem)) && !name.is_empty();
    // However much its description tells of it, that is less than its name.
    let worth = |stem: &String| if is_vague(stem) { 2 } else { 8 };
    let named = name.iter().filter(has).map(worth).sum::<usize>() + usize::from(is_named) * 6;
    let described = words::stems(&tool.description);
    let counts = |stem: &&String| has(stem) && !is_vague(stem) && !name.contains(stem);
    (is_named, named + described.iter().filter(counts).count().min(7))
}
