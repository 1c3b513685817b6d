//! Context providers: the caller's identity, and the context that the flow receives.

use genkit::flows::{ContextProvider, FlowRequest, api_key, bearer};
use genkit::{BoxFuture, Context, Error, ErrorKind, Genkit, Result, flow, flows};
use serde_json::{Map, Value, json};

use super::{Listening, post, serving, stream};

/// Who calls.
#[flow]
async fn whoami(ctx: &Context) -> Map<String, Value> {
    ctx.action_context().clone()
}

/// Asks another flow who calls.
#[flow]
async fn ask(ctx: &Context) -> Result<Value> {
    genkit::Flow::of::<whoami>().run(json!({})).context(ctx).await
}

#[tokio::test]
async fn key_is_compared_unchanged() {
    let server = Listening::start(serving(flows![whoami]).context_provider(api_key("k"))).await;
    for (given, status, name, message) in [
        (None, 401, "UNAUTHENTICATED", "Unauthenticated"),
        (Some("Bearer k"), 403, "PERMISSION_DENIED", "Permission Denied"),
        (Some("kk"), 403, "PERMISSION_DENIED", "Permission Denied"),
        (Some(""), 403, "PERMISSION_DENIED", "Permission Denied"),
    ] {
        // The provider runs before the stream begins, so the error is a plain response in both cases.
        for sent in [post("/whoami", &json!({})), stream("/whoami", &json!({}))] {
            let sent = match given {
                Some(key) => sent.header("authorization", key),
                None => sent,
            };
            let answer = server.send(sent).await;
            assert_eq!(answer.status, status, "{given:?}");
            assert_eq!(answer.json(), json!({"status": name, "message": message}), "{given:?}");
        }
    }
    let answer = server.send(post("/whoami", &json!({})).header("Authorization", "k")).await;
    assert_eq!(answer.json(), json!({"result": {"auth": {"apiKey": "k"}}}));
}

#[tokio::test]
async fn bearer_token_becomes_a_user_and_reaches_nested_flows() {
    let provider = bearer(|token| async move {
        match token.as_str() {
            "t" => Ok(json!({"uid": "ada"})),
            "io" => Err(std::io::Error::other("db is at 10.0.0.7"))?,
            _ => Err(Error::new(ErrorKind::PermissionDenied, "the token is not valid").into()),
        }
    });
    let server = Listening::start(serving(flows![whoami, ask]).context_provider(provider)).await;
    let send = async |token: &str| {
        server.send(post("/ask", &json!({})).header("authorization", token)).await
    };
    assert_eq!(send("bearer t").await.json(), json!({"result": {"auth": {"uid": "ada"}}}));
    assert_eq!(send("Bearer x").await.json()["message"], "the token is not valid");
    assert_eq!(send("Basic t").await.status, 401);
    let twice = post("/ask", &json!({})).header("authorization", "Bearer x");
    let twice = server.send(twice.header("authorization", "Bearer t")).await;
    assert_eq!((twice.status, twice.status_name().as_str()), (400, "INVALID_ARGUMENT"));
    let masked = send("Bearer io").await;
    assert_eq!((masked.status, masked.status_name().as_str()), (500, "INTERNAL"));
    assert!(!masked.text().contains("10.0.0.7"), "{masked:?}");
}

/// Returns the context that it received.
struct Echo;

impl ContextProvider for Echo {
    fn provide<'a>(
        &'a self,
        request: &'a FlowRequest,
    ) -> BoxFuture<'a, Result<Map<String, Value>>> {
        let context = json!({
            "flow": request.flow(), "method": request.method(), "input": request.input(),
            "role": request.header("x-role"), "auth": "first",
        });
        Box::pin(async move { Ok(context.as_object().cloned().unwrap()) })
    }
}

#[tokio::test]
async fn several_providers_are_merged_and_the_later_wins() {
    let last = |_: FlowRequest| async { Ok(json!({"auth": "last"})) };
    let server = serving(flows![whoami]).context_provider(Echo).context_provider(last);
    let server = Listening::start(server).await;
    let sent = post("/whoami", &json!({"data": {}})).header("X-Role", "a").header("x-role", "b");
    let told = server.send(sent).await.json();
    let wanted =
        json!({"flow": "whoami", "method": "POST", "input": {}, "role": "a, b", "auth": "last"});
    assert_eq!(told["result"], wanted);
}

#[tokio::test]
async fn failing_context_provider_rejects_the_request() {
    async fn answer_of(provider: impl ContextProvider) -> super::Answer {
        let server = Listening::start(serving(flows![whoami]).context_provider(provider)).await;
        server.send(stream("/whoami", &json!({}))).await
    }
    let panics = |_: FlowRequest| async { panic!("boom") };
    let answer = answer_of(panics).await;
    assert_eq!((answer.status, answer.status_name().as_str()), (500, "INTERNAL"));
    assert!(!answer.text().contains("boom"), "{answer:?}");
    let answer = answer_of(|_: FlowRequest| async { Ok(json!([1])) }).await;
    assert_eq!((answer.status, answer.status_name().as_str()), (500, "INTERNAL"));
}

#[tokio::test]
async fn request_extensions_reach_the_provider_and_the_flow() {
    #[derive(Clone)]
    struct User(&'static str);

    /// Greets the user that a layer found.
    #[flow]
    async fn hello(ctx: &Context) -> String {
        let known = ctx.extension::<User>().map_or("nobody", |user| user.0);
        format!("{known} {}", ctx.action_context()["auth"]["uid"])
    }

    let provider = |request: FlowRequest| async move {
        Ok(json!({"auth": {"uid": request.extension::<User>().map(|user| user.0)}}))
    };
    let genkit = Genkit::builder().registry(genkit::Registry::new().add(flows![hello])).build();
    let flows = genkit.unwrap().serve_flows().prefix("v1/").context_provider(provider);
    let app = axum::Router::new().nest("/ai", flows.router().unwrap());
    let app = app.layer(axum::Extension(User("ada")));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = tokio::spawn(async move { axum::serve(listener, app).await });
    let called = genkit::flow_client(format!("http://{address}/ai/v1/hello"));
    assert_eq!(called.output::<String>().await.unwrap(), "ada \"ada\"");
    served.abort();
}
