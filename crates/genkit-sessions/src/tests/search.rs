//! The tool that searches past conversations.

use super::*;

/// Sends a message for an owner, and returns the text of the response.
pub(super) async fn say(agent: &Agent, owner: &str, session: &str, text: &str) -> String {
    let input = AgentInput::from_message(Message::user(text));
    let is_program = owner.is_empty();
    let caller = crate::run::Caller { owner: owner.to_owned(), is_program, ..Default::default() };
    let run = crate::run::AgentRun::new(
        agent.clone(),
        AgentInit::from_session(session),
        vec![input],
        caller,
    );
    run.output().await.unwrap().into_result().unwrap().text()
}

/// A model that searches for the words after `find`, and responds with the search result.
pub(super) fn searching() -> genkit_model::FnModel {
    genkit_model::from_fn("searching", |request, _| async move {
        let last = request.messages.last().unwrap();
        if let Some(found) = last.tool_responses().next() {
            return genkit_core::ModelResponse::from_text(found.output.to_string());
        }
        match last.text().strip_prefix("find ") {
            Some(words) => {
                genkit_core::ModelResponse::from_tool_requests([genkit_core::ToolRequest::new(
                    "search_conversations",
                    json!({ "query": words }),
                )])
            }
            None => genkit_core::ModelResponse::from_text("ok"),
        }
    })
}

#[tokio::test]
async fn past_conversations_of_the_same_user_are_found() {
    let folder = std::env::temp_dir().join(format!("genkit-memory-{}", uuid::Uuid::new_v4()));
    let builder = || Agent::builder("guide").model(searching()).search_conversations(true);
    let store = genkit_durable::FolderStore::open(&folder).unwrap();
    for agent in [builder().build().unwrap(), builder().store(store).build().unwrap()] {
        for (owner, session, text) in [
            ("ann", "monday", "My cat is called Mia."),
            ("ann", "sunday", "My cat sleeps."),
            ("bob", "monday", "My cat is called Tom."),
            ("", "ann/monday", "My dog is called Rex."),
            ("", "bob/monday", "My dog is called Max."),
            ("", "/monday", "My dog is called Ben."),
        ] {
            say(&agent, owner, session, text).await;
        }
        let found = say(&agent, "ann", "tuesday", "find cat CALLED").await;
        assert!(found.contains("Mia") && found.contains("sleeps"), "{found}");
        assert!(found.find("Mia") < found.find("sleeps"), "the best is first: {found}");
        assert!(!found.contains("Tom") && !found.contains("find"), "{found}");
        let found = say(&agent, "", "ann/tuesday", "find called").await;
        assert!(found.contains("Rex") && !found.contains("Max"), "{found}");
        assert_eq!(say(&agent, "", "tuesday", "find called").await, "[]");
        assert_eq!(say(&agent, "", "/tuesday", "find called").await, "[]");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A model that responds with the names of its tools, and hangs at first if the message is `hang`.
fn listing(hangs: &Arc<AtomicUsize>) -> genkit_model::FnModel {
    let hangs = Arc::clone(hangs);
    genkit_model::from_fn("listing", move |request, _| {
        let hangs = Arc::clone(&hangs);
        async move {
            let is_hanging = request.messages.last().is_some_and(|last| last.text() == "hang");
            if is_hanging && hangs.swap(0, Ordering::SeqCst) > 0 {
                std::future::pending::<()>().await;
            }
            let names: Vec<&str> = request.tools.iter().map(|tool| &*tool.name).collect();
            genkit_core::ModelResponse::from_text(format!("tools: {}", names.join(" ")))
        }
    })
}

#[tokio::test]
async fn clients_that_are_not_identified_cannot_search_conversations() {
    use genkit_agent::internal::{ThreadAgent as _, ThreadTurn};
    let folder = std::env::temp_dir().join(format!("genkit-prefix-{}", uuid::Uuid::new_v4()));
    let hangs = Arc::new(AtomicUsize::new(0));
    let agent = Agent::builder("guide")
        .model(listing(&hangs))
        .search_conversations(true)
        .store(genkit_durable::FolderStore::open(&folder).unwrap());
    let agent = agent.build().unwrap();
    let has_tool = |text: &str| {
        assert!(text.contains("tools: "), "{text}");
        text.contains("search_conversations")
    };
    assert!(has_tool(&agent.session("ada/a").send("hi").await.unwrap().text()));
    let body = json!({"data": {"message": {"role": "user", "content": [{"text": "hi"}]}}, "init": {"sessionId": "ada/x"}});
    let anonymous = endpoint(serve_agents([agent.clone()]));
    assert!(!has_tool(&post(&anonymous, "/guide", &[], body.clone()).await.1));
    let identified = endpoint(serve_agents([agent.clone()]).context_provider(ByHeader));
    assert!(has_tool(&post(&identified, "/guide", &[("x-user", "ada")], body).await.1));
    let turn = ThreadTurn {
        thread: "ada/y".into(),
        message: Some(Message::user("hi")),
        ..ThreadTurn::default()
    };
    let end = agent.begin_turn(turn).into_end().await.unwrap();
    assert!(!has_tool(&end.message.unwrap().text()));

    // A continued turn keeps the permissions of the caller that started it.
    for is_program in [true, false] {
        hangs.store(1, Ordering::SeqCst);
        let caller = crate::run::Caller { is_program, ..Default::default() };
        let (init, input) =
            (AgentInit::from_session("ada/z"), AgentInput::from_message(Message::user("hang")));
        let run = crate::run::AgentRun::new(agent.clone(), init.clone(), vec![input], caller);
        run.keeps_turn().store(true, Ordering::SeqCst);
        let begun = async {
            while hangs.load(Ordering::SeqCst) > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            _ = run.output() => panic!("the turn hangs"),
            () = begun => {}
        }
        let caller = crate::run::Caller { is_program: !is_program, ..Default::default() };
        let run = crate::run::AgentRun::new(agent.clone(), init, Vec::new(), caller);
        assert_eq!(has_tool(&run.output().await.unwrap().text()), is_program);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
