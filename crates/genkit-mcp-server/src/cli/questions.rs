//! Answers the questions that a tool asks while `--call` runs it.

use std::io::{self, IsTerminal as _};

use serde_json::{Map, Value, json};

use super::error::Error as E;
use genkit_core::internal::visible;
use genkit_core::{Error, ErrorKind, Result};

/// The respondent to the questions of a called tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Respondent {
    /// No respondent. The client declares no capabilities, so tools that ask a question fail.
    None,
    /// `--yes` approves all calls, and declines forms.
    Yes,
    /// The user at the terminal.
    Terminal,
}

impl Respondent {
    /// Returns `Yes` for `--yes`, `Terminal` if standard input and standard error are terminals, and otherwise `None`.
    pub(super) fn from_flag(yes: bool) -> Self {
        match yes {
            true => Self::Yes,
            false if io::stdin().is_terminal() && io::stderr().is_terminal() => Self::Terminal,
            false => Self::None,
        }
    }

    /// Returns the capabilities that the client declares.
    pub(super) fn capabilities(self) -> Value {
        match self {
            Self::None => json!({}),
            Self::Yes | Self::Terminal => json!({ "elicitation": {} }),
        }
    }

    /// Adds the remedy to the error of a tool that asked a question when there was no respondent.
    pub(super) fn explain(self, error: Error) -> Error {
        let asked = error.kind() == ErrorKind::FailedPrecondition;
        match self == Self::None && asked && error.chain().contains("`elicitation`") {
            true => E::NeedsAnswers.into(),
            false => error,
        }
    }

    /// Answers an `elicitation/create` request, given its parameters.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be read or written.
    pub(super) async fn answer(self, question: Value) -> Result<Value> {
        let fields = question["requestedSchema"]["properties"].as_object().cloned();
        let fields = fields.unwrap_or_default();
        match self {
            Self::Yes if fields.is_empty() => Ok(json!({ "action": "accept", "content": {} })),
            Self::Yes | Self::None => Ok(json!({ "action": "decline" })),
            Self::Terminal => {
                let asked = move || {
                    let stdin = io::stdin().lock();
                    ask(&question, &fields, stdin, io::stderr().lock())
                };
                let answered = tokio::task::spawn_blocking(asked).await;
                answered.map_err(|_| E::Ended)?.map_err(|source| E::Terminal { source }.into())
            }
        }
    }
}

/// Asks for each field, or for yes or no if there are no fields. An empty line omits an optional field.
fn ask(
    question: &Value,
    fields: &Map<String, Value>,
    mut input: impl io::BufRead,
    mut output: impl io::Write,
) -> io::Result<Value> {
    let message = question["message"].as_str().unwrap_or_default();
    let message = visible::escape_prose(message);
    if fields.is_empty() {
        let answer = ask_line(&mut input, &mut output, &format!("{message} [y/N]"))?;
        let is_yes = answer.is_some_and(|it| ["y", "yes"].contains(&it.to_lowercase().as_str()));
        return Ok(match is_yes {
            true => json!({ "action": "accept", "content": {} }),
            false => json!({ "action": "decline" }),
        });
    }
    writeln!(output, "{message}")?;
    let required = &question["requestedSchema"]["required"];
    let mut content = Map::new();
    for (name, schema) in fields {
        let is_required = required.as_array().is_some_and(|all| all.contains(&json!(name)));
        loop {
            let prompt = format!("  {}", describe_field(name, schema, is_required));
            let Some(text) = ask_line(&mut input, &mut output, &prompt)? else {
                return Ok(json!({ "action": "cancel" }));
            };
            if text.is_empty() && !is_required {
                break;
            }
            let Some(value) = read_value(&text, schema) else {
                writeln!(output, "  `{text}` is not valid; expected {}", describe_type(schema))?;
                continue;
            };
            content.insert(name.clone(), value);
            break;
        }
    }
    Ok(json!({ "action": "accept", "content": content }))
}

