//! Questions to the caller, in both eras of the protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use genkit::context::Root;
use genkit::mcp::rmcp::RawClient as _;
use genkit::mcp::rmcp::model::{CallToolRequestParams, CallToolResponse, InputRequiredResult};
use genkit::mcp::{McpServer, server::ApprovalFallback};
use genkit::testing::{Client, ClientBuilder};
use genkit::{Context, Elicited, Genkit, Registry, Result, tool, tools};
use serde_json::{Value, json};

use crate::serving;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Asks for a name.
#[tool]
async fn greet(ctx: &Context) -> Result<String> {
    Ok(match ctx.elicit::<Name>("What is your name?").await? {
        Elicited::Accepted(answer) => format!("Hello, {}!", answer.name),
        other => format!("{:?}", matches!(other, Elicited::Declined)),
    })
}

/// Asks three things at once.
#[tool]
async fn everything(ctx: &Context) -> Result<String> {
    let (name, word, roots) = tokio::join!(
        ctx.elicit::<Name>("Who?").key("who").into_future(),
        ctx.sample("Say a word").max_tokens(10).key("word").into_future(),
        ctx.roots().key("roots").into_future(),
    );
    Ok(format!("{} {} {}", name?.accepted()?.name, word?.text(), roots?[0].uri))
}

/// Deletes all.
#[tool(needs_approval, title = "Delete everything")]
async fn delete(count: u32) -> String {
    format!("deleted {count}")
}

/// The number of charges to the card, and the number of runs of the tool.
#[derive(Default)]
struct Counts {
    charged: AtomicU32,
    runs: AtomicU32,
}

/// Charges once, however often it is asked about.
#[tool]
async fn buy(ctx: &Context, counts: &Arc<Counts>, cents: u32) -> Result<String> {
    counts.runs.fetch_add(1, Ordering::SeqCst);
    let receipt: u32 = ctx
        .once("charge", async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok::<_, genkit::Error>(100 + counts.charged.fetch_add(1, Ordering::SeqCst))
        })
        .await?;
    let first = ctx.elicit::<Name>("Your first name?").await?.accepted()?.name;
    let again: u32 = ctx.once("stamp", async { Ok::<_, genkit::Error>(receipt + 1) }).await?;
    let last = ctx.elicit::<Name>("Your last name?").await?.accepted()?.name;
    ctx.confirm(format!("Send to {first} {last}?")).await?;
    Ok(format!("{first} {last} paid {cents}, receipt {receipt}, stamp {again}"))
}

fn asked() -> ClientBuilder {
    Client::builder()
        .on_elicit(|message, _| match message {
            "Your last name?" => Some(json!({"name": "Lovelace"})),
            message if message.starts_with("Allow") || message.starts_with("Send") => {
                Some(json!({}))
            }
            _ => Some(json!({"name": "Ada"})),
        })
        .on_sample(|request| format!("word {}", request["maxTokens"]))
        .roots(["file:///home/ada"])
}

fn server() -> McpServer {
    serving(tools![greet, everything, delete])
}

fn shop(counts: &Arc<Counts>) -> McpServer {
    let registry = Registry::new().add(tools![buy]);
    let genkit = Genkit::builder().registry(registry).state(Arc::clone(counts)).build();
    genkit.expect("the registry is valid").serve_mcp()
}

#[tokio::test]
async fn question_is_answered_in_both_eras() {
    for builder in [asked(), asked().modern(true)] {
        let client = builder.connect(server()).await.unwrap();
        assert_eq!(client.call_tool("greet", json!({})).await.unwrap().text(), "Hello, Ada!");
        let all = client.call_tool("everything", json!({})).await.unwrap();
        assert_eq!(all.text(), "Ada word 10 file:///home/ada");
    }
}

/// Names the client's folders.
#[tool]
async fn folders(ctx: &Context) -> Result<Value> {
    Ok(serde_json::to_value(ctx.roots().await?)?)
}

#[tokio::test]
async fn roots_have_names() {
    for builder in [Client::builder(), Client::builder().modern(true)] {
        let roots = [Root::new("file:///home/ada").with_name("home"), "file:///tmp".into()];
        let client = builder.roots(roots.clone()).connect(serving(tools![folders])).await.unwrap();
        let told = client.call_tool("folders", json!({})).await.unwrap().text();
        assert_eq!(serde_json::from_str::<Vec<Root>>(&told).unwrap(), roots);
    }
}

#[tokio::test]
async fn declining_is_an_answer() {
    for builder in [Client::builder(), Client::builder().modern(true)] {
        let client = builder.on_elicit(|_, _| None).connect(server()).await.unwrap();
        assert_eq!(client.call_tool("greet", json!({})).await.unwrap().text(), "true");
    }
}

