//! Conversations that are handed over from agent to agent.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use genkit::message::{Role, ToolRequest};
use genkit::model::{ModelResponse, Usage};
use genkit::sessions::{Agent, AgentBuilder, AgentInit, AgentInput, AgentTurn};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{ErrorKind, Message, tool, tools};
use serde_json::json;

fn calls(names: &[&str]) -> Scripted {
    let request = |(at, name): (usize, &&str)| {
        ToolRequest::new(*name, json!({})).with_id(format!("call {at}"))
    };
    let usage = Usage::default().with_input_tokens(10).with_output_tokens(1);
    let response = ModelResponse::from_tool_requests(names.iter().enumerate().map(request));
    response.with_usage(usage).into()
}

fn text(text: &str) -> Scripted {
    let usage = Usage::default().with_input_tokens(5).with_output_tokens(1);
    ModelResponse::from_text(text).with_usage(usage).into()
}

/// An agent with this script, and its model.
fn scripted(name: &str, script: Vec<Scripted>) -> (AgentBuilder, ScriptedModel) {
    let model = ScriptedModel::new(script);
    let instructions = format!("You are {name}.");
    (Agent::builder(name.to_owned()).instructions(instructions).model(model.clone()), model)
}

/// Refunds the order.
#[tool(needs_approval)]
async fn refund() -> String {
    "refunded".to_owned()
}

#[tokio::test]
async fn conversation_goes_to_another_agent_and_back() {
    let script = vec![text("Which order?"), calls(&["transfer_to_support"])];
    let (billing, seen) = scripted("billing", script);
    let script = vec![calls(&["transfer_to_billing"]), text("Anything else?"), text("Bye.")];
    let (support, seen_by_support) = scripted("support", script);
    let support = support.hand_over_to([billing.build().unwrap()]).build().unwrap();
    let session = support.session("a");

    let output = session.send("A refund, please.").await.unwrap();
    assert_eq!(output.text(), "Which order?");
    let usage = output.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(15), Some(2)));
    let snapshot = session.snapshot().await.unwrap().unwrap();
    assert_eq!(snapshot.state.agent.as_deref(), Some("billing"));
    let request = &seen.requests()[0];
    assert_eq!(request.messages[0].text(), "You are billing.");
    let roles: Vec<Role> = request.messages.iter().map(|it| it.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Model, Role::Tool]);
    assert!(request.tools.iter().any(|tool| tool.name == "transfer_to_support"));

    assert_eq!(session.send("None, thanks.").await.unwrap().text(), "Anything else?");
    assert_eq!(session.snapshot().await.unwrap().unwrap().state.agent, None);
    assert_eq!(session.send("No.").await.unwrap().text(), "Bye.");
    assert_eq!(seen_by_support.requests()[2].messages[0].text(), "You are support.");
    // In an earlier snapshot, the agent is still the one that responded then.
    let branch = session.branch(snapshot.snapshot_id).snapshot().await.unwrap().unwrap();
    assert_eq!(branch.state.agent.as_deref(), Some("billing"));
}

#[tokio::test]
async fn hand_over_next_to_an_approval_waits_for_it() {
    let (billing, _) = scripted("billing", vec![text("It is done.")]);
    let (support, _) = scripted("support", vec![calls(&["refund", "transfer_to_billing"])]);
    let support =
        support.tools(tools![refund]).hand_over_to([billing.build().unwrap()]).build().unwrap();
    let session = support.session("a");
    let asked = session.send("Refund it.").await.unwrap();
    assert!(asked.is_interrupted());
    assert_eq!(session.snapshot().await.unwrap().unwrap().state.agent, None);
    let answers: Vec<_> = asked.interrupts().iter().map(|it| it.approve()).collect();
    assert_eq!(session.resume(answers).await.unwrap().text(), "It is done.");
    assert_eq!(session.snapshot().await.unwrap().unwrap().state.agent.as_deref(), Some("billing"));
}

