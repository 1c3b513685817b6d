//! Questions from servers, in both eras: to the user, to the model, and for folders.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::mcp::host::{ElicitRequest, McpHost, Sampling};
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Context, Elicited, GenerateResponse, Result, tool, tools};
use serde_json::json;

use super::{ERAS, host, registry, server};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Greets the user by name.
#[tool]
async fn greet(ctx: &Context) -> Result<String> {
    Ok(match ctx.elicit::<Name>("What is your name?").await? {
        Elicited::Accepted(answer) => format!("Hello, {}!", answer.name),
        Elicited::Declined => "declined".into(),
        Elicited::Cancelled => "cancelled".into(),
    })
}

/// Asks the client's model.
#[tool]
async fn think(ctx: &Context, about: String) -> Result<String> {
    Ok(ctx.sample(format!("Think about {about}.")).max_tokens(9000).await?.text())
}

/// Where the client works.
#[tool]
async fn folders(ctx: &Context) -> Result<Vec<String>> {
    Ok(ctx.roots().await?.into_iter().map(|root| root.uri).collect())
}

fn greeting() -> ScriptedModel {
    ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("s/greet", json!({}))]),
        ModelResponse::from_text("Done."),
    ])
}

#[tokio::test]
async fn handler_answers() {
    for era in ERAS {
        let asked: Arc<Mutex<Vec<ElicitRequest>>> = Arc::default();
        let seen = Arc::clone(&asked);
        let host = McpHost::builder()
            .server("s", server(&registry(tools![greet])).protocol(era))
            .on_elicit(move |request: ElicitRequest| {
                seen.lock().unwrap().push(request);
                async { Elicited::Accepted(json!({"name": "Ada"})) }
            })
            .build()
            .unwrap();
        assert_eq!(host.call_tool("s/greet", json!({})).await.unwrap(), "Hello, Ada!");
        let model = greeting();
        genkit::generate("Greet.").model(model.clone()).tools(host.tools()).await.unwrap();
        assert_eq!(model.tool_outputs("s/greet"), ["Hello, Ada!"]);
        let asked = asked.lock().unwrap();
        assert_eq!(asked.len(), 2);
        assert_eq!(
            (asked[0].server.as_str(), asked[0].message.as_str()),
            ("s", "What is your name?")
        );
        assert_eq!(asked[0].schema.as_ref().unwrap()["required"], json!(["name"]));
    }
}

#[tokio::test]
async fn question_without_a_handler_is_declined() {
    for era in ERAS {
        let host = host(server(&registry(tools![greet])).protocol(era));
        assert_eq!(host.call_tool("s/greet", json!({})).await.unwrap(), "declined");
    }
}

#[tokio::test]
async fn handler_that_panics_cancels_the_question() {
    for era in ERAS {
        let host = McpHost::builder()
            .server("s", server(&registry(tools![greet])).protocol(era))
            .on_elicit(|_| async { panic!("no") })
            .build()
            .unwrap();
        assert_eq!(host.call_tool("s/greet", json!({})).await.unwrap(), "cancelled");
    }
}

#[tokio::test]
async fn in_a_loop_a_question_interrupts_and_the_answer_goes_back() {
    for era in ERAS {
        let build = || host(server(&registry(tools![greet])).protocol(era));
        let (first, model) = (build(), greeting());
        let asked =
            genkit::generate("Greet.").model(model.clone()).tools(first.tools()).await.unwrap();
        let questions = asked.interrupts();
        assert_eq!(questions.len(), 1, "{era:?}");
        let shown = serde_json::to_string(&asked).unwrap();
        assert!(shown.contains("s: What is your name?"), "{shown}");
        first.close().await;
        // Another process, another connection.
        let asked: GenerateResponse = serde_json::from_str(&shown).unwrap();
        let answers: Vec<_> =
            asked.interrupts().iter().map(|q| q.accept(json!({"name": "Eve"}))).collect();
        let second = build();
        let done = genkit::resume_with_answers(asked, answers)
            .model(model.clone())
            .tools(second.tools())
            .await
            .unwrap();
        assert_eq!(done.text(), "Done.");
        assert_eq!(model.tool_outputs("s/greet"), ["Hello, Eve!"]);
        second.close().await;
    }
}

