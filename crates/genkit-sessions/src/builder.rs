//! The builder of an agent.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use genkit_agent::middleware::Middleware;
use genkit_agent::{Generate, Instance};
use genkit_core::{HandlerError, IntoParts, IntoTools, Message, Result, RunStore};
use genkit_model::IntoModel;

use crate::agent::{Agent, AgentParts, Handler, Kind};
use crate::custom_state::StateType;
use crate::error::Error as E;
use crate::hand_over::Team;
use crate::store::{LEASE, Sessions};
use crate::turn::AgentTurn;

/// The time limit of a turn. Default is 10 minutes.
const TURN_TIMEOUT: Duration = Duration::from_secs(600);

/// The minimum lease of a session. Default is 100 milliseconds.
const MIN_LEASE: Duration = Duration::from_millis(100);

/// The maximum time that a turn waits for earlier turns of the same session. Default is 60 seconds.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(60);

/// A builder of an [`Agent`].
#[must_use = "a builder does nothing until `.build()`"]
pub struct AgentBuilder {
    name: String,
    description: String,
    generate: Option<Box<Generate>>,
    handler: Option<Handler>,
    store: Option<Arc<dyn RunStore>>,
    is_client_managed: bool,
    custom: Result<Value, serde_json::Error>,
    state_type: Option<Result<StateType, String>>,
    hand_overs: Vec<Agent>,
    background: Vec<Agent>,
    searches_conversations: bool,
    timeout: Duration,
    queue_timeout: Duration,
    lease: Duration,
}

