//! Middleware of a server around its requests: timing, caching, rate limits, and what it must not break.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use genkit::mcp::McpServer;
use genkit::mcp::server::{
    NextRequest, RequestMiddleware, ServedRequest, ServedResponse, on_call, on_get, on_list,
    on_read, on_request,
};
use genkit::testing::{Client, ClientBuilder};
use genkit::{
    Context, Error, ErrorKind, Genkit, Registry, Result, actions, prompt, resource, tool,
};
use serde_json::{Value, json};

struct Calls(AtomicU32);

/// Doubles.
#[tool]
async fn double(calls: &Arc<Calls>, n: i64) -> i64 {
    calls.0.fetch_add(1, Ordering::SeqCst);
    n * 2
}

/// Sends, once the user says yes.
#[tool]
async fn send(ctx: &Context) -> Result<String> {
    ctx.confirm("Send?").await?;
    Ok("sent".to_owned())
}

/// Fails.
#[tool]
async fn fail() -> Result<String> {
    Err(Error::not_found("nothing here"))
}

/// Asks for a poem.
#[prompt]
async fn poem(#[arg(complete = ["rain", "snow"])] topic: String) -> String {
    format!("A poem about {topic}, please.")
}

/// A note.
#[resource("note://{id}")]
async fn note(id: u64) -> String {
    format!("note {id}")
}

fn server() -> (McpServer, Arc<Calls>) {
    let calls = Arc::new(Calls(AtomicU32::new(0)));
    let registry = Registry::new().add(actions![double, send, fail, poem, note]);
    let genkit = Genkit::builder().registry(registry).state(Arc::clone(&calls)).build().unwrap();
    (genkit.serve_mcp(), calls)
}

fn eras() -> [fn() -> ClientBuilder; 2] {
    [Client::builder, || Client::builder().modern(true)]
}

async fn connect(builder: fn() -> ClientBuilder, server: McpServer) -> Client {
    builder().on_elicit(|_, _| Some(json!({}))).connect(server).await.unwrap()
}

type Log = Arc<Mutex<Vec<String>>>;

/// Records each request and its outcome, prefixed with a name.
fn logs(name: &'static str, log: &Log) -> impl RequestMiddleware + use<> {
    let log = Arc::clone(log);
    on_request(move |request: ServedRequest, next: NextRequest| {
        let log = Arc::clone(&log);
        async move {
            let answer = next.run().await?;
            let ended = match (answer.is_error(), answer.is_complete()) {
                (true, _) => "failed",
                (false, true) => "done",
                (false, false) => "asks",
            };
            let line = format!("{name} {} {:?} {ended}", request.method(), request.name());
            log.lock().unwrap().push(line);
            Ok(answer)
        }
    })
}

/// Sends one request of every kind.
async fn visit(client: &Client) -> Vec<String> {
    let mut seen = vec![
        format!("{:?}", client.tools().await.unwrap()),
        format!("{:?}", client.prompts().await.unwrap()),
        format!("{:?}", client.resource_templates().await.unwrap()),
        format!("{:?}", client.complete("poem", "topic", "s").await.unwrap()),
        format!("{:?}", client.get_prompt("poem", json!({"topic": "rain"})).await.unwrap()),
        format!("{:?}", client.read_resource("note://7").await.unwrap()),
        format!("{}", client.read_resource("house://7").await.unwrap_err()),
    ];
    for (tool, arguments) in [
        ("double", json!({"n": 21})),
        ("double", json!({"n": "x"})),
        ("fail", json!({})),
        ("send", json!({})),
    ] {
        seen.push(format!("{:?}", client.call_tool(tool, arguments).await.unwrap()));
    }
    seen.push(format!("{}", client.call_tool("dubble", json!({})).await.unwrap_err()));
    seen
}

#[tokio::test]
async fn middleware_wraps_every_request_without_changing_it() {
    for builder in eras() {
        let log = Log::default();
        let around = server().0.middleware(logs("outer", &log)).middleware(logs("inner", &log));
        let seen = visit(&connect(builder, around).await).await;
        assert_eq!(seen, visit(&connect(builder, server().0).await).await);
        let log = log.lock().unwrap();
        for line in [
            "tools/list \"\" done",
            "prompts/list \"\" done",
            "resources/templates/list \"\" done",
            "completion/complete \"topic\" done",
            "prompts/get \"poem\" done",
            "resources/read \"note://7\" done",
            "resources/read \"house://7\" failed",
            "tools/call \"double\" done",
            "tools/call \"double\" failed",
            "tools/call \"fail\" failed",
            "tools/call \"send\" done",
            "tools/call \"dubble\" failed",
        ] {
            let inner = log.iter().position(|said| *said == format!("inner {line}"));
            let inner = inner.unwrap_or_else(|| panic!("{line}: {log:?}"));
            assert_eq!(log[inner + 1], format!("outer {line}"));
        }
    }
}

