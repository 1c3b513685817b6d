//! Middleware of a program around the tools that it serves over MCP.

use std::sync::{Arc, Mutex};

use genkit::mcp::McpServer;
use genkit::middleware::{Middleware, NextModel, NextTool, ToolCall, ToolOutcome};
use genkit::model::{ChunkSink, ModelRequest, ModelResponse};
use genkit::testing::{Client, ClientBuilder};
use genkit::{BoxFuture, Context, Error, Genkit, Part, Result, Tool, ToolReply, tool, tools};
use serde_json::{Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Doubles.
#[tool]
async fn double(n: i64) -> i64 {
    n * 2
}

/// Asks for a name, and greets.
#[tool]
async fn greet(ctx: &Context) -> Result<String> {
    Ok(format!("Hello, {}!", ctx.elicit::<Name>("Who?").await?.accepted()?.name))
}

/// Deletes.
#[tool(needs_approval)]
async fn delete(id: u64) -> String {
    format!("deleted {id}")
}

/// Fails.
#[tool]
async fn fail() -> Result<String> {
    Err(Error::not_found("no note 7"))
}

/// Shows much.
#[tool]
async fn show() -> Result<Vec<Part>> {
    Ok(vec![Part::text("one"), Part::text("two"), Part::image("image/png", b"...")])
}

/// Replies with a value, a text and an entry of `_meta`.
#[tool]
async fn reply() -> ToolReply<Value> {
    ToolReply::new(json!({"n": 1})).with_text("one").with_meta("example.com/k", "v")
}

type Log = Arc<Mutex<Vec<String>>>;

/// Behaves as its name says.
struct Does(&'static str, Log);

impl Does {
    fn note(&self, text: impl std::fmt::Display) {
        self.1.lock().unwrap().push(format!("{} {text}", self.0));
    }
}

impl Middleware for Does {
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        self.note("model");
        next.run(request, chunks)
    }

    fn tool(&self, mut call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        Box::pin(async move {
            self.note(format!("{} {}", call.request.name, call.request.input));
            match self.0 {
                "answers" => Ok(ToolOutcome::respond(call.request.respond(json!(-1)))),
                "misfits" => Ok(ToolOutcome::respond(call.request.respond(json!("no number")))),
                "refuses" => {
                    Ok(ToolOutcome::respond(call.request.respond(json!({"error": "not today"}))))
                }
                "fails" => Err(Error::invalid_argument("the middleware is broken")),
                "panics" => panic!("a secret"),
                "changes" => {
                    if call.request.name == "delete" {
                        call.request.input = json!({"id": 9});
                        return next.run(call).await;
                    }
                    let n = call.request.input["n"].as_i64().unwrap_or_default();
                    call.request.input = json!({"n": n + 1});
                    let outcome = next.run(call.clone()).await?;
                    let Some(doubled) = outcome.response().and_then(|r| r.output.as_i64()) else {
                        return Ok(outcome);
                    };
                    Ok(ToolOutcome::respond(call.request.respond(json!(doubled + 100))))
                }
                "asks" => match next.resumed() {
                    None => Ok(ToolOutcome::interrupt(json!({"message": "Go on?"}))),
                    Some(_) => next.run(call).await,
                },
                _ => {
                    let outcome = next.run(call).await?;
                    self.note(if outcome.is_interrupted() { "asked" } else { "done" });
                    Ok(outcome)
                }
            }
        })
    }
}

fn serving(names: &[&'static str], log: &Log) -> McpServer {
    let mut tools: Vec<Tool> = tools![double, greet, delete, fail, show, reply];
    let halve = Tool::builder("halve", "Halves.")
        .input_schema(json!({"type": "object"}))
        .output_schema(json!({"type": "number"}));
    tools.push(halve.handler(|_: Context, _: Value| async { Ok(json!(0.5)) }));
    let mut builder = Genkit::builder().registry(genkit::Registry::new().add(tools));
    for &name in names {
        builder = builder.middleware(Does(name, Arc::clone(log)));
    }
    builder.build().unwrap().serve_mcp()
}

fn eras() -> [fn() -> ClientBuilder; 2] {
    [Client::builder, || Client::builder().modern(true)]
}

/// Returns a client of each era that answers every question with yes, and records it.
async fn clients(names: &[&'static str], log: &Log) -> Vec<Client> {
    let mut clients = Vec::new();
    for builder in eras() {
        let asked = Arc::clone(log);
        let builder = builder().on_elicit(move |message, _| {
            asked.lock().unwrap().push(format!("user {message}"));
            Some(json!({"name": "Ada"}))
        });
        clients.push(builder.connect(serving(names, log)).await.unwrap());
    }
    clients
}

async fn told(client: &Client, name: &str, arguments: Value) -> (bool, String) {
    let result = client.call_tool(name, arguments).await.unwrap();
    (result.is_error(), result.text())
}

#[tokio::test]
async fn each_tool_call_goes_through_it_from_the_first_to_the_last() {
    let log = Log::default();
    for client in clients(&["outer", "inner"], &log).await {
        log.lock().unwrap().clear();
        assert_eq!(told(&client, "double", json!({"n": 2})).await, (false, "4".to_owned()));
        let seen = ["outer double {\"n\":2}", "inner double {\"n\":2}", "inner done", "outer done"];
        assert_eq!(*log.lock().unwrap(), seen);
    }
}

#[tokio::test]
async fn middleware_can_answer_reject_and_change_calls() {
    let log = Log::default();
    for (name, expected) in [
        ("answers", (false, "-1")),
        ("refuses", (true, "not today")),
        ("changes", (false, "106")),
        ("fails", (true, "the middleware is broken")),
    ] {
        for client in clients(&[name], &log).await {
            let (is_error, text) = told(&client, "double", json!({"n": 2})).await;
            assert_eq!((is_error, text.as_str()), expected, "{name}");
        }
    }
    for client in clients(&["misfits"], &log).await {
        let (is_error, text) = told(&client, "halve", json!({})).await;
        let said =
            "a middleware returned a result for `halve` that does not match its output schema";
        assert!(is_error && text.starts_with(said), "{text}");
    }
    for client in clients(&["panics"], &log).await {
        let (is_error, text) = told(&client, "double", json!({"n": 2})).await;
        assert!(is_error && text.contains("panicked") && !text.contains("secret"), "{text}");
        // The server still works.
        assert!(told(&client, "double", json!({"n": 2})).await.0);
    }
}

#[tokio::test]
async fn middleware_preserves_unchanged_parts() {
    let log = Log::default();
    for builder in eras() {
        let with = builder().connect(serving(&["watches"], &log)).await.unwrap();
        let without = builder().connect(serving(&[], &log)).await.unwrap();
        for (name, arguments) in [
            ("double", json!({"n": 2})),
            ("double", json!({"n": "two"})),
            ("fail", json!({})),
            ("show", json!({})),
            ("reply", json!({})),
        ] {
            let with = with.call_tool(name, arguments.clone()).await.unwrap();
            assert_eq!(with, without.call_tool(name, arguments).await.unwrap(), "{name}");
        }
    }
}

#[tokio::test]
async fn question_of_the_tool_and_one_of_the_middleware_reach_the_user_once_each() {
    let log = Log::default();
    for client in clients(&["asks"], &log).await {
        log.lock().unwrap().clear();
        let greeted = told(&client, "greet", json!({})).await;
        assert_eq!(greeted, (false, "Hello, Ada!".to_owned()));
        let asked: Vec<String> =
            log.lock().unwrap().iter().filter(|line| line.starts_with("user")).cloned().collect();
        assert_eq!(asked, ["user Go on?", "user Who?"]);
    }
}

#[tokio::test]
async fn question_of_the_middleware_may_be_declined() {
    let log = Log::default();
    for builder in eras() {
        let no = builder().on_elicit(|_, _| None);
        let client = no.connect(serving(&["asks"], &log)).await.unwrap();
        let declined = told(&client, "double", json!({"n": 2})).await;
        assert_eq!(declined, (true, "the user did not approve".to_owned()));
    }
}

#[tokio::test]
async fn middleware_question_names_the_missing_capability() {
    let log = Log::default();
    let [legacy, modern] = eras();
    let client = legacy().connect(serving(&["asks"], &log)).await.unwrap();
    let (is_error, text) = told(&client, "double", json!({"n": 2})).await;
    assert!(is_error && text.contains("`elicitation` capability"), "{text}");
    let client = modern().connect(serving(&["asks"], &log)).await.unwrap();
    let error = client.call_tool("double", json!({"n": 2})).await.unwrap_err();
    assert!(error.to_string().starts_with("-32021: "), "{error}");
}

#[tokio::test]
async fn user_approves_the_input_that_runs() {
    let log = Log::default();
    for client in clients(&["changes"], &log).await {
        log.lock().unwrap().clear();
        let deleted = told(&client, "delete", json!({"id": 7})).await;
        assert_eq!(deleted, (false, "deleted 9".to_owned()));
        let asked = "user Allow `delete` to run with {\"id\":9}?".to_owned();
        assert!(log.lock().unwrap().contains(&asked), "{log:?}");
    }
}

/// Middleware for models is not used here.
#[tokio::test]
async fn server_ignores_model_middleware() {
    let log = Log::default();
    for client in clients(&["watches"], &log).await {
        told(&client, "double", json!({"n": 2})).await;
        assert!(log.lock().unwrap().iter().all(|line| !line.contains("model")), "{log:?}");
    }
}
