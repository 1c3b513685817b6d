//! Encodes the chunks of a run as AG-UI events.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use genkit_core::internal::generate::interrupt::pending_answer;
use genkit_core::{GenerateChunk, Message, Part, Role, ToolRequest, ToolResponse};

use crate::ui_event::UiEvent;

/// The names of the server's own events. A chunk of a tool with such a name is renamed, so that the page does not take
/// it for such an event.
const OWN_EVENTS: [&str; 3] = ["artifact", "media", "outputRetry"];

/// The state of the events that were sent.
pub(crate) struct Encoder {
    run_id: String,
    events: Vec<Value>,
    /// The number of ids that were created.
    ids: usize,
    /// The index of the message that is being sent. `step` is the name of its step.
    index: Option<usize>,
    step: Option<String>,
    steps: usize,
    /// The message that calls belong to.
    message: Option<String>,
    text: Option<String>,
    reasoning: Option<String>,
    /// Whether the current message has sent text or reasoning.
    has_text: bool,
    has_reasoning: bool,
    calls: HashSet<String>,
    results: HashSet<String>,
    /// The names of the tools that are agents. `running_agents` contains their running calls.
    agents: Arc<HashSet<String>>,
    running_agents: Vec<String>,
    /// The message that contains the seal.
    carrier: Option<String>,
}

impl Encoder {
    /// Creates an encoder. The client has already received `known_calls`; the tools with the names `agents` are agents.
    pub(crate) fn new(
        run_id: &str,
        known_calls: Vec<String>,
        agents: Arc<HashSet<String>>,
    ) -> Self {
        Self {
            run_id: run_id.to_owned(),
            events: Vec::new(),
            ids: 0,
            index: None,
            step: None,
            steps: 0,
            message: None,
            text: None,
            reasoning: None,
            has_text: false,
            has_reasoning: false,
            calls: known_calls.into_iter().collect(),
            results: HashSet::new(),
            agents,
            running_agents: Vec::new(),
            carrier: None,
        }
    }

    /// Takes the events that are ready to be sent.
    pub(crate) fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    /// Returns the last message that this run sent.
    pub(crate) fn carrier(&self) -> Option<&str> {
        self.carrier.as_deref()
    }

    /// Adds an event that is not part of a message.
    pub(crate) fn push_event(&mut self, event: Value) {
        self.events.push(event);
    }

    /// Encodes a chunk.
    pub(crate) fn push_chunk(&mut self, chunk: GenerateChunk) {
        if let Some(retry) = chunk.output_retry() {
            self.end_step();
            let value = serde_json::to_value(retry).unwrap_or_default();
            self.events.push(json!({ "type": "CUSTOM", "name": "outputRetry", "value": value }));
            return;
        }
        if let Some(progress) = chunk.tool_progress() {
            let call = progress.id.clone().unwrap_or_else(|| progress.name.clone());
            let content = serde_json::to_value(progress).unwrap_or_default();
            self.events.push(json!({
                "type": "ACTIVITY_SNAPSHOT", "messageId": format!("{}-progress-{call}", self.run_id),
                "activityType": "toolProgress", "content": content, "replace": true,
            }));
            return;
        }
        if let Some(sent) = chunk.tool_chunk() {
            self.push_tool_chunk(sent.name, sent.chunk);
            return;
        }
        match chunk.role {
            Some(Role::Tool) => {
                for response in chunk.content.iter().filter_map(Part::as_tool_response) {
                    self.push_result(response);
                }
            }
            Some(Role::Model) | None => {
                self.begin_step(chunk.index);
                chunk.content.iter().for_each(|part| self.push_part(part));
            }
            _ => {}
        }
    }

    /// Sends the content of the model's message that no chunk contained.
    pub(crate) fn complete_message(&mut self, message: &Message) {
        if message.role == Role::Tool {
            message.tool_responses().for_each(|response| self.push_result(response));
            return;
        }
        if self.step.is_none() && message.content.iter().any(|part| !self.is_sent(part)) {
            self.begin_step(None);
        }
        for part in &message.content {
            if !self.is_sent(part) {
                self.push_part(part);
            }
        }
    }

    fn is_sent(&self, part: &Part) -> bool {
        match part {
            Part::Text { .. } => self.has_text,
            Part::Reasoning { .. } => self.has_reasoning,
            Part::ToolRequest { tool_request, .. } => {
                tool_request.id.as_ref().is_some_and(|id| self.calls.contains(id))
            }
            _ => true,
        }
    }

