//! Pages that a function asks the user to visit, forms that ask for secrets, and the information about the client that
//! functions receive.

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::{Client, Notification, ScriptedModel};
use genkit::{Context, Elicited, ErrorKind, Genkit, Registry, Result, tool, tools};
use serde_json::json;

/// Pays a bill at the bank.
#[tool]
async fn pay(ctx: &Context, bill: u64) -> Result<String> {
    let id = format!("bill-{bill}");
    let page = format!("https://bank.example.com/pay/{bill}");
    Ok(match ctx.elicit_url(page, "Confirm at the bank").id(&id).await? {
        Elicited::Accepted(()) => {
            ctx.url_completed(id).await;
            "paid".to_owned()
        }
        other => format!("{other:?}"),
    })
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Account {
    #[expect(dead_code, reason = "never read")]
    user: String,
    #[expect(dead_code, reason = "never read")]
    new_password: String,
}

/// Signs in.
#[tool]
async fn sign_in(ctx: &Context) -> Result<String> {
    ctx.elicit::<Account>("Who are you?").await?.accepted()?;
    Ok("signed in".to_owned())
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Connection {
    #[schemars(title = "API key of the service")]
    #[expect(dead_code, reason = "never read")]
    value: Option<String>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Unlock {
    #[schemars(extend("format" = "password"))]
    #[expect(dead_code, reason = "never read")]
    word: String,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Limits {
    tokens: u32,
    password: bool,
}

/// Describes the client.
#[tool]
async fn describe(ctx: &Context) -> String {
    let Some(client) = ctx.client() else { return "nobody".to_owned() };
    let ui = client.extension("io.modelcontextprotocol/ui");
    let urls = client.capabilities.get("elicitation").and_then(|can| can.get("url"));
    format!(
        "{} ui={} urls={} asks={}",
        client.name,
        ui.is_some(),
        urls.is_some(),
        ctx.can_elicit_url()
    )
}

fn genkit() -> Genkit {
    let registry = Registry::new().add(tools![pay, sign_in, describe]);
    Genkit::builder().registry(registry).build().unwrap()
}

#[tokio::test]
async fn page_is_visited_in_both_eras_if_the_user_agrees() {
    for modern in [false, true] {
        for (agrees, expected) in [(true, "paid"), (false, "Declined")] {
            let builder = Client::builder().modern(modern).on_elicit_url(move |message, url| {
                assert_eq!(
                    (message, url),
                    ("Confirm at the bank", "https://bank.example.com/pay/7")
                );
                agrees
            });
            let client = builder.connect(genkit().serve_mcp()).await.unwrap();
            let result = client.call_tool("pay", json!({"bill": 7})).await.unwrap();
            assert_eq!(result.text(), expected, "modern: {modern}");
            let completed = Notification::UrlCompleted("bill-7".to_owned());
            assert_eq!(client.notifications().contains(&completed), agrees && !modern);
        }
    }
}

#[tokio::test]
async fn client_without_pages_is_not_asked() {
    for modern in [false, true] {
        // This client shows forms only.
        let builder = Client::builder().modern(modern).on_elicit(|_, _| Some(json!({})));
        let client = builder.connect(genkit().serve_mcp()).await.unwrap();
        // An error of the tool, and since 2026-07-28 an error of the protocol.
        let said = match client.call_tool("pay", json!({"bill": 7})).await {
            Ok(result) => result.text(),
            Err(error) => error.to_string(),
        };
        assert!(said.contains("`elicitation.url`"), "{said}");
    }
}

#[tokio::test]
async fn loop_is_interrupted_with_the_page() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({"bill": 7}))]),
        ModelResponse::from_text("Done."),
    ]);
    let run = genkit::generate("Pay.").model(model.clone()).tools(tools![pay]);
    let asked = run.clone().await.unwrap();
    let question = &asked.interrupts()[0];
    assert_eq!(question.url(), Some("https://bank.example.com/pay/7"));
    assert_eq!((question.message(), question.schema()), (Some("Confirm at the bank"), None));
    // The interrupt survives as JSON.
    let stored = serde_json::to_string(&asked.messages()).unwrap();
    assert!(stored.contains("https://bank.example.com/pay/7"));
    run.resume(asked, |question| question.accept(())).await.unwrap();
    assert_eq!(model.tool_outputs("pay"), ["paid"]);
}

#[tokio::test]
async fn invalid_page_is_an_error() {
    let ctx = Context::testing().answer(()).build();
    for url in ["bank.example.com", "javascript:alert(1)", "https://a b", ""] {
        let error = ctx.elicit_url(url, "?").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{url}");
    }
}

#[tokio::test]
async fn form_that_asks_for_a_secret_is_an_error_that_names_elicit_url() {
    let builder = Client::builder().on_elicit(|_, _| panic!("no form is shown"));
    let client = builder.connect(genkit().serve_mcp()).await.unwrap();
    let result = client.call_tool("sign_in", json!({})).await.unwrap();
    let text = result.text();
    assert!(text.contains("`new_password`") && text.contains("`ctx.elicit_url(..)`"), "{text}");
    // A unit test of the function finds it as well.
    let error = sign_in(&Context::testing().answer(json!({})).build()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
}

#[tokio::test]
async fn title_and_format_of_a_field_ask_for_a_secret_and_a_count_does_not() {
    let limits = json!({"tokens": 7, "password": true});
    let ctx = Context::testing().answer(limits).build();
    let error = ctx.elicit::<Connection>("Which?").await.unwrap_err().to_string();
    assert!(error.contains("`value`"), "{error}");
    let error = ctx.elicit::<Unlock>("Which?").await.unwrap_err().to_string();
    assert!(error.contains("`word`"), "{error}");
    let limits = ctx.elicit::<Limits>("Which?").await.unwrap().accepted().unwrap();
    assert_eq!((limits.tokens, limits.password), (7, true));
}

#[tokio::test]
async fn function_sees_the_capabilities_and_extensions_of_its_client() {
    for modern in [false, true] {
        let plain = Client::builder().modern(modern).connect(genkit().serve_mcp()).await.unwrap();
        let said = plain.call_tool("describe", json!({})).await.unwrap().text();
        assert_eq!(said, "genkit-testing ui=false urls=false asks=false");
        let builder = Client::builder().modern(modern).on_elicit_url(|_, _| true);
        let able = builder.extension("io.modelcontextprotocol/ui", json!({"mimeTypes": []}));
        let able = able.connect(genkit().serve_mcp()).await.unwrap();
        let said = able.call_tool("describe", json!({})).await.unwrap().text();
        assert_eq!(said, "genkit-testing ui=true urls=true asks=true");
    }
    // Capabilities above a maximum size are not kept.
    let huge = json!({"x": "y".repeat(10_000)});
    let builder = Client::builder().extension("io.modelcontextprotocol/ui", huge);
    let client = builder.connect(genkit().serve_mcp()).await.unwrap();
    let said = client.call_tool("describe", json!({})).await.unwrap().text();
    assert_eq!(said, "genkit-testing ui=false urls=false asks=false");
}
