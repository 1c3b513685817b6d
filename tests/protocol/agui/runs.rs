//! Runs of many kinds, by combination: each event is validated against the official schema, and the official client
//! verifies their order.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use genkit::agui::{AguiRequest, AguiServer};
use genkit::message::ToolRequest;
use genkit::model::{ChunkSink, GenerateChunk, Model, ModelRequest, ModelResponse, Usage, from_fn};
use genkit::sessions::Agent;
use genkit::{Context, Error, Message, Part, Result, Role, Tool, tool, tools};
use serde_json::{Value, json};

use super::{Seat, book, explode, paint, pay, weather};
use crate::{packages, program};

/// The time limit of all runs.
const LIMIT: Duration = Duration::from_secs(300);

/// Shows a page of a bank.
#[tool]
async fn sign_in(ctx: &Context) -> Result<String> {
    let done = ctx.elicit_url("https://bank.example.com/confirm", "Confirm at the bank.").await?;
    Ok(format!("{done:?}"))
}

/// The calls of the first round, by the letters of a script.
const CALLS: [&str; 24] = [
    "", "w", "ww", "we", "e", "f", "fw", "p", "pw", "pp", "b", "pb", "k", "kw", "kp", "kb", "i",
    "u", "g", "gwg", "l", "a", "ap", "ka",
];

/// The ends: text, reasoning and text, media, an error, and an error in the middle of the text.
const ENDS: [&str; 5] = ["t", "r", "m", "x", "X"];

fn request(letter: char, at: usize) -> Option<ToolRequest> {
    let (name, input) = match letter {
        'w' => ("weather", json!({"city": "Rome"})),
        'e' => ("explode", json!({})),
        'f' => ("paint", json!({})),
        'p' => ("pay", json!({"cents": 5})),
        'b' => ("book", json!({})),
        'k' => ("pick_color", json!({})),
        'i' => ("ask", json!({})),
        'u' => ("sign_in", json!({})),
        'g' => ("guide", json!({"task": "t"})),
        'l' => ("lost", json!({"task": "x"})),
        'a' => ("booker", json!({"task": "b|t"})),
        _ => return None,
    };
    Some(ToolRequest::new(name, input).with_id(format!("call {at} {letter}")))
}

/// Returns a model that follows the script in the last message of the user: rounds separated by `|`.
fn model() -> impl Model {
    from_fn("script", |request: ModelRequest, chunks: ChunkSink| async move {
        let messages = &request.messages;
        let is_script = |it: &&Message| it.role == Role::User && !it.text().contains("schema");
        let at = messages.iter().rposition(|it| is_script(&it)).unwrap_or_default();
        let round = messages[at..].iter().filter(|it| it.role == Role::Model).count();
        let script = messages[at].text();
        respond(script.split('|').nth(round).unwrap_or("t"), messages.len(), &chunks).await
    })
}

async fn respond(step: &str, at: usize, chunks: &ChunkSink) -> Result<ModelResponse> {
    let usage = Usage::default().with_input_tokens(3).with_output_tokens(4);
    let calls: Vec<ToolRequest> =
        step.chars().enumerate().filter_map(|(n, it)| request(it, at * 10 + n)).collect();
    if !calls.is_empty() {
        return Ok(ModelResponse::from_tool_requests(calls).with_usage(usage));
    }
    let message = match step {
        "r" => {
            let thought = Part::reasoning("Hm.").with_metadata("thoughtSignature", "sig");
            chunks.send(GenerateChunk::new([thought.clone()]));
            Message::model(thought).with(Part::text("Yes."))
        }
        "m" => Message::model(Part::image("image/png", [1, 2, 3])).with(Part::text("A picture.")),
        "x" => return Err(Error::not_found("the model is gone")),
        "X" => {
            chunks.send(GenerateChunk::from_text("It "));
            return Err(Error::not_found("the model is gone"));
        }
        "h" => {
            chunks.send(GenerateChunk::from_text("It "));
            std::future::pending().await
        }
        "J" => Message::model("no JSON"),
        "j" => Message::model(r#"{"row": 1}"#),
        _ => {
            for text in ["It ", "is ", "done."] {
                chunks.send(GenerateChunk::from_text(text));
            }
            Message::model("It is done.")
        }
    };
    Ok(ModelResponse::new(message).with_usage(usage))
}

/// Asks for a code.
#[tool]
async fn ask(ctx: &Context) -> Result<Value> {
    ctx.interrupt(json!({"of": "code"})).await
}

/// Returns all tools: of the server, and agents that answer, fail, and ask.
fn all_tools() -> Vec<Tool> {
    let agent = |name: &str| {
        genkit::generate(()).model(model()).tools(tools![book]).into_tool(name, "Does a task.")
    };
    let mut tools = tools![weather, pay, explode, paint, book, sign_in, ask];
    tools.extend(["guide", "lost", "booker"].map(agent));
    tools
}

/// Starts a server, and returns its address.
fn start(runtime: &tokio::runtime::Runtime, server: AguiServer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/agui", listener.local_addr().unwrap());
    runtime.spawn(server.listener(listener).run());
    url
}

/// Returns the ways to answer what a run waits for.
fn answers_to(calls: &str) -> &'static [&'static str] {
    match calls.contains(['p', 'b', 'i', 'u', 'a']) {
        true => &["approve", "decline", "cancel"],
        false => &["approve"],
    }
}

