//! `Registry::mount`: everything of one registry in another.

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Context, Genkit, Prompt, Registry, actions, flow, prompt, resource, tool};
use serde_json::json;

use super::eras;

struct Shop(&'static str);

/// Searches.
#[tool]
async fn search(shop: &Shop, words: String) -> String {
    format!("{words} at {}", shop.0)
}

/// Asks for a poem.
#[prompt]
async fn poem(#[arg(complete = ["rain", "snow"])] topic: String) -> String {
    format!("A poem about {topic}, please.")
}

/// A note by its number.
#[resource("note://{id}", name = "note", mime_type = "text/plain")]
async fn note(ctx: &Context, id: u64) -> String {
    format!("note {id} at {}", ctx.uri().unwrap_or_default())
}

/// Greets.
#[flow]
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

fn shop() -> Registry {
    let ask = Prompt::builder("ask", "Asks with tools.")
        .tools(["search", "elsewhere"])
        .handler(|_: Context, _: serde_json::Value| async { Ok("Find milk.") });
    Registry::new().add(actions![search, poem, note, greet]).add(ask)
}

#[tokio::test]
async fn all_kinds_are_there_under_the_prefix() {
    let registry = Registry::new().add(actions![search]).mount("shop", &shop()).mount("b", &shop());
    registry.check().unwrap();
    let genkit = Genkit::builder().registry(registry).state(Shop("the shop")).build().unwrap();
    assert_eq!(genkit.run_flow("shop_greet", json!({"name": "Ada"})).await.unwrap(), "Hello, Ada!");
    for builder in eras() {
        let client = builder().connect(genkit.serve_mcp()).await.unwrap();
        let names = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let tools = client.tools().await.unwrap();
        let tools = names(tools.iter().map(|tool| tool.name()).collect());
        assert_eq!(tools, ["b_search", "search", "shop_search"]);
        let result = client.call_tool("shop_search", json!({"words": "milk"})).await.unwrap();
        assert_eq!(result.text(), "milk at the shop");
        let poem = client.get_prompt("shop_poem", json!({"topic": "rain"})).await.unwrap();
        assert_eq!(poem.messages()[0].text(), "A poem about rain, please.");
        assert_eq!(client.complete("b_poem", "topic", "s").await.unwrap(), ["snow"]);
        let read = client.read_resource("note://shop/7").await.unwrap();
        assert_eq!(read[0].as_text(), Some("note 7 at note://shop/7"));
        assert!(client.read_resource("note://7").await.is_err());
        let templates = client.resource_templates().await.unwrap();
        let uris = names(templates.iter().map(|template| template.uri_template()).collect());
        assert_eq!(uris, ["note://b/{id}", "note://shop/{id}"]);
        assert_eq!(templates[1].name(), "shop_note");
    }
}

/// A prompt names a tool of its own registry.
#[tokio::test]
async fn prompt_finds_the_tools_next_to_it() {
    let elsewhere = genkit::Tool::builder("elsewhere", "Looks elsewhere.")
        .input_schema(json!({"type": "object"}))
        .handler(|_: Context, _: serde_json::Value| async { Ok("nothing") });
    let registry = Registry::new().add(elsewhere).mount("shop", &shop());
    let genkit = Genkit::builder().registry(registry).state(Shop("the shop")).build().unwrap();
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new(
            "shop_search",
            json!({"words": "milk"}),
        )]),
        ModelResponse::from_text("Found."),
    ]);
    genkit.prompt("shop_ask").model(model.clone()).await.unwrap();
    assert_eq!(model.tool_outputs("shop_search"), ["milk at the shop"]);
    let offered: Vec<String> =
        model.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(offered, ["shop_search", "elsewhere"]);
}

#[test]
fn errors_are_found_by_the_check() {
    let twice = Registry::new().mount("a", &shop()).mount("a", &shop()).check().unwrap_err();
    assert!(twice.to_string().contains("have the same name"), "{twice}");
    // A registry that was invalid before it was mounted is still invalid.
    let broken = Registry::new().add(actions![search]).add(actions![search]);
    assert!(Registry::new().mount("a", &broken).check().is_err());
    // A registry mounted in itself is a copy.
    let registry = shop();
    let own = registry.clone().mount("own", &registry);
    assert_eq!(own.tools().len(), 2);
    own.check().unwrap();
}

/// A prefix cannot be derived from the names of actions, of which there may be none, so it is stored separately.
#[test]
fn invalid_prefix_is_reported_with_its_location() {
    for prefix in ["", "a b", "a/b", "shop.", "größe", "a\nb", &"x".repeat(63)] {
        let (registry, line) = (Registry::new().mount(prefix, &shop()), line!());
        let error = registry.check().unwrap_err();
        assert_eq!(error.kind(), genkit::ErrorKind::FailedPrecondition);
        let (error, place) = (error.to_string(), format!("{}:{line}: ", file!()));
        assert!(error.starts_with(&place), "{error}");
        assert!(
            error.contains("a prefix must be 1 to 62 characters long (`A-Z a-z 0-9 _ -`)"),
            "{error}"
        );
        assert!(!error.contains('\n'), "one error, one line: {error}");
        assert!(registry.is_empty());
        assert!(Registry::new().mount(prefix, &Registry::new()).check().is_err());
        let starts = genkit::Genkit::builder().registry(registry).build();
        let starts = starts.and_then(|genkit| genkit.serve_mcp().router().map(drop));
        assert!(starts.unwrap_err().to_string().contains(&place), "found at start-up");
    }
    Registry::new().mount("a-B_9", &shop()).check().unwrap();
}
