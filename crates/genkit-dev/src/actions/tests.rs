//! Tests that list and run every kind of action by its key.

mod declared;

use serde_json::{Value, json};

use super::{ActionRequest, ActionsByKey, RunEvent};
use genkit::retrieval::Reranker;
use genkit::{actions, flow, prompt, resource, retriever, tool};
use genkit_agent::Instance;
use genkit_core::PromptOptions;
use genkit_core::{Chunks, Context, Document, Error, Registry};
use genkit_core::{GenerateChunk, ModelResponse};
use genkit_core::{OutputOptions, ToolChoice};
use genkit_model::{Embedding, Scripted, ScriptedModel, embedder_fn};

struct Prices {
    apple: u32,
}

/// Greets a person.
#[flow]
async fn greet(who: String) -> String {
    format!("hello {who}")
}

/// Counts.
#[flow]
async fn count(chunks: &Chunks<Value>, n: u32) -> genkit_core::Result<u32> {
    for i in 1..=n {
        chunks.send(json!({ "i": i })).await?;
    }
    Ok(n)
}

/// Fails.
#[flow]
async fn fail() -> genkit_core::Result<()> {
    Err(Error::not_found("no note 7").with_details(json!({"id": 7})))
}

/// Panics.
#[flow]
async fn panics() -> u32 {
    panic!("a secret of the program")
}

/// Returns the action context.
#[flow]
async fn whoami(ctx: &Context) -> Value {
    ctx.action_context().clone().into()
}

/// Returns the price of `n` apples.
#[tool]
async fn cost(prices: &Prices, n: u32) -> u32 {
    prices.apple * n
}

/// Deletes a note.
#[tool(needs_approval)]
async fn delete(id: u64) -> String {
    format!("{id} is gone")
}

/// Requests a haiku.
#[prompt]
async fn haiku(topic: String) -> String {
    format!("A haiku about {topic}, please.")
}

/// A note by its number.
#[resource("note://{id}")]
async fn note(id: u64) -> String {
    format!("note {id}")
}

fn shop(model: ScriptedModel) -> ActionsByKey {
    let registry = Registry::new()
        .add(actions![greet, count, fail, panics, whoami, cost, delete, haiku, note]);
    let genkit = Instance::builder().registry(registry).state(Prices { apple: 3 });
    let by_key = ActionsByKey::default();
    by_key.add(&genkit.default_model(model).build().unwrap());
    by_key
}

/// Returns the chunks of a run, and its end.
async fn run_action(actions: &ActionsByKey, request: Value, chunks: bool) -> (Vec<Value>, Value) {
    let request: ActionRequest = serde_json::from_value(request).unwrap();
    let mut run = actions.start_run(request, chunks).unwrap();
    let mut sent = Vec::new();
    loop {
        match run.next().await.expect("an end") {
            RunEvent::Chunk(chunk) => sent.push(chunk),
            RunEvent::End(Ok(result)) => return (sent, json!({ "result": result })),
            RunEvent::End(Err(status)) => {
                let mut error = status.to_json();
                assert_eq!(error["details"]["traceId"], run.trace_id());
                error["details"].as_object_mut().unwrap().remove("traceId");
                return (sent, json!({ "error": error }));
            }
        }
    }
}

async fn result(request: Value) -> Value {
    let (_, end) = run_action(&shop(ScriptedModel::text("hi")), request, false).await;
    assert!(end.get("result").is_some(), "{end}");
    end["result"].clone()
}

async fn error(request: Value) -> Value {
    let (_, end) = run_action(&shop(ScriptedModel::text("hi")), request, false).await;
    assert!(end.get("error").is_some(), "{end}");
    end["error"].clone()
}

#[tokio::test]
async fn flows_tools_prompts_and_resources_run_by_their_keys() {
    let greeted = result(json!({"key": "/flow/greet", "input": {"who": "Ann"}})).await;
    assert_eq!(greeted, "hello Ann");
    assert_eq!(result(json!({"key": "/tool/cost", "input": {"n": 2}})).await, 6);
    assert_eq!(
        result(json!({"key": "/tool.v2/cost", "input": {"n": 2}})).await,
        json!({"output": 6})
    );
    let rendered = result(json!({"key": "/prompt/haiku", "input": {"topic": "rain"}})).await;
    let message = json!({"role": "user", "content": [{"text": "A haiku about rain, please."}]});
    assert_eq!(rendered["messages"], json!([message]));
    let read = result(json!({"key": "/resource/note", "input": {"uri": "note://7"}})).await;
    let place = json!({"resource": {"uri": "note://7", "template": "note://{id}"}});
    assert_eq!(read, json!({"content": [{"text": "note 7", "metadata": place}]}));
}

