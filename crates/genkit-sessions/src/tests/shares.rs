//! The share of an owner of the work in the background.

use super::*;

/// An agent that gives one task to `worker`, and responds with the result of the call.
fn lead(worker: Agent) -> Agent {
    let model = genkit_model::from_fn("lead", |request, _| async move {
        let last = request.messages.last().unwrap();
        match last.tool_responses().next() {
            Some(found) => genkit_core::ModelResponse::from_text(found.output.to_string()),
            None => {
                genkit_core::ModelResponse::from_tool_requests([genkit_core::ToolRequest::new(
                    "delegate_to_slow",
                    json!({"task": "dig"}),
                )])
            }
        }
    });
    Agent::builder("lead").model(model).background_agents([worker]).build().unwrap()
}

/// Gives a task to the worker for an owner, and returns the response.
async fn delegate(lead: &Agent, owner: &str, session: usize) -> String {
    let caller = crate::run::Caller { owner: owner.to_owned(), ..Default::default() };
    let init = AgentInit::from_session(format!("{owner} {session}"));
    let input = AgentInput::from_message(Message::user("dig"));
    let run = crate::run::AgentRun::new(lead.clone(), init, vec![input], caller);
    run.output().await.unwrap().into_result().unwrap().text()
}

#[tokio::test]
async fn owner_with_many_tasks_leaves_room_for_others() {
    let slow = Agent::builder("slow").handler(|_: AgentTurn| async {
        std::future::pending::<()>().await;
        Ok(Message::model("done"))
    });
    let lead = lead(slow.build().unwrap());
    for session in 0..32 {
        let started = delegate(&lead, "eve", session).await;
        assert!(started.contains("pending"), "{session}: {started}");
    }
    let rejected = delegate(&lead, "eve", 32).await;
    assert!(rejected.contains("already running"), "{rejected}");
    let started = delegate(&lead, "ada", 0).await;
    assert!(started.contains("pending"), "{started}");
}
