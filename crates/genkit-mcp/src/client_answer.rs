//! Validation of clients' answers to questions.

use serde_json::Value;

use genkit_core::internal::context::QuestionKind;

/// Reads and validates the answer to a question of this kind.
///
/// # Errors
/// Returns a message that describes what is wrong with the answer.
pub fn read(kind: &QuestionKind, answer: &str) -> Result<Value, String> {
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
        | QuestionKind::ElicitUrl { .. }
        | QuestionKind::Approval { .. }
        | QuestionKind::Interrupt { .. } => {}
    }
    Ok(answer)
}

/// Checks a sampling result: a message from the client's model, and the model's name.
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
        "text" | "image" | "audio" => check_content(block),
        "tool_use" => {
            text(block, "id")?;
            text(block, "name")?;
            let is_object = block.get("input").is_some_and(Value::is_object);
            is_object.then_some(()).ok_or_else(|| "`input` must be an object".to_owned())
        }
        "tool_result" => {
            text(block, "toolUseId")?;
            if !matches!(block.get("isError"), None | Some(Value::Null | Value::Bool(_))) {
                return Err("`isError` must be `true` or `false`".to_owned());
            }
            let blocks = block.get("content").and_then(Value::as_array);
            let blocks = blocks.ok_or("`content` of a `tool_result` must be a list of blocks")?;
            blocks
                .iter()
                .try_for_each(check_content)
                .map_err(|why| format!("{why}, in a `tool_result`"))
        }
        other => Err(format!(
            "`{}` is not a sampling content type",
            genkit_core::internal::visible::escape_prose(other)
        )),
    }
}

/// Checks a content block of a type that is also allowed in tool results.
fn check_content(block: &Value) -> Result<(), String> {
    match text(block, "type")? {
        "text" => text(block, "text").map(drop),
        "image" | "audio" => text(block, "data").and_then(|_| text(block, "mimeType")).map(drop),
        "resource_link" => text(block, "uri").and_then(|_| text(block, "name")).map(drop),
        "resource" => {
            let contents = &block["resource"];
            text(contents, "uri")?;
            let has = |member| contents.get(member).is_some_and(Value::is_string);
            let is_given = has("text") || has("blob");
            is_given
                .then_some(())
                .ok_or_else(|| "`resource` must have a `text` or a `blob`".to_owned())
        }
        other => Err(format!(
            "`{}` is not a content type",
            genkit_core::internal::visible::escape_prose(other)
        )),
    }
}

fn text<'a>(object: &'a Value, member: &str) -> Result<&'a str, String> {
    let text = object.get(member).and_then(Value::as_str);
    text.ok_or_else(|| format!("`{member}` must be a string"))
}

fn optional_text(object: &Value, member: &str) -> Result<(), String> {
    match object.get(member) {
        None | Some(Value::Null) => Ok(()),
        Some(_) => text(object, member).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sampled(content: Value) -> Result<(), String> {
        check_sampled(&json!({"model": "m", "role": "assistant", "content": content}))
    }

    fn fault(content: Value) -> String {
        sampled(content).expect_err("a fault")
    }

    fn tool_result_message(blocks: Value) -> Value {
        json!([{"type": "tool_result", "toolUseId": "1", "content": blocks}])
    }

    #[test]
    fn blocks_of_each_type_are_taken_with_what_they_need() {
        for block in [
            json!({"type": "text", "text": "a"}),
            json!({"type": "image", "data": "", "mimeType": "image/png"}),
            json!([{"type": "tool_use", "id": "1", "name": "add", "input": {}}]),
            json!([]),
        ] {
            assert_eq!(sampled(block.clone()), Ok(()), "{block}");
        }
        for (block, expected) in [
            (json!({"type": "text"}), "`text` must be a string"),
            (json!({"type": "audio", "data": ""}), "`mimeType` must be a string"),
            (
                json!([{"type": "tool_use", "id": "1", "name": "add", "input": []}]),
                "`input` must be an object",
            ),
            (json!({"type": "video"}), "`video` is not a sampling content type"),
            (
                json!({"type": "resource_link", "uri": "a", "name": "b"}),
                "`resource_link` is not a sampling content type",
            ),
            (json!(["a"]), "`type` must be a string"),
            (json!("a"), "`content` must be a block or a list of blocks"),
        ] {
            assert_eq!(fault(block.clone()), expected, "{block}");
        }
    }

    #[test]
    fn blocks_inside_of_a_tool_result_are_checked_too() {
        let whole = json!([
            {"type": "text", "text": "a"},
            {"type": "audio", "data": "", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "note://1", "name": "1"},
            {"type": "resource", "resource": {"uri": "note://1", "blob": ""}},
        ]);
        assert_eq!(sampled(tool_result_message(whole)), Ok(()));
        for (blocks, expected) in [
            (json!([1]), "`type` must be a string, in a `tool_result`"),
            (json!([{"type": "text", "text": 1}]), "`text` must be a string, in a `tool_result`"),
            (
                json!([{"type": "image", "data": ""}]),
                "`mimeType` must be a string, in a `tool_result`",
            ),
            (
                json!([{"type": "resource_link", "uri": "a"}]),
                "`name` must be a string, in a `tool_result`",
            ),
            (json!([{"type": "resource"}]), "`uri` must be a string, in a `tool_result`"),
            (
                json!([{"type": "resource", "resource": {"uri": "a"}}]),
                "`resource` must have a `text` or a `blob`, in a `tool_result`",
            ),
            (
                json!([{"type": "tool_use", "id": "1", "name": "add", "input": {}}]),
                "`tool_use` is not a content type, in a `tool_result`",
            ),
            (
                json!({"type": "text", "text": "a"}),
                "`content` of a `tool_result` must be a list of blocks",
            ),
        ] {
            assert_eq!(fault(tool_result_message(blocks.clone())), expected, "{blocks}");
        }
        let answer =
            json!([{"type": "tool_result", "toolUseId": "1", "content": [], "isError": "no"}]);
        assert_eq!(fault(answer), "`isError` must be `true` or `false`");
        assert_eq!(
            fault(json!([{"type": "tool_result", "content": []}])),
            "`toolUseId` must be a string"
        );
    }

    #[test]
    fn roots_are_a_list_with_a_uri_each() {
        let read = |answer: &str| read(&QuestionKind::Roots, answer);
        assert!(read(r#"{"roots": [{"uri": "file:///a", "name": null}]}"#).is_ok());
        for (answer, expected) in [
            ("{}", "`roots` must be a list"),
            (r#"{"roots": [{"name": "a"}]}"#, "`uri` must be a string"),
            (r#"{"roots": [{"uri": "a", "name": 1}]}"#, "`name` must be a string"),
        ] {
            assert_eq!(read(answer), Err(expected.to_owned()));
        }
        assert!(read("{").expect_err("no JSON").contains("EOF"));
    }
}
