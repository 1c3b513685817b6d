//! Agents served with AG-UI, used by the official client (`@ag-ui/client`) with its schema and its verifier.

mod runs;

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use genkit::agui::{AguiServer, UiEvent};
use genkit::generate::Generate;
use genkit::message::ToolRequest;
use genkit::model::{FnModel, GenerateChunk, ModelResponse, Usage, from_fn};
use genkit::sessions::Agent;
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Chunks, Context, Error, Message, Part, Result, tool, tools};
use serde_json::{Value, json};

use crate::packages;
use crate::program;

/// The time limit of a conversation.
const LIMIT: Duration = Duration::from_secs(30);

/// Returns the weather.
#[tool]
async fn weather(city: String) -> String {
    format!("{city}: sunny")
}

/// Pays.
#[tool(needs_approval)]
async fn pay(cents: u64) -> String {
    format!("paid {cents}")
}

/// Panics.
#[tool]
async fn explode() -> String {
    panic!("boom")
}

/// Changes the page and reports progress.
#[tool]
async fn paint(ctx: &Context, chunks: &Chunks<UiEvent>) -> Result<String> {
    ctx.progress((1.0, 2.0)).await;
    chunks.send(UiEvent::state(json!({"color": "red"}))).await?;
    chunks
        .send(UiEvent::state_delta([json!({"op": "replace", "path": "/color", "value": "blue"})]))
        .await?;
    chunks.send(UiEvent::activity("plan", "plan", serde_json::Map::new())).await?;
    chunks.send(UiEvent::custom("sound", "ding")).await?;
    Ok("painted".to_owned())
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Seat {
    row: u32,
}

/// Books a seat.
#[tool]
async fn book(ctx: &Context) -> Result<String> {
    let seat = ctx.elicit::<Seat>("Which seat?").await?;
    Ok(format!("row {}", seat.accepted()?.row))
}

fn call(name: &str, id: &str, input: Value) -> ToolRequest {
    ToolRequest::new(name, input).with_id(id)
}

fn calls(requests: impl IntoIterator<Item = ToolRequest>) -> Scripted {
    ModelResponse::from_tool_requests(requests).into()
}

fn text(text: &str) -> Scripted {
    let usage = Usage::default().with_input_tokens(3).with_output_tokens(4);
    ModelResponse::from_text(text).with_usage(usage).into()
}

fn agent(model: &ScriptedModel) -> Generate {
    genkit::generate(())
        .system("Be brief.")
        .model(model.clone())
        .tools(tools![weather, pay, explode, paint, book])
}

/// Holds a conversation with its own server, and returns what the client received.
fn converse(name: &str, run: Generate) -> Value {
    converse_with(name, genkit::serve_agui(run))
}

fn converse_with(name: &str, server: AguiServer) -> Value {
    let seen = run_client(&packages::agui_client(), name, server);
    assert_eq!(seen["invalid"], json!([]), "{name}");
    seen
}

/// Runs a client's script against a server.
fn run_client(script: &Path, name: &str, server: AguiServer) -> Value {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/agui", listener.local_addr().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.spawn(server.listener(listener).run());
    let mut node = packages::tool(Path::new("node"));
    node.arg(script).args([name, &url]);
    let ran = program::run(&mut node, LIMIT).unwrap_or_else(|story| panic!("{story}"));
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    runtime.shutdown_background();
    serde_json::from_str(ran.stdout.trim())
        .unwrap_or_else(|error| panic!("{error}: {}", ran.story()))
}

/// Holds a conversation that must not have an error.
fn converse_well(name: &str, script: impl IntoIterator<Item = Scripted>) -> (Value, ScriptedModel) {
    let model = ScriptedModel::new(script.into_iter().chain([text("More.")]));
    let seen = converse(name, agent(&model));
    assert_eq!(seen["errors"], json!([]), "{name}: {seen}");
    assert_eq!(seen["texts"].as_array().and_then(|it| it.last()), Some(&json!("More.")), "{seen}");
    (seen, model)
}

fn has(seen: &Value, kind: &str) -> bool {
    seen["types"].as_array().is_some_and(|types| types.iter().any(|it| it == kind))
}

#[test]
fn official_client_streams_text_and_keeps_the_history() {
    let (_, model) = converse_well("text", [text("Hello.")]);
    let roles: Vec<_> = model.requests()[1].messages.iter().map(|it| it.role).collect();
    use genkit::Role::{Model, System, User};
    assert_eq!(roles, [System, User, Model, User]);
}

#[test]
fn official_client_receives_parallel_calls_and_a_panicking_tool() {
    let requests = [
        call("weather", "c1", json!({"city": "Rome"})),
        call("explode", "c2", json!({})),
        call("weather", "c3", json!({"city": "Oslo"})),
        call("paint", "c4", json!({})),
    ];
    let (seen, model) = converse_well("parallel", [calls(requests), text("Done.")]);
    for kind in ["STATE_SNAPSHOT", "STATE_DELTA", "ACTIVITY_SNAPSHOT", "CUSTOM", "TOOL_CALL_RESULT"]
    {
        assert!(has(&seen, kind), "{kind}: {seen}");
    }
    assert_eq!(seen["state"], json!({"color": "blue"}));
    assert_eq!(model.tool_outputs("weather").len(), 2);
}

#[test]
fn official_client_executes_a_tool_of_the_page() {
    let request = call("pick_color", "c1", json!({"of": 2}));
    let (seen, model) = converse_well("page", [calls([request]), text("Red.")]);
    assert_eq!(seen["outcomes"][0], json!({"type": "success", "pendingToolCallIds": ["c1"]}));
    assert_eq!(model.tool_outputs("pick_color"), [json!("red")]);
}

#[test]
fn official_client_approves_and_fills_in_a_form_next_to_a_tool_of_the_page() {
    let requests = [
        call("pay", "c1", json!({"cents": 5})),
        call("book", "c2", json!({})),
        call("pick_color", "c3", json!({})),
        call("weather", "c4", json!({"city": "Rome"})),
    ];
    let (seen, model) = converse_well("questions", [calls(requests), text("Done.")]);
    assert_eq!(seen["outcomes"][0]["type"], "interrupt");
    assert_eq!(model.tool_outputs("pay"), [json!("paid 5")]);
    assert_eq!(model.tool_outputs("book"), [json!("row 3")]);
    assert_eq!(model.tool_outputs("pick_color"), [json!("red")]);
}

#[test]
fn official_client_answers_one_interrupt_after_another() {
    let first = calls([call("pay", "c1", json!({"cents": 5}))]);
    let second = calls([call("book", "c2", json!({}))]);
    let (seen, model) = converse_well("twice", [first, second, text("Done.")]);
    assert_eq!(seen["runs"], 4);
    assert_eq!(model.tool_outputs("pay"), [json!("paid 5")]);
}

#[test]
fn official_client_keeps_the_signatures_of_reasoning() {
    let thought = Part::reasoning("Hm.").with_metadata("thoughtSignature", "sig");
    let message = Message::model(thought).with(Part::text("Yes."));
    let (seen, model) = converse_well("reasoning", [ModelResponse::new(message).into()]);
    assert!(has(&seen, "REASONING_MESSAGE_CONTENT"), "{seen}");
    let history = serde_json::to_string(&model.requests()[1].messages).unwrap();
    assert!(history.contains("\"thoughtSignature\":\"sig\""), "{history}");
}

#[test]
fn official_client_receives_structured_output_after_a_retry() {
    let model = ScriptedModel::texts(["no JSON", r#"{"row": 1}"#, r#"{"row": 2}"#]);
    let run = genkit::generate(()).model(model).output::<Seat>().output_retries(1);
    let seen = converse("structured", run);
    assert_eq!(seen["errors"], json!([]), "{seen}");
    assert!(has(&seen, "CUSTOM"), "{seen}");
}

#[test]
fn official_client_receives_an_error_in_the_middle_of_a_stream() {
    let failing: Scripted = Err(Error::not_found("the model is gone")).into();
    let first = calls([call("weather", "c1", json!({"city": "Rome"}))]);
    let model = ScriptedModel::new([first, failing]);
    let seen = converse("error", agent(&model));
    assert!(has(&seen, "TOOL_CALL_RESULT") && has(&seen, "RUN_ERROR"), "{seen}");
    assert_eq!(seen["errors"][0]["code"], "NOT_FOUND", "{seen}");
}

#[test]
fn official_client_can_cancel() {
    let model = ScriptedModel::streaming(["a", "b", "c"]);
    let seen = converse("cancel", agent(&model));
    assert!(has(&seen, "TEXT_MESSAGE_CONTENT"), "{seen}");
}

/// Returns an agent that keeps its threads.
fn keeper(model: &ScriptedModel) -> Agent {
    let agent = Agent::builder("keeper").model(model.clone());
    agent.tools(tools![weather, pay, explode, paint, book]).build().unwrap()
}

#[test]
fn official_client_holds_a_conversation_that_the_server_keeps() {
    let requests =
        [call("weather", "c1", json!({"city": "Rome"})), call("pay", "c2", json!({"cents": 5}))];
    let model = ScriptedModel::new([
        calls(requests),
        text("Paid."),
        calls([call("pick_color", "c3", json!({"of": 2}))]),
        text("More."),
    ]);
    let agent = keeper(&model);
    let seen = converse_with("kept", genkit::serve_agui(agent.clone()));
    assert_eq!(seen["errors"], json!([]), "{seen}");
    assert_eq!(seen["outcomes"][0]["type"], "interrupt");
    assert_eq!(seen["sealed"], 0);
    assert_eq!(model.tool_outputs("pay"), ["paid 5"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let messages = runtime.block_on(agent.session("thread-kept").messages()).unwrap();
    assert_eq!(messages[3].text(), "Paid.");
    assert_eq!(messages.len(), 6, "the second turn ends with a call of the page");
}

/// Holds a conversation with Vercel's AI SDK.
fn chat(name: &str, server: AguiServer) -> Value {
    let seen = run_client(&packages::ai_client(), name, server);
    let versions = seen["versions"].as_array().unwrap();
    assert!(versions.iter().all(|version| version == "v1"), "{seen}");
    seen
}

#[test]
fn ai_sdk_holds_a_conversation_with_tools_approvals_and_reasoning() {
    for keeps in [false, true] {
        let requests = [
            call("weather", "c1", json!({"city": "Rome"})),
            call("pay", "c2", json!({"cents": 5})),
            call("explode", "c3", json!({})),
            call("paint", "c4", json!({})),
        ];
        let model = ScriptedModel::new([calls(requests), text("Paid."), text("More.")]);
        let server = match keeps {
            true => genkit::serve_agui(keeper(&model)),
            false => genkit::serve_agui(agent(&model)),
        };
        let seen = chat("approved", server);
        assert_eq!(seen["errors"], json!([]), "{seen}");
        assert_eq!(seen["texts"], json!(["go", "Paid.", "and more", "More."]), "keeps: {keeps}");
        assert_eq!(seen["roles"], json!(["user", "assistant", "user", "assistant"]));
        let states = &seen["states"];
        assert_eq!(states["c1"], json!(["tool-weather", "output-available", "Rome: sunny"]));
        assert_eq!(states["c2"], json!(["tool-pay", "output-available", "paid 5"]));
        assert_eq!(states["c3"][1], "output-error", "{seen}");
        assert_eq!(states["data-state"], json!({"color": "red"}));
        assert_eq!(seen["requests"], 3);
        assert_eq!(model.tool_outputs("pay"), ["paid 5"]);
    }
}

#[test]
fn ai_sdk_denies_a_call_and_executes_a_tool_of_the_page() {
    let model = ScriptedModel::new([
        calls([call("pay", "c1", json!({"cents": 5}))]),
        text("Not paid."),
        text("More."),
    ]);
    let seen = chat("denied", genkit::serve_agui(keeper(&model)));
    assert_eq!(seen["states"]["c1"][1], "output-denied", "{seen}");
    let pick = genkit::Tool::builder("pick_color", "Picks a color.").interrupts();
    let model = ScriptedModel::new([
        calls([call("pick_color", "c1", json!({}))]),
        text("Red."),
        text("More."),
    ]);
    let server = genkit::serve_agui(agent(&model).tools([pick])).page_tools(["pick_color"]);
    let seen = chat("page", server);
    assert_eq!(seen["texts"], json!(["go", "Red.", "and more", "More."]), "{seen}");
    assert_eq!(model.tool_outputs("pick_color"), [json!("red")]);
}

/// Returns the calls of a conversation with other clients: a tool of the server, an approval, and a tool of the page.
fn script() -> ScriptedModel {
    let first =
        [call("weather", "c1", json!({"city": "Rome"})), call("pay", "c2", json!({"cents": 5}))];
    let second = [call("pick_color", "c3", json!({}))];
    ScriptedModel::new([calls(first), calls(second), text("Red."), text("More.")])
}

#[test]
fn tanstacks_client_holds_a_conversation_with_a_tool_an_approval_and_a_tool_of_the_page() {
    for keeps in [false, true] {
        let model = script();
        let server = match keeps {
            true => genkit::serve_agui(keeper(&model)),
            false => genkit::serve_agui(agent(&model)),
        };
        let seen = run_client(&packages::tanstack_client(), "tools", server);
        assert_eq!(seen["errors"], json!([]), "keeps: {keeps}: {seen}");
        assert_eq!(seen["texts"], json!(["go", "Red.", "and more", "More."]), "{seen}");
        assert_eq!(model.tool_outputs("weather"), ["Rome: sunny"]);
        assert_eq!(model.tool_outputs("pay"), ["paid 5"]);
        assert_eq!(model.tool_outputs("pick_color"), ["red"]);
        // The client resolves interrupts with its own bindings only; the page answers the others with another method.
        genkit_tests::print_uncaptured(&format!(
            "== TanStack's client: interrupts are {}\n",
            seen["bound"]
        ));
        assert_eq!(seen["bound"], json!(["unbound"]), "{seen}");
    }
}

/// Holds a conversation with assistant-ui. It does not send encrypted values back, so it needs an agent with sessions.
fn converse_with_assistant_ui(name: &str, model: &ScriptedModel) -> Value {
    genkit_tests::print_uncaptured(
        "== assistant-ui: only agents with sessions, since it drops sealed conversations\n",
    );
    let server = genkit::serve_agui(keeper(model));
    let seen = run_client(&packages::assistant_ui_client(), name, server);
    assert_eq!(seen["errors"], json!([]), "{seen}");
    seen
}

#[test]
fn assistant_ui_holds_a_conversation_with_a_tool_an_approval_and_a_tool_of_the_page() {
    let model = script();
    let seen = converse_with_assistant_ui("tools", &model);
    assert_eq!((&seen["gates"], &seen["executed"]), (&json!(1), &json!(1)), "{seen}");
    assert_eq!(model.tool_outputs("weather"), ["Rome: sunny"]);
    assert_eq!(model.tool_outputs("pay"), ["paid 5"]);
    assert_eq!(model.tool_outputs("pick_color"), ["red"]);
    assert_eq!(seen["texts"], json!(["go", "Red.", "and more", "More."]), "{seen}");
}

#[test]
fn assistant_ui_sends_a_message_in_place_of_an_approval() {
    let asks = calls([call("pay", "c1", json!({"cents": 5}))]);
    let model = ScriptedModel::new([asks, text("Not paid."), text("More.")]);
    let seen = converse_with_assistant_ui("steer", &model);
    let texts = json!(["go", "never mind", "Not paid.", "and more", "More."]);
    assert_eq!(seen["texts"], texts, "{seen}");
    assert!(model.tool_outputs("pay")[0]["error"].is_string());
}

#[test]
fn ai_sdk_runs_a_turn_again() {
    for keeps in [false, true] {
        let model = ScriptedModel::new([text("One."), text("Two."), text("More.")]);
        let server = match keeps {
            true => genkit::serve_agui(keeper(&model)),
            false => genkit::serve_agui(agent(&model)),
        };
        let seen = chat("regenerate", server);
        assert_eq!(seen["errors"], json!([]), "{seen}");
        assert_eq!(seen["texts"], json!(["go", "Two.", "and more", "More."]), "keeps: {keeps}");
    }
}

/// Returns a model that sends a part of its response, and the rest once another chat lets it continue.
fn paused_model() -> FnModel {
    let permits = Arc::new(tokio::sync::Semaphore::new(0));
    from_fn("paused", move |request, chunks| {
        let permits = Arc::clone(&permits);
        async move {
            if request.messages.last().is_some_and(|last| last.text() == "continue") {
                permits.add_permits(1);
                return "It continues.".to_owned();
            }
            chunks.send(GenerateChunk::from_text("One. "));
            permits.acquire().await.unwrap().forget();
            chunks.send(GenerateChunk::from_text("Two."));
            "One. Two.".to_owned()
        }
    })
}

#[test]
fn ai_sdk_reconnects_to_the_stream_of_a_run() {
    for keeps in [false, true] {
        let model = paused_model();
        let server = match keeps {
            true => genkit::serve_agui(Agent::builder("keeper").model(model).build().unwrap()),
            false => genkit::serve_agui(genkit::generate(()).model(model)),
        };
        let seen = run_client(&packages::ai_client(), "resumed", server.durable_streams(true));
        assert_eq!(seen["errors"], json!([]), "{seen}");
        let resumed = &seen["resumed"];
        assert_eq!(resumed["nothing"], Value::Null, "no run is active: {seen}");
        assert_eq!(resumed["texts"], json!(["One. Two."]), "keeps: {keeps}: {seen}");
        assert!(resumed["parts"].as_u64().unwrap() >= 7, "{seen}");
        assert_eq!(seen["left"], Value::Null, "the run has ended: {seen}");
    }
}

#[test]
fn ai_sdk_receives_the_error_of_a_run() {
    let seen = chat("failed", genkit::serve_agui(agent(&ScriptedModel::new::<Scripted>([]))));
    assert_eq!(seen["errors"].as_array().map(Vec::len), Some(1), "{seen}");
}
