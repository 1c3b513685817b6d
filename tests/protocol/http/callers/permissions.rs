//! Permissions: each caller, each item and each method, in both eras.

use std::io::BufRead as _;

use genkit::mcp::McpServer;
use genkit::mcp::server::{Principal, TokenError};
use genkit::{Genkit, Registry, actions, prompt, resource, tool};
use serde_json::{Value, json};

use crate::http::here::Here;
use crate::http::wire::{Answer, Wire, in_session};

/// For every caller.
#[tool]
async fn open_tool() -> &'static str {
    "done"
}

/// Requires the permission to write.
#[tool(permit = "write")]
async fn write_tool() -> &'static str {
    "done"
}

/// Requires a caller that the program's rule accepts.
#[tool(tags("admin"))]
async fn admin_tool() -> &'static str {
    "done"
}

/// For every caller.
#[prompt]
async fn open_prompt(#[arg(complete = ["one", "two"])] a: String) -> String {
    a
}

/// Requires the permission to write.
#[prompt(permit = "read write")]
async fn write_prompt(#[arg(complete = ["one", "two"])] a: String) -> String {
    a
}

/// Requires a caller that the program's rule accepts.
#[prompt(tags("admin"))]
async fn admin_prompt(#[arg(complete = ["one", "two"])] a: String) -> String {
    a
}

/// For every caller.
#[resource("open://it")]
async fn open_resource() -> &'static str {
    "done"
}

/// Requires the permission to write.
#[resource("write://it", permit = "write")]
async fn write_resource() -> &'static str {
    "done"
}

/// Requires a caller that the program's rule accepts.
#[resource("admin://it", tags("admin"))]
async fn admin_resource() -> &'static str {
    "done"
}

/// For every caller.
#[resource("open://of/{id}")]
async fn open_template(#[arg(complete = ["one", "two"])] id: String) -> String {
    id
}

/// Requires the permission to write.
#[resource("write://of/{id}", permit = "write")]
async fn write_template(#[arg(complete = ["one", "two"])] id: String) -> String {
    id
}

/// Requires a caller that the program's rule accepts.
#[resource("admin://of/{id}", tags("admin"))]
async fn admin_template(#[arg(complete = ["one", "two"])] id: String) -> String {
    id
}

/// The groups of items, each with its own permission.
const GROUPS: [&str; 3] = ["open", "write", "admin"];
const CALLERS: [(&str, [bool; 3]); 4] = [
    ("reader", [true, false, false]),
    ("writer", [true, true, false]),
    ("admin", [true, false, true]),
    ("root", [true, true, true]),
];

async fn verify(token: String) -> Result<Principal, TokenError> {
    let scopes: &[&str] = match token.as_str() {
        "reader" | "admin" => &["read"],
        "writer" | "root" => &["read", "write"],
        _ => return Err(TokenError::invalid("nobody has it")),
    };
    Ok(Principal::new(token).with_scopes(scopes.iter().copied()))
}

/// Returns a registry with the items of these groups.
fn registry_of([open, write, admin]: [bool; 3]) -> Registry {
    let mut registry = Registry::new();
    if open {
        registry = registry.add(actions![open_tool, open_prompt, open_resource, open_template]);
    }
    if write {
        registry = registry.add(actions![write_tool, write_prompt, write_resource, write_template]);
    }
    if admin {
        registry = registry.add(actions![admin_tool, admin_prompt, admin_resource, admin_template]);
    }
    registry
}

fn registry() -> Registry {
    registry_of([true; 3])
}

fn serving(registry: Registry) -> McpServer {
    Genkit::builder().registry(registry).build().expect("a program").serve_mcp()
}

fn server(registry: Registry) -> McpServer {
    serving(registry).authenticate(verify).permit(|caller, item| {
        let is_admin = caller.principal().is_some_and(|who| ["admin", "root"].contains(&who.id()));
        is_admin || !item.tags().any(|tag| tag == "admin")
    })
}

/// A client that sends requests in one of the eras.
struct Client<'a> {
    wire: &'a Wire,
    token: String,
    session: Option<String>,
}

impl<'a> Client<'a> {
    fn of(wire: &'a Wire, token: &str, in_session: bool) -> Self {
        let session = in_session.then(|| wire.open(&[("authorization", token)]));
        Self { wire, token: token.to_owned(), session }
    }

