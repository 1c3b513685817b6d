//! Runs a single tool call, or all tool calls of a response, in the same way as the agent loop.

use genkit_core::internal::context::ContextParts;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::interrupt::{Suspended, resume};
use genkit_core::internal::generate::{
    InvocationParts, LinkedRunner, Resumption, ToolInvocation, ToolOutcome, ToolRunner,
};
use genkit_core::internal::registry::verify_tool;
use genkit_core::{
    BoxFuture, GenerateOptions, GenerateResponse, Message, ModelRequest, Part, Result, Resume,
    Tool, ToolRequest,
};

use super::prepare::prepare_tools;
use super::run::call_inside;
use crate::instance::Instance;
use genkit_core::ToolRef;

struct Runner;

inventory::submit! { LinkedRunner(&Runner) }

impl ToolRunner for Runner {
    fn call_tool(&self, call: ToolInvocation) -> BoxFuture<'static, Result<ToolOutcome>> {
        Box::pin(call_tool(call.into_parts()))
    }

    fn run_tools(
        &self,
        tools: Vec<ToolRef>,
        response: GenerateResponse,
    ) -> BoxFuture<'static, Result<GenerateResponse>> {
        let run = Instance::default().generate(()).tools(tools);
        Box::pin(async move { run.run_tools(&response).await })
    }
}

impl Instance {
    #[doc(hidden)]
    pub fn call_tool(&self, request: &ToolRequest) -> ToolInvocation {
        ToolInvocation::new(None, request.clone(), Some(std::sync::Arc::new(self.clone())))
    }
}

async fn call_tool(call: InvocationParts) -> Result<ToolOutcome> {
    let InvocationParts { tool, request, instance, states, values, timeout, context, resumed } =
        call;
    let instance = instance.and_then(|instance| instance.downcast::<Instance>().ok());
    let instance = instance.map(|instance| (*instance).clone()).unwrap_or_default();
    let mut run = instance.generate_with(GenerateOptions::default());
    run.genkit.states = run.genkit.states.with(&states);
    run.settings.values = run.settings.values.with(&values);
    if let Some(limit) = timeout {
        run = run.tool_timeout(limit);
    }
    let tool = tool.or_else(|| run.genkit.registry.tool(&request.name));
    if let Some(tool) = &tool
        && !is_named(tool, &request.name)
    {
        let (called, tool) = (request.name, tool.name().to_owned());
        return Err(E::OtherTool { called, tool }.into());
    }
    if let (Some(context), Some(tool)) = (&context, &tool) {
        let (states, values) = (run.genkit.states.clone(), run.settings.values.clone());
        let given = ContextParts { states, values, ..ContextParts::default() };
        let context = context.with_parts(given);
        verify_tool(tool, context.states())?;
        return call_inside(&context, tool, request, &run.settings).await;
    }
    run.tools = match tool {
        Some(tool) => vec![tool.into()],
        // If the name is unknown, the error to the model lists the available tools.
        None => run.genkit.registry.tools().into_iter().map(ToolRef::from).collect(),
    };
    let (message, resumed) = match resumed {
        None => (Message::model(Part::tool_request(request)), None),
        Some(Resumption { asked, answers }) => {
            let mut messages = vec![Message::model(asked)];
            let mut given = Resume::default();
            for answer in answers {
                given.push_answer(answer)?;
            }
            let resumed = resume(&mut messages, &given)?;
            (resumed.message.clone(), Some(resumed))
        }
    };
    let ran = prepare_tools(run).await?;
    let response = ran.run_tools(ModelRequest::default(), message, resumed).await?;
    let part = response.message.and_then(|message| message.content.into_iter().next());
    if let Some(Part::ToolResponse { tool_response, metadata, .. }) = part {
        return Ok(ToolOutcome::from_response(tool_response, metadata));
    }
    let suspended = part.map(|part| Suspended::read(part.metadata())).transpose()?.flatten();
    Ok(ToolOutcome::from_suspended(suspended.ok_or(E::PartialCall)?))
}

/// Returns whether `name` refers to the tool, with or without the prefix of its server.
fn is_named(tool: &Tool, name: &str) -> bool {
    let short = tool.name().rsplit_once('/').map(|(_, short)| short);
    tool.name() == name || short == Some(name)
}