/// Prints a prompt and reads a line, or `None` at the end of the input.
fn ask_line(
    input: &mut impl io::BufRead,
    output: &mut impl io::Write,
    prompt: &str,
) -> io::Result<Option<String>> {
    write!(output, "{prompt} ")?;
    output.flush()?;
    let mut line = String::new();
    let read = input.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

fn describe_field(name: &str, schema: &Value, is_required: bool) -> String {
    let choices = schema["enum"].as_array().map(|all| {
        let shown: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        format!(" ({})", visible::escape_line(&shown.join(", ")))
    });
    let optional = if is_required { "" } else { " (optional)" };
    format!("{}{}{optional}:", visible::escape_prose(name), choices.unwrap_or_default())
}

fn describe_type(schema: &Value) -> &'static str {
    match field_type(schema) {
        "boolean" => "yes or no",
        "integer" => "an integer",
        "number" => "a number",
        _ if schema["enum"].is_array() => "one of the values above",
        _ => "text",
    }
}

fn field_type(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or("string")
}

/// Parses the user's text as a value of the field's type.
fn read_value(text: &str, schema: &Value) -> Option<Value> {
    match field_type(schema) {
        "boolean" => match text.to_lowercase().as_str() {
            "y" | "yes" | "true" => Some(true.into()),
            "n" | "no" | "false" => Some(false.into()),
            _ => None,
        },
        "integer" => text.parse::<i64>().ok().map(Value::from),
        "number" => text.parse::<f64>().ok().map(Value::from),
        _ => {
            let allowed = schema["enum"].as_array();
            allowed.is_none_or(|all| all.contains(&json!(text))).then(|| text.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(question: Value, typed: &str) -> (Value, String) {
        let fields = question["requestedSchema"]["properties"].as_object().cloned();
        let mut shown = Vec::new();
        let answer =
            ask(&question, &fields.unwrap_or_default(), typed.as_bytes(), &mut shown).unwrap();
        (answer, String::from_utf8(shown).unwrap())
    }

    #[test]
    fn only_y_or_yes_approves() {
        let question = json!({ "message": "Run pay?", "requestedSchema": { "properties": {} } });
        for (typed, action) in [
            ("y\n", "accept"),
            ("Yes\n", "accept"),
            ("\n", "decline"),
            ("no\n", "decline"),
            ("", "decline"),
        ] {
            let (answer, shown) = answer(question.clone(), typed);
            assert_eq!(answer["action"], action, "{typed:?}");
            assert_eq!(shown, "Run pay? [y/N] ");
        }
    }

    #[test]
    fn form_values_are_parsed_by_type_and_invalid_ones_are_asked_again() {
        let question = json!({
            "message": "Book a table",
            "requestedSchema": {
                "properties": {
                    "guests": { "type": "integer" },
                    "room": { "type": "string", "enum": ["hall", "garden"] },
                    "note": { "type": "string" },
                },
                "required": ["guests", "room"],
            },
        });
        let (answer, shown) = answer(question.clone(), "four\n4\nroof\nhall\n\n");
        assert_eq!(
            answer,
            json!({
                "action": "accept", "content": { "guests": 4, "room": "hall" },
            })
        );
        assert!(shown.contains("`four` is not valid; expected an integer"), "{shown}");
        assert!(shown.contains("`roof` is not valid; expected one of the values above"), "{shown}");
        assert!(shown.contains("room (hall, garden):"), "{shown}");
        let (cut_off, _) = self::answer(question, "4\n");
        assert_eq!(cut_off, json!({ "action": "cancel" }));
    }

    #[tokio::test]
    async fn yes_flag_approves_calls_and_declines_forms() {
        let form = json!({ "requestedSchema": { "properties": { "a": { "type": "string" } } } });
        assert_eq!(Respondent::Yes.answer(json!({})).await.unwrap()["action"], "accept");
        assert_eq!(Respondent::Yes.answer(form).await.unwrap()["action"], "decline");
        assert_eq!(Respondent::None.answer(json!({})).await.unwrap()["action"], "decline");
    }
}