    /// Ends the open messages and the open step.
    pub(crate) fn end_step(&mut self) {
        self.end_text();
        self.end_reasoning();
        self.message = None;
        self.index = None;
        if let Some(step) = self.step.take() {
            self.events.push(json!({ "type": "STEP_FINISHED", "stepName": step }));
        }
    }

    fn begin_step(&mut self, index: Option<usize>) {
        let is_same = self.step.is_some() && (index.is_none() || index == self.index);
        if is_same {
            return;
        }
        self.end_step();
        self.steps += 1;
        let step = format!("turn {}", self.steps);
        self.events.push(json!({ "type": "STEP_STARTED", "stepName": step }));
        (self.step, self.index) = (Some(step), index);
        (self.has_text, self.has_reasoning) = (false, false);
    }

    fn push_part(&mut self, part: &Part) {
        match part {
            Part::Text { text, .. } if !text.is_empty() => self.push_text(text),
            Part::Reasoning { reasoning, .. } if !reasoning.is_empty() => {
                self.push_reasoning(reasoning);
            }
            Part::ToolRequest { tool_request, .. } if !tool_request.partial => {
                self.push_call(tool_request);
            }
            Part::Media { media, .. } => {
                let value = serde_json::to_value(media).unwrap_or_default();
                self.events.push(json!({ "type": "CUSTOM", "name": "media", "value": value }));
            }
            _ => {}
        }
    }

