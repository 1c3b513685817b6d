//! Errors that the compiler cannot detect are found before anything is served.

use genkit::{Context, Genkit, Registry, Resource, Tool, prompt, prompts, tool, tools};

/// One.
#[tool(name = "same")]
async fn one() -> u8 {
    1
}

/// Two.
#[tool(name = "same")]
async fn two() -> u8 {
    2
}

struct Database;

/// Needs a database.
#[tool]
async fn needs(_db: &Database) -> u8 {
    3
}

/// Needs one too.
#[prompt]
async fn needs_too(_db: &Database) -> String {
    String::new()
}

fn problems(registry: Registry) -> String {
    let error = Genkit::builder().registry(registry).build().expect_err("there is a problem");
    error.to_string()
}

#[test]
fn duplicate_names_are_reported_with_their_locations() {
    let said = problems(Registry::new().add(tools![one, two]));
    let here = file!();
    assert!(said.contains(&format!("tool `same` ({here}:7)")), "{said}");
    assert!(said.contains(&format!("tool `same` ({here}:13)")), "{said}");
}

#[test]
fn missing_state_is_named() {
    let said = problems(Registry::new().add(tools![needs]).add(prompts![needs_too]));
    assert!(said.starts_with("the registry has 2 problems:"), "{said}");
    assert!(said.contains("takes `&Database`, but there is no such state"), "{said}");
    assert!(said.contains("`#[arg(extension)]` before the parameter"), "{said}");
    let given = Genkit::builder().registry(Registry::new().add(tools![needs])).state(Database);
    assert!(given.build().is_ok());
}

/// The state is found by its type, so the message names the similar type that was given.
#[test]
fn state_of_a_related_type_is_named() {
    let genkit = Genkit::builder().registry(Registry::new().add(tools![needs]));
    let said = genkit.state(std::sync::Arc::new(Database)).build().unwrap_err().to_string();
    assert!(said.contains("takes `&Database`, but the state is `Arc<Database>`"), "{said}");
    assert!(said.contains("; take `&Arc<Database>`"), "{said}");
}

/// The message shows the modules of types with the same name.
#[test]
fn state_of_another_type_with_the_same_name_is_named() {
    mod other {
        pub(super) struct Database;
    }
    let genkit = Genkit::builder().registry(Registry::new().add(tools![needs]));
    let said = genkit.state(other::Database).build().unwrap_err().to_string();
    assert!(said.contains("registry::Database`, but the state is another type"), "{said}");
    assert!(said.contains("::other::Database`"), "{said}");
}