#[tokio::test]
async fn chunks_come_where_they_are_wanted() {
    let request = json!({"key": "/flow/count", "input": {"n": 2}});
    let actions = shop(ScriptedModel::text("hi"));
    let end = json!({"result": 2});
    let chunks = vec![json!({"i": 1}), json!({"i": 2})];
    assert_eq!(run_action(&actions, request.clone(), true).await, (chunks, end.clone()));
    assert_eq!(run_action(&actions, request, false).await, (vec![], end));
}

#[tokio::test]
async fn model_is_called_with_a_request_of_genkit() {
    let input = json!({"messages": [{"role": "user", "content": [{"text": "hello"}]}]});
    let request = json!({"key": "/model/scripted", "input": input});
    let (chunks, end) = run_action(&shop(ScriptedModel::text("hi")), request.clone(), true).await;
    assert_eq!(end["result"]["message"]["content"][0]["text"], "hi");
    assert_eq!(end["result"]["finishReason"], "stop");
    assert_eq!(
        chunks[0]["content"][0]["text"], "hi",
        "a response that is not streamed arrives as a chunk"
    );

    let chunk = Scripted::chunks([GenerateChunk::from_text("h")], ModelResponse::from_text("hi"));
    let (chunks, _) = run_action(&shop(ScriptedModel::new([chunk])), request, true).await;
    assert_eq!((chunks.len(), &chunks[0]["content"][0]["text"]), (1, &json!("h")));

    let wrong = json!({"key": "/model/scripted", "input": {"messages": [{"role": "user"}]}});
    let wrong = error(wrong).await;
    assert_eq!(wrong["code"], 3);
    assert!(wrong["message"].as_str().unwrap().contains("messages[0]"), "{wrong}");
}

#[tokio::test]
async fn loop_runs_as_an_action_with_keys_of_tools() {
    use genkit_core::ToolRequest;
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("cost", json!({"n": 2}))]),
        ModelResponse::from_text("Six."),
    ]);
    let input = json!({
        "model": "/model/scripted", "tools": ["/tool/cost", "/tool.v2/delete"],
        "messages": [{"role": "user", "content": [{"text": "How much?"}]}],
    });
    let request = json!({"key": "/util/generate", "input": input});
    let (chunks, end) = run_action(&shop(model.clone()), request, true).await;
    assert_eq!(end["result"]["message"]["content"][0]["text"], "Six.");
    assert_eq!(model.tool_outputs("cost"), [json!(6)]);
    assert!(chunks.iter().any(|chunk| chunk["role"] == "tool"), "{chunks:?}");
}

#[tokio::test]
async fn errors_have_codes_and_details() {
    let failed = error(json!({"key": "/flow/fail"})).await;
    let details = json!({"id": 7, "stack": "NotFound: no note 7"});
    assert_eq!(failed, json!({"code": 5, "message": "no note 7", "details": details}));
    let invalid = error(json!({"key": "/flow/greet", "input": {"whom": "Ann"}})).await;
    assert_eq!(invalid["code"], 3);
    let panicked = error(json!({"key": "/flow/panics"})).await;
    assert_eq!(panicked["code"], 13);
    assert!(!panicked.to_string().contains("a secret"), "{panicked}");
    let elsewhere = error(json!({"key": "/resource/note", "input": {"uri": "house://7"}})).await;
    assert_eq!(elsewhere["code"], 5);
}

#[tokio::test]
async fn question_of_a_tool_is_reported() {
    let asked = error(json!({"key": "/tool/delete", "input": {"id": 7}})).await;
    assert_eq!(asked["code"], 9);
    let message = asked["message"].as_str().unwrap();
    assert!(message.contains("Allow `delete` to run with {\"id\":7}?"), "{message}");
    assert_eq!(asked["details"]["interrupt"]["type"], "approval");
}

#[tokio::test]
async fn context_reaches_the_function_and_no_log() {
    let request = json!({"key": "/flow/whoami", "context": {"auth": {"token": "s3cret"}}});
    assert_eq!(result(request.clone()).await, json!({"auth": {"token": "s3cret"}}));
    let request: ActionRequest = serde_json::from_value(request).unwrap();
    assert!(!format!("{request:?}").contains("s3cret"));
}