    fn ask(&self, method: &str, params: Value) -> Answer {
        let token = [("authorization", self.token.as_str())];
        match &self.session {
            None => self.wire.ask_alone_with(&token, method, params),
            Some(session) => {
                let headers = [&in_session(session)[..], &token].concat();
                let message =
                    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
                self.wire.post(&headers, &message)
            }
        }
    }
}

/// Returns the requests for one item of a group: the method and its parameters.
fn ways(group: &str) -> [(&'static str, Value); 6] {
    let prompt = |name: String| json!({ "name": name, "arguments": { "a": "x" } });
    let complete = |of: Value| json!({ "ref": of, "argument": { "name": "a", "value": "o" } });
    let by_name = |name: String| complete(json!({ "type": "ref/prompt", "name": name }));
    let by_uri = |uri: String| {
        let mut params = complete(json!({ "type": "ref/resource", "uri": uri }));
        params["argument"]["name"] = json!("id");
        params
    };
    [
        ("tools/call", json!({ "name": format!("{group}_tool"), "arguments": {} })),
        ("prompts/get", prompt(format!("{group}_prompt"))),
        ("resources/read", json!({ "uri": format!("{group}://it") })),
        ("resources/read", json!({ "uri": format!("{group}://of/7") })),
        ("completion/complete", by_name(format!("{group}_prompt"))),
        ("completion/complete", by_uri(format!("{group}://of/{{id}}"))),
    ]
}

#[test]
fn each_caller_has_what_it_may_use_by_every_method_in_both_eras() {
    let here = Here::serve(server(registry()).router().unwrap());
    let wire = Wire::to(here.url());
    let mut cells = 0;
    for (caller, may) in CALLERS {
        let token = format!("Bearer {caller}");
        // A server that contains only what this caller may use.
        let here = Here::serve(server(registry_of(may)).router().unwrap());
        let lesser = Wire::to(here.url());
        for in_session in [false, true] {
            let client = Client::of(&wire, &token, in_session);
            let lesser = Client::of(&lesser, &token, in_session);
            for (group, may) in GROUPS.into_iter().zip(may) {
                let era = if in_session { "session" } else { "alone" };
                let cell = |what: &str| format!("{caller} {group} {what} {era}");
                for (method, params) in ways(group) {
                    let answer = client.ask(method, params.clone());
                    let message = answer.message();
                    let is_answered = message["result"].is_object();
                    assert_eq!(is_answered, may, "{}: {answer:?}", cell(method));
                    // Exactly as if the rest did not exist.
                    let told = lesser.ask(method, params).text;
                    assert_eq!(answer.text, told, "{}", cell(method));
                    cells += 1;
                }
                for (method, list, key, name) in [
                    ("tools/list", "tools", "name", format!("{group}_tool")),
                    ("prompts/list", "prompts", "name", format!("{group}_prompt")),
                    ("resources/list", "resources", "uri", format!("{group}://it")),
                    (
                        "resources/templates/list",
                        "resourceTemplates",
                        "uriTemplate",
                        format!("{group}://of/{{id}}"),
                    ),
                ] {
                    let page = client.ask(method, json!({}));
                    assert_eq!(page.text, lesser.ask(method, json!({})).text, "{}", cell(method));
                    let page = page.message()["result"].take();
                    let items = page[list].as_array().expect("a list");
                    assert_eq!(items.iter().any(|it| it[key] == *name), may, "{}", cell(method));
                    assert_eq!(page["cacheScope"], "private", "{}", cell(method));
                    cells += 1;
                }
            }
        }
    }
    assert_eq!(cells, 4 * 2 * 3 * 10);
}

/// Returns the next event with this method.
fn next_update(lines: &mut impl Iterator<Item = String>) -> String {
    let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
    let mut messages = data.filter_map(|data| serde_json::from_str::<Value>(&data).ok());
    let update = messages.find(|it| it["method"] == "notifications/resources/updated");
    update.expect("an update")["params"]["uri"].as_str().expect("an address").to_owned()
}

/// An update of a resource that the caller may not read is not reported; the next one is.
#[test]
fn subscriber_is_notified_only_of_readable_resources() {
    let registry = registry();
    let here = Here::serve(server(registry.clone()).router().unwrap());
    let wire = Wire::to(here.url());
    for (caller, may) in CALLERS {
        let token = format!("Bearer {caller}");
        let token = [("authorization", token.as_str())];
        for (group, may) in GROUPS.into_iter().zip(may) {
            let uri = format!("{group}://it");
            let first = if may { uri.as_str() } else { "open://of/last" };
            // Sessions: the subscription gets the same response as one to a resource that does not exist.
            let session = wire.open(&token);
            let named = [&in_session(&session)[..], &token].concat();
            for uri in [uri.as_str(), "none://it", "open://of/last"] {
                let subscribe = json!({
                    "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe",
                    "params": { "uri": uri }
                });
                let answer = wire.post(&named, &subscribe);
                assert!(answer.message()["result"].is_object(), "{answer:?}");
            }
            let standing = wire.listen_in(&named).into_body().into_reader();
            let mut lines = std::io::BufReader::new(standing).lines().map_while(Result::ok);
            registry.resource_updated(uri.as_str());
            registry.resource_updated("open://of/last");
            assert_eq!(next_update(&mut lines), first, "{caller} {group} session");
            // The other era.
            let alone = wire.listen_to(&token, &uri).into_body().into_reader();
            let mut lines = std::io::BufReader::new(alone).lines().map_while(Result::ok);
            let acknowledged = lines.find(|line| line.contains("acknowledged"));
            assert!(acknowledged.is_some_and(|it| it.contains(&uri)), "{caller} {group}");
            if may {
                registry.resource_updated(uri.as_str());
                assert_eq!(next_update(&mut lines), uri, "{caller} {group} alone");
            }
        }
    }
}

/// A fixed URI that a caller must not see is not readable through a matching template either.
#[test]
fn permissions_apply_to_every_method() {
    /// Everything of the house.
    #[resource("house://{room}")]
    async fn room(room: String) -> String {
        format!("the {room}")
    }
    /// The safe.
    #[resource("house://safe", permit = "write")]
    async fn safe() -> &'static str {
        "gold"
    }
    let here = Here::serve(server(Registry::new().add(actions![room, safe])).router().unwrap());
    let wire = Wire::to(here.url());
    let read = |caller: &str, uri: &str| {
        let token = format!("Bearer {caller}");
        let params = json!({ "uri": uri });
        let answer = wire.ask_alone_with(&[("authorization", &token)], "resources/read", params);
        answer.message()["result"]["contents"][0]["text"].as_str().map(str::to_owned)
    };
    assert_eq!(read("reader", "house://hall").as_deref(), Some("the hall"));
    assert_eq!(read("reader", "house://safe"), None);
    assert_eq!(read("writer", "house://safe").as_deref(), Some("gold"));
}

