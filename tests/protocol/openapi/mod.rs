//! Tools of documents that real APIs publish: GitHub's, Figma's, and those of a collection, called one by one.

mod sample;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::body::to_bytes;
use axum::extract::Request;
use genkit::message::ToolRequest;
use genkit::testing::Client;
use genkit::{Genkit, Registry, Tool};
use genkit_openapi::{OpenApi, OpenApiTools, reqwest, tools_from_openapi};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::packages;

/// What the API was sent.
#[derive(Debug, Default)]
struct Sent {
    method: String,
    path: String,
    query: String,
    media_type: String,
    body: String,
}

/// An API that takes whatever comes, and knows the last of it.
#[derive(Clone, Default)]
struct Api(Arc<Mutex<Option<Sent>>>);

impl Api {
    /// Its address.
    async fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/base", listener.local_addr().unwrap());
        let api = self.clone();
        let app = axum::Router::new().fallback(move |request: Request| async move {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, 1 << 20).await.unwrap();
            let media_type = head.headers.get("content-type").map(|it| it.to_str().unwrap());
            *api.0.lock().unwrap() = Some(Sent {
                method: head.method.to_string().to_lowercase(),
                path: head.uri.path().to_owned(),
                query: head.uri.query().unwrap_or_default().to_owned(),
                media_type: media_type.unwrap_or_default().to_owned(),
                body: String::from_utf8(body.to_vec()).unwrap(),
            });
            ([("content-type", "application/json")], json!({ "ok": true }).to_string())
        });
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        url
    }

    fn take(&self) -> Option<Sent> {
        self.0.lock().unwrap().take()
    }
}

fn read(path: &str) -> String {
    let path = packages::openapi(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Why operations were left out, and how often.
fn reasons(tools: &OpenApiTools) -> BTreeMap<&str, usize> {
    let mut reasons = BTreeMap::new();
    for left in tools.left_out() {
        *reasons.entry(left.reason.as_str()).or_default() += 1;
    }
    reasons
}

/// Each operation of the document by the name that its tool should have, with its method and path.
fn operations(document: &Value) -> BTreeMap<String, (String, String, &Value)> {
    let mut found = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().map(str::to_owned);
            let id = id.unwrap_or_else(|| format!("{method}{path}"));
            let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let words = id.split(|c| !is_legal(c)).filter(|word| !word.is_empty());
            let name = words.collect::<Vec<_>>().join("_");
            found.insert(name, (method.clone(), path.clone(), operation));
        }
    }
    found
}

/// Whether a path is one of this template: each of its variables stands for one segment that is not empty.
fn fits(path: &str, template: &str) -> bool {
    let (path, template): (Vec<_>, Vec<_>) =
        (path.split('/').collect(), template.split('/').collect());
    path.len() == template.len()
        && path.iter().zip(template).all(|(piece, of)| match of.split_once('{') {
            None => *piece == of,
            Some((before, _)) => piece.len() > before.len() && piece.starts_with(before),
        })
}

/// Calls a tool with arguments made from its schema, and judges what came to the API.
async fn call(tool: &Tool, api: &Api, operation: &(String, String, &Value)) -> bool {
    let (method, template, operation) = operation;
    let schema = tool.input_schema();
    let arguments = sample::arguments(schema);
    let place = || format!("{} with {arguments}", tool.name());
    let judge =
        jsonschema::validator_for(schema).unwrap_or_else(|e| panic!("{}: {e}", tool.name()));
    let why: Vec<_> = judge.iter_errors(&arguments).map(|it| it.to_string()).collect();
    if !why.is_empty() {
        println!("no sample for {}: {why:?}: {schema}", place());
        return false;
    }
    let response = tool.call(&ToolRequest::new(tool.name(), arguments.clone())).await.unwrap();
    let response = response.into_response().unwrap();
    assert_eq!((response.error(), &response.output), (None, &json!({ "ok": true })), "{}", place());
    let sent = api.take().unwrap_or_else(|| panic!("nothing came of {}", place()));
    assert_eq!(sent.method, *method, "{}", place());
    assert!(
        fits(&sent.path, &format!("/base{template}")),
        "{}: {sent:?} is not {template}",
        place()
    );
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        if parameter["in"] == "query" && parameter["required"] == true {
            let name = parameter["name"].as_str().unwrap();
            assert!(sent.query.contains(&format!("{name}=")), "{}: {sent:?}", place());
        }
    }
    if let Some(body) = arguments.get("body") {
        let content = operation["requestBody"]["content"].as_object();
        // A body may stand elsewhere, behind a `$ref`.
        assert!(
            content.is_none_or(|it| it.contains_key(&sent.media_type)),
            "{}: {sent:?}",
            place()
        );
        if sent.media_type.contains("json") {
            assert_eq!(serde_json::from_str::<Value>(&sent.body).unwrap(), *body, "{}", place());
        }
    }
    true
}

