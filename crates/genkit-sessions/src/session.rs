//! Sessions of an agent, as used within a program.

use std::future::IntoFuture;

use serde::de::DeserializeOwned;
use serde_json::Value;

use genkit_core::{Answer, BoxFuture, Interrupt, IntoParts, Message, Result, Role};

use crate::agent::Agent;
use crate::error::Error as E;
use crate::run::AgentRun;
use crate::types::{AgentChunk, AgentInit, AgentInput, AgentOutput, Snapshot};

/// A session: a conversation that is stored during and after each turn. An `AgentSession` is only a handle that
/// contains the id; clones refer to the same conversation.
///
/// Turns of one session run sequentially, in the order in which they were started.
#[derive(Clone, Debug)]
pub struct AgentSession {
    agent: Agent,
    init: AgentInit,
}

impl AgentSession {
    pub(crate) fn new(agent: Agent, init: AgentInit) -> Self {
        Self { agent, init }
    }

    /// Returns the id of the session.
    pub fn id(&self) -> &str {
        self.init.session_id.as_deref().unwrap_or_default()
    }

    /// Sends a message. Await the returned turn to get its output. To read its chunks first, call
    /// [`next`](SessionTurn::next).
    ///
    /// # Errors
    /// Returns the error of the turn if it failed, `FailedPrecondition` if the last turn waits for answers, and
    /// `Aborted` if an earlier turn takes too long.
    pub fn send(&self, message: impl IntoParts) -> SessionTurn {
        let message = Message::new(Role::User, message.into_parts());
        self.send_input(AgentInput::from_message(message))
    }

    /// Sends an input, which can be a message with metadata, answers as plain data, or a request for a background turn.
    ///
    /// # Errors
    /// Returns the same errors as [`send`](Self::send).
    pub fn send_input(&self, input: AgentInput) -> SessionTurn {
        SessionTurn(Ok(self.agent.run(self.init.clone(), [input])))
    }

    /// Answers the open questions of the last turn and continues it.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::model::ModelResponse;
    /// use genkit::sessions::Agent;
    /// use genkit::testing::ScriptedModel;
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
    /// let agent = Agent::builder("payer").model(model).tools(tools![pay]).build()?;
    /// let session = agent.session("bill-1");
    /// let mut output = session.send("Pay the bill.").await?;
    /// while output.is_interrupted() {
    ///     let answers: Vec<_> = output.interrupts().iter().map(|it| it.approve()).collect();
    ///     output = session.resume(answers).await?;
    /// }
    /// assert_eq!(output.text(), "It is paid.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the turn if it failed, and `InvalidArgument` if an answer does not belong to an open
    /// question.
    pub fn resume(&self, answers: impl IntoIterator<Item = Answer>) -> SessionTurn {
        let input = AgentInput::from_answers(answers);
        SessionTurn(input.map(|input| self.agent.run(self.init.clone(), [input])))
    }

    /// Runs the last turn again, if it failed or was aborted.
    ///
    /// # Errors
    /// Returns the error of the turn if it failed, and `InvalidArgument` if the last turn completed.
    pub fn retry_turn(&self) -> SessionTurn {
        self.send_input(AgentInput::default())
    }

    /// Returns the session at an earlier snapshot: the next turn starts a branch. Each turn of the returned value
    /// starts at this snapshot; to continue the branch, pass [`AgentOutput::snapshot_id`] to `branch`.
    #[must_use]
    pub fn branch(&self, snapshot_id: impl Into<String>) -> Self {
        let init = AgentInit { snapshot_id: Some(snapshot_id.into()), ..self.init.clone() };
        Self { agent: self.agent.clone(), init }
    }

    /// Returns the newest snapshot, or the snapshot of the branch. Returns `None` if the session has none.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the agent is client-managed, and any error from the store.
    pub async fn snapshot(&self) -> Result<Option<Snapshot>> {
        self.agent.load_snapshot(&self.init, "").await
    }

    /// Returns the messages of the conversation.
    ///
    /// # Errors
    /// Returns any error from the store.
    pub async fn messages(&self) -> Result<Vec<Message>> {
        Ok(self.snapshot().await?.map(|it| it.state.messages).unwrap_or_default())
    }

    /// Returns the custom state.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the state does not match the type, and any error from the store.
    pub async fn custom<T: DeserializeOwned>(&self) -> Result<T> {
        let custom: Value = match self.snapshot().await? {
            Some(snapshot) => snapshot.state.custom,
            None => self.agent.0.custom.clone(),
        };
        Ok(serde_json::from_value(custom).map_err(E::CustomState)?)
    }

    /// Returns the open questions of the last turn.
    ///
    /// # Errors
    /// Returns any error from the store.
    pub async fn interrupts(&self) -> Result<Vec<Interrupt>> {
        let messages = self.messages().await?;
        Ok(messages.last().map(Interrupt::find_all).unwrap_or_default())
    }
}

/// A turn of a session, which runs when awaited.
#[must_use = "a turn begins when it is awaited: add `.await`, or read its chunks with `next`"]
#[derive(Debug)]
pub struct SessionTurn(Result<AgentRun>);

impl SessionTurn {
    /// Returns the next chunk, or `None` after the last.
    pub async fn next(&mut self) -> Option<AgentChunk> {
        self.0.as_mut().ok()?.next().await
    }

    /// Returns the output. Unread chunks are discarded.
    ///
    /// # Errors
    /// Returns the error of the turn if it failed.
    pub async fn output(self) -> Result<AgentOutput> {
        self.0?.output().await?.into_result()
    }
}

impl IntoFuture for SessionTurn {
    type Output = Result<AgentOutput>;
    type IntoFuture = BoxFuture<'static, Result<AgentOutput>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.output())
    }
}
