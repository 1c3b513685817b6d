//! Metadata of actions, as the Developer UI and the CLI accept it. One invalid entry makes them reject the whole list.

use serde_json::{Map, Value};

/// Merges the author's metadata with `own`, and removes entries that the Developer UI and the CLI reject.
pub(super) fn merge_metadata(author: &Map<String, Value>, own: Value) -> Map<String, Value> {
    let mut all = author.clone();
    if let Value::Object(own) = own {
        all.extend(own);
    }
    all.retain(|_, value| is_accepted(value));
    all
}

/// Returns whether a value is accepted: it must not be null, or a list that contains null or lists. Deeper values
/// are not restricted.
fn is_accepted(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.iter().any(|item| item.is_null() || item.is_array()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_that_the_tools_reject_is_omitted() {
        let author = json!({
            "a": null, "b": [null], "c": [[1]], "d": [1, "x"], "e": {"deep": null, "deeper": [[null]]},
            "type": "mine",
        });
        let Value::Object(author) = author else { panic!() };
        let all = merge_metadata(&author, json!({"type": "tool"}));
        let kept = json!({"d": [1, "x"], "e": {"deep": null, "deeper": [[null]]}, "type": "tool"});
        assert_eq!(Value::Object(all), kept);
    }
}
