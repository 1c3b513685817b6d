//! Formats the error from a tool for a model, with the same wording in the generate loop and in MCP.

use serde_json::Value;

use crate::error::Error;

/// The maximum size of a schema that is included in the error, in bytes of JSON. Default is 4 KiB.
const MAX_SHOWN_SCHEMA: usize = 4096;

/// The text between a message and the schema.
const BEFORE_SCHEMA: &str = ". The arguments must match this schema: ";

/// Returns the text of the error and its causes. For invalid arguments, adds the schema that they must match.
pub fn failure_for_model(error: &Error, tool: &str, input_schema: Option<&Value>) -> String {
    let message = error.chain();
    if !error.is_invalid_arguments() {
        return message;
    }
    let schema = input_schema.map(Value::to_string);
    match schema.filter(|schema| schema.len() <= MAX_SHOWN_SCHEMA) {
        Some(schema) => {
            format!("Invalid arguments for `{tool}`: {message}{BEFORE_SCHEMA}{schema}")
        }
        None => format!("Invalid arguments for `{tool}`: {message}"),
    }
}

/// Returns the text of [`failure_for_model`] without the schema, for users.
pub fn without_schema(text: &str) -> &str {
    text.split_once(BEFORE_SCHEMA).map_or(text, |(message, _)| message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_arguments_that_do_not_fit_show_the_schema() {
        let schema = json!({"type": "object"});
        let unfit = Error::invalid_arguments("at `n`: not a number");
        for (error, schema, expected) in [
            (Error::not_found("no note 7"), Some(&schema), "no note 7"),
            (
                Error::invalid_arguments("at `n`: not a number"),
                Some(&schema),
                r#"Invalid arguments for `add`: at `n`: not a number. The arguments must match this schema: {"type":"object"}"#,
            ),
            (
                Error::invalid_arguments("at `n`: not a number"),
                None,
                "Invalid arguments for `add`: at `n`: not a number",
            ),
        ] {
            assert_eq!(failure_for_model(&error, "add", schema), expected);
        }
        let long = json!({"description": "x".repeat(MAX_SHOWN_SCHEMA)});
        let told = failure_for_model(&unfit, "add", Some(&long));
        assert_eq!(told, "Invalid arguments for `add`: at `n`: not a number");
    }
}
