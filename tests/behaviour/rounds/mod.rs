//! Rounds of the 2026-07-28 protocol: an answer belongs to the question that was asked, and counts once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use genkit::mcp::rmcp::RawClient as _;
use genkit::mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
    InputRequiredResult, ReadResourceRequestParams, ReadResourceResponse,
};
use genkit::middleware::{self, ToolOutcome};
use genkit::testing::{Client, ClientBuilder};
use genkit::{Context, Genkit, Registry, Result, actions, prompt, resource, tool};
use serde_json::{Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// The state of the tools: the current price, the number of rounds, and the effects.
#[derive(Default)]
struct Shop {
    price: AtomicU32,
    turn: AtomicU32,
    charged: AtomicU32,
    shipped: AtomicU32,
}

/// Pays the current price.
#[tool]
async fn pay(ctx: &Context, shop: &Arc<Shop>) -> Result<String> {
    let price = shop.price.load(Ordering::SeqCst);
    ctx.confirm(format!("Pay {price}?")).await?;
    Ok(format!("paid {price}"))
}

/// Asks for a form first, and for an approval the next time.
#[tool]
async fn turns(ctx: &Context, shop: &Arc<Shop>) -> Result<String> {
    if shop.turn.fetch_add(1, Ordering::SeqCst) == 0 {
        let name: Name = ctx.elicit("Who?").key("it").await?.accepted()?;
        return Ok(name.name);
    }
    let sure: Name = ctx.elicit("Delete all of it?").key("it").await?.accepted()?;
    Ok(format!("deleted for {}", sure.name))
}

/// Asks under one name, in turn, with a form and for a yes.
#[tool]
async fn kinds(ctx: &Context, shop: &Arc<Shop>) -> Result<String> {
    if shop.turn.fetch_add(1, Ordering::SeqCst) == 0 {
        ctx.elicit::<Name>("Fine?").await?.accepted()?;
    } else {
        ctx.confirm("Fine?").await?;
    }
    Ok("done".to_owned())
}

/// Deletes.
#[tool(needs_approval)]
async fn delete(shop: &Arc<Shop>, id: u64) -> String {
    shop.shipped.fetch_add(1, Ordering::SeqCst);
    format!("deleted {id}")
}

/// Charges, asks, and ships.
#[tool]
async fn buy(ctx: &Context, shop: &Arc<Shop>) -> Result<String> {
    let charge = async { Ok::<_, genkit::Error>(shop.charged.fetch_add(1, Ordering::SeqCst)) };
    let receipt = ctx.once("charge", charge).await?;
    ctx.confirm("Buy it?").await?;
    let to: Name = ctx.elicit("To whom?").await?.accepted()?;
    tokio::task::yield_now().await;
    shop.shipped.fetch_add(1, Ordering::SeqCst);
    Ok(format!("{receipt} to {}", to.name))
}

/// Asks two things under one name.
#[tool]
async fn same(ctx: &Context) -> Result<String> {
    let first: Name = ctx.elicit("First?").key("name").await?.accepted()?;
    let second: Name = ctx.elicit("Second?").key("name").await?.accepted()?;
    Ok(format!("{} {}", first.name, second.name))
}

/// May be told in advance.
#[tool]
async fn eager(ctx: &Context) -> Result<String> {
    let name: Name = ctx.elicit("Who?").key("name").allow_unasked(true).await?.accepted()?;
    ctx.confirm("Greet?").await?;
    Ok(format!("Hello, {}!", name.name))
}

/// Asks.
#[prompt]
async fn poem(ctx: &Context) -> Result<String> {
    ctx.confirm("Write it?").await?;
    Ok("a poem".to_owned())
}

/// Asks.
#[resource("secret://it")]
async fn secret(ctx: &Context) -> Result<String> {
    ctx.confirm("Show it?").await?;
    Ok("a secret".to_owned())
}

async fn connect(builder: ClientBuilder) -> (Client, Arc<Shop>) {
    let shop = Arc::new(Shop::default());
    let registry =
        Registry::new().add(actions![pay, turns, kinds, delete, buy, same, eager, poem, secret]);
    let genkit = Genkit::builder().registry(registry).state(Arc::clone(&shop)).build().unwrap();
    let client = builder.modern(true).connect(genkit.serve_mcp()).await.unwrap();
    (client, shop)
}

/// Returns a client that can be asked, with manual answers.
fn asked() -> ClientBuilder {
    Client::builder().on_elicit(|_, _| panic!("the rounds are made by hand"))
}

async fn call(
    client: &Client,
    name: &'static str,
    arguments: Value,
    before: Option<&InputRequiredResult>,
    answers: Value,
) -> Result<CallToolResponse> {
    let mut params = CallToolRequestParams::new(name);
    params.arguments = arguments.as_object().cloned();
    params.request_state = before.and_then(|asked| asked.request_state.clone());
    params.input_responses = serde_json::from_value(answers).expect("a map of answers");
    let response = client.peer().call_tool_once(params).await;
    response.map_err(|e| genkit::Error::new(genkit::ErrorKind::Aborted, e.to_string()))
}

fn asks(response: Result<CallToolResponse>) -> InputRequiredResult {
    match response.expect("no protocol error") {
        CallToolResponse::InputRequired(asks) => asks,
        other => panic!("expected a question, got {other:?}"),
    }
}

fn said(response: Result<CallToolResponse>) -> String {
    match response.expect("no protocol error") {
        CallToolResponse::Complete(done) => done.content[0].as_text().expect("a text").text.clone(),
        other => panic!("expected an answer, got {other:?}"),
    }
}

/// Returns the keys and messages that are asked.
fn questions(asked: &InputRequiredResult) -> Vec<(String, String)> {
    let requests = asked.input_requests.clone().unwrap_or_default();
    let read = |(key, request)| {
        let request = serde_json::to_value(request).expect("JSON");
        (key, request["params"]["message"].as_str().unwrap_or_default().to_owned())
    };
    requests.into_iter().map(read).collect()
}

fn question(key: &str, message: &str) -> Vec<(String, String)> {
    vec![(key.to_owned(), message.to_owned())]
}

fn yes(key: &str) -> Value {
    json!({ key: {"action": "accept", "content": {}} })
}

#[tokio::test]
async fn approval_is_asked_again_if_its_text_changed() {
    let (client, shop) = connect(asked()).await;
    shop.price.store(10, Ordering::SeqCst);
    let first = asks(call(&client, "pay", json!({}), None, json!({})).await);
    assert_eq!(questions(&first), question("q1", "Pay 10?"));
    shop.price.store(1_000_000, Ordering::SeqCst);
    let second = asks(call(&client, "pay", json!({}), Some(&first), yes("q1")).await);
    assert_eq!(questions(&second), question("q1", "Pay 1000000?"));
    let done = call(&client, "pay", json!({}), Some(&second), yes("q1")).await;
    assert_eq!(said(done), "paid 1000000");
}

#[tokio::test]
async fn answer_to_one_form_does_not_answer_another() {
    let (client, _) = connect(asked()).await;
    let first = asks(call(&client, "turns", json!({}), None, json!({})).await);
    let answer = json!({"it": {"action": "accept", "content": {"name": "Ada"}}});
    let second = asks(call(&client, "turns", json!({}), Some(&first), answer).await);
    assert_eq!(questions(&second), question("it", "Delete all of it?"));
}

#[tokio::test]
async fn form_answer_is_not_an_approval() {
    let (client, _) = connect(asked()).await;
    let first = asks(call(&client, "kinds", json!({}), None, json!({})).await);
    let second = asks(call(&client, "kinds", json!({}), Some(&first), yes("q1")).await);
    assert_eq!(questions(&second), question("q1", "Fine?"));
    assert_eq!(said(call(&client, "kinds", json!({}), Some(&second), yes("q1")).await), "done");
}

#[tokio::test]
async fn unasked_question_cannot_be_answered() {
    let (client, shop) = connect(asked()).await;
    // The user was shown nothing, so no tools, prompts or resources run.
    for answers in
        [yes("approve"), json!({"approve": {"action": "accept"}, "call": {"action": "accept"}})]
    {
        let asked = asks(call(&client, "delete", json!({"id": 7}), None, answers).await);
        assert_eq!(
            questions(&asked),
            question("approve", r#"Allow `delete` to run with {"id":7}?"#)
        );
    }
    assert_eq!(shop.shipped.load(Ordering::SeqCst), 0);
    let mut params = GetPromptRequestParams::new("poem");
    params.input_responses = serde_json::from_value(yes("q1")).unwrap();
    let asked = client.peer().get_prompt_once(params).await.unwrap();
    assert!(matches!(asked, GetPromptResponse::InputRequired(_)), "{asked:?}");
    let mut params = ReadResourceRequestParams::new("secret://it");
    params.input_responses = serde_json::from_value(yes("q1")).unwrap();
    let asked = client.peer().read_resource_once(params).await.unwrap();
    assert!(matches!(asked, ReadResourceResponse::InputRequired(_)), "{asked:?}");
    // Answers to later questions cannot be sent in advance either.
    let first = asks(call(&client, "buy", json!({}), None, json!({})).await);
    let early = json!({
        "q1": {"action": "accept"}, "q2": {"action": "accept", "content": {"name": "Eve"}}
    });
    let second = asks(call(&client, "buy", json!({}), Some(&first), early).await);
    assert_eq!(questions(&second), question("q2", "To whom?"));
}

#[tokio::test]
async fn client_with_a_session_answers_what_it_is_asked_and_nothing_before() {
    let shop = Arc::new(Shop::default());
    let genkit = Genkit::builder()
        .registry(Registry::new().add(actions![delete]))
        .state(Arc::clone(&shop))
        .build()
        .unwrap();
    let client = Client::builder().on_elicit(|_, _| None);
    let client = client.connect(genkit.serve_mcp()).await.unwrap();
    let answer = call(&client, "delete", json!({"id": 7}), None, yes("approve")).await;
    assert_eq!(said(answer), "the user did not approve");
    assert_eq!(shop.shipped.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn state_is_answered_once() {
    let (client, shop) = connect(asked()).await;
    let first = asks(call(&client, "buy", json!({}), None, json!({})).await);
    // A repeated request without an answer is not an answer, and does not result in a second question.
    let again = asks(call(&client, "buy", json!({}), Some(&first), json!({})).await);
    let second = asks(call(&client, "buy", json!({}), Some(&first), yes("q1")).await);
    let to = json!({"q2": {"action": "accept", "content": {"name": "Ada"}}});
    // After an answer the state cannot be used again, even if the next question is not answered.
    let unfit = json!({"q2": {"action": "accept", "content": {}}});
    let third = asks(call(&client, "buy", json!({}), Some(&second), unfit.clone()).await);
    assert!(call(&client, "buy", json!({}), Some(&second), unfit).await.is_err());
    let round = || call(&client, "buy", json!({}), Some(&third), to.clone());
    let rounds = tokio::join!(round(), round(), round(), round());
    let rounds = [rounds.0, rounds.1, rounds.2, rounds.3];
    assert_eq!(rounds.iter().filter(|round| round.is_ok()).count(), 1, "{rounds:?}");
    for used in [&first, &again, &second, &third] {
        for answers in [json!({}), yes("q1"), to.clone()] {
            let refused = call(&client, "buy", json!({}), Some(used), answers).await.unwrap_err();
            assert!(refused.to_string().contains("Invalid requestState"), "{refused}");
        }
    }
    assert_eq!(shop.charged.load(Ordering::SeqCst), 1);
    assert_eq!(shop.shipped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn all_invalid_states_return_the_same_error() {
    let (client, _) = connect(asked()).await;
    let first = asks(call(&client, "delete", json!({"id": 7}), None, json!({})).await);
    let mut said = std::collections::BTreeSet::new();
    let long = "x".repeat(300 * 1024);
    for state in ["", "x", &long, &format!("{}x", first.request_state.as_deref().unwrap())] {
        let mut wrong = first.clone();
        wrong.request_state = Some(state.to_owned());
        let refused = call(&client, "delete", json!({"id": 7}), Some(&wrong), yes("approve")).await;
        said.insert(refused.unwrap_err().to_string());
    }
    let other = call(&client, "delete", json!({"id": 8}), Some(&first), yes("approve")).await;
    said.insert(other.unwrap_err().to_string());
    call(&client, "delete", json!({"id": 7}), Some(&first), yes("approve")).await.unwrap();
    let used = call(&client, "delete", json!({"id": 7}), Some(&first), yes("approve")).await;
    said.insert(used.unwrap_err().to_string());
    assert_eq!(said.len(), 1, "{said:?}");
}

#[tokio::test]
async fn questions_of_one_name_are_two_questions() {
    for modern in [false, true] {
        let server = crate::serving(actions![same]);
        let client = Client::builder().modern(modern).on_elicit(|message, _| {
            Some(json!({"name": if message == "First?" { "one" } else { "two" }}))
        });
        let client = client.connect(server).await.unwrap();
        assert_eq!(client.call_tool("same", json!({})).await.unwrap().text(), "one two");
    }
}

#[tokio::test]
async fn only_forms_with_allow_unasked_can_be_answered_in_advance() {
    let (client, _) = connect(asked()).await;
    let answers = json!({
        "name": {"action": "accept", "content": {"name": "Ada"}}, "yes": {"action": "accept"},
        "q2": {"action": "accept"}
    });
    let first = asks(call(&client, "eager", json!({}), None, answers).await);
    assert_eq!(questions(&first)[0].1, "Greet?");
    let key = questions(&first)[0].0.clone();
    assert_eq!(
        said(call(&client, "eager", json!({}), Some(&first), yes(&key)).await),
        "Hello, Ada!"
    );
}

#[tokio::test]
async fn middleware_question_is_answered_once_and_not_in_advance() {
    let shop = Arc::new(Shop::default());
    let guard = middleware::on_tool(|call, next| async move {
        if next.resumed().is_some() {
            return next.run(call).await;
        }
        Ok(ToolOutcome::interrupt(json!({"message": "Really?"})))
    });
    let genkit = Genkit::builder()
        .registry(Registry::new().add(actions![buy]))
        .state(Arc::clone(&shop))
        .middleware(guard)
        .build()
        .unwrap();
    let client = asked().modern(true).connect(genkit.serve_mcp()).await.unwrap();
    let first = asks(call(&client, "buy", json!({}), None, yes("call")).await);
    assert_eq!(questions(&first), question("call", "Really?"));
    assert_eq!(shop.charged.load(Ordering::SeqCst), 0);
    let early = json!({"call": {"action": "accept"}, "q1": {"action": "accept"}});
    let second = asks(call(&client, "buy", json!({}), Some(&first), early).await);
    assert_eq!(questions(&second), question("q1", "Buy it?"));
    let refused = call(&client, "buy", json!({}), Some(&first), yes("call")).await.unwrap_err();
    assert!(refused.to_string().contains("Invalid requestState"), "{refused}");
    assert_eq!(shop.charged.load(Ordering::SeqCst), 1);
    let third = asks(call(&client, "buy", json!({}), Some(&second), yes("q1")).await);
    let to = json!({"q2": {"action": "accept", "content": {"name": "Ada"}}});
    assert_eq!(said(call(&client, "buy", json!({}), Some(&third), to).await), "0 to Ada");
}

/// Asks once, for what is not known.
#[tool]
async fn order(ctx: &Context, shop: &Arc<Shop>) -> Result<String> {
    ctx.confirm("Order it?").await?;
    if shop.turn.load(Ordering::SeqCst) == 0 {
        ctx.elicit::<Name>("To whom?").await?.accepted()?;
    }
    shop.shipped.fetch_add(1, Ordering::SeqCst);
    Ok("on its way".to_owned())
}

#[tokio::test]
async fn one_approval_is_one_effect_though_nothing_more_is_asked() {
    let shop = Arc::new(Shop::default());
    let registry = Registry::new().add(actions![order]);
    let genkit = Genkit::builder().registry(registry).state(Arc::clone(&shop)).build().unwrap();
    let client = asked().modern(true).connect(genkit.serve_mcp()).await.unwrap();
    let first = asks(call(&client, "order", json!({}), None, json!({})).await);
    let second = asks(call(&client, "order", json!({}), Some(&first), yes("q1")).await);
    shop.turn.store(1, Ordering::SeqCst);
    let round = || call(&client, "order", json!({}), Some(&second), json!({}));
    let rounds = tokio::join!(round(), round(), round());
    assert_eq!([rounds.0, rounds.1, rounds.2].iter().filter(|round| round.is_ok()).count(), 1);
    assert!(round().await.is_err());
    assert_eq!(shop.shipped.load(Ordering::SeqCst), 1);
}
