//! Chat: a conversation that keeps its history.

use std::future::IntoFuture;

use super::builder::Generate;
use super::stream::GenerateStream;
use crate::output_checks::OutputChecks;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{Answer, Interrupt};
use genkit_core::{GenerateResponse, IntoParts};
use genkit_core::{IntoMessages, IntoTools, ToolRef};
use genkit_core::{Message, Role};
use genkit_model::ChunkSink;
use genkit_schema::Schema;

/// A chat: a conversation in which each turn includes the history of all earlier turns.
///
/// ```
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::texts(["Hello, Ada!", "You are Ada."]);
/// let mut chat = genkit::generate(()).system("Be brief.").model(model).chat();
/// chat.send("I am Ada.").await?;
/// let response = chat.send("Who am I?").await?;
/// assert_eq!(response.text(), "You are Ada.");
/// assert_eq!(chat.messages().len(), 5); // with the system message
/// # Ok(())
/// # }
/// ```
///
/// [`stream`](Self::stream) returns the chunks of a turn. The history is plain data: store
/// [`messages`](Self::messages), and continue with [`Generate::messages`].
#[derive(Clone, Debug)]
pub struct Chat {
    /// The settings of every turn. Its messages are the history.
    template: Generate,
    interrupted: bool,
    /// The additional tools of an interrupted turn, kept until the turn is resumed.
    turn_tools: Vec<ToolRef>,
}

impl Chat {
    /// Sends a prompt. Awaiting the returned turn runs it and returns the response, which is added to the history.
    ///
    /// # Errors
    /// Returns the errors of [`Generate`]. On error the history is unchanged, and the error holds the partial response.
    /// Returns [`FailedPrecondition`](genkit_core::ErrorKind::FailedPrecondition) if the last turn waits for
    /// [`resume`](Self::resume).
    pub fn send(&mut self, prompt: impl IntoParts) -> ChatTurn<'_> {
        let turn = match self.interrupted {
            true => Err(E::WaitsForAnswers),
            false => Ok(self.template.clone().prompt(prompt)),
        };
        ChatTurn { chat: self, turn, tools: Vec::new() }
    }

    /// Sends a prompt and returns a stream of the response's chunks. The response is added to the history at the end of
    /// the stream; if the stream is dropped before its end, the history is unchanged.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let mut chat = genkit::generate(()).model(ScriptedModel::streaming(["Hello, ", "Ada!"])).chat();
    /// let mut stream = chat.stream("I am Ada.");
    /// while let Some(chunk) = stream.next().await {
    ///     print!("{}", chunk?.text());
    /// }
    /// assert_eq!(stream.response().await?.text(), "Hello, Ada!");
    /// assert_eq!(chat.messages().len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The stream returns the errors of [`send`](Self::send), as its last item.
    pub fn stream(&mut self, prompt: impl IntoParts) -> GenerateStream<'_> {
        self.send(prompt).stream()
    }

    /// Resumes an interrupted turn. `answer` is called for each of its questions. Awaiting the returned turn returns
    /// the response; [`stream`](ChatTurn::stream) returns the chunks first.
    ///
    /// ```
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::message::ToolRequest;
    /// use genkit::{tool, tools};
    ///
    /// /// Pays.
    /// #[tool(needs_approval)]
    /// async fn pay() -> String { "paid".into() }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::new([
    ///     ModelResponse::from_tool_requests([ToolRequest::new("pay", ())]),
    ///     ModelResponse::from_text("It is paid."),
    /// ]);
    /// let mut chat = genkit::generate(()).model(model).tools(tools![pay]).chat();
    /// let mut response = chat.send("Pay the bill.").await?;
    /// while response.is_interrupted() {
    ///     response = chat.resume(|question| question.approve()).await?;
    /// }
    /// assert_eq!(response.text(), "It is paid.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Generate`].
    pub fn resume(&mut self, answer: impl FnMut(&Interrupt) -> Answer) -> ChatTurn<'_> {
        let questions = self.messages().last().map(Interrupt::find_all).unwrap_or_default();
        let answers: Vec<Answer> = questions.iter().map(answer).collect();
        self.resume_with_answers(answers)
    }

    /// Resumes an interrupted turn with a list of answers. Otherwise the same as [`resume`](Self::resume).
    ///
    /// # Errors
    /// Returns the errors of [`Generate`].
    pub fn resume_with_answers(
        &mut self,
        answers: impl IntoIterator<Item = Answer>,
    ) -> ChatTurn<'_> {
        let messages = self.template.options.messages.clone();
        let turn = Ok(self.template.clone().resume_at(messages, answers));
        let tools = self.turn_tools.clone();
        ChatTurn { chat: self, turn, tools }
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `resume_with_answers`")]
    pub fn resume_with(&mut self, answers: impl IntoIterator<Item = Answer>) -> ChatTurn<'_> {
        self.resume_with_answers(answers)
    }

    /// Replaces the history with the messages of a response, for example of a stored response or of another run.
    pub fn replace_history(&mut self, response: &GenerateResponse) {
        self.interrupted = response.is_interrupted();
        self.turn_tools.clear();
        self.template.system.clear(); // the history contains it from now on
        self.template.options.messages = response.messages();
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `replace_history`")]
    pub fn keep(&mut self, response: &GenerateResponse) {
        self.replace_history(response);
    }

    /// Returns the history: the conversation so far.
    pub fn messages(&self) -> &[Message] {
        &self.template.options.messages
    }
}