#[tokio::test]
async fn of_two_hand_overs_in_one_round_one_wins() {
    let (billing, _) = scripted("billing", vec![text("Billing here.")]);
    let (sales, _) = scripted("sales", vec![text("Sales here.")]);
    let both = calls(&["transfer_to_billing", "transfer_to_sales"]);
    let (support, _) = scripted("support", vec![both]);
    let targets = [billing.build().unwrap(), sales.build().unwrap()];
    let support = support.hand_over_to(targets).build().unwrap();
    let session = support.session("a");
    let answered = session.send("Help.").await.unwrap().text();
    let winner = session.snapshot().await.unwrap().unwrap().state.agent.unwrap();
    let expected = if winner == "billing" { "Billing here." } else { "Sales here." };
    assert_eq!(answered, expected);
    let messages = session.messages().await.unwrap();
    let results: Vec<_> = messages.iter().flat_map(Message::tool_responses).collect();
    assert_eq!(results.len(), 2);
    for result in results {
        let told = result.output.to_string();
        let is_winner = result.name == format!("transfer_to_{winner}");
        assert_eq!(result.error().is_none(), is_winner, "{told}");
        assert!(told.contains(&format!("handed over to `{winner}`")), "{told}");
    }
}

#[tokio::test]
async fn question_after_a_hand_over_is_answered_by_the_agent_that_asked() {
    let (billing, _) = scripted("billing", vec![calls(&["refund"]), text("It is refunded.")]);
    let billing = billing.tools(tools![refund]).build().unwrap();
    let (support, _) = scripted("support", vec![calls(&["transfer_to_billing"])]);
    let support = support.hand_over_to([billing]).client_managed(true).build().unwrap();
    let input = AgentInput::from_message(Message::user("Refund it."));
    let asked = support.run(AgentInit::default(), [input]).await.unwrap();
    let answers: Vec<_> = asked.interrupts().iter().map(|it| it.approve()).collect();
    let init = AgentInit::from_state(asked.state.unwrap());
    let output = support.run(init, [AgentInput::from_answers(answers).unwrap()]).await.unwrap();
    assert_eq!(output.text(), "It is refunded.");
    assert_eq!(output.state.unwrap().agent.as_deref(), Some("billing"));
}

#[tokio::test]
async fn hand_over_without_end_fails_and_leaves_the_session_usable() {
    let there = std::iter::repeat_with(|| calls(&["transfer_to_billing"])).take(5);
    let back = std::iter::repeat_with(|| calls(&["transfer_to_support"])).take(5);
    let (billing, _) = scripted("billing", back.collect());
    let (support, _) = scripted("support", there.collect());
    let support = support.hand_over_to([billing.build().unwrap()]).build().unwrap();
    let session = support.session("a");
    assert_eq!(session.send("Hi.").await.unwrap_err().kind(), ErrorKind::ResourceExhausted);
    // 1 message of the user, and 9 calls with their results.
    assert_eq!(session.messages().await.unwrap().len(), 19);
}

#[tokio::test]
async fn handler_hands_the_conversation_back() {
    let counter = Agent::builder("counter").handler(|turn: AgentTurn| async move {
        assert_eq!(turn.hand_over_to("nobody").unwrap_err().kind(), ErrorKind::InvalidArgument);
        if turn.messages().last().is_some_and(|last| last.text() == "stop") {
            turn.hand_over_to("support")?;
        }
        Ok(Message::model(format!("{} messages", turn.messages().len())))
    });
    let script = vec![calls(&["transfer_to_counter"]), text("Hello again.")];
    let (support, _) = scripted("support", script);
    let support = support.hand_over_to([counter.build().unwrap()]).build().unwrap();
    let session = support.session("a");
    assert_eq!(session.send("Count.").await.unwrap().text(), "3 messages");
    assert_eq!(session.send("stop").await.unwrap().text(), "5 messages");
    assert_eq!(session.send("Hi.").await.unwrap().text(), "Hello again.");
}

#[test]
fn members_of_a_hand_over_have_different_names() {
    let agent = |name: &str| Agent::builder(name.to_owned()).model(ScriptedModel::text("hi"));
    let built = |name: &str| agent(name).build().unwrap();
    let same = built("b");
    let inner = agent("c").hand_over_to([same.clone()]).build().unwrap();
    assert!(agent("a").hand_over_to([same.clone(), inner.clone()]).build().is_ok());
    assert!(agent("a").hand_over_to([same, built("b")]).build().is_err());
    assert!(agent("b").hand_over_to([inner]).build().is_err());
    assert!(agent("a").hand_over_to([built(&"x".repeat(60))]).build().is_err());
}
