//! The typed state of an agent: states from clients and handlers are checked.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use genkit::sessions::{Agent, AgentBuilder, AgentInit, AgentInput, AgentState, AgentTurn};
use genkit::{ErrorKind, Message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Cart {
    items: Vec<String>,
    #[schemars(range(max = 100))]
    discount: u32,
}

/// An agent that sets its state to the JSON in the message.
fn shop() -> AgentBuilder {
    Agent::builder("shop").state(Cart { items: Vec::new(), discount: 0 }).handler(
        |turn: AgentTurn| async move {
            let text = turn.messages().last().map(Message::text).unwrap_or_default();
            turn.set_custom(serde_json::from_str::<Value>(&text)?).await?;
            Ok(Message::model("done"))
        },
    )
}

#[tokio::test]
async fn state_of_a_handler_is_checked() {
    let shop = shop().build().unwrap();
    let session = shop.session("ada");
    assert!(session.custom::<Cart>().await.unwrap().items.is_empty());
    session.send(r#"{"items": ["bread"], "discount": 10}"#).await.unwrap();
    for (wrong, at) in [
        (r#"{"items": ["bread"], "discount": 200}"#, "discount"),
        (r#"{"items": "bread", "discount": 1}"#, "items"),
        ("null", "shop"),
    ] {
        let error = session.send(wrong).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let text = error.chain();
        assert!(text.contains("the state type of the agent `shop`") && text.contains(at), "{text}");
        let cart: Cart = session.custom().await.unwrap();
        assert_eq!((cart.items, cart.discount), (vec!["bread".to_owned()], 10), "it is unchanged");
    }
}

#[tokio::test]
async fn state_of_a_client_is_checked() {
    let shop = shop().client_managed(true).build().unwrap();
    let call = async |custom: Value| {
        let (mut state, mut init) = (AgentState::default(), AgentInit::default());
        state.custom = custom;
        init.state = Some(state);
        let message = Message::user(r#"{"items": [], "discount": 1}"#);
        shop.run(init, [AgentInput::from_message(message)]).output().await
    };
    for valid in [json!({"items": ["bread"], "discount": 0}), Value::Null] {
        let output = call(valid).await.unwrap();
        assert_eq!(output.state.unwrap().custom["discount"], 1);
    }
    for wrong in [json!({"items": []}), json!({"items": [], "discount": -1}), json!([])] {
        let error = call(wrong.clone()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{wrong}");
        assert!(error.to_string().contains("agent `shop`"), "{error}");
    }
}

#[test]
fn initial_state_must_match_its_type() {
    let wrong = shop().state(Cart { items: Vec::new(), discount: 101 }).build();
    assert_eq!(wrong.unwrap_err().kind(), ErrorKind::InvalidArgument);
}
