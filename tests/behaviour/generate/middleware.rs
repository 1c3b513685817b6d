//! Middleware around runs, model calls and tool calls.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::generate::OnToolError;
use genkit::message::ToolRequest;
use genkit::middleware::{
    Middleware, NextGenerate, NextModel, NextTool, ToolCall, ToolOutcome, download_media, fallback,
    on_generate, on_tool, retry, simulate_system_prompt,
};
use genkit::model::{
    self, ChunkSink, FnModel, GenerateChunk, ModelInfo, ModelRequest, ModelResponse, Supports,
};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{
    BoxFuture, Context, Error, ErrorKind, GenerateResponse, Genkit, Message, Part, Registry,
    Result, Tool, tool, tools,
};
use serde_json::{Value, json};

use super::{calls, outputs};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Records everything that passes through.
#[derive(Clone)]
struct Notes(&'static str, Arc<Mutex<Vec<String>>>);

impl Notes {
    fn note(&self, what: &str) {
        self.1.lock().unwrap().push(format!("{} {what}", self.0));
    }
}

impl Middleware for Notes {
    fn generate(
        &self,
        request: ModelRequest,
        next: NextGenerate,
    ) -> BoxFuture<'_, Result<GenerateResponse>> {
        Box::pin(async move {
            self.note("run begins");
            let ended = next.run(request).await;
            self.note("run ends");
            ended
        })
    }

    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            self.note("model");
            next.run(request, chunks).await
        })
    }

    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        Box::pin(async move {
            self.note(&format!("tool {}", call.request().name));
            next.run(call).await
        })
    }
}

#[tokio::test]
async fn first_one_is_the_outermost_and_the_programs_before_the_requests() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let genkit = Genkit::builder().registry(Registry::new());
    let genkit = genkit.middleware(Notes("a", Arc::clone(&notes))).build().unwrap();
    let model = calls([("add", json!({"a": 1, "b": 2}))]);
    let run = genkit.generate("go").model(model).tools(tools![add]);
    run.middleware(Notes("b", Arc::clone(&notes))).await.unwrap();
    assert_eq!(
        *notes.lock().unwrap(),
        [
            "a run begins",
            "b run begins",
            "a model",
            "b model",
            "a tool add",
            "b tool add",
            "a model",
            "b model",
            "b run ends",
            "a run ends",
        ]
    );
}

/// Changes requests and responses.
struct Changes;

impl Middleware for Changes {
    fn tool(&self, mut call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        Box::pin(async move {
            match call.request().input["a"].as_i64() {
                Some(1) => call.request.input["a"] = json!(100),
                Some(2) => return Ok(ToolOutcome::respond(call.request().respond("instead"))),
                Some(3) => return Err(Error::new(ErrorKind::Aborted, "enough")),
                Some(4) if next.resumed().is_none() => {
                    return Ok(ToolOutcome::interrupt(json!({"message": "Four?"})));
                }
                _ => {}
            }
            let outcome = next.run(call).await?;
            assert!(!outcome.is_interrupted() && outcome.response().is_some());
            Ok(outcome)
        })
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool::builder("extra", "x").handler(|_: Context, _: Value| async { Ok("extra") })]
    }
}

#[tokio::test]
async fn tool_call_can_be_changed_answered_stopped_and_interrupted() {
    let call = |a: i64| ("add", json!({"a": a, "b": 1}));
    let run = |model| genkit::generate("go").model(model).tools(tools![add]).middleware(Changes);
    let response = run(calls([call(1), call(2), ("extra", json!({}))])).await.unwrap();
    assert_eq!(outputs(&response), [json!(101), json!("instead"), json!("extra")]);
    let error = run(calls([call(3)])).await.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Aborted, "enough"));
    assert!(error.partial().is_some());

    let model = calls([call(4)]);
    let asked = run(model.clone()).await.unwrap();
    assert_eq!(asked.interrupts()[0].message(), Some("Four?"));
    let answer = asked.interrupts()[0].restart("yes");
    let resumed = genkit::resume_with_answers(asked, [answer]).model(model).tools(tools![add]);
    let done = resumed.middleware(Changes).await.unwrap();
    assert_eq!(outputs(&done), [json!(5)]);
}

