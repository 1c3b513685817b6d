//! Conversion of plain values to answers.

use serde_json::Value;

use super::error::Error as E;
use genkit_core::Result;
use genkit_core::RunId;
use genkit_core::{Answer, Interrupt};

/// Creates the answer to the only open question of `call`, which is the id of the interrupted call or the key of a
/// question.
pub(super) fn build_call_answer(
    id: &RunId,
    open: &[Interrupt],
    call: &str,
    value: Value,
) -> Result<Answer> {
    let is_it = |question: &&Interrupt| {
        question.tool_request().id.as_deref() == Some(call) || question.key() == call
    };
    let mut asked = open.iter().filter(is_it);
    match (asked.next(), asked.next()) {
        (Some(question), None) => convert_answer(question, value),
        (None, _) => {
            let (id, call) = (id.to_string(), call.to_owned());
            Err(E::UnknownCall { id, call, open: name_questions(open) }.into())
        }
        _ => Err(E::SeveralQuestions(call.to_owned()).into()),
    }
}

/// Creates an answer from a plain value.
fn convert_answer(question: &Interrupt, value: Value) -> Result<Answer> {
    let may_have_happened =
        question.metadata().is_some_and(|asked| asked["mayHaveHappened"] == Value::Bool(true));
    Ok(match value {
        Value::Bool(true) if question.is_approval() => question.approve(),
        Value::Bool(false) if question.is_approval() => question.decline(),
        _ if question.is_approval() => return Err(E::NotABoolean.into()),
        Value::Bool(false) if may_have_happened => {
            question.decline_with("it may already have happened")
        }
        Value::Null if question.schema().is_some() => question.decline(),
        value if question.schema().is_some() => question.accept(value),
        value => question.restart(value),
    })
}

/// Lists the interrupted calls, for the error about an unknown call.
fn name_questions(open: &[Interrupt]) -> String {
    let known = open.iter().filter_map(|question| question.tool_request().id.clone());
    let known: Vec<String> = known.map(|id| format!("`{id}`")).collect();
    if known.is_empty() {
        String::new()
    } else {
        format!("; interrupted calls: {}", known.join(", "))
    }
}