#[test]
fn resources_that_match_the_same_uris_are_one_problem() {
    let resource = |uri: &'static str, name: &'static str| {
        let resource = Resource::builder(uri, name, "A note.");
        resource.handler(|_: Context, _: serde_json::Value| async { Ok("note") })
    };
    let here = file!();
    for (one, other, told) in [
        ("note://all", "note://all", "have the same URI `note://all`; change one"),
        ("note://{id}", "note://{name}", "match the same URIs, `note://{id}`; change one"),
        (
            "note://{a}/{+b}",
            "note://{b}/{+a}",
            "match the same URIs, `note://{a}/{+b}`; change one",
        ),
    ] {
        let said = problems(Registry::new().add([resource(one, "one"), resource(other, "other")]));
        assert!(said.contains(told), "{said}");
        assert!(said.contains("resource `one` (") && said.contains("resource `other` ("), "{said}");
        assert_eq!(said.matches(here).count(), 2, "{said}");
        assert!(!said.contains("problems"), "{said}");
    }
    for (one, other) in [
        ("note://{id}", "note://{+id}"),
        ("note://{id}", "note://{.id}"),
        ("note://{?a}", "note://{?b}"),
        ("note://{id}", "note://{id}/text"),
    ] {
        let registry = Registry::new().add([resource(one, "one"), resource(other, "other")]);
        assert!(registry.check().is_ok(), "{one} {other}");
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let tool = |name: &'static str| Tool::builder(name, "x");
    let registry = Registry::new()
        .add([
            tool("has space").handler(|_: Context, (): ()| async { Ok(()) }),
            tool("no_object").handler(|_: Context, _: Vec<u8>| async { Ok(()) }),
        ])
        .add([
            Resource::builder("bad://{", "bad", "x").handler(|_: Context, (): ()| async { Ok("") })
        ])
        .add([Resource::builder("x://{a}", "other", "x")
            .handler(|_: Context, (): ()| async { Ok("") })]);
    let said = registry.check().unwrap_err().to_string();
    for part in
        ["`has space`", "`no_object`", "its input is of the type `array`", "`bad://{`", "`{a}`"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(said.starts_with("the registry has 4 problems:"), "{said}");
}

async fn serve(server: genkit::mcp::McpServer) -> genkit::Result<()> {
    server.serve(tokio::io::empty(), tokio::io::sink()).await
}

#[tokio::test]
async fn nothing_to_serve_is_an_error_that_explains_linking() {
    let genkit = Genkit::builder().registry(Registry::new()).build().unwrap();
    let error = serve(genkit.serve_mcp()).await.unwrap_err().to_string();
    assert!(error.contains("use my_tools as _;"), "{error}");
    let genkit = Genkit::builder().registry(Registry::new().add(tools![one])).build().unwrap();
    let error = serve(genkit.serve_mcp().tagged("none")).await.unwrap_err().to_string();
    assert!(error.contains("check the filters `tagged`"), "{error}");
}

#[test]
fn annotated_functions_are_linked_and_looked_through() {
    // This program has two tools with the same name on purpose.
    let said = genkit::testing::check().unwrap_err().to_string();
    assert!(said.contains("tool `same`"), "{said}");
    assert!(Registry::global().tool("needs").is_some());
}

#[tokio::test]
async fn annotated_functions_can_still_be_called() {
    assert_eq!(one().await + two().await, 3);
    assert_eq!(needs(&Database).await, 3);
}

#[test]
fn custom_builder_does_not_change_the_global_registry() {
    let tool = Tool::builder("only_here", "x").handler(|_: Context, (): ()| async { Ok(()) });
    // The program has two tools with the same name on purpose, so this fails; that does not matter here.
    let _ = Genkit::builder().actions([tool]).state(Database).build();
    assert!(Registry::global().tool("only_here").is_none());
}

/// A handwritten schema of a type, which is known only at run time.
macro_rules! typed {
    ($($name:ident: $schema:tt)*) => {$(
        #[derive(serde::Deserialize)]
        struct $name;

        impl genkit::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut genkit::schemars::SchemaGenerator) -> genkit::schemars::Schema {
                genkit::schemars::json_schema!($schema)
            }
        }
    )*};
}

typed! {
    BadPattern: {"type": "string", "pattern": "("}
    NoTarget: {"$ref": "#/$defs/nowhere"}
    BadBound: {"type": "integer", "minimum": "one"}
    NoType: {"type": "text"}
    BadCount: {"type": "string", "minLength": -1}
    NoStep: {"type": "number", "multipleOf": 0}
    ListUnsupported: {"enum": "a"}
    BadNames: {"type": "object", "required": [1]}
}

/// Creates a tool for each of these types, with the type nested in plain types as its argument, and returns its line.
macro_rules! tools_of {
    ($($ty:ident)*) => {
        [$((
            stringify!($ty),
            Tool::builder(stringify!($ty), "x").handler(|_: Context, _: Around<$ty>| async { Ok(1_u8) }),
            line!(),
        )),*]
    };
}

#[derive(serde::Deserialize, genkit::schemars::JsonSchema)]
#[schemars(crate = "genkit::schemars")]
#[expect(dead_code, reason = "the functions that use them are never called")]
struct Around<T> {
    city: String,
    days: Option<u32>,
    value: T,
}

/// Most schemas are recognized as valid without being compiled, and tools with the same type share a schema. This must
/// not hide an error, wherever and however often it occurs.
#[test]
fn all_schema_errors_are_reported_at_startup_with_their_position() {
    let plain = (0..100).map(|n| {
        Tool::builder(format!("plain_{n}"), "x")
            .handler(|_: Context, _: Around<Option<i64>>| async { Ok(1_u8) })
    });
    assert!(Registry::new().add(plain.clone()).check().is_ok());
    let wrong =
        tools_of!(BadPattern NoTarget BadBound NoType BadCount NoStep ListUnsupported BadNames);
    let same = Tool::builder("same_type", "x")
        .handler(|_: Context, _: Around<BadPattern>| async { Ok(1_u8) });
    let registry = Registry::new().add(plain).add(wrong.iter().map(|(_, tool, _)| tool.clone()));
    let said = registry.add([same]).check().unwrap_err().to_string();
    let here = file!();
    for (name, _, line) in &wrong {
        assert!(said.contains(&format!("tool `{name}` ({here}:{line})")), "{name}: {said}");
    }
    assert!(said.contains("tool `same_type`"), "{said}");
    assert!(said.starts_with("the registry has 9 problems:"), "{said}");
}
