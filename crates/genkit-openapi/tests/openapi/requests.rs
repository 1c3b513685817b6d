//! The request of a call, and the part of its response that a model reads.

use std::time::Duration;

use genkit::serde_json::{Value, json};
use genkit_openapi::{reqwest, tools_from_openapi};

use crate::documents::{call, document, library_at, shop, tool, tools_of};
use crate::server::{Server, json_response, redirect_to, text_response, typed_response};

#[tokio::test]
async fn arguments_are_sent_in_the_documented_location() {
    let server = Server::echo().await;
    let tools = library_at(&server.url).build().unwrap();
    let put = tool(tools, "putBook");
    let schema = put.input_schema();
    let keys: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "query_id", "query_body", "session", "where", "body"]);
    assert_eq!(schema["required"], json!(["id"]));
    let book = json!({"title": "Emma", "author": {"books": [{"title": "Emma"}]}});
    let arguments = json!({
        "id": "a/b c", "query_id": "7", "query_body": "x&y", "session": "s;1", "where": {"floor": 2}, "body": book
    });
    assert_eq!(call(&put, arguments).await, Ok(json!({"ok": true})));
    let sent = &server.sent()[0];
    assert_eq!(
        sent.line,
        "POST /shelves/a%2Fb%20c/books?id=7&body=x%26y&where=%7B%22floor%22%3A2%7D"
    );
    assert_eq!(sent.header("cookie"), "session=s%3B1");
    assert_eq!(sent.header("content-type"), "application/vnd.library+json");
    assert_eq!(sent.body, book.to_string());

    // An optional argument that is null is not sent.
    call(&put, json!({"id": "1", "query_id": null})).await.unwrap();
    let sent = &server.sent()[1];
    assert_eq!((sent.line.as_str(), sent.body.as_str()), ("POST /shelves/1/books", ""));
    // Arguments that do not match the schema are rejected before a request is sent.
    let wrong = call(&put, json!({"id": "1", "body": {"title": "Persuasion"}})).await.unwrap_err();
    assert!(wrong.contains("Emma"), "{wrong}");
    assert_eq!(server.sent().len(), 2);
}

#[tokio::test]
async fn forms_plain_text_and_deep_objects_are_sent() {
    let server = Server::echo().await;
    let replace = tool(shop(&server.url).build().unwrap(), "replacePet");
    let body = json!({"name": "Rex & Co", "tags": ["a", "b"]});
    call(&replace, json!({"petId": "1", "body": body})).await.unwrap();
    let note = tool(library_at(&server.url).build().unwrap(), "note");
    call(&note, json!({"body": "a line\n"})).await.unwrap();
    let list = tool(shop(&server.url).build().unwrap(), "listPets");
    call(&list, json!({"filter": {"size": {"min": 1}, "kind": "cat"}})).await.unwrap();
    let sent = server.sent();
    assert_eq!(sent[0].body, "name=Rex%20%26%20Co&tags=a&tags=b");
    assert_eq!(sent[0].header("content-type"), "application/x-www-form-urlencoded");
    assert_eq!((sent[1].body.as_str(), sent[1].header("content-type")), ("a line\n", "text/plain"));
    assert_eq!(sent[2].line, "GET /pets?filter%5Bsize%5D%5Bmin%5D=1&filter%5Bkind%5D=cat");
}

