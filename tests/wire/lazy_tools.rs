//! Lazy tools: what 300 of them cost with each provider, and a history with searches that moves between providers.

use genkit::model::Model;
use genkit::{Context, GenerateResponse, Message, Tool};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::cases::{self, BUILT};
use crate::faults::server::http;
use crate::mock::{Mock, Said, dialect};

const SERVERS: [&str; 6] = ["github", "jira", "slack", "calendar", "billing", "warehouse"];

/// The maximum number of tokens that 300 lazy tools may cost.
pub(crate) const MOST: usize = 3_000;

/// Returns 300 lazy tools of several servers, with schemas as servers have them.
pub(crate) fn lazy_tools() -> Vec<Tool> {
    named_tools(300, |n| format!("{}/read_record_of_kind_{n}", SERVERS[n % SERVERS.len()]))
}

fn named_tools(count: usize, name: fn(usize) -> String) -> Vec<Tool> {
    let tool = |n: usize| {
        let server = SERVERS[n % SERVERS.len()];
        let schema = json!({
            "type": "object",
            "properties": {
                "project": {"type": "string", "description": "The key of the project, as shown in its address."},
                "number": {"type": "integer", "description": "The number of the record within the project."},
                "fields": {"type": "array", "items": {"type": "string"}, "description": "The fields to return."},
            },
            "required": ["project", "number"],
        });
        let about = format!(
            "Reads the record of kind {n} from {server}, with its history and its comments."
        );
        let builder = Tool::builder(name(n), about).lazy(true);
        builder.input_schema(schema).handler(move |_: Context, _: Value| async move { Ok(n) })
    };
    (0..count).map(tool).collect()
}

/// Returns a model of `provider`, for which the provider searches tools if it can.
pub(crate) fn model(provider: &str, url: &str) -> Arc<dyn Model> {
    let name = if provider == "openai-responses" { "gpt-5.4" } else { dialect(provider).model() };
    cases::model(provider, name, url)
}

/// Returns the tools of a request that the provider puts into the context of the model.
fn loaded(body: &Value) -> Vec<Value> {
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    let loaded = tools.into_iter().filter(|tool| tool["defer_loading"] != true);
    loaded
        .map(|mut tool| {
            if tool["type"] == "namespace" {
                tool.as_object_mut().unwrap().remove("tools");
            }
            tool
        })
        .collect()
}

/// Returns an estimate of the tokens of these tools.
pub(crate) fn tokens(body: &Value) -> usize {
    loaded(body).iter().map(|tool| tool.to_string().len().div_ceil(4)).sum()
}

/// Returns whether the provider searches the tools of this request.
pub(crate) fn is_searched_by_provider(body: &Value) -> bool {
    let tools = body["tools"].as_array().unwrap();
    let kinds = tools.iter().filter_map(|tool| tool["type"].as_str());
    kinds.into_iter().any(|kind| kind.starts_with("tool_search"))
}

#[tokio::test]
async fn three_hundred_lazy_tools_cost_less_than_three_thousand_tokens() {
    for provider in BUILT {
        let mock = Mock::says(dialect(provider), [Said::text("ok")]);
        let run = genkit::generate("go").model(model(provider, &mock.url)).tools(lazy_tools());
        run.await.unwrap();
        let body = mock.last();
        assert!(tokens(&body) < MOST, "{provider}: {}", tokens(&body));

        let eager = lazy_tools().into_iter().map(|tool| tool.with_lazy(false));
        let run = genkit::generate("go").model(model(provider, &mock.url));
        run.tools(eager.collect::<Vec<_>>()).await.unwrap();
        assert!(tokens(&mock.last()) > 10 * MOST, "{provider}: {}", tokens(&mock.last()));
        let native = is_searched_by_provider(&body);
        assert_eq!(native, ["anthropic", "openai-responses"].contains(&provider), "{provider}");
    }
}

/// Creates the name of a tool from its number.
type NameOf = fn(usize) -> String;

#[tokio::test]
async fn any_number_of_lazy_tools_costs_less_than_three_thousand_tokens() {
    let names: [(&str, NameOf); 5] = [
        ("no prefix", |n| format!("read_record_of_kind_{n}")),
        ("six prefixes", |n| format!("{}/read_record_of_kind_{n}", SERVERS[n % SERVERS.len()])),
        ("a prefix for each", |n| format!("server_of_team_{n}/read_record")),
        ("three for each prefix", |n| format!("server_of_team_{}/read_record_{n}", n % 100)),
        ("long names", |n| format!("read_the_record_of_kind_{n}_with_its_history_and_comments")),
    ];
    for provider in BUILT {
        let mock = Mock::says(dialect(provider), [Said::text("ok")]);
        for (kind, name) in names {
            for count in [60, 150, 200, 300] {
                let run = genkit::generate("go").model(model(provider, &mock.url));
                run.tools(named_tools(count, name)).await.unwrap();
                let cost = tokens(&mock.last());
                assert!(cost < MOST, "{provider}, {count} tools, {kind}: {cost}");
            }
        }
    }
}

/// Returns a fake server that returns these bodies one after the other.
fn answers(provider: &str, bodies: Vec<Value>) -> (Arc<dyn Model>, Mock) {
    let mock = Mock::answers(dialect(provider), move |number, _| {
        http("200 OK", "content-type: application/json\r\n", &bodies[number].to_string())
    });
    (model(provider, &mock.url), mock)
}

fn said(provider: &str, said: Said) -> Value {
    dialect(provider).whole(&said)
}

/// Continues the conversation `before` in a run with lazy tools.
async fn continued(model: Arc<dyn Model>, before: &[Message]) -> GenerateResponse {
    let run = genkit::generate("Read on.").messages(before.to_vec()).model(model);
    run.tools(lazy_tools()).await.unwrap()
}