#[tokio::test]
async fn unknown_action_key_is_not_found() {
    let actions = shop(ScriptedModel::text("hi"));
    let keys = ["/flow/nosuch", "/model/nosuch", "/nosuch/greet", "/util/nosuch", "greet", ""];
    for key in keys {
        let request = ActionRequest { key: key.to_owned(), ..ActionRequest::default() };
        let error = actions.start_run(request, false).err().expect("an error");
        assert_eq!(error.to_string(), format!("action {key} not found"));
    }
}

#[tokio::test]
async fn list_has_every_kind_and_never_null() {
    let listed = Value::Object(shop(ScriptedModel::text("hi")).list_actions());
    for (key, action) in listed.as_object().unwrap() {
        assert_eq!(action["key"], *key);
        assert!(action.as_object().unwrap().values().all(|member| !member.is_null()), "{action}");
    }
    let of = |key: &str| listed.get(key).unwrap_or_else(|| panic!("{key} is not in {listed}"));
    let greet = of("/flow/greet");
    assert_eq!(greet["description"], "Greets a person.");
    assert_eq!(greet["inputSchema"]["properties"]["who"]["type"], "string");
    assert_eq!(greet["outputSchema"]["type"], "string");
    assert!(greet.get("metadata").is_none());
    assert_eq!(of("/tool/cost")["metadata"], json!({"type": "tool"}));
    assert_eq!(of("/tool.v2/cost")["metadata"]["tool"]["multipart"], true);
    let model = &of("/model/scripted")["metadata"]["model"];
    assert_eq!((&model["label"], &model["supports"]["tools"]), (&json!("scripted"), &json!(true)));
    assert_eq!(of("/prompt/haiku")["metadata"]["prompt"]["name"], "haiku");
    let place = json!({"template": "note://{id}"});
    assert_eq!(of("/resource/note")["metadata"]["resource"], place);
    assert_eq!(of("/util/generate")["name"], "generate");
}

#[test]
fn values_are_the_default_model_and_nothing_else() {
    let actions = shop(ScriptedModel::text("hi"));
    let values = actions.list_values("defaultModel").unwrap();
    assert_eq!(Value::Object(values), json!({"defaultModel": {"name": "scripted"}}));
    assert_eq!(actions.list_values("middleware"), Some(serde_json::Map::new()));
    assert_eq!(actions.list_values("nosuch"), None);
}

#[test]
fn prompt_metadata_contains_its_run_options_without_secrets() {
    let mut output = OutputOptions::default();
    output.format = Some("json".to_owned());
    let config = json!({"apiKey": "sk-secret", "baseUrl": "http://sk-secret", "temperature": 0});
    let options = PromptOptions::default()
        .with_config(config.as_object().unwrap().clone())
        .with_tool_choice(ToolChoice::tool("cost"))
        .with_return_tool_requests(true)
        .with_output(output);
    let prompt =
        genkit_core::Prompt::builder("mail/ask.formal", "Asks.").options(options).version("2");
    let prompt = prompt.template("How much?").unwrap();
    let actions = ActionsByKey::default();
    actions.add(&Instance::builder().registry(Registry::new().add(prompt)).build().unwrap());
    let listed = Value::Object(actions.list_actions());
    assert!(!listed.to_string().contains("sk-secret"), "{listed:#}");
    let shown = &listed["/prompt/mail/ask.formal"]["metadata"]["prompt"];
    assert_eq!(shown["config"], json!({"temperature": 0}), "{shown:#}");
    assert_eq!(shown["toolChoice"], "required");
    assert_eq!(shown["toolChoiceName"], "cost");
    assert_eq!(shown["returnToolRequests"], true);
    assert_eq!(shown["output"], json!({"format": "json"}));
    assert_eq!(shown["version"], "2");
    assert_eq!(shown["variant"], "formal");
}

#[tokio::test]
async fn several_instances_are_seen_and_the_first_wins() {
    let one = Instance::builder().registry(Registry::new().add(actions![greet])).build().unwrap();
    let ping = |answer: &'static str| {
        genkit_core::Tool::builder("ping", "Answers.")
            .input_schema(json!({"type": "object"}))
            .handler(move |_: Context, _: Value| async move { Ok(answer) })
    };
    let two = Registry::new().add(actions![greet]).add(ping("two"));
    let two = Instance::builder().registry(two).build().unwrap();
    let three = Instance::builder().registry(Registry::new().add(ping("three"))).build().unwrap();
    let actions = ActionsByKey::default();
    for genkit in [&one, &two, &two, &three] {
        actions.add(genkit);
    }
    assert_eq!(actions.instances().len(), 3, "an instance is added only once");
    let (_, end) = run_action(&actions, json!({"key": "/tool/ping", "input": {}}), false).await;
    assert_eq!(end["result"], "two");
}

