//! Tests of hostile clients: slow readers, overlong inputs, and answers to the interrupts of other users.

use std::time::Duration;

use genkit::model::{GenerateChunk, Model, from_fn};
use genkit::sessions::Agent;

use super::*;

/// The number of slow readers.
const READERS: usize = 200;

/// Returns a model that streams forever if the user asks for `endless` text, and counts its chunks.
fn endless_model(sent: &Arc<AtomicUsize>) -> impl Model {
    let sent = Arc::clone(sent);
    from_fn("endless", move |request, chunks| {
        let sent = Arc::clone(&sent);
        async move {
            while request.messages.last().is_some_and(|last| last.text() == "endless") {
                sent.fetch_add(1, Ordering::SeqCst);
                chunks.send(GenerateChunk::from_text("more and ".repeat(100)));
                tokio::task::yield_now().await;
            }
            "Hi."
        }
    })
}

#[tokio::test(start_paused = true)]
async fn slow_readers_stop_their_runs_and_hold_their_places() {
    for keeps in [false, true] {
        let sent = Arc::<AtomicUsize>::default();
        let endpoint = match keeps {
            true => {
                let agent = Agent::builder("keeper").model(endless_model(&sent)).build();
                endpoint(agent.expect("an agent"))
            }
            false => endpoint(genkit::generate(()).model(endless_model(&sent))),
        };
        let free = endpoint.gate.count_free_slots();
        let mut unread = Vec::new();
        for reader in 0..READERS {
            let input = json!({
                "threadId": format!("slow {reader}"), "runId": "r", "messages": [
                    {"id": "u", "role": "user", "content": "endless"},
                ],
            });
            let request = Request::post("/agui").header("host", "localhost");
            let request = request.body(Body::from(input.to_string())).expect("a request");
            unread.push(endpoint.answer(request).await.into_body());
        }
        // Time passes only while no run makes progress.
        tokio::time::sleep(Duration::from_secs(5)).await;
        let buffered = sent.load(Ordering::SeqCst);
        assert!((READERS..READERS * 100).contains(&buffered), "{buffered} chunks were buffered");
        assert_eq!(endpoint.gate.count_free_slots(), free - READERS);
        let mut honest = Page::new(&endpoint);
        honest.say("Hello?");
        assert_eq!(text(&honest.run(json!([])).await), "Hi.");
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(sent.load(Ordering::SeqCst), buffered, "a run continued without its reader");
        // Unread frames use memory, so a reader holds its slot until its connection is closed.
        assert_eq!(endpoint.gate.count_free_slots(), free - READERS, "keeps: {keeps}");
        drop(unread);
        assert_eq!(endpoint.gate.count_free_slots(), free, "keeps: {keeps}");
    }
}

#[tokio::test]
async fn over_long_inputs_are_refused_with_short_errors() {
    let server = endpoint(agent(&ScriptedModel::texts(["no"])));
    let page = Page::new(&server);
    let long = "x".repeat(300);
    let user = |content: Value| json!({"id": "1", "role": "user", "content": content});
    let nested = "[".repeat(100_000) + &"]".repeat(100_000);
    for (key, value) in [
        ("messages", json!(vec![user("hi".into()); 2_001])),
        ("messages", json!([{"id": long, "role": "user", "content": "hi"}])),
        ("messages", json!([user(json!([{"type": "x".repeat(100_000)}]))])),
        ("messages", json!([user(vec![0; 250_000].into())])),
        ("messages", json!([user("x".repeat(20 * 1024 * 1024).into())])),
        ("runId", json!(long)),
        ("parentRunId", json!(long)),
        ("resume", json!(vec![json!({"interruptId": "a", "status": "resolved"}); 65])),
        ("resume", json!([{"interruptId": "x".repeat(1024 * 1024), "status": "resolved"}])),
        ("tools", json!([{"name": "x".repeat(1024 * 1024)}])),
        ("tools", json!([{"name": "a", "description": "x".repeat(5 * 1024)}])),
        ("tools", json!([{"name": "a", "parameters": {"description": "x".repeat(33 * 1024)}}])),
        ("state", json!(vec![0; 250_000])),
    ] {
        let mut input = page.input(json!([]));
        input["messages"] = json!([user("hi".into())]);
        input[key] = value;
        let (status, text) = page.post(input).await;
        assert!(status.is_client_error() && text.len() < 1_000, "{key}: {status} {text:.200}");
    }
    for body in [nested.clone(), format!("{{\"threadId\": \"t\", \"messages\": {nested}}}")] {
        let request = Request::post("/agui").header("host", "localhost");
        let response = server.answer(request.body(Body::from(body)).expect("a request")).await;
        assert!(response.status().is_client_error(), "{}", response.status());
    }
}

#[tokio::test]
async fn interrupt_of_a_stored_thread_is_answered_by_its_owner_only() {
    let by_user = |request: FlowRequest| async move {
        Ok(json!({"auth": {"uid": request.header("x-user")}}))
    };
    let model = ScriptedModel::new([
        call("pay", "c1", json!({"cents": 7})),
        call("pay", "c1", json!({"cents": 9})),
        ModelResponse::from_text("Paid."),
    ]);
    let agent = Agent::builder("keeper").model(model.clone()).tools(tools![pay]).build();
    let server = AguiServer::new(agent.expect("an agent")).context_provider(by_user);
    let endpoint = with(server);
    let ask = async |user: &'static str| {
        let mut page = Page::new(&endpoint);
        page.user = user;
        page.say("Pay.");
        let asked = page.run(json!([])).await;
        let id = asked.last().expect("an event")["outcome"]["interrupts"][0]["id"].clone();
        (page, json!([{"interruptId": id, "status": "resolved", "payload": {"approved": true}}]))
    };
    let (mut ann, of_ann) = ask("ann").await;
    // The same thread id and call id, but another user.
    let (bob, of_bob) = ask("bob").await;
    assert_ne!(of_ann, of_bob);
    assert!(bob.refused(of_ann.clone()).await.contains("not open"));
    assert!(ann.refused(of_bob).await.contains("not open"));
    assert_eq!(text(&ann.run(of_ann).await), "Paid.");
    assert_eq!(model.tool_outputs("pay"), ["paid 7"]);
}