#[tokio::test]
async fn form_has_the_fields_of_its_type() {
    for builder in [Client::builder(), Client::builder().modern(true)] {
        let builder = builder.on_elicit(|message, form| {
            assert_eq!(message, "What is your name?");
            assert_eq!(form["properties"]["name"]["type"], "string");
            assert_eq!(form["required"], json!(["name"]));
            Some(json!({"name": "Bob"}))
        });
        let client = builder.connect(server()).await.unwrap();
        assert_eq!(client.call_tool("greet", json!({})).await.unwrap().text(), "Hello, Bob!");
    }
}

#[tokio::test]
async fn client_without_a_capability_receives_an_error_that_names_it() {
    let legacy = Client::connect(server()).await.unwrap();
    let answer = legacy.call_tool("greet", json!({})).await.unwrap();
    assert!(answer.is_error());
    assert!(answer.text().contains("`elicitation` capability"), "{}", answer.text());
    let modern = Client::builder().modern(true).connect(server()).await.unwrap();
    let error = modern.call_tool("greet", json!({})).await.unwrap_err();
    assert!(error.to_string().starts_with("-32021: "), "{error}");
    assert_eq!(error.details().unwrap()["requiredCapabilities"], json!({"elicitation": {}}));
}

#[tokio::test]
async fn approval_comes_before_the_body_and_after_the_arguments() {
    for modern in [false, true] {
        let builder = || Client::builder().modern(modern);
        let yes = builder().on_elicit(|message, _| {
            assert_eq!(message, r#"Allow `Delete everything` to run with {"count":3}?"#);
            Some(json!({}))
        });
        let client = yes.connect(server()).await.unwrap();
        let answer = client.call_tool("delete", json!({"count": 3})).await.unwrap();
        assert_eq!(answer.text(), "deleted 3");
        let no = builder().on_elicit(|_, _| None).connect(server()).await.unwrap();
        let answer = no.call_tool("delete", json!({"count": 3})).await.unwrap();
        assert_eq!((answer.is_error(), answer.text().as_str()), (true, "the user did not approve"));
        let never =
            builder().on_elicit(|_, _| panic!("no question is asked if the arguments are invalid"));
        let client = never.connect(server()).await.unwrap();
        // A string is not converted to a number, because the user would have approved a string.
        for count in ["x", "3"] {
            let answer = client.call_tool("delete", json!({ "count": count })).await.unwrap();
            assert!(answer.is_error() && answer.text().contains("invalid type: string"));
        }
    }
}

#[tokio::test]
async fn client_that_cannot_be_asked_may_be_trusted() {
    let refused = Client::connect(server()).await.unwrap();
    assert!(refused.call_tool("delete", json!({"count": 1})).await.unwrap().is_error());
    let trusting = server().approval_fallback(ApprovalFallback::TrustClient);
    let client = Client::connect(trusting).await.unwrap();
    assert_eq!(client.call_tool("delete", json!({"count": 1})).await.unwrap().text(), "deleted 1");
}

#[tokio::test]
async fn once_runs_its_future_once() {
    for (builder, runs) in [(asked(), 1), (asked().modern(true), 4)] {
        let counts = Arc::new(Counts::default());
        let client = builder.connect(shop(&counts)).await.unwrap();
        let answer = client.call_tool("buy", json!({"cents": 5})).await.unwrap();
        assert_eq!(answer.text(), "Ada Lovelace paid 5, receipt 100, stamp 101");
        assert_eq!(counts.charged.load(Ordering::SeqCst), 1);
        assert_eq!(counts.runs.load(Ordering::SeqCst), runs, "one run for each round");
    }
}

/// Sends one round of a call, and returns the questions or the response of the server.
async fn round(
    client: &Client,
    before: Option<&InputRequiredResult>,
    answers: Value,
) -> genkit::Result<CallToolResponse> {
    let mut params = CallToolRequestParams::new("buy");
    params.arguments = json!({"cents": 5}).as_object().cloned();
    params.request_state = before.and_then(|asked| asked.request_state.clone());
    params.input_responses = serde_json::from_value(answers).expect("a map of answers");
    let response = client.peer().call_tool_once(params).await;
    response.map_err(|e| genkit::Error::new(genkit::ErrorKind::Aborted, e.to_string()))
}

fn asks(response: CallToolResponse) -> InputRequiredResult {
    match response {
        CallToolResponse::InputRequired(asks) => asks,
        other => panic!("expected a question, got {other:?}"),
    }
}

fn accept(key: &str, content: Value) -> Value {
    json!({ key: {"action": "accept", "content": content} })
}

#[tokio::test]
async fn any_instance_with_the_same_key_resumes_the_call() {
    let counts = Arc::new(Counts::default());
    let connect = |key: u8| asked().modern(true).connect(shop(&counts).sealing_key(vec![key; 32]));
    let (one, two) = (connect(1).await.unwrap(), connect(1).await.unwrap());
    let first = asks(round(&one, None, json!({})).await.unwrap());
    let second =
        asks(round(&two, Some(&first), accept("q1", json!({"name": "Ada"}))).await.unwrap());
    assert!(second.input_requests.as_ref().unwrap().contains_key("q2"));
    let third = asks(round(&one, Some(&second), accept("q2", json!({"name": "L"}))).await.unwrap());
    let last = round(&two, Some(&third), accept("q3", json!({}))).await.unwrap();
    let CallToolResponse::Complete(done) = last else { panic!("{last:?}") };
    let text = done.content[0].as_text().unwrap().text.as_str();
    assert_eq!(text, "Ada L paid 5, receipt 100, stamp 101");
    assert_eq!(counts.charged.load(Ordering::SeqCst), 1);
    assert_eq!(counts.runs.load(Ordering::SeqCst), 4);
    // Another server's key and a modified state are rejected.
    let stranger = connect(2).await.unwrap();
    let refused = round(&stranger, Some(&first), json!({})).await.unwrap_err();
    assert!(refused.to_string().contains("Invalid requestState"), "{refused}");
    let mut tampered = first.clone();
    tampered.request_state.as_mut().unwrap().push('x');
    assert!(round(&one, Some(&tampered), json!({})).await.is_err());
}

/// A file with these keys, removed on drop.
struct KeyFile(std::path::PathBuf);

impl KeyFile {
    fn new(name: &str, keys: &[&str]) -> Self {
        let name = format!("genkit-{name}-{}.keys", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, keys.join("\n")).unwrap();
        Self(path)
    }
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test]
async fn previous_key_opens_and_current_key_seals() {
    let (october, november) = ("0a".repeat(32), "Cw".repeat(21) + "s=");
    let files = [
        KeyFile::new("october", &[&october]),
        KeyFile::new("both", &["# the new one first", &november, &october]),
        KeyFile::new("november", &[&november]),
    ];
    let counts = Arc::new(Counts::default());
    let serve = |file: &KeyFile| {
        let server = shop(&counts).sealing_keys_from_file(&file.0);
        assert!(!format!("{server:?}").contains(&october), "{server:?}");
        asked().modern(true).connect(server)
    };
    let (old, both, new) = tokio::join!(serve(&files[0]), serve(&files[1]), serve(&files[2]));
    let (old, both, new) = (old.unwrap(), both.unwrap(), new.unwrap());
    let answer = || accept("q1", json!({"name": "Ada"}));
    let of_old = asks(round(&old, None, json!({})).await.unwrap());
    asks(round(&both, Some(&of_old), answer()).await.unwrap());
    assert!(round(&new, Some(&of_old), answer()).await.is_err(), "the old key is gone there");
    let of_both = asks(round(&both, None, json!({})).await.unwrap());
    assert!(round(&old, Some(&of_both), answer()).await.is_err(), "the new one seals");
    asks(round(&new, Some(&of_both), answer()).await.unwrap());
}

#[tokio::test]
async fn keys_that_cannot_be_used_are_an_error_of_serving_without_the_key() {
    let file = KeyFile::new("short", &[&"0a".repeat(32), &"5ec2e7".repeat(4)]);
    let refusals = [
        (
            serving(tools![greet]).sealing_keys_from_file(&file.0),
            "line 2: the key is only 12 bytes long",
        ),
        (serving(tools![greet]).sealing_keys_from_env("GENKIT_NO_SUCH_KEYS"), "is not set"),
        (serving(tools![greet]).sealing_keys_from_env("PATH"), "neither hex nor base64"),
        (serving(tools![greet]).sealing_key(*b"secret"), "the key is only 6 bytes long"),
    ];
    for (server, why) in refusals {
        let refused = asked().connect(server).await.err().unwrap();
        assert_eq!(refused.kind(), genkit::ErrorKind::InvalidArgument);
        let text = refused.to_string();
        assert!(text.contains(why) && text.contains("openssl rand -hex 32"), "{text}");
        assert!(!text.contains("5ec2e7") && !text.contains("secret"), "{text}");
    }
}

#[tokio::test]
async fn missing_and_unfit_answers_are_asked_again() {
    let counts = Arc::new(Counts::default());
    let client = asked().modern(true).connect(shop(&counts)).await.unwrap();
    let first = asks(round(&client, None, json!({})).await.unwrap());
    let strange = [
        json!({}),
        accept("other", json!({"name": "x"})),
        accept("q1", json!({"name": 5})),
        json!({"q1": "nonsense"}),
    ];
    for answers in strange {
        let again = asks(round(&client, Some(&first), answers.clone()).await.unwrap());
        let keys: Vec<_> = again.input_requests.unwrap().into_keys().collect();
        assert_eq!(keys, ["q1"], "{answers}");
    }
    assert_eq!(counts.charged.load(Ordering::SeqCst), 1);
}