#[tokio::test]
async fn argument_cannot_change_other_parts_of_the_url() {
    let server = Server::echo().await;
    let get = tool(shop(&format!("{}/v2", server.url)).build().unwrap(), "getPet");
    let encoded = [
        "%2e%2E",
        "..%2Fadmin",
        "a%252F..%252Fb",
        "../../admin",
        "..\\..",
        "%25252e%25252e",
        "..;",
        "..;v=1/a",
        "..%3Bx",
    ];
    for id in ["..", ".", ""].into_iter().chain(encoded) {
        let told = call(&get, json!({"petId": id})).await.unwrap_err();
        assert!(
            told.contains("must not be `.` or `..`") || told.contains("must not be empty"),
            "{id}: {told}"
        );
    }
    for id in ["a/b", "1?admin=true", "1#x", "a\r\nHost: x", "a..b", "...", "100%", "\u{202e}"] {
        call(&get, json!({"petId": id})).await.unwrap();
    }
    for line in server.lines() {
        let rest = line.strip_prefix("GET /v2/pets/").unwrap();
        assert!(!rest.contains(['/', '?', '#', '\\', '\r', '\n']), "{line}");
    }
    let list = tool(shop(&server.url).build().unwrap(), "listPets");
    let told = call(&list, json!({"X-Request-ID": "a\r\nX-Admin: yes"})).await.unwrap_err();
    assert!(told.contains("X-Request-ID") && told.contains("header"), "{told}");
    let told = call(&list, json!({"tag": ["x".repeat(20_000)]})).await.unwrap_err();
    assert!(told.contains("pass fewer or shorter values"), "{told}");
}

