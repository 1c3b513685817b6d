//! Answers of clients to questions: whether they are what the protocol says of them.

use serde_json::Value;

use crate::context::QuestionKind;

/// Reads the answer to a question of this kind.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(kind: &QuestionKind, answer: &str) -> Result<Value, String> {
    let answer: Value = serde_json::from_str(answer).map_err(|error| error.to_string())?;
    match kind {
        QuestionKind::Sampling(_) => check_sampled(&answer)?,
        QuestionKind::Roots => {
            let roots = answer.get("roots").and_then(Value::as_array);
            for root in roots.ok_or("`roots` must be a list")? {
                text(root, "uri")?;
                optional_text(root, "name")?;
            }
        }
        QuestionKind::Elicitation { .. }
        | QuestionKind::Approval { .. }
        | QuestionKind::Interrupt { .. } => {}
    }
    Ok(answer)
}

/// A message of the client's model, and the name of that.
fn check_sampled(answer: &Value) -> Result<(), String> {
    text(answer, "model")?;
    optional_text(answer, "stopReason")?;
    if !matches!(text(answer, "role")?, "user" | "assistant") {
        return Err("`role` must be `user` or `assistant`".to_owned());
    }
    match answer.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().try_for_each(check_block),
        Some(block @ Value::Object(_)) => check_block(block),
        _ => Err("`content` must be a block or a list of blocks".to_owned()),
    }
}

fn check_block(block: &Value) -> Result<(), String> {
    match text(block, "type")? {
        "text" => text(block, "text").map(drop),
        "image" | "audio" => text(block, "data").and_then(|_| text(block, "mimeType")).map(drop),
        "tool_use" => {
            text(block, "id")?;
            text(block, "name")?;
            let is_object = block.get("input").is_some_and(Value::is_object);
            is_object.then_some(()).ok_or_else(|| "`input` must be an object".to_owned())
        }
        "tool_result" => text(block, "toolUseId").map(drop),
        other => {
            Err(format!("no block of sampling has the type `{}`", crate::visible::text(other)))
        }
    }
}

fn text<'a>(object: &'a Value, member: &str) -> Result<&'a str, String> {
    let text = object.get(member).and_then(Value::as_str);
    text.ok_or_else(|| format!("`{member}` must be a text"))
}

fn optional_text(object: &Value, member: &str) -> Result<(), String> {
    match object.get(member) {
        None | Some(Value::Null) => Ok(()),
        Some(_) => text(object, member).map(drop),
    }
}
