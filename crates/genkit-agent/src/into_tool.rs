//! An agent as a tool: a run with a model and tools of its own, which another model or an MCP client calls.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::builder::Generate;
use genkit_core::GenerateResponse;
use genkit_core::Part;
use genkit_core::Tool;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{Answer, Interrupt};
use genkit_core::{Context, Elicited};
use genkit_core::{Error, ErrorKind, Result};

/// How long an agent may run that is a tool. Default is 10 minutes.
const AGENT_TIMEOUT: Duration = Duration::from_secs(600);

/// How often the tools of an agent may stop it with questions, in one call. Default is 32.
const MAX_ROUNDS: usize = 32;

/// What whoever calls an agent says.
#[derive(Deserialize, JsonSchema)]
struct AgentInput {
    /// What is to be done, with all that one has to know for it: nothing else of the conversation is seen.
    task: String,
}

impl Generate {
    /// Agent as a tool: each call is a run of its own, with this model, these tools and this system
    /// message, for a task in words. `about` says to a model what the agent is good for.
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
    /// The answer is the text of the run, or its value where it has an [`output`](Self::output) type. What
    /// the agent's tools ask (an approval, a form) is asked of whoever called, also later and in another
    /// process: the run goes on then where it stopped. One call may take 10 minutes. What the tool's
    /// caller gave its own run (state, extensions, middleware) the agent does not have: it has its own.
    #[track_caller]
    pub fn into_tool(self, name: impl Into<String>, about: impl Into<String>) -> Tool {
        let name = name.into();
        let schema = self.options.output.as_ref().and_then(|output| output.json_schema.as_ref());
        let schema: Option<Value> = schema.map(|schema| Value::clone(schema));
        let tool = Tool::builder(name.clone(), about.into()).timeout(AGENT_TIMEOUT);
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

    /// Runs to its end, with the questions of its tools asked of `context`.
    async fn run_task(
        mut self,
        name: &str,
        context: &Context,
        task: String,
    ) -> Result<GenerateResponse> {
        self.prompt.push(Part::text(task));
        let again = self.clone();
        // What the model and the tools did stays done while somebody is asked.
        let mut response: GenerateResponse = context.once("agent", self.run()).await?;
        for round in 1..=MAX_ROUNDS {
            if !response.is_interrupted() {
                return Ok(response);
            }
            let mut answers = Vec::new();
            for question in response.interrupts() {
                answers.push(ask(context, &question).await?);
            }
            let next = again.clone().resume_with(response, answers);
            response = context.once(&format!("agent-{round}"), next.run()).await?;
        }
        Err(E::AgentAsksOn { name: name.to_owned(), rounds: MAX_ROUNDS }.into())
    }
}

/// Asks whoever called the agent what its tool asks.
async fn ask(context: &Context, question: &Interrupt) -> Result<Answer> {
    let message = question.message().unwrap_or("Go on?").to_owned();
    if question.is_approval() {
        return Ok(match denied(context.confirm(message).await)? {
            Some(()) => question.approve(),
            None => question.deny("it was not allowed"),
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
    Ok(match denied(context.interrupt(metadata).await)? {
        Some(content) => question.restart(content),
        None => question.deny("it was not allowed"),
    })
}

/// A denial as nothing; any other error as itself.
fn denied<T>(answer: Result<T, Error>) -> Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(error),
    }
}
