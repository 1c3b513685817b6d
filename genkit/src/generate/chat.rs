//! Chat: a conversation that keeps its history.

use super::builder::Generate;
use super::data::GenerateResponse;
use super::data::IntoParts;
use super::error::Error as E;
use super::interrupt::Answer;
use crate::error::Result;
use crate::message::{Message, Role};

/// A chat: each turn knows the ones before it.
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
/// The history is plain data: store [`messages`](Self::messages), and go on with
/// [`Generate::messages`].
#[derive(Clone, Debug)]
pub struct Chat {
    /// What every turn asks with; its messages are the history.
    template: Generate,
    interrupted: bool,
}

impl Chat {
    /// Sends a prompt, and keeps the answer in the history.
    ///
    /// # Errors
    /// As [`Generate`]; the history stays as it was before, and the error owns what was done.
    /// [`FailedPrecondition`](crate::ErrorKind::FailedPrecondition) while the last turn
    /// waits for [`resume`](Self::resume).
    pub async fn send(&mut self, prompt: impl IntoParts) -> Result<GenerateResponse> {
        let turn = self.turn(prompt)?;
        let response = turn.await?;
        self.keep(&response);
        Ok(response)
    }

    /// The same turn, not begun: to [stream](Generate::stream) it. Give its response to
    /// [`keep`](Self::keep).
    ///
    /// # Errors
    /// [`FailedPrecondition`](crate::ErrorKind::FailedPrecondition) while the last turn
    /// waits for [`resume`](Self::resume).
    pub fn turn(&self, prompt: impl IntoParts) -> Result<Generate> {
        if self.interrupted {
            return Err(E::WaitsForAnswers.into());
        }
        Ok(self.template.clone().prompt(prompt))
    }

    /// Answers the questions of an interrupted turn.
    ///
    /// # Errors
    /// As [`Generate`].
    pub async fn resume(
        &mut self,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Result<GenerateResponse> {
        let response = self.resuming(answers).await?;
        self.keep(&response);
        Ok(response)
    }

    /// The same, not begun: to [stream](Generate::stream) it. Give its response to
    /// [`keep`](Self::keep).
    pub fn resuming(&self, answers: impl IntoIterator<Item = Answer>) -> Generate {
        self.template.clone().resume(answers)
    }

    /// Makes a response the end of the history.
    pub fn keep(&mut self, response: &GenerateResponse) {
        self.interrupted = response.is_interrupted();
        self.template.system.clear(); // it stands in the history from now on
        self.template.options.messages = response.messages();
    }

    /// The conversation so far.
    pub fn messages(&self) -> &[Message] {
        &self.template.options.messages
    }
}

impl Generate {
    /// Makes a conversation of it: each turn is asked with these settings.
    pub fn chat(mut self) -> Chat {
        let prompt = std::mem::take(&mut self.prompt);
        if !prompt.is_empty() {
            // The prompt to begin with is the beginning of the history.
            self.options.messages.push(Message::new(Role::User, prompt));
        }
        Chat { template: self, interrupted: false }
    }
}