#[tokio::test]
async fn evaluators_are_listed_and_judge() {
    let registry = Registry::new().add(genkit_evaluate::metrics::deep_equal());
    let actions = ActionsByKey::default();
    actions.add(&Instance::builder().registry(registry).build().unwrap());
    let key = "/evaluator/genkitEval/deep_equal";
    let listed = &actions.list_actions()[key]["metadata"]["evaluator"];
    assert_eq!(listed["evaluatorIsBilled"], false, "{listed}");
    let case = json!({"testCaseId": "one", "input": 1, "output": "a", "reference": "a"});
    let input = json!({"dataset": [case], "evalRunId": "7"});
    let (_, end) = run_action(&actions, json!({"key": key, "input": input}), false).await;
    assert_eq!(end["result"][0]["evaluation"]["status"], "PASS", "{end}");
}

/// Searches the opening hours.
#[retriever]
async fn hours(prices: &Prices, query: Document, k: usize) -> Vec<Document> {
    let found = format!("{} at {}", query.text(), prices.apple);
    vec![Document::from(found); k + 1]
}

#[tokio::test]
async fn agents_are_listed_and_run_with_their_sessions() {
    let agent = genkit::sessions::Agent::builder("guide")
        .description("Plans trips.")
        .model(ScriptedModel::texts(["How long?", "Two days, then."]))
        .build()
        .unwrap();
    let genkit = Instance::builder().registry(Registry::new().add(agent)).build().unwrap();
    let actions = ActionsByKey::default();
    actions.add(&genkit);
    let listed = actions.list_actions();
    let managed = &listed["/agent/guide"]["metadata"]["agent"];
    assert_eq!(managed, &json!({"stateManagement": "server", "abortable": true}));
    assert_eq!(listed["/agent/guide"]["description"], "Plans trips.");
    let turn = |text: &str| {
        let message = json!({"role": "user", "content": [{"text": text}]});
        json!({"key": "/agent/guide", "input": {"message": message}, "init": {"sessionId": "s"}})
    };
    let (chunks, end) = run_action(&actions, turn("Oslo?"), true).await;
    assert_eq!(chunks[0]["modelChunk"]["content"][0]["text"], "How long?");
    assert!(chunks.last().unwrap()["turnEnd"]["snapshotId"].is_string());
    assert_eq!(end["result"]["finishReason"], "stop");
    let (_, end) = run_action(&actions, turn("Two days."), false).await;
    let lookup = json!({"snapshotId": end["result"]["snapshotId"]});
    let (_, end) =
        run_action(&actions, json!({"key": "/agent-snapshot/guide", "input": lookup}), false).await;
    assert_eq!(end["result"]["state"]["messages"].as_array().map(Vec::len), Some(4));
    let (_, end) =
        run_action(&actions, json!({"key": "/agent-abort/guide", "input": lookup}), false).await;
    assert_eq!(end["result"]["status"], "completed");
    assert_eq!(listed["/agent-wait/guide"]["inputSchema"]["required"], json!(["snapshotId"]));
    let wait = json!({"snapshotId": lookup["snapshotId"], "timeoutMs": 5});
    let (_, end) =
        run_action(&actions, json!({"key": "/agent-wait/guide", "input": wait}), false).await;
    assert_eq!(end["result"]["status"], "completed", "{end}");
    let unknown = json!({"key": "/agent-wait/guide", "input": {"snapshotId": "none"}});
    let (_, end) = run_action(&actions, unknown, false).await;
    assert!(end["error"]["message"].as_str().unwrap().contains("no snapshot `none`"), "{end}");
    let (_, end) = run_action(&actions, json!({"key": "/agent/guide", "input": 1}), false).await;
    assert!(
        end["error"]["message"].as_str().unwrap().contains("is not valid for this agent"),
        "{end}"
    );
}