/// A hidden tool is not revealed by the headers that its arguments would need.
#[test]
fn suggestions_and_headers_tell_nothing_of_what_is_hidden() {
    let here = Here::serve(server(registry()).router().unwrap());
    let wire = Wire::to(here.url());
    let call = |caller: &str| {
        let token = format!("Bearer {caller}");
        let params = json!({ "name": "write_toll", "arguments": {} });
        wire.ask_alone_with(&[("authorization", &token)], "tools/call", params).text
    };
    assert!(call("writer").contains("write_tool"));
    assert!(!call("reader").contains("write_tool"), "{}", call("reader"));
}

/// Callers with the same permissions get the same list. That it is encoded once for all of them is tested in
/// `mcp/server/lists/view.rs`, because it is not visible from here.
#[test]
fn callers_who_see_the_same_get_the_same_list() {
    let here = Here::serve(serving(registry()).authenticate(verify).router().unwrap());
    let wire = Wire::to(here.url());
    let list = |caller: &str| {
        let token = format!("Bearer {caller}");
        wire.ask_alone_with(&[("authorization", &token)], "tools/list", json!({})).text
    };
    assert_eq!(list("reader"), list("admin"));
    assert_eq!(list("writer"), list("root"));
    assert_ne!(list("reader"), list("root"));
}

#[test]
fn callers_have_no_scopes_without_authentication() {
    let here = Here::serve(serving(registry()).router().unwrap());
    let list = Wire::to(here.url()).ask_alone("tools/list", json!({})).text;
    assert!(list.contains("open_tool") && !list.contains("write_tool"), "{list}");
}
