//! Agents as tools: a run with its own model and tools, which another model or an MCP client calls.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::builder::Generate;
use super::run::CallBudget;
use genkit_core::GenerateResponse;
use genkit_core::Part;
use genkit_core::Tool;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{Answer, Interrupt};
use genkit_core::{Context, Elicited};
use genkit_core::{Error, ErrorKind, Result};

/// The timeout of a call to an agent. Default is 10 minutes.
const AGENT_TIMEOUT: Duration = Duration::from_secs(600);

/// The maximum number of times that an agent may stop to ask questions in one call. Default is 32.
const MAX_ROUNDS: usize = 32;

/// The arguments of an agent.
#[derive(Deserialize, JsonSchema)]
struct AgentInput {
    /// The task, with all information needed to do it. The agent does not see the rest of the conversation.
    task: String,
}

impl Generate {
    /// Converts the agent into a tool: each call is an independent run with this model, these tools and this system
    /// message. The argument is a task as text. `about` describes the purpose of the agent to a calling model.
    ///
    /// ```
    /// # use genkit::{message::ToolRequest, model::ModelResponse, testing::ScriptedModel};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// # let small = ScriptedModel::text("Oslo has 700,000 people.");
    /// # let call = ToolRequest::new("researcher", serde_json::json!({"task": "How large is Oslo?"}));
    /// # let large = ScriptedModel::new([
    /// #     ModelResponse::from_tool_requests([call]), ModelResponse::from_text("Quite large."),
    /// # ]);
    /// let researcher = genkit::generate(())
    ///     .model(small)
    ///     .system("Answer from the archive, and name the source.")
    ///     .into_tool("researcher", "Looks facts up. Give it one question at a time.");
    ///
    /// let answer = genkit::generate("Is Oslo large?").model(large).tools([researcher]).await?;
    /// assert_eq!(answer.text(), "Quite large.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The result is the text of the run, or its value if it has an [`output`](Self::output) type. Questions of the
    /// agent's tools (an approval, a form) are passed on to the caller of the tool. They can be answered later, in
    /// another process; the run then resumes where it stopped. The timeout of a call is 10 minutes. The agent uses its
    /// own state, extensions and middleware, not those of the calling run. In a durable run, the steps of the agent are
    /// saved like the steps of the calling run.
    #[track_caller]
    pub fn into_tool(self, name: impl Into<String>, about: impl Into<String>) -> Tool {
        let name = name.into();
        let schema = self.options.output.as_ref().and_then(|output| output.json_schema.as_ref());
        let schema: Option<Value> = schema.map(|schema| Value::clone(schema));
        let tool = Tool::builder(name.clone(), about.into()).timeout(AGENT_TIMEOUT).is_agent();
        let run = move |context: Context, input: AgentInput| {
            let (run, name) = (self.clone(), name.clone());
            async move { run.run_task(&name, &context, input.task).await }
        };
        match schema {
            Some(schema) => tool.output_schema(schema).handler(move |context, input| {
                let running = run(context, input);
                async move { Ok(running.await?.output_value()?) }
            }),
            None => tool.handler(move |context, input| {
                let running = run(context, input);
                async move { Ok(running.await?.text()) }
            }),
        }
    }

    /// Runs the agent to its end. Questions of its tools are asked through `context`.
    async fn run_task(
        mut self,
        name: &str,
        context: &Context,
        task: String,
    ) -> Result<GenerateResponse> {
        self.prompt.push(Part::text(task));
        self.settings.outer_budget = CallBudget::from_caller(context);
        let again = self.clone();
        let mut response = self.run_recorded(context, "agent").await?;
        for round in 1..=MAX_ROUNDS {
            if !response.is_interrupted() {
                return Ok(response);
            }
            let mut answers = Vec::new();
            for question in response.interrupts() {
                answers.push(ask_caller(context, &question).await?);
            }
            let next = again.clone().resume_with_answers(response, answers);
            response = next.run_recorded(context, &format!("agent-{round}")).await?;
        }
        Err(E::AgentAsksOn { name: name.to_owned(), rounds: MAX_ROUNDS }.into())
    }
}

impl Generate {
    /// Runs the agent. Work done before a question is not repeated, and in a durable run, saved steps are not repeated
    /// either.
    async fn run_recorded(mut self, context: &Context, key: &str) -> Result<GenerateResponse> {
        if !context.is_durable() || context.recorded_result(key).is_some() {
            return context.once(key, self.run()).await;
        }
        self.settings.durable_key = Some(key.to_owned());
        self.run().await
    }
}

/// Forwards a question of a tool to the caller of the agent.
pub async fn ask_caller(context: &Context, question: &Interrupt) -> Result<Answer> {
    let message = question.message().unwrap_or("Go on?").to_owned();
    if question.is_approval() {
        return Ok(match into_denial(context.confirm(message).await)? {
            Some(()) => question.approve(),
            None => question.decline_with("it was not allowed"),
        });
    }
    if let Some(schema) = question.schema() {
        return Ok(match context.elicit_form(message, schema.clone()).await? {
            Elicited::Accepted(content) => question.accept(content),
            Elicited::Declined => question.decline(),
            Elicited::Cancelled => question.cancel(),
        });
    }
    let metadata = question.metadata().cloned().unwrap_or_default();
    Ok(match into_denial(context.interrupt(metadata).await)? {
        Some(content) => question.restart(content),
        None => question.decline_with("it was not allowed"),
    })
}

/// Converts a denial into `None`, and returns all other errors.
fn into_denial<T>(answer: Result<T, Error>) -> Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(error),
    }
}