#[tokio::test]
async fn preset_parameters_are_not_arguments() {
    let server = Server::echo().await;
    let api = shop(&server.url).query("api_key", "k&1").header("X-Request-Id", "ours");
    let list = tool(api.build().unwrap(), "listPets");
    let properties = list.input_schema()["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["limit", "tag", "filter"]);
    let told = call(&list, json!({"api_key": "mine"})).await.unwrap_err();
    assert!(told.contains("api_key"), "{told}");
    call(&list, json!({"limit": 1})).await.unwrap();
    let sent = &server.sent()[0];
    assert_eq!(sent.line, "GET /pets?limit=1&api_key=k%261");
    assert_eq!(sent.header("x-request-id"), "ours");
}

#[tokio::test]
async fn credentials_do_not_follow_a_redirect_to_another_server() {
    let other = Server::echo().await;
    let elsewhere = format!("{}/pets/1?from=redirect", other.url);
    let server = Server::start(move |path| match path {
        "/pets/here" => redirect_to("/pets/1"),
        "/pets/loop" => redirect_to("/pets/loop"),
        "/pets/1" => json_response(&json!({"name": "Rex"})),
        _ => redirect_to(&elsewhere),
    })
    .await;
    let get = tool(shop(&server.url).bearer("secret-token").build().unwrap(), "getPet");
    assert_eq!(call(&get, json!({"petId": "here"})).await, Ok(json!({"name": "Rex"})));
    let told = call(&get, json!({"petId": "there"})).await.unwrap_err();
    assert!(told.contains("not followed") && told.contains(&other.url), "{told}");
    assert!(told.contains(".base_url(..)") && !told.contains("secret-token"), "{told}");
    let told = call(&get, json!({"petId": "loop"})).await.unwrap_err();
    assert!(told.contains("more than 5 times"), "{told}");
    assert!(other.sent().is_empty());
    let replace = tool(shop(&server.url).build().unwrap(), "replacePet");
    let told = call(&replace, json!({"petId": "here"})).await.unwrap_err();
    assert!(told.contains("only for GET and HEAD"), "{told}");
}

#[tokio::test]
async fn responses_are_bounded_and_non_json_is_text() {
    let server = Server::start(|path| match path {
        "/pets/big" => typed_response("application/json", "[".repeat(5000)),
        "/pets/text" => typed_response("text/html", "<b>Rex</b>"),
        "/pets/broken" => typed_response("application/json", "{\"name\": "),
        "/pets/none" => text_response(204, ""),
        _ => typed_response("image/png", vec![0_u8, 159, 146, 150]),
    })
    .await;
    let get = tool(shop(&server.url).max_response(4096).build().unwrap(), "getPet");
    let told = call(&get, json!({"petId": "big"})).await.unwrap_err();
    assert!(told.contains("larger than 4096 bytes; request less"), "{told}");
    for (id, expected) in [
        ("text", "<b>Rex</b>"),
        ("broken", "{\"name\": "),
        ("none", "204 No Content"),
        ("image", "200 OK: 4 bytes of image/png, which is not text and is not shown"),
    ] {
        assert_eq!(call(&get, json!({"petId": id})).await, Ok(json!(expected)), "{id}");
    }
}

/// A response that echoes a request must not pass the program's credentials to a model.
#[tokio::test]
async fn credentials_that_a_server_repeats_are_not_in_a_result() {
    let server = Server::start(|path| match path {
        "/pets/json" => typed_response(
            "application/json",
            r#"{"headers": {"authorization": "Basic dXNlcjpodW50ZXIyMg==", "accept-language": "de-DE-x"}, "hunter22": 1}"#.to_owned(),
        ),
        _ => text_response(200, "the password is hunter22"),
    })
    .await;
    let api = shop(&server.url)
        .header("authorization", "Basic dXNlcjpodW50ZXIyMg==")
        .header("accept-language", "de-DE-x");
    let get = tool(api.build().unwrap(), "getPet");
    let shown = call(&get, json!({"petId": "json"})).await.unwrap();
    assert_eq!(
        shown,
        json!({"headers": {"authorization": "[redacted]", "accept-language": "de-DE-x"}, "[redacted]": 1})
    );
    let shown = call(&get, json!({"petId": "text"})).await.unwrap();
    assert_eq!(shown, "the password is [redacted]");
}

#[tokio::test]
async fn error_responses_are_described_for_the_model() {
    let server = Server::start(|path| match path {
        "/pets/422" => text_response(422, "name: must not be\u{202e} empty"),
        "/pets/401" => text_response(401, "the token secret-token is old"),
        "/pets/429" => text_response(429, ""),
        "/pets/503" => text_response(503, "down"),
        "/pets/long" => typed_response("text/plain", "x".repeat(100_000)),
        _ => text_response(500, "oops"),
    })
    .await;
    let get = tool(shop(&server.url).bearer("secret-token").build().unwrap(), "getPet");
    for (id, expected) in [
        ("422", "returned 422 Unprocessable Entity: name: must not be empty"),
        (
            "401",
            "returned 401 Unauthorized: the token [redacted] is old. The program's credentials were rejected",
        ),
        ("429", "returned 429 Too Many Requests. Too many calls; wait"),
        ("503", "returned 503 Service Unavailable: down. The error is in the server"),
        ("500", "returned 500 Internal Server Error: oops. The error is in the server"),
    ] {
        let told = call(&get, json!({"petId": id})).await.unwrap_err();
        assert!(told.contains(expected), "{told}");
        assert!(told.starts_with("GET /pets/{petId}") && !told.contains("secret"), "{told}");
    }

    let quick = shop(&server.url).timeout(Duration::from_millis(100));
    let told = call(&tool(quick.build().unwrap(), "getPet"), json!({"petId": "slow"})).await;
    assert_eq!(told, Err("GET /pets/{petId} did not respond within 100ms".to_owned()));
    let quick = library_at(&server.url).timeout(Duration::from_millis(100)).build().unwrap();
    assert_eq!(quick.len(), 2);

    // No server listens on that port.
    let spec = document(json!({"/a": {"post": {"operationId": "a"}}}));
    let none = genkit_openapi::tools_from_openapi(spec, reqwest::Client::builder())
        .base_url("http://127.0.0.1:9/x")
        .query("key", "secret-token");
    let told = call(&tool(none.build().unwrap(), "a"), json!({})).await.unwrap_err();
    assert!(told.starts_with("POST /a received no response from http://127.0.0.1:9: "), "{told}");
    assert!(!told.contains("secret"), "{told}");
}

#[tokio::test]
async fn error_states_that_the_call_may_have_happened() {
    let server = Server::echo().await;
    let spec = document(json!({"/slow": {"post": {"operationId": "order"}}}));
    let api = genkit_openapi::tools_from_openapi(spec, reqwest::Client::builder())
        .base_url(&server.url)
        .timeout(Duration::from_millis(200));
    let told = call(&tool(api.build().unwrap(), "order"), json!({})).await.unwrap_err();
    assert!(told.contains("did not respond within 200ms. It may still have succeeded"), "{told}");
}

#[tokio::test]
async fn output_schemas_are_opt_in() {
    let server = Server::start(|_| json_response(&json!({"ok": "yes"}))).await;
    let put = |yes| tool(library_at(&server.url).output_schemas(yes).build().unwrap(), "putBook");
    assert_eq!(call(&put(false), json!({"id": "1"})).await, Ok(json!({"ok": "yes"})));
    assert_eq!(library_at(&server.url).output_schemas(true).build().unwrap().left_out(), []);
    let told = call(&put(true), json!({"id": "1"})).await.unwrap_err();
    assert!(told.contains("ok"), "{told}");
    assert_eq!(put(true).output_schema().unwrap()["required"], json!(["ok"]));
}

#[test]
fn schemas_of_3_0_become_those_of_2020_12() {
    let tools = shop("https://shop.example").build().unwrap();
    let add = tool(tools.clone(), "add_pet");
    assert_eq!(
        *add.input_schema(),
        json!({
            "type": "object",
            "properties": {
                "X-Request-ID": {"type": "string"},
                "body": {"$ref": "#/$defs/Pet"}
            },
            "required": ["body"],
            "additionalProperties": false,
            "$defs": {"Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": ["string", "null"]}, "parent": {"$ref": "#/$defs/Pet"}}
            }}
        })
    );
    let list = tool(tools, "listPets");
    assert_eq!(
        list.input_schema()["properties"]["limit"],
        json!({"type": "integer", "exclusiveMinimum": 0, "maximum": 100, "description": "How many."})
    );
}

