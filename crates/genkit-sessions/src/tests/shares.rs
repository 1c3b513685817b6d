//! The share of background work that each owner can use.

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
    let mut caller = crate::run::Caller::default();
    match owner.starts_with("address ") {
        true => caller.client = owner.to_owned(),
        false => caller.owner = owner.to_owned(),
    }
    let init = AgentInit::from_session(format!("{owner} {session}"));
    let input = AgentInput::from_message(Message::user("dig"));
    let run = crate::run::AgentRun::new(lead.clone(), init, vec![input], caller);
    run.output().await.unwrap().into_result().unwrap().text()
}

#[tokio::test]
async fn owner_with_many_tasks_leaves_room_for_others() {
    let slow = || {
        Agent::builder("slow").handler(|_: AgentTurn| async {
            std::future::pending::<()>().await;
            Ok(Message::model("done"))
        })
    };
    for (eve, ada) in [("eve", "ada"), ("address 192.0.2.1", "address 192.0.2.2")] {
        let lead = lead(slow().build().unwrap());
        for session in 0..32 {
            let started = delegate(&lead, eve, session).await;
            assert!(started.contains("pending"), "{session}: {started}");
        }
        let rejected = delegate(&lead, eve, 32).await;
        assert!(rejected.contains("already running"), "{rejected}");
        let started = delegate(&lead, ada, 0).await;
        assert!(started.contains("pending"), "{started}");
    }
}

#[tokio::test]
async fn tool_uses_the_share_of_the_client() {
    let share = genkit_core::Tool::builder("share", "Returns the share.").handler(
        |context: genkit_core::Context, (): ()| async move {
            Ok(format!("{:?}", context.client_share()))
        },
    );
    let model = genkit_model::from_fn("shared", |request, _| async move {
        let last = request.messages.last().unwrap();
        match last.tool_responses().next() {
            Some(found) => genkit_core::ModelResponse::from_text(found.output.to_string()),
            None => {
                let call = genkit_core::ToolRequest::new("share", json!({}));
                genkit_core::ModelResponse::from_tool_requests([call])
            }
        }
    });
    let agent = Agent::builder("shared").model(model).tools([share]).build().unwrap();
    let mut shares = Vec::new();
    for (owner, client) in [("ann", ""), ("bob", ""), ("", "address 192.0.2.1"), ("ann", "")] {
        let caller = crate::run::Caller {
            owner: owner.to_owned(),
            client: client.to_owned(),
            ..Default::default()
        };
        let (init, input) = (AgentInit::default(), AgentInput::from_message(Message::user("hi")));
        let run = crate::run::AgentRun::new(agent.clone(), init, vec![input], caller);
        shares.push(run.output().await.unwrap().into_result().unwrap().text());
    }
    let different: std::collections::HashSet<_> = shares.iter().collect();
    assert!(shares[0] == shares[3] && different.len() == 3, "{shares:?}");
    let own = agent.session("a").send("hi").await.unwrap().text();
    assert_eq!(own, "\"None\"", "the program itself has no share");
}

#[tokio::test]
async fn session_without_an_owner_counts_for_the_client_that_began_it() {
    let agent = echo().build().unwrap();
    for client in ["address 192.0.2.1", "address 192.0.2.2"] {
        let caller = crate::run::Caller { client: client.to_owned(), ..Default::default() };
        let input = AgentInput::from_message(Message::user("hi"));
        let init = AgentInit::from_session("a");
        let run = crate::run::AgentRun::new(agent.clone(), init, vec![input], caller);
        run.output().await.unwrap().into_result().unwrap();
        // The first tag of a run in memory is its owner.
        let runs = &agent.sessions().unwrap().runs;
        let listed = runs.list(&genkit_core::RunFilter::new()).await.unwrap();
        let first = genkit_core::internal::run_store::short_hash("address 192.0.2.1");
        assert_eq!(listed[0].tags, [first]);
    }
    assert_eq!(agent.session("a").messages().await.unwrap().len(), 4);
}