/// Also asks the user itself.
#[tool]
async fn careful(ctx: &Context) -> Result<String> {
    ctx.confirm("Sure?").await?;
    Ok("with care".into())
}

#[tokio::test]
async fn middleware_that_was_answered_does_not_ask_again_because_the_tool_asks() {
    let asks = || {
        on_tool(|call: ToolCall, next: NextTool| async move {
            if next.resumed().is_none() {
                return Ok(ToolOutcome::interrupt(json!({"message": "Go on?"})));
            }
            next.run(call).await
        })
    };
    let model = calls([("careful", json!({}))]);
    let begun = genkit::generate("go").model(model.clone()).tools(tools![careful]);
    let mut run = begun.middleware(asks()).await.unwrap();
    for question in ["Go on?", "Sure?"] {
        assert_eq!(run.interrupts()[0].message(), Some(question));
        let resumed = genkit::resume(run, |question| question.approve());
        let resumed = resumed.model(model.clone()).tools(tools![careful]);
        run = resumed.middleware(asks()).await.unwrap();
    }
    assert_eq!(outputs(&run), [json!("with care")]);
}

#[tokio::test]
async fn run_can_be_run_again() {
    let longer = on_generate(|request, next| async move {
        let first = next.clone().run(request).await?;
        if first.text().len() > 5 {
            return Ok(first);
        }
        let mut messages = first.into_messages();
        messages.push(Message::user("Longer, please."));
        next.run(ModelRequest::new(messages)).await
    });
    let model = ScriptedModel::texts(["short", "much longer"]);
    let response = genkit::generate("go").model(model.clone()).middleware(longer).await.unwrap();
    assert_eq!(response.text(), "much longer");
    assert_eq!(model.requests()[1].messages.len(), 3);
}

/// Retries turns that fail.
fn again() -> impl Middleware {
    on_generate(|request, next| async move {
        match next.clone().run(request.clone()).await {
            Ok(response) => Ok(response),
            Err(_) => next.run(request).await,
        }
    })
}

/// Counts its calls, asks for approval, and fails the given number of times.
fn pay(paid: &Arc<AtomicU32>, failures: u32) -> Tool {
    let paid = Arc::clone(paid);
    Tool::builder("pay", "Pays.").handler(move |ctx: Context, _: Value| {
        let paid = Arc::clone(&paid);
        async move {
            ctx.interrupt(json!({"message": "Pay?"})).await?;
            match paid.fetch_add(1, Ordering::SeqCst) {
                count if count < failures => {
                    Err(Error::new(ErrorKind::Unavailable, "bank closed").into())
                }
                _ => Ok("paid"),
            }
        }
    })
}

#[tokio::test]
async fn resumed_calls_are_retried_until_settled() {
    let ask = || ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({}))]);
    let spoken = || Ok(ModelResponse::from_text("done"));
    // The tool fails, then pays; the model fails after the tool has paid.
    for (failures, answers, calls) in
        [(1, vec![Ok(ask()), spoken()], 2), (0, vec![Ok(ask()), unavailable(), spoken()], 1)]
    {
        let paid = Arc::new(AtomicU32::new(0));
        let model = ScriptedModel::new(answers);
        let asked = genkit::generate("go").model(model.clone()).tools([pay(&paid, failures)]);
        let asked = asked.await.unwrap();
        let answer = asked.interrupts()[0].restart("yes");
        let resumed =
            genkit::resume(asked, |_| answer.clone()).model(model).tools([pay(&paid, failures)]);
        let done = resumed.on_tool_error(OnToolError::Abort).middleware(again()).await.unwrap();
        assert_eq!(done.text(), "done");
        assert_eq!(paid.load(Ordering::SeqCst), calls, "after {failures} failures");
    }
}