impl AgentBuilder {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            description: String::new(),
            generate: None,
            handler: None,
            store: None,
            is_client_managed: false,
            custom: Ok(Value::Null),
            state_type: None,
            hand_overs: Vec::new(),
            background: Vec::new(),
            searches_conversations: false,
            timeout: TURN_TIMEOUT,
            queue_timeout: QUEUE_TIMEOUT,
            lease: LEASE,
        }
    }

    /// Sets the description of the agent, for other agents and the Developer UI. Default is empty.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Sets the instructions: the system message of every turn, which is not part of the history.
    pub fn instructions(self, text: impl IntoParts) -> Self {
        self.with_generate(|run| run.system(text))
    }

    /// Sets the model. Default is the default model of the instance.
    pub fn model(self, model: impl IntoModel) -> Self {
        self.with_generate(|run| run.model(model))
    }

    /// Adds tools.
    pub fn tools(self, tools: impl IntoTools) -> Self {
        self.with_generate(|run| run.tools(tools))
    }

    /// Adds model settings, such as `{"temperature": 0.2}`.
    pub fn config(self, config: impl Serialize) -> Self {
        self.with_generate(|run| run.config(config))
    }

    /// Sets the maximum number of rounds of tool calls in a turn. Default is the default of [`Generate`].
    pub fn max_turns(self, rounds: usize) -> Self {
        self.with_generate(|run| run.max_turns(rounds))
    }

    /// Adds middleware. For example, [`compact`](genkit_agent::middleware::compact) shortens the requests of long
    /// conversations while the stored history stays complete.
    pub fn middleware(self, middleware: impl Middleware) -> Self {
        self.with_generate(|run| run.middleware(middleware))
    }

    /// Sets whether the model has the tool `search_conversations {query}`, which searches past conversations with the
    /// same user. Default is `false`.
    ///
    /// If the context providers of a server identify the caller, the tool searches the other sessions of that caller.
    /// In a turn that the program itself starts with [`Agent::session`] or [`Agent::run`], it searches the sessions
    /// whose ids have the same prefix before the last `/`, such as `ada/monday` and `ada/tuesday`; do not let a client
    /// choose that prefix. In a turn of a client that no context provider identifies, the model does not have the tool,
    /// because such a client could choose the prefix of another user. A search reads up to 500 sessions.
    pub fn search_conversations(mut self, yes: bool) -> Self {
        self.searches_conversations = yes;
        self
    }

    /// Replaces all model settings with those of `run`, for settings without a method in this builder, such as an
    /// approval policy or usage limits. The prompt and messages of `run` must be empty.
    pub fn generate(mut self, run: Generate) -> Self {
        self.generate = Some(Box::new(run));
        self
    }

    /// Sets a function that runs each turn instead of the agent loop. It returns the message of the agent, which is
    /// added to the history.
    ///
    /// ```
    /// use genkit::Message;
    /// use genkit::sessions::{Agent, AgentTurn};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let counter = Agent::builder("counter")
    ///     .custom(0)
    ///     .handler(|turn: AgentTurn| async move {
    ///         let count: u32 = turn.custom()?;
    ///         turn.set_custom(count + 1).await?;
    ///         Ok(Message::model("counted"))
    ///     })
    ///     .build()?;
    /// let session = counter.session("a");
    /// session.send("one").await?;
    /// session.send("two").await?;
    /// assert_eq!(session.custom::<u32>().await?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn handler<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(AgentTurn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::result::Result<Message, HandlerError>> + Send + 'static,
    {
        self.handler = Some(Arc::new(move |turn| {
            let running = handler(turn);
            Box::pin(async move { running.await.map_err(HandlerError::into_error) })
        }));
        self
    }

    /// Lets the model hand the conversation over to these agents, with the tools `transfer_to_NAME`. The other agent
    /// receives the whole conversation and responds from then on, starting with this turn. It can hand the conversation
    /// over to its own targets, and back. [`AgentState::agent`](crate::AgentState::agent) is the name of the agent that
    /// currently responds.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::model::ModelResponse;
    /// use genkit::sessions::Agent;
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let transfer = ToolRequest::new("transfer_to_billing", serde_json::json!({}));
    /// let billing = Agent::builder("billing")
    ///     .description("Handles refunds.")
    ///     .model(ScriptedModel::texts(["Which order?", "It is refunded."]))
    ///     .build()?;
    /// let support = Agent::builder("support")
    ///     .model(ScriptedModel::new([ModelResponse::from_tool_requests([transfer])]))
    ///     .hand_over_to([billing])
    ///     .build()?;
    /// let session = support.session("customer-42");
    /// assert_eq!(session.send("I want a refund.").await?.text(), "Which order?");
    /// assert_eq!(session.send("Order 7.").await?.text(), "It is refunded.");
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "handoff")]
    pub fn hand_over_to(mut self, agents: impl IntoIterator<Item = Agent>) -> Self {
        self.hand_overs.extend(agents);
        self
    }

    /// Lets the model delegate tasks to these agents. They work in the background and can continue after the turn.
    ///
    /// | tool | result |
    /// |---|---|
    /// | `delegate_to_NAME {task}` | `{taskId, status: "pending"}`, immediately |
    /// | `check_background_tasks {taskIds}` | the status of each task, and its response |
    /// | `wait_for_background_tasks {taskIds, timeoutSeconds?, waitFor?}` | the same, after all tasks or the `first` have ended |
    /// | `abort_background_tasks {taskIds}` | the same, after the tasks were stopped |
    /// | `continue_task {taskId, instructions?}` | the agent continues the task, with its earlier conversation |
    ///
    /// A task is a session of the other agent, in the store of that agent. While the model waits for a task, the
    /// questions of the task become questions of this session. A task has its own usage limit.
    pub fn background_agents(mut self, agents: impl IntoIterator<Item = Agent>) -> Self {
        self.background.extend(agents);
        self
    }

    /// Sets the custom state of a new session. Default is null. [`state`](Self::state) also sets its type.
    pub fn custom(mut self, custom: impl Serialize) -> Self {
        self.custom = serde_json::to_value(custom);
        self
    }

    /// Sets the custom state of a new session, and its type. The schema of the type is shown to clients and in the
    /// Developer UI. A state that a client sends or that is passed to [`set_custom`](AgentTurn::set_custom) is checked
    /// against that schema. `initial` is used if a client sends no custom state.
    ///
    /// ```
    /// use genkit::sessions::{Agent, AgentTurn};
    /// use genkit::{ErrorKind, Message};
    /// use schemars::JsonSchema;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize, JsonSchema)]
    /// struct Cart {
    ///     items: Vec<String>,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let shop = Agent::builder("shop")
    ///     .state(Cart { items: Vec::new() })
    ///     .handler(|turn: AgentTurn| async move {
    ///         let wrong = turn.set_custom("a text").await.unwrap_err();
    ///         assert_eq!(wrong.kind(), ErrorKind::InvalidArgument);
    ///         let mut cart: Cart = turn.custom()?;
    ///         cart.items.push("bread".to_owned());
    ///         turn.set_custom(cart).await?;
    ///         Ok(Message::model("It is in your cart."))
    ///     })
    ///     .build()?;
    /// let session = shop.session("ada");
    /// session.send("Bread, please.").await?;
    /// assert_eq!(session.custom::<Cart>().await?.items, ["bread"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<T: Serialize + JsonSchema>(mut self, initial: T) -> Self {
        self.state_type = Some(StateType::of::<T>());
        self.custom(initial)
    }

    /// Sets the store of the sessions: the folder store, SQLite, Postgres or a custom store. Default is an in-memory
    /// store for up to 100,000 sessions and 64 MiB in total. Its sessions are lost when the process ends.
    pub fn store(mut self, store: impl RunStore) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Sets whether clients keep the state: the agent then stores no sessions, and clients receive the state and send
    /// it back. Default is `false`.
    ///
    /// A [server](crate::serve_agents) seals the state that it returns, and continues a conversation from the content
    /// of the seal: changes that a client makes to the state have no effect. Without a seal, only a state without
    /// messages is accepted, which starts a new conversation. A client can send an earlier state again. A program that
    /// runs the agent itself does not need a seal.
    pub fn client_managed(mut self, yes: bool) -> Self {
        self.is_client_managed = yes;
        self
    }

    /// Sets the time limit of a turn. A turn that takes longer fails with `DeadlineExceeded`. Default is 10 minutes.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Sets how long a turn waits for earlier turns of the same session. A turn that would wait longer fails with
    /// `Aborted`. Default is 60 seconds.
    pub fn queue_timeout(mut self, limit: Duration) -> Self {
        self.queue_timeout = limit;
        self
    }

    /// Sets the session lease. If a process stops unexpectedly, another process continues its turn once the lease
    /// expires. Default is 30 seconds.
    pub fn lease(mut self, time: Duration) -> Self {
        self.lease = time.max(MIN_LEASE);
        self
    }

    fn with_generate(mut self, change: impl FnOnce(Generate) -> Generate) -> Self {
        let run = self
            .generate
            .take()
            .map_or_else(|| Instance::running().unwrap_or_default().generate(()), |run| *run);
        self.generate = Some(Box::new(change(run)));
        self
    }

    /// Builds the agent.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the name is not valid, if the agent has both a handler and model settings, if two
    /// agents that it can call have the same name, or if the initial state does not match the schema of its type.
    /// Returns `FailedPrecondition` if the initial state cannot be serialized.
    pub fn build(self) -> Result<Agent> {
        let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !(1..=64).contains(&self.name.len()) || !self.name.chars().all(is_valid) {
            return Err(E::Name(self.name).into());
        }
        let kind = match (self.handler, self.generate) {
            (Some(_), Some(_)) => return Err(E::HandlerAndModel(self.name).into()),
            (Some(handler), None) => Kind::Handler(handler),
            (None, Some(run)) => Kind::Model(run),
            (None, None) => {
                Kind::Model(Box::new(Instance::running().unwrap_or_default().generate(())))
            }
        };
        let custom = self.custom.map_err(E::CustomState)?;
        let state_type = self.state_type.transpose();
        let state_type =
            state_type.map_err(|why| E::StateType { agent: self.name.clone(), why })?;
        if let Some(of) = &state_type {
            of.check(&self.name, &custom)?;
        }
        Team::check(&self.name, &self.hand_overs)?;
        Team::check_background(&self.background)?;
        let sessions = (!self.is_client_managed)
            .then(|| Arc::new(Sessions::new(self.store, self.name.clone(), self.lease)));
        Ok(Agent(Arc::new(AgentParts {
            name: self.name,
            description: self.description,
            kind,
            sessions,
            custom,
            state_type,
            hand_overs: self.hand_overs,
            background: self.background,
            searches_conversations: self.searches_conversations,
            timeout: self.timeout,
            queue_timeout: self.queue_timeout,
        })))
    }
}

impl std::fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
