//! The chat: every step is a line of its own while it happens.

use genkit::mcp::McpHost;
use genkit::model::{GenerateChunk, ModelRef};
use genkit::{Answer, Approval, Chat, GenerateResponse, GenerateStream, Interrupt, Part, Result};

use crate::table::{line, may_destroy};
use crate::terminal::Terminal;

const SYSTEM: &str = "You help with the user's tools. Use them where they help; the program asks the user \
                      before anything is destroyed, so do not ask yourself. Answer briefly.";

/// How much of arguments and of results is shown, in characters.
const SHOWN: usize = 100;

/// A conversation with everything that the servers offer.
pub(crate) struct Talk {
    chat: Chat,
    screen: Screen,
}

/// What is shown of it.
struct Screen {
    terminal: Terminal,
    /// Whether an answer has been begun on the line where the cursor is.
    answering: bool,
}

impl Talk {
    pub(crate) fn new(host: &McpHost, model: ModelRef, terminal: Terminal) -> Self {
        let chat = genkit::generate(())
            .system(SYSTEM)
            .model(model)
            // Live: a server that comes or changes is there in the next turn.
            .tools(host.tools())
            .resources(host.resources())
            .approval(|call| match call.tool() {
                Some(tool) if may_destroy(tool) || tool.needs_approval() => Approval::Ask(None),
                _ => Approval::Allow,
            })
            .chat();
        Self { chat, screen: Screen { terminal, answering: false } }
    }

    /// Says something, and shows what comes of it. Where nobody can be asked the answer is no.
    pub(crate) async fn say(&mut self, prompt: &str, somebody: bool) -> Result<()> {
        let mut turn = self.chat.send(prompt);
        loop {
            let response = self.screen.show(turn.stream()).await?;
            if !response.is_interrupted() {
                return Ok(());
            }
            let mut answers = Vec::new();
            for question in response.interrupts() {
                answers.push(self.screen.ask(&question, somebody).await?);
            }
            turn = self.chat.resume_with(answers);
        }
    }
}

impl Screen {
    async fn ask(&self, question: &Interrupt, somebody: bool) -> Result<Answer> {
        let call = question.tool_request();
        let asked = format!("Call {} with {}?", call.name, call.input);
        let agreed = somebody && self.terminal.agrees(asked).await?;
        Ok(match agreed {
            true => question.approve(),
            false => question.deny("the user did not agree"),
        })
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
            return self.terminal.write(&text.replace('\n', "\n          "));
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