#[tokio::test]
async fn type_of_an_agents_state_is_listed() {
    let agent = genkit::sessions::Agent::builder("counter").state(7u32).client_managed(true);
    let agent = agent.model(ScriptedModel::texts(["Eight."])).build().unwrap();
    let actions = ActionsByKey::default();
    actions.add(&Instance::builder().registry(Registry::new().add(agent)).build().unwrap());
    let listed = &actions.list_actions()["/agent/counter"]["metadata"]["agent"];
    assert_eq!(listed["stateSchema"]["type"], "integer", "{listed}");
    let turn = |custom: Value| {
        let message = json!({"role": "user", "content": [{"text": "And?"}]});
        let init = json!({"state": {"custom": custom}});
        json!({"key": "/agent/counter", "input": {"message": message}, "init": init})
    };
    let (_, end) = run_action(&actions, turn(json!("eight")), false).await;
    let error = end["error"]["message"].as_str().unwrap();
    assert!(error.contains("does not match the state type of the agent `counter`"), "{error}");
    let (_, end) = run_action(&actions, turn(json!(8)), false).await;
    assert_eq!(end["result"]["state"]["custom"], 8, "{end}");
}

#[tokio::test]
async fn retrievers_rerankers_and_embedders_run_by_their_keys() {
    let reversed = Reranker::builder("reversed", "Reverses.").handler(|_, mut documents| async {
        documents.reverse();
        Ok(documents)
    });
    let lengths = embedder_fn("lengths", |texts: Vec<String>| async move {
        texts.iter().map(|text| Embedding::new([text.len() as f64])).collect::<Vec<_>>()
    });
    let registry = Registry::new().add(actions![hours]).add(reversed);
    let genkit = Instance::builder().registry(registry).state(Prices { apple: 3 });
    let actions = ActionsByKey::default();
    actions.add(&genkit.embedder(lengths).build().unwrap());
    let listed = actions.list_actions();
    assert_eq!(listed["/retriever/hours"]["description"], "Searches the opening hours.");
    for key in ["/retriever/hours", "/reranker/reversed", "/embedder/lengths"] {
        assert!(listed[key]["inputSchema"]["required"].is_array(), "{key}: {listed:?}");
    }
    let text = |text: &str| json!({"content": [{"text": text}]});
    for (key, input, output) in [
        (
            "/retriever/hours",
            json!({"query": text("open"), "options": {"k": 1}}),
            json!({"documents": [text("open at 3")]}),
        ),
        (
            "/retriever/hours",
            json!({"query": text("open")}),
            json!({"documents": [text("open at 3"), text("open at 3"), text("open at 3")]}),
        ),
        (
            "/reranker/reversed",
            json!({"query": text("q"), "documents": [text("a"), text("b")]}),
            json!({"documents": [text("b"), text("a")]}),
        ),
        (
            "/embedder/lengths",
            json!({"input": [text("abc")]}),
            json!({"embeddings": [{"embedding": [3.0]}]}),
        ),
    ] {
        let (_, end) = run_action(&actions, json!({"key": key, "input": input}), false).await;
        assert_eq!(end["result"], output, "{key}: {end}");
    }
    let (_, end) =
        run_action(&actions, json!({"key": "/retriever/hours", "input": {}}), false).await;
    assert!(end["error"]["message"].as_str().unwrap().contains("`query`"), "{end}");
}

#[tokio::test]
async fn prompts_are_run_as_what_they_begin() {
    let tool = genkit_core::Tool::of::<cost>();
    let prompt = genkit_core::Prompt::builder("ask", "Asks for a price.")
        .model("scripted")
        .tools([tool.clone()])
        .handler(|_: Context, _: Value| async { Ok("How much?") });
    let registry = Registry::new().add(prompt).add(tool);
    let genkit = Instance::builder().registry(registry).state(Prices { apple: 3 });
    let actions = ActionsByKey::default();
    actions.add(&genkit.default_model(ScriptedModel::text("hi")).build().unwrap());
    let shown = &actions.list_actions()["/prompt/ask"]["metadata"]["prompt"];
    assert_eq!((&shown["model"], &shown["tools"]), (&json!("scripted"), &json!(["cost"])));
    let message = json!([{"role": "user", "content": [{"text": "How much?"}]}]);
    let (_, end) = run_action(&actions, json!({"key": "/executable-prompt/ask"}), false).await;
    let options = &end["result"];
    assert_eq!((&options["messages"], &options["model"]), (&message, &json!("scripted")), "{end}");
    assert_eq!(options["tools"], json!(["cost"]));
    let (_, end) = run_action(&actions, json!({"key": "/prompt/ask"}), false).await;
    let request = &end["result"];
    assert_eq!(
        (&request["messages"], &request["tools"][0]["name"]),
        (&message, &json!("cost")),
        "{end}"
    );
}
