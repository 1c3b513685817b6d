//! The chat, which displays each step on a separate line while the run is in progress.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use genkit::mcp::McpHost;
use genkit::model::{GenerateChunk, ModelRef};
use genkit::{Approval, Chat, GenerateResponse, GenerateStream, Interrupt, Part, Result, Tool};

use crate::table::{escape_for_terminal, line};
use crate::terminal::{Consent, Terminal};

const SYSTEM: &str = "You help the user with tools. Use them if they help; the program asks the user for \
                      approval, so do not ask yourself. Answer briefly.";

/// The maximum length of displayed arguments and results, in characters.
const SHOWN: usize = 100;

/// The maximum length of one argument in an approval question, in characters.
const ARGUMENT: usize = 400;

/// The tools that the user always allows.
#[derive(Clone, Default)]
pub(crate) struct Always(Arc<Mutex<BTreeSet<String>>>);

impl Always {
    /// Returns whether the tool is allowed in its current form. A changed tool must be allowed again.
    fn has(&self, tool: &Tool) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains(&key(tool.name(), Some(tool))) || known.contains(&key(tool.name(), None))
    }

    /// Allows a tool in its current form or, with `None`, every tool with this name.
    pub(crate) fn add(&self, name: &str, tool: Option<&Tool>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key(name, tool));
    }
}

fn key(name: &str, tool: Option<&Tool>) -> String {
    let about = tool.map(|tool| (tool.description(), tool.input_schema(), tool.output_schema()));
    format!("{name} {about:?}")
}

/// A conversation with the tools and resources of all servers.
pub(crate) struct Talk {
    host: McpHost,
    chat: Chat,
    screen: Screen,
    always: Always,
}

/// The output of the conversation.
struct Screen {
    terminal: Terminal,
    /// Whether the cursor is in a line of the answer.
    answering: bool,
}

impl Talk {
    pub(crate) fn new(host: &McpHost, model: ModelRef, terminal: Terminal, always: Always) -> Self {
        let allowed = always.clone();
        let chat = genkit::generate(())
            .system(SYSTEM)
            .model(model)
            // Resolved in each turn, so new and changed servers are included.
            .tools(host.tools())
            .resources(host.resources())
            .approval(move |call| match call.tool() {
                Some(tool) if allowed.has(tool) && !tool.needs_approval() => Approval::Allow,
                _ => Approval::Ask(None),
            })
            .chat();
        let screen = Screen { terminal, answering: false };
        Self { host: host.clone(), chat, screen, always }
    }

    /// Sends a message and displays the response. If the user cannot be asked, calls are denied.
    pub(crate) async fn say(&mut self, prompt: &str, can_ask: bool) -> Result<()> {
        let mut turn = self.chat.send(prompt);
        loop {
            let response = self.screen.show(turn.stream()).await?;
            if !response.is_interrupted() {
                return Ok(());
            }
            let mut answers = Vec::new();
            for question in response.interrupts() {
                let consent = match can_ask {
                    true => self.screen.ask(&question).await?,
                    false => Consent::No,
                };
                if consent == Consent::Always {
                    let name = &question.tool_request().name;
                    let tools = self.host.tools().await?;
                    if let Some(tool) = tools.iter().find(|tool| tool.name() == name) {
                        self.always.add(name, Some(tool));
                    }
                }
                answers.push(match consent {
                    Consent::No => question.decline_with("the user did not agree"),
                    _ => question.approve(),
                });
            }
            turn = self.chat.resume_with_answers(answers);
        }
    }
}

impl Screen {
    /// Asks for approval. Each argument is on a separate line, so that a long one cannot hide another.
    async fn ask(&self, question: &Interrupt) -> Result<Consent> {
        let call = question.tool_request();
        let mut asked = format!("Call {} with", line(&call.name, ARGUMENT));
        match call.input.as_object() {
            Some(arguments) if !arguments.is_empty() => {
                for (name, value) in arguments {
                    let value = value.to_string();
                    let more = value.chars().count().saturating_sub(ARGUMENT);
                    let cut =
                        if more > 0 { format!(" (+ {more} characters)") } else { String::new() };
                    asked += &format!("\n    {}: {}{cut}", line(name, 80), line(&value, ARGUMENT));
                }
                asked += "\n ";
            }
            _ => asked += &format!(" {}", line(&call.input.to_string(), ARGUMENT)),
        }
        self.terminal.consents(format!("{asked}? (a: always)")).await
    }

    async fn show(&mut self, mut stream: GenerateStream<'_>) -> Result<GenerateResponse> {
        while let Some(chunk) = stream.next().await {
            self.chunk(&chunk?)?;
        }
        self.end_line()?;
        stream.response().await
    }

    fn chunk(&mut self, chunk: &GenerateChunk) -> Result<()> {
        if let Some(told) = chunk.tool_progress() {
            let of = told.total.map(|total| format!(" of {total}")).unwrap_or_default();
            self.step("progress", &format!("{}{of}", told.progress))?;
        }
        chunk.content.iter().try_for_each(|part| self.part(part))
    }

    fn part(&mut self, part: &Part) -> Result<()> {
        if let Some(text) = part.as_text() {
            if !std::mem::replace(&mut self.answering, true) {
                self.terminal.write("answer    ")?;
            }
            return self.terminal.write(&escape_for_terminal(text).replace('\n', "\n          "));
        }
        if let Some(call) = part.as_tool_request().filter(|call| !call.partial) {
            return self.step("call", &format!("{}({})", call.name, call.input));
        }
        if let Some(result) = part.as_tool_response() {
            return match result.error() {
                Some(error) => self.step("error", error),
                None => self.step("result", &result.output.to_string()),
            };
        }
        Ok(())
    }

    fn step(&mut self, what: &str, said: &str) -> Result<()> {
        self.end_line()?;
        self.terminal.tell(&format!("{what:<10}{}", line(said, SHOWN)))
    }

    fn end_line(&mut self) -> Result<()> {
        match std::mem::take(&mut self.answering) {
            true => self.terminal.write("\n"),
            false => Ok(()),
        }
    }
}
