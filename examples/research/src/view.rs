//! Displays a run while it is in progress.

use std::collections::HashMap;
use std::io::{Result, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use genkit::generate::ToolProgress;
use genkit::message::ToolResponse;
use genkit::middleware::{Middleware, on_tool};
use genkit::model::GenerateChunk;
use genkit::serde_json::Value;
use genkit::{GenerateResponse, Message, Part, Role};

/// The maximum length of displayed arguments and text, in characters.
const WIDTH: usize = 90;

/// The duration of each tool call, by its id. Middleware measures each call from start to end, even if calls run
/// concurrently.
#[derive(Clone, Default)]
pub(crate) struct Times(Arc<Mutex<HashMap<String, Duration>>>);

impl Times {
    /// Returns the middleware that measures the calls.
    pub(crate) fn measure(&self) -> impl Middleware {
        let times = self.clone();
        on_tool(move |call, next| {
            let times = times.clone();
            async move {
                let reference = call.request().id.clone().unwrap_or_default();
                let began = Instant::now();
                let outcome = next.run(call).await;
                times.lock().insert(reference, began.elapsed());
                outcome
            }
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Duration>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call_duration(&self, answer: &ToolResponse) -> Option<Duration> {
        self.lock().get(answer.id.as_deref()?).copied()
    }
}

/// The position of the cursor.
#[derive(Clone, Copy, PartialEq)]
enum At {
    LineStart,
    Text,
    /// At the end of a line that will be overwritten.
    Progress,
}

/// Displays a run line by line.
pub(crate) struct View<W> {
    pub(crate) out: W,
    /// Whether a line can be overwritten.
    terminal: bool,
    times: Times,
    at: At,
}

impl<W: Write> View<W> {
    pub(crate) fn new(out: W, terminal: bool, times: Times) -> Self {
        Self { out, terminal, times, at: At::LineStart }
    }

    /// Displays a chunk of the run.
    pub(crate) fn chunk(&mut self, chunk: &GenerateChunk) -> Result<()> {
        if let Some(told) = chunk.tool_progress() {
            self.progress(&told)?;
        }
        for part in &chunk.content {
            if let Some(text) = part.as_text() {
                self.text(text)?;
            } else if let Some(call) = part.as_tool_request().filter(|call| !call.partial) {
                self.line(&format!("call    {} {}", call.name, short(&call.input.to_string())))?;
            } else if let Some(answer) = part.as_tool_response() {
                self.answer(answer)?;
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<()> {
        if self.at != At::Text {
            self.line("answer")?;
        }
        self.at = At::Text;
        write!(self.out, "{text}")?;
        self.out.flush()
    }

    fn answer(&mut self, answer: &ToolResponse) -> Result<()> {
        let took = self
            .times
            .call_duration(answer)
            .map(|took| format!(" in {took:.1?}"))
            .unwrap_or_default();
        let what = match (&answer.output, answer.error()) {
            (_, Some(error)) => format!("failed: {}", short(error)),
            (Value::Array(items), _) => count(items.len(), "item"),
            (output, _) => count(output.to_string().len(), "byte"),
        };
        self.line(&format!("        {}: {what}{took}", answer.name))
    }

    /// Displays the progress of a tool, only if the line can be overwritten.
    fn progress(&mut self, told: &ToolProgress) -> Result<()> {
        if !self.terminal {
            return Ok(());
        }
        self.line("")?;
        let about = told.message.as_deref().unwrap_or_default();
        let (name, done, total) = (&told.name, told.progress, told.total.unwrap_or_default());
        write!(self.out, "        {name}: {done} of {total} {about}")?;
        self.at = At::Progress;
        self.out.flush()
    }

    /// Prints a separate line, which overwrites progress. An empty line only ends the current one.
    pub(crate) fn line(&mut self, line: &str) -> Result<()> {
        match std::mem::replace(&mut self.at, At::LineStart) {
            At::LineStart => {}
            At::Text => writeln!(self.out)?,
            At::Progress => write!(self.out, "\r\x1b[2K")?,
        }
        if line.is_empty() { Ok(()) } else { writeln!(self.out, "{line}") }
    }

    /// Displays the results so far if there is no answer.
    pub(crate) fn found(&mut self, response: &GenerateResponse) -> Result<()> {
        let messages = response.messages();
        let mut answers = answers(&messages);
        answers.retain(|answer| answer.error().is_none());
        if answers.is_empty() {
            return Ok(());
        }
        self.line("found so far")?;
        for answer in answers {
            self.line(&format!("        {}: {}", answer.name, short(&answer.output.to_string())))?;
        }
        Ok(())
    }

    /// Displays the usage of the run.
    pub(crate) fn usage(&mut self, response: &GenerateResponse) -> Result<()> {
        let messages = response.messages();
        let turns = messages.iter().filter(|message| message.role == Role::Model).count();
        let calls = answers(&messages).len();
        let tokens = match (response.usage.input_tokens, response.usage.output_tokens) {
            (Some(input), Some(output)) => format!("{input} tokens in, {output} out"),
            _ => "tokens unknown".to_owned(),
        };
        let (turns, calls) = (count(turns, "turn"), count(calls, "tool call"));
        self.line(&format!("({turns}, {calls}, {tokens})"))
    }
}

fn answers(messages: &[Message]) -> Vec<&ToolResponse> {
    let parts = messages.iter().flat_map(|message| &message.content);
    parts.filter_map(Part::as_tool_response).collect()
}

pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns the start of a string on one line.
fn short(text: &str) -> String {
    let text = text.replace('\n', " ");
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
