//! Tests of agents that an agent calls as tools, and of declared tools.

use std::sync::Mutex;

use genkit::sessions::Agent;

use super::*;

/// Returns an agent that books a seat with a form and then responds.
fn booking_agent() -> Tool {
    let model =
        ScriptedModel::new([call("book", "b1", json!({})), ModelResponse::from_text("Booked.")]);
    genkit::generate(()).model(model).tools(tools![book]).into_tool("booker", "Books seats.")
}

fn find_all<'a>(events: &'a [Value], prefix: &str) -> Vec<&'a Value> {
    let is_kind = |event: &&Value| event["type"].as_str().is_some_and(|it| it.starts_with(prefix));
    events.iter().filter(is_kind).collect()
}

#[tokio::test]
async fn call_of_an_agent_is_a_subagent_until_its_result() {
    for keeps in [false, true] {
        let requests = [("guide", "c1"), ("lost", "c2"), ("weather", "c3")];
        let requests = requests.map(|(name, id)| {
            ToolRequest::new(name, json!({"task": "Rome?", "city": "Rome"})).with_id(id)
        });
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests(requests),
            ModelResponse::from_text("Done."),
        ]);
        let guide = genkit::generate(()).model(ScriptedModel::texts(["Old."]));
        let lost = genkit::generate(()).model(ScriptedModel::texts::<&str>([]));
        let agents = [guide.into_tool("guide", "Guides."), lost.into_tool("lost", "Fails.")];
        let kept = Agent::builder("keeper").model(model.clone()).tools(tools![weather]);
        let endpoint = match keeps {
            true => endpoint(kept.tools(agents).build().expect("an agent")),
            false => endpoint(move |_: AguiRequest| {
                let run = agent(&model).tools(agents.clone());
                async move { Ok(run) }
            }),
        };
        let mut page = Page::new(&endpoint);
        page.say("Rome?");
        let events = page.run(json!([])).await;
        assert_eq!(text(&events), "Done.", "keeps: {keeps}");
        let agents = find_all(&events, "SUBAGENT_");
        assert_eq!(agents.len(), 4, "{agents:?}");
        let started = json!({
            "type": "SUBAGENT_STARTED", "subagentRunId": "agent-c1", "name": "guide",
            "parentToolCallId": "c1", "parentMessageId": "r1-1",
        });
        assert_eq!(agents[0], &started);
        let ends: Vec<_> = agents[2..]
            .iter()
            .map(|end| (end["type"].as_str().expect("a type"), &end["subagentRunId"]))
            .collect();
        assert_eq!(
            ends,
            [("SUBAGENT_FINISHED", &json!("agent-c1")), ("SUBAGENT_ERROR", &json!("agent-c2"))]
        );
        let of = |kind: &str, id: &str| {
            let is = |it: &Value| it["type"] == kind && it.to_string().contains(id);
            events.iter().position(is).expect("an event")
        };
        assert!(of("TOOL_CALL_END", "c1") < of("SUBAGENT_STARTED", "c1"));
        assert!(of("SUBAGENT_FINISHED", "c1") < of("TOOL_CALL_RESULT", "c1"));
    }
}

#[tokio::test]
async fn agent_that_asks_is_suspended_and_continues_in_the_next_run() {
    for keeps in [false, true] {
        let model = ScriptedModel::new([
            call("booker", "c1", json!({"task": "Book."})),
            ModelResponse::from_text("Done."),
        ]);
        let kept = Agent::builder("keeper").model(model.clone()).tools([booking_agent()]);
        let endpoint = match keeps {
            true => endpoint(kept.build().expect("an agent")),
            false => endpoint(agent(&model).tools([booking_agent()])),
        };
        let mut page = Page::new(&endpoint);
        page.say("Book.");
        let events = page.run(json!([])).await;
        let interrupt = &events.last().expect("an event")["outcome"]["interrupts"][0]["id"];
        let suspended = json!({
            "type": "SUBAGENT_FINISHED", "subagentRunId": "agent-c1",
            "outcome": {"type": "suspended", "interruptIds": [interrupt]},
        });
        assert_eq!(find_all(&events, "SUBAGENT_")[1], &suspended, "{events:?}");
        let answer =
            json!([{"interruptId": interrupt, "status": "resolved", "payload": {"row": 3}}]);
        let events = page.run(answer).await;
        assert_eq!(text(&events), "Done.");
        let ids: Vec<_> = find_all(&events, "SUBAGENT_")
            .iter()
            .map(|it| (&it["type"], &it["subagentRunId"], &it["outcome"]["type"]))
            .map(|(kind, id, outcome)| json!([kind, id, outcome]))
            .collect();
        let expected = [
            json!(["SUBAGENT_STARTED", "agent-c1", null]),
            json!(["SUBAGENT_FINISHED", "agent-c1", "success"]),
        ];
        assert_eq!(ids, expected, "keeps: {keeps}");
    }
}

/// The warnings of this thread.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl std::io::Write for Warnings {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(text).into_owned();
        self.0.lock().expect("a lock").push(text);
        Ok(self.0.lock().expect("a lock").last().map_or(0, String::len))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn tool_without_code_that_is_not_of_the_page_is_logged_with_the_remedy() {
    let log = Warnings::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let remedy = r#"add `.page_tools(["pick"])`"#;
    let logged = || {
        let all = std::mem::take(&mut *log.0.lock().expect("a lock"));
        all.iter().filter(|line| line.contains(remedy)).count()
    };
    let pick = Tool::builder("pick", "Picks a color.").interrupts();
    let model = ScriptedModel::texts(["Hi.", "Hi."]);
    let kept = Agent::builder("keeper").model(model.clone()).tools([pick.clone()]).build();
    let run = move || genkit::generate(()).model(model.clone()).tools([pick.clone()]);
    with(AguiServer::new(run()));
    assert_eq!(logged(), 1);
    with(AguiServer::new(run()).page_tools(["pick"]));
    assert_eq!(logged(), 0);
    endpoint(kept.expect("an agent"));
    assert_eq!(logged(), 1);
    let per_request = endpoint(move |_: AguiRequest| {
        let run = run();
        async move { Ok(run) }
    });
    assert_eq!(logged(), 0);
    for expected in [1, 0] {
        let mut page = Page::new(&per_request);
        page.say("Hi?");
        page.run(json!([])).await;
        assert_eq!(logged(), expected, "only the first run is checked");
    }
}