/// Returns the names of the functions of a request that are complete.
fn complete(body: &Value) -> Vec<String> {
    let tools = match body["tools"][0]["functionDeclarations"].as_array() {
        Some(declared) => declared.clone(),
        None => loaded(body),
    };
    let functions = tools.iter().filter(|tool| {
        let kind = tool["type"].as_str().unwrap_or("function");
        kind == "function"
    });
    functions.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Returns the blocks of a search at Anthropic, and the call of the tool that it found.
fn anthropic_blocks(tool: &str) -> Value {
    json!([
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_bm25", "input": {"query": "records"}},
        {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": {
            "type": "tool_search_tool_search_result",
            "tool_references": [{"type": "tool_reference", "tool_name": tool}],
        }},
        {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {"project": "a", "number": 1}},
    ])
}

/// Returns the items of a search at OpenAI, and the call of the tool that it found.
fn openai_items(tool: &str) -> Value {
    let function = json!({"type": "function", "name": tool, "description": "", "defer_loading": true,
        "strict": true, "parameters": {"type": "object"}});
    json!([
        {"type": "tool_search_call", "id": "tsc_1", "execution": "server", "call_id": null, "status": "completed",
            "arguments": {"paths": ["jira"]}},
        {"type": "tool_search_output", "id": "tso_1", "execution": "server", "call_id": null, "status": "completed",
            "tools": [{"type": "namespace", "name": "jira", "description": "", "tools": [function]}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": tool, "namespace": "jira",
            "status": "completed", "arguments": "{\"project\":\"a\",\"number\":1}"},
    ])
}

#[tokio::test]
async fn history_with_searches_moves_between_providers() {
    let [github, jira, slack] = [
        "github__read_record_of_kind_0",
        "jira__read_record_of_kind_1",
        "slack/read_record_of_kind_2",
    ];

    // Anthropic finds and calls a tool.
    let blocks = anthropic_blocks(github);
    let mut first = said("anthropic", Said::text("x"));
    (first["content"], first["stop_reason"]) = (blocks.clone(), "tool_use".into());
    let (model, anthropic) =
        answers("anthropic", vec![first, said("anthropic", Said::text("Zero."))]);
    let response = continued(model, &[]).await;
    let body = anthropic.last();
    assert_eq!(body["messages"][1]["content"], blocks, "unchanged");
    assert!(complete(&body).is_empty(), "the tool stays deferred: {:?}", complete(&body));

    // OpenAI continues.
    let items = openai_items(jira);
    let mut first = said("openai-responses", Said::text("x"));
    first["output"] = items.clone();
    let bodies = vec![first, said("openai-responses", Said::text("One."))];
    let (model, openai) = answers("openai-responses", bodies);
    let response = continued(model, &response.messages()).await;
    let asked = openai.requests();
    for request in &asked {
        let text = request.body["input"].to_string();
        assert!(!text.contains("srvtoolu") && !text.contains("tool_reference"), "{text}");
        assert_eq!(complete(&request.body), [github], "its call has no namespace");
    }
    let input = asked[1].body["input"].as_array().unwrap();
    let at = input.iter().position(|item| item["type"] == "tool_search_call").unwrap();
    assert_eq!(input[at..at + 2], items.as_array().unwrap()[..2], "unchanged");
    assert_eq!(
        (&input[at + 2]["name"], &input[at + 2]["namespace"]),
        (&json!(jira), &json!("jira"))
    );

    // Gemini has no search, so the run has one.
    let call = |name: &str, input: Value| said("gemini", Said::default().calls(None, name, input));
    let names = json!({"names": [slack]});
    let record = json!({"project": "a", "number": 1});
    let bodies = vec![
        call("search_tools", names),
        call("slack__read_record_of_kind_2", record),
        said("gemini", Said::text("Two.")),
    ];
    let (model, gemini) = answers("gemini", bodies);
    let response = continued(model, &response.messages()).await;
    let asked = gemini.requests();
    assert_eq!(complete(&asked[0].body), ["search_tools", github, jira], "called before");
    assert!(complete(&asked[1].body).contains(&"slack__read_record_of_kind_2".to_owned()));
    for request in &asked {
        let text = request.body.to_string();
        let foreign = ["srvtoolu", "tsc_1", "tso_1", "namespace", "tool_reference"];
        assert!(!foreign.iter().any(|word| text.contains(word)), "{text}");
    }
    let messages = response.messages();
    assert_eq!(messages.iter().flat_map(Message::tool_requests).count(), 4);

    // Back to the first two, which receive their own search again.
    let (model, anthropic) = answers("anthropic", vec![said("anthropic", Said::text("Done."))]);
    continued(model, &response.messages()).await;
    let body = anthropic.last();
    assert_eq!(body["messages"][1]["content"], blocks, "still unchanged");
    assert_eq!(complete(&body), [jira, "slack__read_record_of_kind_2"], "others found them");
    assert!(!body.to_string().contains("tsc_1"));

    let bodies = vec![said("openai-responses", Said::text("Done."))];
    let (model, openai) = answers("openai-responses", bodies);
    continued(model, &response.messages()).await;
    let body = openai.last();
    let input = body["input"].as_array().unwrap();
    let at = input.iter().position(|item| item["type"] == "tool_search_call").unwrap();
    assert_eq!(input[at..at + 2], items.as_array().unwrap()[..2], "still unchanged");
    assert_eq!(complete(&body), [github, "slack__read_record_of_kind_2"]);
    assert!(tokens(&body) < MOST, "{}", tokens(&body));
}