#[test]
fn names_and_descriptions_fit_all_providers() {
    let long = format!("get{}", "Pets".repeat(30));
    let tools = tools_of(json!({
        "/a": {"get": {"operationId": "get pets/all", "summary": "x".repeat(3000)}},
        "/b": {"get": {"operationId": "get.pets.all", "description": "b\u{202e}\u{7}"}},
        "/c/{x}": {"get": {"parameters": [{"name": "x", "in": "path", "schema": {}}]}},
        "/d": {"get": {"operationId": long}, "delete": {"operationId": long}},
        "/e": {"get": {"operationId": "1", "parameters": [
            {"name": "filter[name]", "in": "query", "description": "Of it.", "schema": {}}
        ]}}
    }));
    let names: Vec<_> = tools.names().map(str::to_owned).collect();
    assert_eq!(names[..3], ["get_pets_all", "get_pets_all_2", "get_c_x"]);
    assert!(names[3..5].iter().all(|name| name.len() == 64) && names[3] != names[4], "{names:?}");
    assert_eq!(names[5], "_1");
    assert_eq!(tool(tools.clone(), "get_pets_all").description().chars().count(), 1025);
    assert_eq!(tool(tools.clone(), "get_pets_all_2").description(), "b");
    assert_eq!(tool(tools.clone(), "get_c_x").description(), "GET /c/{x}");
    let last = tool(tools, "_1");
    assert_eq!(
        last.input_schema()["properties"],
        json!({"filter_name": {"description": "`filter[name]`. Of it."}})
    );
}

