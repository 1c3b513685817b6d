//! The last events of a run.

use serde_json::{Value, json};

use genkit_core::internal::status;
use genkit_core::internal::time::format_iso8601;
use genkit_core::{
    Error as CoreError, ErrorKind, GenerateResponse, Interrupt, Message, Role, Usage,
};

use crate::encoder::Encoder;
use crate::history::interrupt_json;
use crate::ledger::{Binding, INTERRUPT_TTL, Ledger, millis};
use genkit_flows::internal::masked_error;

/// Identifies a run to its client.
#[derive(Clone)]
pub(crate) struct RunIds {
    pub(crate) thread: String,
    pub(crate) run: String,
    pub(crate) parent: Option<String>,
    /// Whether the outcome lists the pending calls. Clients before 1.0 reject such a list, so they receive no outcome
    /// if there are pending calls.
    pub(crate) names_pending_calls: bool,
}

impl RunIds {
    pub(crate) fn started_event(&self) -> Value {
        let mut event = json!({
            "type": "RUN_STARTED", "threadId": self.thread, "runId": self.run,
            "protocolVersion": "1.0",
        });
        if let Some(parent) = &self.parent {
            event["parentRunId"] = parent.as_str().into();
        }
        event
    }

    fn finished_event(&self, outcome: Option<Value>) -> Value {
        let mut event =
            json!({ "type": "RUN_FINISHED", "threadId": self.thread, "runId": self.run });
        if let Some(outcome) = outcome {
            event["outcome"] = outcome;
        }
        event
    }

    /// Returns the last event of a run with these open questions. `number` identifies the turn.
    pub(crate) fn outcome_event(
        &self,
        questions: &[Interrupt],
        page_tools: &[String],
        number: &str,
        expires: Option<&str>,
        ledger: &Ledger,
        to: &Binding,
    ) -> Value {
        if questions.iter().all(|question| is_page_call(question, page_tools)) {
            let mut outcome = json!({ "type": "success" });
            if !questions.is_empty() {
                if !self.names_pending_calls {
                    return self.finished_event(None);
                }
                let calls = questions.iter().filter_map(|call| call.tool_request().id.clone());
                outcome["pendingToolCallIds"] = calls.collect();
            }
            return self.finished_event(Some(outcome));
        }
        let shown = |question: &Interrupt| {
            let call = question.tool_request().id.as_deref();
            let id = ledger.interrupt_id(number, call, question.key(), to);
            interrupt_json(question, is_page_call(question, page_tools), id, expires)
        };
        let interrupts: Vec<Value> = questions.iter().map(shown).collect();
        self.finished_event(Some(json!({ "type": "interrupt", "interrupts": interrupts })))
    }

    /// Returns the last event of a run that was cancelled, or the error of a run that failed.
    pub(crate) fn failure_event(&self, error: CoreError, exposes_errors: bool) -> Value {
        if error.kind() == ErrorKind::Cancelled {
            return self.finished_event(Some(json!({ "type": "cancelled" })));
        }
        let (code, message) = masked_error(error, exposes_errors);
        json!({ "type": "RUN_ERROR", "message": message, "code": code })
    }

    /// Returns the last events of a run: the sealed turn, and the outcome.
    pub(crate) fn build_last_events(
        &self,
        response: &GenerateResponse,
        encoder: &mut Encoder,
        earlier_carrier: Option<&str>,
        ledger: &Ledger,
        to: &Binding,
        page_tools: &[String],
    ) -> Vec<Value> {
        if let Some(message) = &response.message {
            encoder.complete_message(message);
        }
        encoder.end_step();
        let mut events = encoder.take_events();
        let questions = response.interrupts();
        let (calls, asked): (Vec<_>, Vec<_>) =
            questions.iter().partition(|question| is_page_call(question, page_tools));
        let calls: Vec<String> =
            calls.iter().filter_map(|call| call.tool_request().id.clone()).collect();
        let carrier = encoder.carrier().or(earlier_carrier).map(str::to_owned);
        let sealed = carrier.as_deref().and_then(|carrier| {
            ledger.seal_turn(carrier, current_turn(response), calls.clone(), to)
        });
        if let (Some(carrier), Some((_, sealed))) = (&carrier, &sealed) {
            events.push(json!({
                "type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": carrier,
                "encryptedValue": sealed,
            }));
        }
        let mut last = match sealed {
            Some((turn, _)) if !asked.is_empty() => {
                let expires = format_iso8601(turn.at.saturating_add(millis(INTERRUPT_TTL)));
                let (number, expires) = (&turn.number, Some(&*expires));
                self.outcome_event(&questions, page_tools, number, expires, ledger, to)
            }
            None if !questions.is_empty() => {
                let message = "the turn is too long to be sealed, so its questions cannot be answered; start a new conversation";
                let code = status::status_name(ErrorKind::ResourceExhausted);
                let last = json!({ "type": "RUN_ERROR", "message": message, "code": code });
                events.extend(encoder.end_agents(&last));
                events.push(last);
                return events;
            }
            _ => self.outcome_event(&questions, page_tools, "", None, ledger, to),
        };
        if has_schema(response)
            && questions.is_empty()
            && let Ok(output) = response.output_value()
        {
            last["result"] = output;
        }
        if let Some(usage) = usage_json(&response.usage) {
            last["usage"] = json!([usage]);
        }
        events.extend(encoder.end_agents(&last));
        events.push(last);
        events
    }
}

/// Returns the messages since the last user message.
fn current_turn(response: &GenerateResponse) -> Vec<Message> {
    let mut messages = response.messages();
    let is_user = |message: &Message| {
        message.role == Role::User && !message.metadata.contains_key("outputRetry")
    };
    let start = messages.iter().rposition(is_user).map_or(0, |at| at + 1);
    let mut turn = messages.split_off(start);
    turn.retain(|message| message.role != Role::System);
    turn
}

/// Returns whether a question is a call that the page executes: the call itself is the question, and the run has no code
/// for it.
pub(crate) fn is_page_call(question: &Interrupt, page_tools: &[String]) -> bool {
    is_about_call(question) && page_tools.contains(&question.tool_request().name)
}

/// Returns whether a question is for the result of the call, not for an approval or a form.
pub(crate) fn is_about_call(question: &Interrupt) -> bool {
    !question.is_approval() && question.schema().is_none() && question.url().is_none()
}

fn has_schema(response: &GenerateResponse) -> bool {
    response.request.as_ref().is_some_and(|request| request.output.schema.is_some())
}

pub(crate) fn usage_json(usage: &Usage) -> Option<Value> {
    let (input, output) = (usage.input_tokens?, usage.output_tokens?);
    Some(json!({
        "inputTokens": input, "outputTokens": output, "totalTokens": input.saturating_add(output),
    }))
}