/// A cache for responses that are the same for every client, and only for those.
#[tokio::test]
async fn answers_are_cached() {
    for builder in eras() {
        let known: Arc<Mutex<HashMap<String, ServedResponse>>> = Arc::default();
        let cache = on_call(move |request: ServedRequest, next: NextRequest| {
            let known = Arc::clone(&known);
            async move {
                let key =
                    format!("{} {} {}", request.client(), request.name(), request.arguments());
                if let Some(answer) = known.lock().unwrap().get(&key) {
                    return Ok(answer.clone());
                }
                let answer = next.run().await?;
                if answer.is_complete() {
                    known.lock().unwrap().insert(key, answer.clone());
                }
                Ok(answer)
            }
        });
        let (server, calls) = server();
        let client = connect(builder, server.middleware(cache)).await;
        for n in [1, 1, 2, 1] {
            let result = client.call_tool("double", json!({"n": n})).await.unwrap();
            assert_eq!(result.text(), (n * 2).to_string());
        }
        assert_eq!(calls.0.load(Ordering::SeqCst), 2);
        for _ in 0..2 {
            assert_eq!(client.call_tool("send", json!({})).await.unwrap().text(), "sent");
            assert!(client.call_tool("fail", json!({})).await.unwrap().is_error());
        }
    }
}

#[tokio::test]
async fn rate_is_limited() {
    for builder in eras() {
        let left = Arc::new(AtomicU32::new(2));
        let limit = on_call(move |_: ServedRequest, next: NextRequest| {
            let taken =
                left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            async move {
                taken.map_err(|_| {
                    Error::new(ErrorKind::ResourceExhausted, "two calls are enough")
                })?;
                next.run().await
            }
        });
        let (server, calls) = server();
        let client = connect(builder, server.middleware(limit)).await;
        for _ in 0..2 {
            client.call_tool("double", json!({"n": 1})).await.unwrap();
        }
        let error = client.call_tool("double", json!({"n": 1})).await.unwrap_err().to_string();
        assert_eq!(error, "-32000: two calls are enough");
        assert_eq!(calls.0.load(Ordering::SeqCst), 2);
        // Everything else still works.
        assert_eq!(client.read_resource("note://7").await.unwrap()[0].as_text(), Some("note 7"));
    }
}

#[tokio::test]
async fn each_hook_is_around_its_own_and_may_change_the_answer() {
    fn says(
        text: &'static str,
    ) -> impl Fn(ServedRequest, NextRequest) -> genkit::BoxFuture<'static, Result<ServedResponse>>
    {
        move |_, _| Box::pin(async move { Err(Error::new(ErrorKind::PermissionDenied, text)) })
    }
    for builder in eras() {
        let hide = on_list(|_: ServedRequest, next: NextRequest| async move {
            let mut answer = next.run().await?;
            if let Some(tools) = answer.result_mut().and_then(|list| list["tools"].as_array_mut()) {
                tools.retain(|tool| tool["name"] != "fail");
            }
            Ok(answer)
        });
        let server = server().0.middleware(hide).middleware(on_get(says("no prompts")));
        let client = connect(builder, server.middleware(on_read(says("no reads")))).await;
        let tools = client.tools().await.unwrap();
        assert_eq!(tools.iter().map(|tool| tool.name()).collect::<Vec<_>>(), ["double", "send"]);
        let refused = client.get_prompt("poem", json!({"topic": "rain"})).await.unwrap_err();
        assert_eq!(refused.to_string(), "-32000: no prompts");
        let refused = client.read_resource("note://7").await.unwrap_err();
        assert_eq!(refused.to_string(), "-32000: no reads");
        assert_eq!(client.call_tool("double", json!({"n": 1})).await.unwrap().text(), "2");
    }
}

struct User(&'static str);

#[tokio::test]
async fn middleware_sees_the_caller_and_the_request() {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let log = Arc::clone(&seen);
    let asks = on_request(move |request: ServedRequest, next: NextRequest| {
        let user = request.extension::<User>().map(|user| user.0);
        log.lock().unwrap().push(json!([request.arguments(), request.client(), user]));
        next.run()
    });
    let client = connect(eras()[0], server().0.extension(User("ada")).middleware(asks)).await;
    client.call_tool("double", json!({"n": 4})).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [json!([{"n": 4}, "", "ada"])]);
}

#[tokio::test]
async fn middleware_that_panics_or_fails_is_masked_and_ends_one_request() {
    for builder in eras() {
        let broken = on_call(|request: ServedRequest, next: NextRequest| async move {
            match request.arguments()["n"].as_i64() {
                Some(1) => panic!("the secret of the middleware"),
                Some(2) => Err(std::io::Error::other("cannot open /etc/secret").into()),
                _ => next.run().await,
            }
        });
        let server = server().0.expose_errors(false).middleware(broken);
        let client = connect(builder, server).await;
        for n in [1, 2] {
            let error = client.call_tool("double", json!({"n": n})).await.unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        assert_eq!(client.call_tool("double", json!({"n": 3})).await.unwrap().text(), "6");
    }
}