fn unavailable() -> genkit::Result<ModelResponse> {
    Err(Error::new(ErrorKind::Unavailable, "overloaded"))
}

#[tokio::test(start_paused = true)]
async fn retries_wait_as_long_as_the_server_asks() {
    let limited = || {
        let error = Error::new(ErrorKind::ResourceExhausted, "slow down");
        Err(error.with_retry_after(Duration::from_secs(7)))
    };
    let model = ScriptedModel::new([limited(), unavailable(), Ok(ModelResponse::from_text("x"))]);
    let began = tokio::time::Instant::now();
    let run = genkit::generate("go").model(model.clone());
    run.middleware(retry().jitter(false)).await.unwrap();
    assert_eq!(began.elapsed().as_secs(), 7 + 2);
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn retries_end_and_do_not_repeat_what_was_delivered() {
    let model = ScriptedModel::new((0..9).map(|_| unavailable()));
    let error = genkit::generate("go").model(model.clone()).middleware(retry()).await.unwrap_err();
    assert_eq!(error.to_string(), "overloaded");
    assert_eq!(model.requests().len(), 4);

    let wrong = || Err(Error::new(ErrorKind::Unauthenticated, "wrong key"));
    let model = ScriptedModel::new([wrong(), wrong()]);
    let run = genkit::generate("go").model(model.clone()).middleware(retry());
    run.await.unwrap_err();
    assert_eq!(model.requests().len(), 1);
}

/// Returns a model that sends half of its response, then fails; and the number of its calls.
fn half() -> (FnModel, Arc<AtomicU32>) {
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let model = model::from_fn("half", move |_, chunks: ChunkSink| {
        count.fetch_add(1, Ordering::SeqCst);
        chunks.send(GenerateChunk::from_text("half"));
        async { Err::<String, _>(Error::new(ErrorKind::Unavailable, "cut")) }
    });
    (model, asked)
}

#[tokio::test(start_paused = true)]
async fn delivered_chunks_are_not_repeated() {
    let (half, asked) = half();
    let spare = ScriptedModel::text("spare");
    let stream = genkit::generate("go")
        .model(half)
        .middleware(fallback([spare.clone()]))
        .middleware(retry())
        .stream();
    assert_eq!(stream.response().await.unwrap_err().to_string(), "cut");
    assert_eq!((asked.load(Ordering::SeqCst), spare.requests().len()), (1, 0));
}

#[tokio::test]
async fn fallback_takes_the_next_model_and_tells_the_last_error() {
    let config = |model: &ScriptedModel| model.requests()[0].config.clone();
    let spare = ScriptedModel::text("spare");
    let run = genkit::generate("go").temperature(0.5).model(ScriptedModel::new([unavailable()]));
    let response = run.middleware(fallback([spare.clone()])).await.unwrap();
    assert_eq!(response.text(), "spare");
    assert_eq!(config(&spare)["temperature"], 0.5);

    let spare = ScriptedModel::text("spare");
    let run = genkit::generate("go").temperature(0.5).model(ScriptedModel::new([unavailable()]));
    run.middleware(fallback([spare.clone()]).keep_config(false)).await.unwrap();
    assert!(config(&spare).is_empty());

    let wrong = ScriptedModel::new([Err(Error::invalid_argument("bad request"))]);
    let spare = ScriptedModel::text("spare");
    let run = genkit::generate("go").model(wrong).middleware(fallback([spare.clone()]));
    assert_eq!(run.await.unwrap_err().to_string(), "bad request");
    assert!(spare.requests().is_empty());

    let last = ScriptedModel::new([Err(Error::new(ErrorKind::Unavailable, "down too"))]);
    let run = genkit::generate("go").model(ScriptedModel::new([unavailable()]));
    assert_eq!(run.middleware(fallback([last])).await.unwrap_err().to_string(), "down too");
}

#[tokio::test]
async fn model_without_a_system_role_is_asked_as_the_user() {
    let mut info = ModelInfo::default();
    info.supports = Some(Supports::all().with_system_role(false));
    let model = ScriptedModel::text("x").with_info(info);
    let run = genkit::generate("hi").system("Be brief.").model(model.clone());
    let simulate = simulate_system_prompt().preface("RULES: ").acknowledgement("Yes.");
    let response = run.middleware(simulate).await.unwrap();
    let asked: Vec<String> = model.requests()[0].messages.iter().map(Message::text).collect();
    assert_eq!(asked, ["RULES: Be brief.", "Yes.", "hi"]);
    assert_eq!(response.messages()[0].text(), "Be brief.", "the history is unchanged");
}

#[tokio::test]
async fn streams_pass_through_middleware() {
    let request = ToolRequest::new("add", json!({"a": 1, "b": 2}));
    let model = ScriptedModel::new([
        Scripted::from(ModelResponse::from_tool_requests([request])),
        Scripted::chunks(
            [GenerateChunk::from_text("do"), GenerateChunk::from_text("ne")],
            ModelResponse::from_text("done"),
        ),
    ]);
    let notes = Notes("a", Arc::default());
    let run = genkit::generate("go").model(model).tools(tools![add]).middleware(notes);
    let mut stream = run.stream();
    let mut chunks = 0;
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
        chunks += 1;
    }
    assert_eq!(chunks, 4);
}

