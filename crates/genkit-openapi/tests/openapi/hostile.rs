//! The choice of operations, and documents that are invalid, too large or hostile.

use genkit::serde_json::{Value, json};
use genkit::{Error, ErrorKind};
use genkit_openapi::{OpenApiTools, Spec, reqwest, tools_from_openapi};

use crate::documents::{SHOP, call, document, library, shop, tool, tools_of};
use crate::server::Server;

fn built(spec: impl Into<Spec>) -> Result<OpenApiTools, Error> {
    let client = reqwest::Client::builder();
    tools_from_openapi(spec, client).base_url("https://api.example.com").build()
}

/// Returns the reason why the only operation is omitted.
fn left_out(paths: Value) -> String {
    let tools = tools_of(paths);
    assert!(tools.is_empty(), "{:?}", tools.names().collect::<Vec<_>>());
    tools.left_out()[0].to_string()
}

/// Returns the reason why a part of the only operation is omitted.
fn part_left_out(paths: Value) -> String {
    let tools = tools_of(paths);
    assert_eq!(tools.len(), 1, "{:?}", tools.left_out());
    tools.left_out()[0].to_string()
}

#[test]
fn operations_are_filtered_and_typos_are_reported() {
    let names = |tools: OpenApiTools| tools.names().map(str::to_owned).collect::<Vec<_>>();
    let url = "https://shop.example";
    assert_eq!(
        names(shop(url).only(["getPet", "GET /pets"]).build().unwrap()),
        ["listPets", "getPet"]
    );
    let without = ["getPet", "DELETE /pets/{petId}", "addPhoto"];
    let rest = shop(url).without(without).prefix("shop_").build().unwrap();
    assert_eq!(names(rest), ["shop_listPets", "shop_add_pet", "shop_replacePet"]);
    assert_eq!(names(shop(url).tags(["read"]).build().unwrap()), ["listPets", "getPet"]);
    assert_eq!(names(shop(url).methods(["put"]).build().unwrap()), ["replacePet"]);
    let kept = shop(url).filter(|it| !it.is_deprecated() && it.is_read_only()).build().unwrap();
    assert_eq!(names(kept), ["listPets", "getPet"]);
    let asked = shop(url).needs_approval(|it| !it.is_read_only()).build().unwrap();
    assert!(
        tool(asked.clone(), "add_pet").needs_approval() && !tool(asked, "getPet").needs_approval()
    );

    for (wrong, told) in [
        (shop(url).only(["getPets"]), "has no operation `getPets`; did you mean `getPet`?"),
        (shop(url).without(["removeEverything"]), "or as `GET /pets/{id}`"),
        (shop(url).tags(["reed"]), "has no tag `reed`; did you mean `read`?"),
        (shop(url).methods(["FETCH"]), "`FETCH` is not a supported method"),
    ] {
        let error = wrong.build().unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[test]
fn base_url_is_set_by_the_program() {
    let client = reqwest::Client::builder;
    let error = tools_from_openapi(SHOP, client()).build().unwrap_err().to_string();
    assert!(
        error.contains(".base_url(..)") && error.contains("https://eu.shop.example/v2"),
        "{error}"
    );
    assert_eq!(tools_from_openapi(SHOP, client()).server_of_document().build().unwrap().len(), 5);
    let error = tools_from_openapi(library(), client()).server_of_document().build().unwrap_err();
    assert!(error.to_string().contains("has no `servers`"), "{error}");
    for (url, told) in [
        ("/v1", "is not a complete URL"),
        ("file:///etc/passwd", "must begin with"),
        ("https://me:secret@shop.example", "must not contain credentials"),
        ("https://shop.example?key=secret", "must not have a query"),
    ] {
        let error = shop(url).build().unwrap_err().to_string();
        assert!(error.contains(told) && !error.contains("secret"), "{error}");
    }
    let why = left_out(json!({"/a": {"servers": [{"url": "https://evil.example"}], "get": {}}}));
    assert!(why.contains("credentials are sent to only one"), "{why}");
}

#[test]
fn credentials_are_redacted_in_debug_and_errors() {
    let api = shop("https://shop.example").bearer("secret-token").query("api_key", "secret-key");
    let shown = format!("{api:?}");
    assert!(shown.contains("authorization") && shown.contains("api_key"), "{shown}");
    assert!(!shown.contains("secret"), "{shown}");
    let shown = format!("{:?}", api.build().unwrap());
    assert!(!shown.contains("secret"), "{shown}");
    let error = shop("https://shop.example").bearer("secret\ntoken").build().unwrap_err();
    assert!(!format!("{error:?}").contains("secret"), "{error:?}");
    assert!(error.to_string().contains("the value of the header `authorization`"), "{error}");
}

#[test]
fn invalid_document_is_described() {
    for (spec, told) in [
        ("{\"openapi\": ", "is not valid JSON"),
        ("a: [", "cannot be read as YAML"),
        ("swagger: '2.0'", "Swagger 2.0"),
        ("openapi: 4.0.0", "unsupported OpenAPI document"),
        ("openapi: 3.1.0", "has no `paths`"),
        ("hello", "YAML"),
    ] {
        let error = built(spec).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(told), "{spec}: {error}");
    }
}

#[test]
fn document_has_bounds() {
    let large = format!("{{\"openapi\": \"3.1.0\", \"x\": \"{}\"}}", "x".repeat(17 << 20));
    let error = built(large).unwrap_err().to_string();
    assert!(error.contains("keep only the paths"), "{error}");

    let deep = (0..500).fold(json!({}), |inner, _| json!({ "not": inner }));
    let error = built(json!({"openapi": "3.1.0", "paths": {}, "x": deep})).unwrap_err().to_string();
    assert!(error.contains("more than 128 deep"), "{error}");

    let many = |count: usize| {
        let paths = (0..count).map(|at| (format!("/p{at}"), json!({"get": {}})));
        document(Value::Object(paths.collect()))
    };
    let error = built(many(501)).unwrap_err().to_string();
    assert!(error.contains("501 tools") && error.contains(".only(..)"), "{error}");
    let error = built(many(5001)).unwrap_err().to_string();
    assert!(error.contains("more than 5000 operations"), "{error}");
    assert_eq!(built(many(500)).unwrap().len(), 500);

    // YAML has the same limits, rather than those of a frontmatter.
    let values = "  - a\n".repeat(60_000);
    let tools = built(format!("openapi: 3.1.0\npaths: {{/a: {{get: {{}}}}}}\nx-list:\n{values}"));
    assert_eq!(tools.unwrap().len(), 1);

    // Aliases that grow exponentially.
    let laughs: String =
        (1..30).map(|n| format!("l{n}: &l{n} [*l{0}, *l{0}, *l{0}]\n", n - 1)).collect();
    let error = built(format!("openapi: 3.1.0\nl0: &l0 [x]\n{laughs}")).unwrap_err().to_string();
    assert!(error.contains("YAML"), "{error}");
}

#[test]
fn external_and_endless_references_are_rejected() {
    let body = |schema: Value| json!({"requestBody": {"content": {"application/json": {"schema": schema}}}});
    for (reference, told) in [
        ("other.yaml#/Pet", "refers to another document"),
        ("https://evil.example/x.json", "refers to another document"),
        ("file:///etc/passwd", "refers to another document"),
        ("#/nowhere", "refers to nothing"),
        ("#pet", "refers to an anchor"),
        ("#/openapi", "does not refer to a schema"),
    ] {
        let why = part_left_out(json!({"/a": {"post": body(json!({"$ref": reference}))}}));
        assert!(why.starts_with("POST /a: ") && why.contains(told), "{why}");
    }
    let spec = json!({
        "openapi": "3.1.0",
        "paths": {
            "/circle": {"post": body(json!({"$ref": "#/components/schemas/A"}))},
            "/item": {"$ref": "#/components/pathItems/Item"},
            "/tree": {"post": body(json!({"$ref": "#/components/schemas/Tree"}))}
        },
        "components": {
            "schemas": {
                "A": {"$ref": "#/components/schemas/B"},
                "B": {"$ref": "#/components/schemas/A"},
                "Tree": {"type": "object", "properties": {"left": {"$ref": "#/components/schemas/Tree"}}}
            },
            "pathItems": {"Item": {"$ref": "#/components/pathItems/Item"}}
        }
    });
    let tools = built(spec).unwrap();
    assert_eq!(tools.names().collect::<Vec<_>>(), ["post_circle", "post_tree"]);
    let why: Vec<_> = tools.left_out().iter().map(ToString::to_string).collect();
    assert!(
        why[0].starts_with("/item: ") && why[0].contains("perhaps because it is circular"),
        "{why:?}"
    );
    assert!(
        why[1].starts_with("POST /circle: ") && why[1].contains("does not lead to a schema"),
        "{why:?}"
    );
}

#[test]
fn recursive_ref_resolves_to_its_anchor() {
    let filter = json!({
        "$recursiveAnchor": true,
        "type": "object",
        "properties": {"all": {"type": "array", "items": {"$recursiveRef": "#"}}},
        "additionalProperties": false
    });
    let paths = |schema: Value| {
        json!({"/a": {"post": {"operationId": "a", "requestBody": {"content": {"application/json": {
            "schema": schema
        }}}}}})
    };
    let mut spec = document(paths(json!({"$ref": "#/components/schemas/Filter"})));
    spec["components"] = json!({"schemas": {"Filter": filter}});
    let tool = tool(built(spec).unwrap(), "a");
    let defined = &tool.input_schema()["$defs"]["Filter"];
    assert_eq!(defined["properties"]["all"]["items"], json!({"$ref": "#/$defs/Filter"}));
    let why = left_out(paths(json!({"items": {"$recursiveRef": "#"}})));
    assert!(why.contains("use `$ref`"), "{why}");
}

#[test]
fn unsupported_operation_is_skipped_with_a_remedy() {
    let with = |parameter: Value| json!({"/a": {"get": {"parameters": [parameter]}}});
    for (paths, told) in [
        (json!({"/a/../b": {"get": {}}}), "a segment `.` or `..`"),
        (json!({"/a/%2E%2e/b": {"get": {}}}), "a segment `.` or `..`"),
        (json!({"a": {"get": {}}}), "must begin with `/`"),
        (json!({"/a?x=1": {"get": {}}}), "describe a query as parameters"),
        (json!({"/a\nb": {"get": {}}}), "a control character"),
        (json!({"/a/{x}": {"get": {}}}), "no parameter describes `{x}`"),
        (json!({"/a/{x": {"get": {}}}), "is not closed"),
        (json!({"/a": {"trace": {}}}), "write one by hand"),
        (
            with(json!({"name": "x", "in": "path", "schema": {}})),
            "no placeholder for the parameter `x`",
        ),
        (
            with(json!({"name": "x", "in": "body"})),
            "expected `path`, `query`, `header` or `cookie`",
        ),
        (with(json!({"in": "query"})), "has no `name`"),
        (
            with(json!({"name": "Host", "in": "header", "required": true})),
            "set it with `.header(..)`",
        ),
        (
            with(json!({"name": "x", "in": "query", "required": true, "style": "odd"})),
            "the style `odd`",
        ),
        (
            with(json!({"name": "x", "in": "query", "schema": {"enum": ["y".repeat(200_000)]}})),
            "larger than 131072 bytes",
        ),
        (
            json!({"/a": {"post": {"requestBody": {"required": true, "content": {"multipart/form-data": {}}}}}}),
            "multipart/form-data, but only JSON, forms and plain text are",
        ),
    ] {
        let why = left_out(paths);
        assert!(why.contains(told), "{why}");
        assert!(!why.contains('\n'), "{why:?}");
    }
    for (schema, told) in [
        (json!({"pattern": "("}), "pattern \"(\" cannot be checked here"),
        (json!({"pattern": "^[\\w-\\.]+@$", "type": "string"}), "cannot be checked here"),
        (json!({"type": "colour"}), "is \"colour\", not a type"),
        (json!(5), "5 is not a schema"),
    ] {
        let why = part_left_out(with(json!({"name": "x", "in": "query", "schema": schema})));
        assert!(
            why.contains(told) && why.contains("/properties/x") && !why.contains('\n'),
            "{why}"
        );
    }
    // An optional parameter is omitted without its operation.
    let tools = tools_of(with(json!({"name": "Host", "in": "header"})));
    assert_eq!((tools.len(), tools.left_out().len()), (1, 1));
}

#[test]
fn scalars_that_yaml_reads_as_another_type_are_text() {
    let spec = "openapi: 3.1\npaths:\n  /a:\n    get:\n      operationId: 404\n      summary: 1.5\n      tags: [2024]\n      \
                parameters:\n        - {name: on, in: query, schema: {type: string, enum: [1, true]}}\n";
    let tools = built(spec).unwrap();
    assert!(tools.left_out().is_empty(), "{:?}", tools.left_out());
    let tool = tool(tools, "_404");
    assert!(tool.description().contains("1.5"));
    assert_eq!(tool.input_schema()["properties"]["on"]["enum"], json!(["1", "true"]));
}

#[tokio::test]
async fn hostile_document_neither_takes_long_nor_reaches_another_server() {
    // Each schema refers to the next one twice, so inlining would result in 2^60 schemas.
    let schemas = (0..60).map(|at| {
        let next = json!({"$ref": format!("#/components/schemas/S{}", (at + 1) % 60)});
        (format!("S{at}"), json!({"type": "object", "properties": {"a": next, "b": next}}))
    });
    let schemas: Value = Value::Object(schemas.collect());
    let server = Server::echo().await;
    let evil = "https://evil.example";
    let spec = json!({
        "openapi": "3.0.0",
        "servers": [{"url": evil}],
        "paths": {
            "/ok": {"post": {
                "operationId": "ok\u{0}\u{202e}/../",
                "description": "x".repeat(1_000_000),
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
            }},
            "//evil.example/a": {"get": {"operationId": "authority"}},
            "/@evil.example": {"get": {"operationId": "user"}},
        },
        "components": {"schemas": schemas}
    });
    let tools =
        tools_from_openapi(spec, reqwest::Client::builder()).base_url(&server.url).build().unwrap();
    assert_eq!(tools.names().collect::<Vec<_>>(), ["ok", "authority", "user"]);
    let body = json!({"a": {"b": {"a": {}}}});
    call(&tool(tools.clone(), "ok"), json!({"body": body})).await.unwrap();
    call(&tool(tools.clone(), "authority"), json!({})).await.unwrap();
    call(&tool(tools, "user"), json!({})).await.unwrap();
    assert_eq!(server.lines(), ["POST /ok", "GET //evil.example/a", "GET /@evil.example"]);
}