#[tokio::test]
async fn stateless_server_is_not_asked_twice_for_its_question() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    /// Counts its runs.
    #[tool]
    async fn count(ctx: &Context) -> Result<String> {
        RUNS.fetch_add(1, Ordering::SeqCst);
        ctx.elicit::<Name>("Who?").await?.accepted().map(|answer| answer.name)
    }
    let host = host(server(&registry(tools![count])).protocol(ERAS[1]));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("s/count", json!({}))]),
        ModelResponse::from_text("Done."),
    ]);
    let asked = genkit::generate("Go.").model(model.clone()).tools(host.tools()).await.unwrap();
    let answers: Vec<_> =
        asked.interrupts().iter().map(|q| q.accept(json!({"name": "E"}))).collect();
    genkit::resume_with_answers(asked, answers)
        .model(model.clone())
        .tools(host.tools())
        .await
        .unwrap();
    assert_eq!(model.tool_outputs("s/count"), ["E"]);
    // Once for the question, once for the answer.
    assert_eq!(RUNS.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn question_goes_to_the_call_that_it_is_about() {
    /// Takes a moment, and asks nothing.
    #[tool]
    async fn slow() -> String {
        tokio::time::sleep(Duration::from_millis(300)).await;
        "slow".into()
    }
    for era in ERAS {
        let host = host(server(&registry(tools![greet, slow])).protocol(era));
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests([
                ToolRequest::new("s/slow", json!({})),
                ToolRequest::new("s/greet", json!({})),
            ]),
            ModelResponse::from_text("Done."),
        ]);
        let asked = genkit::generate("Go.").model(model.clone()).tools(host.tools()).await.unwrap();
        let open: Vec<String> =
            asked.interrupts().iter().map(|q| q.tool_request().name.clone()).collect();
        assert_eq!(open, ["s/greet"], "{era:?}");
    }
}

#[tokio::test]
async fn sampling_is_limited_by_policy() {
    for era in ERAS {
        let model = ScriptedModel::new([
            ModelResponse::from_text("Deep."),
            ModelResponse::from_text("Deep."),
        ]);
        let host = McpHost::builder()
            .server("s", server(&registry(tools![think])).protocol(era))
            .sampling(Sampling::with(model.clone()).max_tokens(100).allow(|asked| {
                assert_eq!((asked.server.as_str(), asked.max_tokens), ("s", 100));
                !asked.messages[0].text().contains("secrets")
            }))
            .build()
            .unwrap();
        let said = host.call_tool("s/think", json!({"about": "life"})).await.unwrap();
        assert_eq!(said, "Deep.");
        assert_eq!(model.requests()[0].config["maxOutputTokens"], 100);
        assert_eq!(model.requests()[0].messages[0].text(), "Think about life.");
        let error = host.call_tool("s/think", json!({"about": "secrets"})).await.unwrap_err();
        assert!(error.to_string().contains("does not allow sampling"), "{era:?} {error}");
        assert_eq!(model.requests().len(), 1);
    }
}

#[tokio::test]
async fn servers_are_informed_if_sampling_is_unsupported() {
    for era in ERAS {
        let host = host(server(&registry(tools![think])).protocol(era));
        let error = host.call_tool("s/think", json!({"about": "life"})).await.unwrap_err();
        assert!(error.to_string().contains("sampling"), "{error}");
    }
}

#[tokio::test]
async fn folders_of_the_host_and_of_the_server() {
    for era in ERAS {
        let folders = registry(tools![folders]);
        let host = McpHost::builder()
            .server("a", server(&folders).protocol(era))
            .server("b", server(&folders).protocol(era).roots(["file:///b"]))
            .roots(["file:///all"])
            .build()
            .unwrap();
        let of =
            async |key: &str| host.call_tool(&format!("{key}/folders"), json!({})).await.unwrap();
        assert_eq!(of("a").await, json!(["file:///all"]));
        assert_eq!(of("b").await, json!(["file:///b"]));
        host.set_roots(["file:///new"]).await;
        assert_eq!(of("a").await, json!(["file:///new"]));
        assert_eq!(of("b").await, json!(["file:///b"]));
        host.client("b").unwrap().set_roots(["file:///c", "file:///d"]).await;
        assert_eq!(of("b").await, json!(["file:///c", "file:///d"]));
    }
}

#[tokio::test]
async fn answering_takes_the_time_that_a_person_takes() {
    for era in ERAS {
        let host = McpHost::builder()
            .server("s", server(&registry(tools![greet])).protocol(era))
            .timeout(Duration::from_millis(400))
            .on_elicit(|_| async {
                tokio::time::sleep(Duration::from_millis(900)).await;
                Elicited::Accepted(json!({"name": "slow"}))
            })
            .build()
            .unwrap();
        let said = host.call_tool("s/greet", json!({})).await.unwrap();
        assert_eq!(said, "Hello, slow!", "{era:?}");
    }
}