/// Calls all of them, and shows them to an MCP client; returns how many there are.
async fn call_all(
    document: &Value,
    choose: impl FnOnce(OpenApi) -> OpenApi,
) -> (usize, OpenApiTools) {
    let api = Api::default();
    let url = api.serve().await;
    let tools = tools_from_openapi(document, reqwest::Client::builder()).base_url(url);
    let tools = choose(tools).build().unwrap();
    let operations = operations(document);
    let mut called = 0;
    for tool in tools.clone() {
        let operation = operations.iter().find(|(name, _)| name.starts_with(tool.name()));
        let (_, operation) = operation.unwrap_or_else(|| panic!("no operation {}", tool.name()));
        call(&tool, &api, operation).await;
        called += 1;
    }
    let registry = Registry::new().add(tools.clone());
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = Client::connect(genkit.serve_mcp()).await.unwrap();
    assert_eq!(client.tools().await.unwrap().len(), called, "all are served");
    (called, tools)
}

const FORMS: &str = "its body is written in multipart/form-data, and JSON, forms and plain text are: write a tool by hand";

#[tokio::test]
async fn the_operations_of_githubs_document_are_tools() {
    let text = read("@octokit/openapi/generated/api.github.com.json");
    let document: Value = serde_json::from_str(&text).unwrap();
    let too_many = tools_from_openapi(text, reqwest::Client::builder())
        .base_url("https://api.github.com")
        .build()
        .unwrap_err();
    assert!(too_many.to_string().contains(".tags("), "{too_many}");
    for tags in [
        &["repos", "issues", "pulls", "git", "search"][..],
        &["actions", "orgs", "users", "teams", "gists", "packages"],
    ] {
        let (called, tools) = call_all(&document, |tools| tools.tags(tags.iter().copied())).await;
        println!("{called} {:?}", reasons(&tools));
        assert!(called > 300, "{called}: {:?}", reasons(&tools));
    }
}

#[tokio::test]
async fn the_operations_of_figmas_document_are_tools() {
    let text = read("@figma/rest-api-spec/openapi/openapi.yaml");
    let document: Value = serde_yaml_ng::from_str(&text).unwrap();
    let (called, tools) = call_all(&document, |tools| tools).await;
    assert_eq!((called, reasons(&tools)), (54, BTreeMap::new()));
    // Our own reader of YAML makes the same of it.
    let ours = tools_from_openapi(text, reqwest::Client::builder())
        .base_url("https://api.figma.com")
        .build()
        .unwrap();
    assert!(ours.names().eq(tools.names()));
    for (ours, theirs) in ours.into_iter().zip(tools) {
        assert_eq!(ours.input_schema(), theirs.input_schema(), "{}", ours.name());
    }
}

#[tokio::test]
async fn the_operations_of_a_collection_of_documents_are_tools() {
    for (path, expected, left_out) in [
        ("3.0/json/petstore.json", 20, &[(FORMS, 1)][..]),
        ("3.1/json/petstore.json", 0, &[]),
        ("3.1/json/train-travel.json", 0, &[]),
        ("3.1/json/readme.json", 0, &[]),
        ("3.1/json/parameters-style.json", 0, &[]),
        ("3.1/json/schema-types.json", 0, &[]),
        ("3.0/json/star-trek.json", 0, &[]),
        ("3.0/json/uspto.json", 0, &[]),
        ("3.0/json/parameters-style.json", 0, &[]),
        ("3.0/json/parameters-extreme.json", 0, &[]),
        ("3.0/json/circular.json", 0, &[]),
        ("3.0/json/circular-paths.json", 0, &[]),
        ("3.0/json/polymorphism.json", 0, &[]),
        ("3.0/json/discriminators.json", 0, &[]),
        ("3.0/json/complex-nesting.json", 0, &[]),
        ("3.0/json/schema-validation.json", 0, &[]),
    ] {
        let document = read(&format!("@readme/oas-examples/{path}"));
        let document: Value = serde_json::from_str(&document).unwrap();
        let (called, tools) = call_all(&document, |tools| tools).await;
        let left: Vec<_> = reasons(&tools).into_iter().collect();
        println!("(\"{path}\", {called}, &{left:?}),");
        if expected > 0 {
            assert_eq!((called, &*left), (expected, left_out), "{path}");
        }
    }
}