    fn push_text(&mut self, text: &str) {
        self.end_reasoning();
        self.has_text = true;
        let id = match &self.text {
            Some(id) => id.clone(),
            None => {
                let id = self.new_id();
                self.events.push(json!({
                    "type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant",
                }));
                self.message = Some(id.clone());
                self.carrier = Some(id.clone());
                self.text = Some(id.clone());
                id
            }
        };
        self.events.push(json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text }));
    }

    fn push_reasoning(&mut self, text: &str) {
        self.end_text();
        self.has_reasoning = true;
        let id = match &self.reasoning {
            Some(id) => id.clone(),
            None => {
                let id = self.new_id();
                self.events.push(json!({ "type": "REASONING_START", "messageId": id }));
                self.events.push(json!({
                    "type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning",
                }));
                self.reasoning = Some(id.clone());
                id
            }
        };
        self.events.push(json!({
            "type": "REASONING_MESSAGE_CONTENT", "messageId": id, "delta": text,
        }));
    }

    fn push_call(&mut self, request: &ToolRequest) {
        self.end_text();
        self.end_reasoning();
        let Some(id) = request.id.clone() else { return };
        if !self.calls.insert(id.clone()) {
            return;
        }
        let parent = match &self.message {
            Some(parent) => parent.clone(),
            None => self.new_id(),
        };
        self.message = Some(parent.clone());
        self.carrier = Some(parent.clone());
        let input = match &request.input {
            Value::Null => "{}".to_owned(),
            input => input.to_string(),
        };
        self.events.extend([
            json!({
                "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": request.name,
                "parentMessageId": parent,
            }),
            json!({ "type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": input }),
            json!({ "type": "TOOL_CALL_END", "toolCallId": id }),
        ]);
        self.begin_agent(&request.name, &id, Some(&parent));
    }

    /// Sends the start of an agent call. A later run continues the same invocation.
    fn begin_agent(&mut self, name: &str, call: &str, message: Option<&str>) {
        if !self.agents.contains(name) || self.running_agents.iter().any(|it| it == call) {
            return;
        }
        self.running_agents.push(call.to_owned());
        let mut event = json!({
            "type": "SUBAGENT_STARTED", "subagentRunId": agent_run(call), "name": name,
            "parentToolCallId": call,
        });
        if let Some(message) = message {
            event["parentMessageId"] = message.into();
        }
        self.events.push(event);
    }

    /// Sends the end of an agent call.
    fn end_agent(&mut self, call: &str, response: &ToolResponse) {
        self.begin_agent(&response.name, call, None);
        let Some(at) = self.running_agents.iter().position(|it| it == call) else { return };
        self.running_agents.remove(at);
        let id = agent_run(call);
        self.events.push(match response.error() {
            Some(why) => json!({ "type": "SUBAGENT_ERROR", "subagentRunId": id, "message": why }),
            None => json!({
                "type": "SUBAGENT_FINISHED", "subagentRunId": id, "outcome": { "type": "success" },
            }),
        });
    }

    /// Returns the events for the agents that have not ended before the last event of the run, `last`.
    pub(crate) fn end_agents(&mut self, last: &Value) -> Vec<Value> {
        let outcome = &last["outcome"];
        let is_suspended = outcome["type"] == "interrupt" || outcome["type"] == "success";
        let end = |call: String| {
            let id = agent_run(&call);
            if !is_suspended {
                return json!({
                    "type": "SUBAGENT_ERROR", "subagentRunId": id,
                    "message": "the run ended before the agent",
                });
            }
            let asked = outcome["interrupts"].as_array().into_iter().flatten();
            let own = asked.filter(|it| it["toolCallId"] == *call).map(|it| it["id"].clone());
            let outcome = json!({ "type": "suspended", "interruptIds": own.collect::<Value>() });
            json!({ "type": "SUBAGENT_FINISHED", "subagentRunId": id, "outcome": outcome })
        };
        std::mem::take(&mut self.running_agents).into_iter().map(end).collect()
    }

    fn push_result(&mut self, response: &ToolResponse) {
        self.end_text();
        self.end_reasoning();
        let Some(call) = response.id.clone() else { return };
        if !self.results.insert(call.clone()) {
            return;
        }
        if !self.calls.contains(&call) {
            self.push_call(&ToolRequest::new(&*response.name, Value::Null).with_id(&*call));
        }
        self.end_agent(&call, response);
        let id = self.new_id();
        self.carrier = Some(id.clone());
        self.events.push(json!({
            "type": "TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "role": "tool",
            "content": result_text(response),
        }));
    }

    fn push_tool_chunk(&mut self, tool: String, chunk: Value) {
        self.events.push(match serde_json::from_value(chunk.clone()) {
            Ok(UiEvent::StateSnapshot { snapshot }) => {
                json!({ "type": "STATE_SNAPSHOT", "snapshot": snapshot })
            }
            Ok(UiEvent::StateDelta { delta }) => json!({ "type": "STATE_DELTA", "delta": delta }),
            Ok(UiEvent::Activity { id, activity_type, content }) => json!({
                "type": "ACTIVITY_SNAPSHOT", "messageId": id, "activityType": activity_type,
                "content": content, "replace": true,
            }),
            Ok(UiEvent::Custom { name, value }) => {
                json!({ "type": "CUSTOM", "name": name, "value": value })
            }
            Err(_) if OWN_EVENTS.contains(&&*tool) => {
                json!({ "type": "CUSTOM", "name": format!("{tool}.chunk"), "value": chunk })
            }
            Err(_) => json!({ "type": "CUSTOM", "name": tool, "value": chunk }),
        });
    }

    fn end_text(&mut self) {
        if let Some(id) = self.text.take() {
            self.events.push(json!({ "type": "TEXT_MESSAGE_END", "messageId": id }));
        }
    }

    fn end_reasoning(&mut self) {
        if let Some(id) = self.reasoning.take() {
            self.events.push(json!({ "type": "REASONING_MESSAGE_END", "messageId": id }));
            self.events.push(json!({ "type": "REASONING_END", "messageId": id }));
        }
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("{}-{}", self.run_id, self.ids)
    }
}

/// Returns the id of an agent's invocation.
fn agent_run(call: &str) -> String {
    format!("agent-{call}")
}

pub(crate) fn result_text(response: &ToolResponse) -> String {
    match &response.output {
        Value::Null => response.content.iter().filter_map(Part::as_text).collect(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Returns events with the results of calls that ended while other calls of their message wait for answers. In AG-UI,
/// they follow the answers; Vercel's AI SDK sends answers only when all other calls have a result.
pub(crate) fn pending_results(message: &Message) -> Vec<Value> {
    let results = message.content.iter().filter_map(|part| {
        let call = part.as_tool_request()?;
        let pending = pending_answer(call, part.metadata()).ok()??;
        let content = result_text(pending.as_tool_response()?);
        Some(json!({ "type": "TOOL_CALL_RESULT", "toolCallId": call.id, "content": content }))
    });
    results.collect()
}
