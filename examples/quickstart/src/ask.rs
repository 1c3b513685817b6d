//! Asks a question and displays every step until the answer.

use std::io::Write;

use genkit::model::IntoModel;
use genkit::{Error, ErrorKind, Part, Result, tools};

use crate::tools::{add, convert_temperature, count_words};

/// The default questions.
pub(crate) const QUESTIONS: [&str; 2] =
    ["What is 2 + 40?", "How many degrees Celsius are 68 degrees Fahrenheit?"];

/// Asks a question and prints each step on a separate line while the run is in progress.
pub(crate) async fn ask(question: &str, model: impl IntoModel, out: &mut impl Write) -> Result<()> {
    writeln!(out, "question  {question}")?;
    let mut stream = genkit::generate(question)
        .model(model)
        .tools(tools![add, convert_temperature, count_words])
        .stream();
    let mut answering = false;
    while let Some(chunk) = stream.next().await {
        for part in &chunk?.content {
            if let Some(text) = part.as_text() {
                if !std::mem::replace(&mut answering, true) {
                    write!(out, "answer    ")?;
                }
                write!(out, "{}", text.replace('\n', "\n          "))?;
                out.flush()?;
            } else if std::mem::take(&mut answering) {
                writeln!(out)?;
            }
            step(part, out)?;
        }
    }
    if answering {
        writeln!(out)?;
    }
    let response = stream.response().await?;
    if response.text().is_empty() {
        let why =
            response.finish_message.unwrap_or_else(|| "the model returned no text".to_owned());
        return Err(Error::new(ErrorKind::Aborted, why));
    }
    Ok(())
}

/// Prints a tool call or its result.
fn step(part: &Part, out: &mut impl Write) -> Result<()> {
    if let Some(call) = part.as_tool_request().filter(|call| !call.partial) {
        writeln!(out, "call      {}({})", call.name, call.input)?;
    } else if let Some(result) = part.as_tool_response() {
        match result.error() {
            Some(error) => writeln!(out, "error     {error} (the model can correct its call)")?,
            None => writeln!(out, "result    {}", result.output)?,
        }
    }
    Ok(())
}

/// Prints suggestions for the next steps.
pub(crate) fn print_next_steps(out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "Ask your own question:\n  cargo run -p quickstart -- \"How many words are in 'to be or not to be'?\"\n\
         Serve the same tools over HTTP:\n  cargo run -p quickstart -- --http 127.0.0.1:8000\n\
         Use them in Claude Desktop, Claude Code, Cursor or VS Code:\n  \
         cargo run -p quickstart -- --install claude-desktop --dry-run"
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use genkit::serde_json::json;

    use super::*;
    use genkit::message::ToolRequest;
    use genkit::model::ModelResponse;
    use genkit::testing::ScriptedModel;

    async fn shown(model: ScriptedModel) -> (String, Result<()>) {
        let mut out = Vec::new();
        let ended = ask("2 + 40?", model, &mut out).await;
        (String::from_utf8(out).unwrap(), ended)
    }

    #[tokio::test]
    async fn each_step_is_a_line() {
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests([ToolRequest::new(
                "add",
                json!({"a": "two", "b": 40}),
            )]),
            ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 2, "b": 40}))]),
            ModelResponse::from_text("It is\n42."),
        ]);
        let (shown, ended) = shown(model).await;
        ended.unwrap();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "question  2 + 40?");
        assert_eq!(lines[1], r#"call      add({"a":"two","b":40})"#);
        assert!(lines[2].starts_with("error     "), "{shown}");
        assert_eq!(lines[3..5], [r#"call      add({"a":2,"b":40})"#, "result    42"]);
        assert_eq!(lines[5..], ["answer    It is", "          42."]);
    }

    #[tokio::test]
    async fn model_that_only_calls_is_an_error() {
        let call = || {
            ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 1, "b": 1}))])
        };
        let (_, ended) = shown(ScriptedModel::new((0..6).map(|_| call()))).await;
        assert!(ended.unwrap_err().to_string().contains("the limit of 5 tool rounds"));
    }
}