fn cases(urls: &[(&str, String)]) -> Vec<Value> {
    let mut cases = Vec::new();
    for (kind, url) in urls {
        let mut add = |script: String, answers: &str| {
            let thread = format!("{kind} {script} {answers}");
            cases.push(json!({"url": url, "thread": thread, "script": script, "answers": answers}));
        };
        if *kind == "structured" {
            for script in ["j", "J|j", "J|J", "w|j", "p|J|j"] {
                add(script.to_owned(), "approve");
            }
            continue;
        }
        for calls in CALLS {
            // All ends of the simplest runs, and one of the others.
            let ends = if calls.len() < 2 { &ENDS[..] } else { &ENDS[..1] };
            for end in ends {
                let script = format!("{calls}|{end}");
                let script = script.trim_start_matches('|');
                answers_to(calls).iter().for_each(|answers| add(script.to_owned(), answers));
            }
        }
        let others = ["w|p|k|t", "k|k|r", "f|we|X"].map(|script| (script, "approve"));
        for (script, answers) in others.into_iter().chain([("h", "stop"), ("w|h", "stop")]) {
            add(script.to_owned(), answers);
        }
    }
    cases
}

#[test]
fn events_of_many_different_runs_follow_the_official_schema_and_order() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let run = |_: AguiRequest| async move {
        Ok(genkit::generate(()).system("Be brief.").model(model()).tools(all_tools()))
    };
    let stored = Agent::builder("stored").instructions("Be brief.").model(model());
    let structured = |_: AguiRequest| async move {
        Ok(genkit::generate(())
            .model(model())
            .tools(all_tools())
            .output::<Seat>()
            .output_retries(1))
    };
    let urls = [
        ("sealed", start(&runtime, genkit::serve_agui(run))),
        ("stored", start(&runtime, genkit::serve_agui(stored.tools(all_tools()).build().unwrap()))),
        ("structured", start(&runtime, genkit::serve_agui(structured))),
    ];
    let cases = cases(&urls);
    let mut node = packages::tool(Path::new("node"));
    node.arg(packages::agui_client().with_file_name("runs.mjs")).arg(json!(cases).to_string());
    let ran = program::run(&mut node, LIMIT).unwrap_or_else(|story| panic!("{story}"));
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    runtime.shutdown_background();
    let seen: Value = serde_json::from_str(ran.stdout.trim()).unwrap();
    assert_eq!((&seen["invalid"], &seen["failures"]), (&json!([]), &json!([])));
    let table = |name: &str| -> BTreeMap<String, u64> {
        serde_json::from_value(seen[name].clone()).unwrap()
    };
    let (kinds, outcomes) = (table("kinds"), table("outcomes"));
    genkit_tests::print_uncaptured(&format!(
        "== AG-UI: {} different conversations, {} runs ({outcomes:?}), {} events of {} types\n",
        cases.len(),
        seen["runs"],
        seen["events"],
        kinds.len(),
    ));
    assert!(cases.len() >= 60, "{}", cases.len());
    let ends: Vec<&str> = outcomes.keys().map(String::as_str).collect();
    assert_eq!(ends, ["error NOT_FOUND", "interrupt", "stopped", "success"]);
    assert!(kinds.len() >= 21, "{kinds:?}");
    for kind in ["SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR"] {
        assert!(kinds.contains_key(kind), "{kind}: {kinds:?}");
    }
}