#[diagnostic::do_not_recommend]
impl IntoMessages for &Chat {
    fn into_messages(self) -> Vec<Message> {
        self.messages().to_vec()
    }
}

/// A turn of a [`Chat`], which runs when awaited. Awaiting it returns the response; [`stream`](Self::stream) returns
/// the chunks first. The response is added to the history. A turn that fails or is dropped before its end leaves the
/// history unchanged.
#[must_use = "a turn begins when it is awaited: add `.await`, or `.stream()`"]
#[derive(Debug)]
pub struct ChatTurn<'a> {
    chat: &'a mut Chat,
    turn: Result<Generate, E>,
    /// The tools of this turn, in addition to the tools of the chat.
    tools: Vec<ToolRef>,
}

impl<'a> ChatTurn<'a> {
    /// Adds tools that the model may call in this turn, in addition to the tools of the chat. Later turns do not
    /// include them.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{tool, tools};
    ///
    /// /// Rolls a die.
    /// #[tool]
    /// async fn roll() -> u8 { 4 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::texts(["You rolled a 4.", "You are welcome."]);
    /// let mut chat = genkit::generate(()).model(model.clone()).chat();
    /// chat.send("Roll a die.").tools(tools![roll]).await?;
    /// chat.send("Thanks!").await?;
    /// let tools: Vec<usize> = model.requests().iter().map(|request| request.tools.len()).collect();
    /// assert_eq!(tools, [1, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn tools(mut self, tools: impl IntoTools) -> Self {
        self.tools.extend(tools.into_tools());
        self
    }

    /// Runs the turn and returns a stream of its chunks.
    pub fn stream(self) -> GenerateStream<'a> {
        let format = self.turn.as_ref().ok().and_then(Generate::output_format);
        GenerateStream::new(format, |chunks| self.start_run(chunks))
    }

    /// Returns the output checks of the conversation.
    pub(super) fn output_checks(&self) -> OutputChecks {
        self.turn.as_ref().map(|turn| turn.settings.output.clone()).unwrap_or_default()
    }

    fn start_run(self, chunks: ChunkSink) -> BoxFuture<'a, Result<GenerateResponse>> {
        self.start_extracting(None, chunks)
    }

    /// Runs the turn with its own schema and output checks.
    pub(super) fn start_extracting(
        self,
        extract: Option<(Schema, OutputChecks)>,
        chunks: ChunkSink,
    ) -> BoxFuture<'a, Result<GenerateResponse>> {
        Box::pin(async move {
            let turn = self.turn?;
            let had_prompt = turn.source.is_some();
            let mut turn = turn.render_prompt().await?;
            let settings = had_prompt.then(|| turn.clone());
            turn.tools.extend(self.tools.iter().cloned());
            if let Some((schema, checks)) = extract {
                let output = turn.options.output.get_or_insert_default();
                (output.format, output.content_type) = (None, None);
                output.json_schema = Some(schema);
                turn.settings.output = checks;
                turn.settings.fail_on_max_turns = true;
            }
            let response = turn.begin_run(chunks).await?;
            if let Some(settings) = settings {
                // From now on, the history starts with the rendered prompt.
                self.chat.template = Generate { prompt: Vec::new(), ..settings };
            }
            self.chat.replace_history(&response);
            if response.is_interrupted() {
                self.chat.turn_tools = self.tools;
            }
            Ok(response)
        })
    }
}

genkit_core::becomes_a_future!(ChatTurn<'a>, Result<GenerateResponse>, 'a);

impl<'a> IntoFuture for ChatTurn<'a> {
    type Output = Result<GenerateResponse>;
    type IntoFuture = BoxFuture<'a, Result<GenerateResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        self.start_run(ChunkSink::none())
    }
}

impl Generate {
    /// Creates a chat: a conversation whose turns all use these settings. If the history ends with open questions,
    /// answer them with [`Chat::resume`].
    pub fn chat(mut self) -> Chat {
        let prompt = std::mem::take(&mut self.prompt);
        let asks = |last: &Message| prompt.is_empty() && !Interrupt::find_all(last).is_empty();
        let interrupted = self.options.messages.last().is_some_and(asks);
        if !prompt.is_empty() {
            // The initial prompt becomes the last message of the history.
            self.options.messages.push(Message::new(Role::User, prompt));
        }
        Chat { template: self, interrupted, turn_tools: Vec::new() }
    }
}