#[tokio::test]
async fn form_members_use_the_documented_encoding() {
    let server = Server::echo().await;
    let form = json!({"post": {"operationId": "order", "requestBody": {"content": {
        "application/x-www-form-urlencoded": {
            "schema": {"type": "object"},
            "encoding": {
                "meta": {"style": "deepObject", "explode": true},
                "tags": {"style": "form", "explode": false},
                "sizes": {"style": "pipeDelimited"},
                "list": {"contentType": "application/json"},
                "path": {"allowReserved": true}
            }
        }
    }}}});
    let spec = document(json!({"/orders": form}));
    let tools = tools_from_openapi(spec, reqwest::Client::builder()).base_url(&server.url).build();
    let order = tool(tools.unwrap(), "order");
    let body = json!({
        "meta": {"a": "b"}, "tags": ["p", "q"], "sizes": [1, 2], "list": [1], "path": "a/b", "plain": {"c": 1}
    });
    call(&order, json!({ "body": body })).await.unwrap();
    assert_eq!(
        server.sent()[0].body,
        "meta%5Ba%5D=b&tags=p,q&sizes=1%7C2&list=%5B1%5D&path=a/b&plain=%7B%22c%22%3A1%7D"
    );
}

#[tokio::test]
async fn media_range_or_a_fragment_is_never_sent() {
    let server = Server::echo().await;
    let body = |kinds: &[&str]| {
        let content = kinds.iter().map(|kind| ((*kind).to_owned(), json!({})));
        json!({"post": {"requestBody": {"content": Value::Object(content.collect())}}})
    };
    let spec = document(json!({
        "/a": body(&["application/json-patch+json", "text/json", "application/json; charset=utf-8", "*/*"]),
        "/b": body(&["application/*+json"]),
        "/c": body(&["*/*"]),
        "/d": body(&["text/*"]),
        "/e": body(&["application/*", "application/vnd.api+json"]),
        "/f#part": body(&["application/json"]),
    }));
    let tools = tools_from_openapi(spec, reqwest::Client::builder()).base_url(&server.url).build();
    for tool in tools.unwrap() {
        call(&tool, json!({ "body": "x" })).await.unwrap();
    }
    let sent = server.sent();
    let sent: Vec<_> =
        sent.iter().map(|it| (it.line.as_str(), it.header("content-type"))).collect();
    assert_eq!(
        sent,
        [
            ("POST /a", "application/json; charset=utf-8"),
            ("POST /b", "application/json"),
            ("POST /c", "application/json"),
            ("POST /d", "text/plain"),
            ("POST /e", "application/vnd.api+json"),
            ("POST /f", "application/json"),
        ]
    );
}

/// Each member of an object in a query or a cookie is sent as a separate parameter. It must not replace a parameter
/// that the program or another argument sets.
#[tokio::test]
async fn members_of_an_object_do_not_replace_what_the_program_or_another_argument_sets() {
    let server = Server::echo().await;
    let object = json!({"type": "object"});
    let document = json!({
        "openapi": "3.1.0",
        "info": {"title": "Orders", "version": "1"},
        "paths": {"/orders": {"get": {"operationId": "listOrders", "parameters": [
            {"name": "filter", "in": "query", "schema": object},
            {"name": "page", "in": "query", "schema": {"type": "integer"}},
            {"name": "prefs", "in": "cookie", "schema": object, "explode": true},
            {"name": "Session", "in": "cookie", "schema": {"type": "string"}},
        ]}}},
    });
    let api = genkit_openapi::tools_from_openapi(document, reqwest::Client::builder());
    let api = api.base_url(&server.url).query("tenant", "mine").header("Cookie", "session=ours");
    let list = tool(api.build().unwrap(), "listOrders");
    for name in
        ["tenant", "Tenant", "tenant[]", "tenant[x]", "%74enant", "tenant\0", " tenant", "page"]
    {
        let told = call(&list, json!({"filter": {name: "other"}})).await.unwrap_err();
        assert!(told.contains("a separate parameter"), "{name}: {told}");
    }
    let told = call(&list, json!({"prefs": {"SESSION": "theirs"}})).await.unwrap_err();
    assert!(told.contains("a separate parameter"), "{told}");
    assert!(call(&list, json!({"Session": "theirs"})).await.is_err(), "not an argument");
    assert!(server.sent().is_empty());
    call(&list, json!({"filter": {"state": "open"}, "page": 2})).await.unwrap();
    assert_eq!(server.sent()[0].line, "GET /orders?state=open&page=2&tenant=mine");
}
