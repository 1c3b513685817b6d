//! Tools of published OpenAPI documents of real APIs: GitHub's, Figma's, and those of a collection, called one by one.

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

/// A request that the API received.
#[derive(Debug, Default)]
struct Sent {
    method: String,
    path: String,
    query: String,
    media_type: String,
    body: String,
}

/// An API that accepts every request, and records the last one.
#[derive(Clone, Default)]
struct Api(Arc<Mutex<Option<Sent>>>);

impl Api {
    /// Starts the API, and returns its address.
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

/// Returns each operation of the document by the expected name of its tool, with its method and path.
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

/// Returns whether a path matches this template: each of its variables is one segment that is not empty.
fn fits(path: &str, template: &str) -> bool {
    let (path, template): (Vec<_>, Vec<_>) =
        (path.split('/').collect(), template.split('/').collect());
    path.len() == template.len()
        && path.iter().zip(template).all(|(piece, of)| match of.split_once('{') {
            None => *piece == of,
            Some((before, _)) => piece.len() > before.len() && piece.starts_with(before),
        })
}

/// The outcome of a call.
enum Called {
    Well,
    /// No generated arguments are valid according to another implementation.
    Unsampled,
    Wrong(String),
}

/// Calls a tool with arguments generated from its schema, and compares the request with the operations that it may
/// belong to.
async fn call(tool: &Tool, api: &Api, operations: &[&(String, String, &Value)]) -> Called {
    let schema = tool.input_schema();
    let arguments = sample::arguments(schema);
    if !jsonschema::is_valid(schema, &arguments) {
        return Called::Unsampled;
    }
    let wrong = |what: String| Called::Wrong(format!("{} with {arguments}: {what}", tool.name()));
    let response = tool.call(&ToolRequest::new(tool.name(), arguments.clone())).await.unwrap();
    let response = response.into_response().unwrap();
    if response.error().is_some() || response.output != json!({ "ok": true }) {
        return wrong(format!("{:?} {}", response.error(), response.output));
    }
    let Some(sent) = api.take() else { return wrong("nothing was sent".to_owned()) };
    let is_asked = |(method, path, _): &(String, String, &Value)| {
        sent.method == *method && fits(&sent.path, &format!("/base{path}"))
    };
    let asked = operations.iter().find(|operation| is_asked(operation));
    let Some((_, _, operation)) = asked else { return wrong(format!("{sent:?}")) };
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let required = parameters.filter(|it| it["in"] == "query" && it["required"] == true);
    for name in required.filter_map(|it| it["name"].as_str()) {
        if !sent.query.contains(&format!("{name}=")) {
            return wrong(format!("no {name} in {sent:?}"));
        }
    }
    let Some(body) = arguments.get("body") else { return Called::Well };
    // A body may be elsewhere, behind a `$ref`.
    let content = operation["requestBody"]["content"].as_object();
    let is_typed = content.is_none_or(|it| it.contains_key(&sent.media_type));
    let is_json = sent.media_type.contains("json");
    let is_whole = || serde_json::from_str::<Value>(&sent.body).is_ok_and(|it| it == *body);
    match is_typed && (!is_json || is_whole()) {
        true => Called::Well,
        false => wrong(format!("the body {sent:?}")),
    }
}

/// Calls all tools of a document, and lists them for an MCP client.
async fn call_all(
    of: &str,
    document: &Value,
    choose: impl FnOnce(OpenApi) -> OpenApi,
) -> OpenApiTools {
    let api = Api::default();
    let url = api.serve().await;
    let tools = tools_from_openapi(document, reqwest::Client::builder()).base_url(url);
    let tools = choose(tools).build().unwrap();
    let operations = operations(document);
    let (mut unsampled, mut wrong) = (Vec::new(), Vec::new());
    for tool in tools.clone() {
        // A name that is too long is truncated, and a duplicate has a number.
        let stem = tool.name().trim_end_matches("_2");
        let is_its =
            |name: &str| name == tool.name() || (stem.len() > 60 && name.starts_with(stem));
        let its: Vec<_> =
            operations.iter().filter(|(name, _)| is_its(name)).map(|it| it.1).collect();
        match call(&tool, &api, &its).await {
            Called::Well => {}
            Called::Unsampled => unsampled.push(tool.name().to_owned()),
            Called::Wrong(what) => wrong.push(what),
        }
    }
    assert!(wrong.is_empty(), "{of}:\n{}", wrong.join("\n"));
    // Some patterns require texts that cannot be guessed.
    assert!(unsampled.len() * 25 <= tools.len(), "{of}: no arguments for {unsampled:?}");
    let registry = Registry::new().add(tools.clone());
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = Client::connect(genkit.serve_mcp()).await.unwrap();
    assert_eq!(client.tools().await.unwrap().len(), tools.len(), "{of}: all are served");
    tools
}

#[tokio::test]
async fn operations_of_githubs_document_are_tools() {
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
        let tools = call_all("GitHub", &document, |tools| tools.tags(tags.iter().copied())).await;
        assert!(tools.len() > 300, "{}", tools.len());
        // Uploads have a different server, and credentials are sent to only one.
        for left in tools.left_out() {
            assert!(left.reason.contains("its own server"), "{left:?}");
        }
    }
}

#[tokio::test]
async fn operations_of_figmas_document_are_tools() {
    let text = read("@figma/rest-api-spec/openapi/openapi.yaml");
    let document: Value = serde_yaml_ng::from_str(&text).unwrap();
    let tools = call_all("Figma", &document, |tools| tools).await;
    assert_eq!((tools.len(), tools.left_out().len()), (54, 0), "{:?}", tools.left_out());
    // This library's own YAML parser returns the same.
    let ours = tools_from_openapi(text, reqwest::Client::builder())
        .base_url("https://api.figma.com")
        .build()
        .unwrap();
    assert!(ours.names().eq(tools.names()));
    for (ours, theirs) in ours.into_iter().zip(tools) {
        assert_eq!(ours.input_schema(), theirs.input_schema(), "{}", ours.name());
    }
}

/// Operations with file uploads or binary bodies are left out, as is a header that belongs to the client.
#[tokio::test]
async fn operations_of_a_collection_of_documents_are_tools() {
    for (path, tools, left_out) in [
        ("3.0/json/petstore.json", 20, 1),
        ("3.1/json/petstore.json", 20, 1),
        ("3.1/json/train-travel.json", 7, 0),
        ("3.1/json/readme.json", 54, 5),
    ] {
        let document = read(&format!("@readme/oas-examples/{path}"));
        let document: Value = serde_json::from_str(&document).unwrap();
        let made = call_all(path, &document, |tools| tools).await;
        let found = (made.len(), made.left_out().len());
        assert_eq!(found, (tools, left_out), "{path}: {:?}", made.left_out());
        for left in made.left_out() {
            let known = ["multipart/form-data", "application/octet-stream", "`accept`"];
            assert!(known.iter().any(|it| left.reason.contains(it)), "{path}: {left:?}");
        }
    }
}
