//! Responses after tool results, and streaming.

use std::sync::{Arc, Mutex};

use genkit::serde_json::json;

use super::{add, ask, notes, request, shown, weather};
use crate::{Offline, answer};
use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::{ChunkSink, Model, ModelRequest, ToolDefinition};
use genkit::{Message, Part, Role};

/// Runs the agent loop; `run` computes the response to each tool call.
fn whole(
    prompt: &str,
    tools: &[ToolDefinition],
    run: impl Fn(&ToolRequest) -> ToolResponse,
) -> Vec<String> {
    let mut request = request(prompt, tools);
    let mut steps = Vec::new();
    for _ in 0..10 {
        let response = answer(&request);
        steps.push(shown(&response));
        let message = response.message.unwrap();
        let answers: Vec<Part> =
            message.tool_requests().map(|call| Part::from(run(call))).collect();
        if answers.is_empty() {
            return steps;
        }
        request.messages.push(message);
        request.messages.push(Message::new(Role::Tool, answers));
    }
    panic!("never ends: {steps:?}");
}

fn results(results: impl IntoIterator<Item = ToolResponse>) -> String {
    let answers = results.into_iter().map(Part::from);
    let messages = [Message::user("go"), Message::new(Role::Tool, answers)];
    shown(&answer(&ModelRequest::new(messages)))
}

#[test]
fn tool_results_are_reported() {
    for (output, wanted) in [
        (json!("63°F and sunny"), "63°F and sunny"),
        (json!(42), "`t` returned 42."),
        (json!(true), "`t` returned true."),
        (json!(null), "`t` returned null."),
        (json!([]), "`t` returned []."),
        (json!({}), "`t` returned {}."),
        (json!([1, "a", [2]]), "`t` returned 1, a, [2]."),
        (
            json!({"city": "Paris", "feels_like": {"c": 2}}),
            "`t` returned city: Paris, feels like: {\"c\":2}.",
        ),
        (json!([{"id": 1}, {"id": 2}]), "`t` returned:\n- id: 1\n- id: 2"),
        (json!({"error": "no such city"}), "`t` failed: no such city."),
    ] {
        assert_eq!(results([ToolResponse::new("t", output)]), wanted);
    }
    let mut media = ToolResponse::new("t", json!(null));
    media.content = vec![Part::image("image/png", [1]), Part::text("Look!")];
    let both = results([media, ToolResponse::new("u", "b")]);
    assert_eq!(both, "Look!\nb");
}

#[test]
fn one_tool_follows_another() {
    let run = |call: &ToolRequest| call.respond(format!("{} ran", call.name));
    let tools = [weather(), add()];
    let prompt = "What is the weather in Paris, and what is 2 plus 40?";
    assert_eq!(
        whole(prompt, &tools, run),
        [r#"get_weather {"city":"Paris"}"#, r#"add {"a":2,"b":40}"#, "get_weather ran\nadd ran",]
    );
    let time = ToolDefinition::new("get_time", "Tells the time in a city.").with_input_schema(
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
    );
    assert_eq!(
        whole("The weather in Paris and the time in London", &[weather(), time], run),
        [
            r#"get_weather {"city":"Paris"}"#,
            r#"get_time {"city":"London"}"#,
            "get_weather ran\nget_time ran",
        ]
    );
}

#[test]
fn no_call_is_made_twice() {
    let run = |call: &ToolRequest| call.respond(json!({"error": "try again"}));
    assert_eq!(
        whole("weather in Rome", &[weather(), weather()], run),
        [r#"get_weather {"city":"Rome"}"#, "`get_weather` failed: try again.",]
    );
    // Words that named a tool, or that were passed to it as arguments, do not name another tool.
    let run = |call: &ToolRequest| call.respond("saved");
    let mut tools = notes();
    tools.push(weather());
    assert_eq!(
        whole("Add a note to look at the weather in Rome", &tools, run),
        [r#"add_note {"text":"look at the weather in Rome"}"#, "saved",]
    );
}

#[test]
fn new_question_is_a_new_run() {
    let call = ToolRequest::new("get_weather", json!({"city": "Rome"}));
    let mut request = request("weather in Rome", &[weather()]);
    request.messages.extend([
        Message::model(call.clone()),
        Message::new(Role::Tool, [Part::from(call.respond("sunny"))]),
        Message::model("sunny"),
        Message::user("and the weather in Rome now?"),
    ]);
    assert_eq!(shown(&answer(&request)), r#"get_weather {"city":"Rome"}"#);
}

#[test]
fn unmatched_prompt_explains_the_offline_model() {
    let said = ask("Sing!", &[weather(), add()]);
    assert!(said.contains("could have named: `get_weather`, `add`."), "{said}");
    assert!(said.contains("GEMINI_API_KEY") && said.contains("ollama/llama3.2"), "{said}");
    assert!(ask("Sing!", &[]).contains("could have named: none."));
}

#[tokio::test]
async fn answers_come_word_by_word() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let chunks = Arc::clone(&seen);
    let sink = ChunkSink::new(move |chunk| chunks.lock().unwrap().push(chunk));
    let told = Offline.generate(&request("Sing!", &[]), &sink).await.unwrap();
    let text: String = seen.lock().unwrap().iter().map(|chunk| chunk.text()).collect();
    assert_eq!(text, told.message.as_ref().unwrap().text());
    assert!(sink.count() > 20);
    assert_eq!(told.usage.output_tokens, Some(sink.count() as u64));
    assert_eq!(told.usage.input_tokens, Some(1));
    let before = sink.count();
    let prompt = request("weather in Rome", &[weather()]);
    Offline.generate(&prompt, &sink).await.unwrap();
    assert_eq!(sink.count(), before + 1);
    assert_eq!(seen.lock().unwrap().last().unwrap().tool_requests().count(), 1);
}
