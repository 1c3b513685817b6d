//! The same tools, used by a model in the loop and by an MCP client.

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::serde_json::json;
use genkit::testing::{Client, ScriptedModel};
use genkit::{Genkit, Registry};

use crate::documents::shop;
use crate::server::{Server, json_response, text_response};

#[tokio::test]
async fn model_in_the_loop_calls_an_operation_and_reads_its_json() {
    let server = Server::start(|_| json_response(&json!([{"id": 1, "name": "Rex"}]))).await;
    let tools = shop(&format!("{}/v2/", server.url)).bearer("secret-token").build().unwrap();
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new(
            "listPets",
            json!({"limit": 2, "tag": ["a b", "c"], "X-Request-ID": "r1"}),
        )]),
        ModelResponse::from_text("Rex."),
    ]);
    let answer = genkit::generate("Which pets?").model(model.clone()).tools(tools).await.unwrap();
    assert_eq!(answer.text(), "Rex.");
    assert_eq!(model.tool_outputs("listPets"), [json!([{"id": 1, "name": "Rex"}])]);
    let sent = &server.sent()[0];
    assert_eq!(sent.line, "GET /v2/pets?limit=2&tag=a%20b,c");
    assert_eq!(sent.header("x-request-id"), "r1");
    assert_eq!(sent.header("authorization"), "Bearer secret-token");
}

#[tokio::test]
async fn model_reads_the_error_of_an_operation_and_retries() {
    let server = Server::start(|path| match path {
        "/pets/1" => json_response(&json!({"name": "Rex"})),
        _ => text_response(404, "no pet of that id; ids are numbers"),
    })
    .await;
    let ask = |id: &str| {
        ModelResponse::from_tool_requests([ToolRequest::new("getPet", json!({"petId": id}))])
    };
    let model = ScriptedModel::new([ask("rex"), ask("1"), ModelResponse::from_text("Found.")]);
    let tools = shop(&server.url).build().unwrap();
    genkit::generate("Find Rex.").model(model.clone()).tools(tools).await.unwrap();
    let read = model.requests()[1].messages.iter().map(|it| format!("{it:?}")).collect::<String>();
    let expected = "GET /pets/{petId} returned 404 Not Found: no pet of that id; ids are numbers";
    assert!(read.contains(expected), "{read}");
    assert_eq!(server.lines(), ["GET /pets/rex", "GET /pets/1"]);
}

#[tokio::test]
async fn mcp_client_lists_and_calls_the_same_tools() {
    let server = Server::start(|_| json_response(&json!({"id": 1, "name": "Rex"}))).await;
    let registry = Registry::new().add(shop(&server.url).build().unwrap());
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = Client::connect(genkit.serve_mcp()).await.unwrap();

    let tools = client.tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["add_pet", "delete_pets_petId", "getPet", "listPets", "replacePet"]);
    let find = |name: &str| tools.iter().find(|tool| tool.name() == name).unwrap();
    let list = find("listPets");
    assert_eq!(list.description(), Some("Lists pets.\n\nThe newest come first."));
    let hints = list.annotations();
    assert_eq!(
        (hints.read_only, hints.idempotent, hints.open_world),
        (Some(true), Some(true), Some(true))
    );
    let hints = find("delete_pets_petId").annotations();
    assert_eq!(
        (hints.read_only, hints.destructive, hints.idempotent),
        (Some(false), Some(true), Some(true))
    );
    assert_eq!(find("replacePet").annotations().idempotent, Some(true));
    // Responses often deviate from the document, so the tool has no output schema by default.
    assert!(
        list.output_schema().is_none_or(|schema| !schema.contains_key("type")),
        "{:?}",
        list.output_schema()
    );

    let result = client.call_tool("getPet", json!({"petId": "1"})).await.unwrap();
    assert!(!result.is_error());
    assert_eq!(result.text(), r#"{"id":1,"name":"Rex"}"#);
    let wrong = client.call_tool("getPet", json!({"id": "1"})).await.unwrap();
    assert!(wrong.is_error() && wrong.text().contains("petId"), "{}", wrong.text());
    assert_eq!(server.lines(), ["GET /pets/1"]);
}