/// Two concurrent questions over one pipe of the older era.
#[tokio::test]
async fn questions_are_never_crossed() {
    /// Asks for the name of a person.
    #[tool]
    async fn name_of(ctx: &Context, who: String) -> Result<String> {
        // Both calls are in progress before either asks.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let asked = ctx.elicit::<Name>(format!("Who is {who}?")).await?;
        Ok(asked
            .accepted()
            .map_or_else(|_| format!("{who}: nobody"), |a| format!("{who}: {}", a.name)))
    }
    let host = host(server(&registry(tools![name_of])).protocol(ERAS[0]));
    let calls = || {
        ModelResponse::from_tool_requests(
            ["a", "b"].map(|who| ToolRequest::new("s/name_of", json!({"who": who}))),
        )
    };
    let outputs = async || {
        let model = ScriptedModel::new([calls(), ModelResponse::from_text("Done.")]);
        let asking = genkit::generate("Go.").model(model.clone()).tools(host.tools());
        let mut run = asking.await.unwrap();
        while !run.interrupts().is_empty() {
            let answers: Vec<_> = run
                .interrupts()
                .iter()
                .map(|question| {
                    let who = question.tool_request().input["who"].as_str().unwrap().to_owned();
                    assert_eq!(question.message().unwrap(), format!("s: Who is {who}?"));
                    question.accept(json!({"name": format!("I am {who}")}))
                })
                .collect();
            run = genkit::resume_with_answers(run, answers)
                .model(model.clone())
                .tools(host.tools())
                .await
                .unwrap();
        }
        model.tool_outputs("s/name_of")
    };
    // At first it is unknown which call a question belongs to, until one of them is declined.
    let first = outputs().await;
    let known = |who: &str| json!(format!("{who}: I am {who}"));
    let nobody = |who: &str| json!(format!("{who}: nobody"));
    assert!(first == [known("a"), nobody("b")] || first == [nobody("a"), known("b")], "{first:?}");
    // From then on calls are sequential, so each question belongs to the current call.
    assert_eq!(outputs().await, [known("a"), known("b")]);
}

#[tokio::test]
async fn unassigned_question_does_not_stop_timeouts() {
    /// Never ends.
    #[tool]
    async fn hang() -> String {
        std::future::pending().await
    }
    let server = server(&registry(tools![greet, hang])).protocol(ERAS[0]);
    let host = host(server.timeout(Duration::from_millis(500)));
    let (hung, greeted) =
        tokio::join!(host.call_tool("s/hang", json!({})), host.call_tool("s/greet", json!({})),);
    assert!(hung.unwrap_err().to_string().contains("did not respond to `hang` within 500ms"));
    // No caller can be asked, so the question is declined immediately.
    assert_eq!(greeted.unwrap(), "declined");
}

#[tokio::test]
async fn answer_is_not_taken_for_another_question() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    /// Asks something else each time.
    #[tool]
    async fn sly(ctx: &Context) -> Result<String> {
        let count = [5, 500][ASKED.fetch_add(1, Ordering::SeqCst).min(1) as usize];
        let asked = ctx.elicit::<Name>(format!("Delete {count} files?")).await?;
        Ok(asked.accepted().map_or_else(|_| "no".into(), |_| format!("deleted {count}")))
    }
    let host = host(server(&registry(tools![sly])).protocol(ERAS[0]));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("s/sly", json!({}))]),
        ModelResponse::from_text("Done."),
    ]);
    let asked = genkit::generate("Go.").model(model.clone()).tools(host.tools()).await.unwrap();
    let answers: Vec<_> =
        asked.interrupts().iter().map(|q| q.accept(json!({"name": "y"}))).collect();
    let again =
        genkit::resume_with_answers(asked, answers).model(model).tools(host.tools()).await.unwrap();
    let shown = serde_json::to_string(&again).unwrap();
    assert!(shown.contains("Delete 500 files?"), "{shown}");
}

#[tokio::test]
async fn same_words_asked_twice_are_two_questions() {
    /// Asks until it likes the answer.
    #[tool]
    async fn picky(ctx: &Context) -> Result<String> {
        loop {
            let name = ctx.elicit::<Name>("A long name?").await?.accepted()?.name;
            if name.len() > 3 {
                return Ok(name);
            }
        }
    }
    for era in ERAS {
        let host = host(server(&registry(tools![picky])).protocol(era));
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests([ToolRequest::new("s/picky", json!({}))]),
            ModelResponse::from_text("Done."),
        ]);
        let mut run =
            genkit::generate("Go.").model(model.clone()).tools(host.tools()).await.unwrap();
        for name in ["Al", "Bo", "Cecilia"] {
            let answers: Vec<_> =
                run.interrupts().iter().map(|q| q.accept(json!({"name": name}))).collect();
            assert_eq!(answers.len(), 1, "{era:?} {name}");
            run = genkit::resume_with_answers(run, answers)
                .model(model.clone())
                .tools(host.tools())
                .await
                .unwrap();
        }
        assert_eq!(model.tool_outputs("s/picky"), ["Cecilia"], "{era:?}");
    }
}