/// Serves one file to every connection.
async fn file_server(answer: &'static str) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut head = [0; 2048];
            let _ = connection.read(&mut head).await.unwrap();
            connection.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    format!("http://{address}/cat.png")
}

#[tokio::test]
async fn media_is_fetched_for_the_model_and_named_in_the_history() {
    let url = file_server(
        "HTTP/1.1 200 OK\r\ncontent-type: image/png; q=1\r\ncontent-length: 3\r\n\r\nPNG",
    )
    .await;
    let model = ScriptedModel::text("a cat");
    let mut part = Part::media(&url, "");
    if let Part::Media { media, .. } = &mut part {
        media.content_type = None;
    }
    let run = genkit::generate(part.clone()).model(model.clone()).middleware(download_media());
    let response = run.await.unwrap();
    assert_eq!(model.requests()[0].messages[0].content, [Part::image("image/png", b"PNG")]);
    assert_eq!(response.messages()[0].content, [part.clone()]);

    for (limit, fits) in [(3, true), (2, false)] {
        let run = genkit::generate(part.clone()).model(ScriptedModel::text("x"));
        let ended = run.middleware(download_media().max_bytes(limit)).await;
        assert_eq!(ended.is_ok(), fits, "{limit}");
    }
    let moved = file_server(
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
    )
    .await;
    let run = genkit::generate(Part::media(moved, "image/png")).model(ScriptedModel::text("x"));
    let said = run.middleware(download_media()).await.unwrap_err().to_string();
    assert!(said.contains("302"), "{said}");
}

#[tokio::test]
async fn spare_gets_no_key_and_hears_of_the_output_in_words() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Dish {
        name: String,
    }
    let mut info = ModelInfo::default();
    info.supports = Some(Supports::text_only());
    let spare = ScriptedModel::text(r#"{"name": "soup"}"#).with_info(info);
    let spares: [genkit::model::ModelRef; 2] = ["no/such".into(), spare.clone().into()];
    let run = genkit::generate("A dish?").config(json!({"apiKey": "sk-of-another", "topK": 3}));
    let run = run.output::<Dish>().model(ScriptedModel::new([unavailable()]));
    let response = run.middleware(fallback(spares)).await.unwrap();
    assert_eq!(response.output::<Dish>().unwrap().name, "soup");
    let asked = spare.requests().remove(0);
    assert_eq!(json!(asked.config), json!({"topK": 3}));
    assert!(asked.messages[0].text().contains("conform to the following schema"));
}
