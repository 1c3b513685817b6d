//! Prompts of every kind over MCP.

use genkit::action::PromptOptions;
use genkit::mcp::rmcp::{RawClient as _, RawItem as _};
use genkit::testing::Client;
use genkit::{Context, Genkit, Message, Part, Prompt, Registry, prompt, prompts, tool, tools};
use serde_json::{Map, Value, json};

use super::folder::Folder;

/// Tells the weather.
#[tool]
async fn weather(city: String) -> String {
    city
}

/// Looks at pictures.
#[prompt]
async fn look() -> Vec<Message> {
    vec![
        Message::system("You see."),
        Message::user("This:")
            .with(Part::image("image/png", b"png"))
            .with(Part::media("https://example.com/b.png", "image/png"))
            .with(Part::resource_text("note://1", "text/plain", "a note")),
        Message::model("A cat."),
    ]
}

async fn client(folder: &Folder) -> Client {
    let made = Prompt::builder("made", "Made at run time.")
        .argument("city", "The city.")
        .optional_argument("style", "How.")
        .options(PromptOptions::default().with_model("m").with_tools(tools![weather]))
        .handler(|_: Context, input: Map<String, Value>| async move { Ok(format!("{input:?}")) });
    let registry = Registry::new().add(prompts![look]).add(made);
    let genkit = Genkit::builder().registry(registry).prompts_dir(folder.path()).build().unwrap();
    Client::connect(genkit.serve_mcp()).await.unwrap()
}

fn trip() -> Folder {
    let text = r#"---
title: Trip
description: Plans a trip
model: house/planner
config: {temperature: 0.5, apiKey: sk-secret}
tools: [weather]
input:
  schema:
    city: string, the city
    days: integer, how many
    slow?: boolean
    style?(enum, how it is written): [short, long]
    stops?(array): string
  default: {days: 3}
---
{{role "system"}}You plan.
{{role "user"}}{{city}}, {{days}}, {{slow}}, {{style}}, {{json stops}}{{section "output"}}{{media url="https://example.com/a.png"}}
{{role "model"}}Well ..
"#;
    Folder::new([("sub/trip.formal.prompt", text)])
}

#[tokio::test]
async fn file_is_listed_with_its_arguments() {
    let folder = trip();
    let client = client(&folder).await;
    let listed = client.prompts().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|prompt| prompt.name()).collect();
    assert_eq!(names, ["look", "made", "sub/trip.formal"]);
    let shown = serde_json::to_value(listed[2].raw()).unwrap();
    assert_eq!(
        shown,
        json!({
            "name": "sub/trip.formal", "title": "Trip", "description": "Plans a trip",
            "arguments": [
                {"name": "city", "description": "the city", "required": true},
                {"name": "days", "description": "how many (a whole number)", "required": false},
                {"name": "slow", "description": "one of: true, false", "required": false},
                {"name": "style", "description": "how it is written (one of: short, long)", "required": false},
                {"name": "stops", "description": "a JSON list", "required": false},
            ],
        })
    );
    assert_eq!(client.complete("sub/trip.formal", "style", "s").await.unwrap(), ["short"]);
    assert_eq!(client.complete("sub/trip.formal", "slow", "").await.unwrap(), ["true", "false"]);
}

#[tokio::test]
async fn file_is_rendered_from_texts() {
    let folder = trip();
    let client = client(&folder).await;
    let given = json!({"city": "7", "slow": "true", "style": "", "stops": "[\"a\"]"});
    let reply = client.raw_prompt("sub/trip.formal", given).await.unwrap();
    let reply = serde_json::to_value(reply).unwrap();
    let texts: Vec<_> = reply["messages"].as_array().unwrap().iter().collect();
    assert_eq!(
        texts[0],
        &json!({"role": "user", "content": {"type": "text", "text": "You plan.\n"}})
    );
    assert_eq!(texts[1]["content"]["text"], "7, 3, true, , [\"a\"]");
    assert_eq!(texts[2]["content"]["type"], "resource_link");
    assert_eq!(texts[2]["content"]["uri"], "https://example.com/a.png");
    assert_eq!((texts[3]["role"].as_str(), texts.len()), (Some("assistant"), 4));
    assert_eq!(
        reply["_meta"]["genkit/prompt"],
        json!({"model": "house/planner", "config": {"temperature": 0.5}, "tools": ["weather"]})
    );
    for (given, said) in [
        (json!({}), "is missing required arguments: `city`"),
        (json!({"city": "a", "days": "many"}), "days"),
        (json!({"city": "a", "style": "loud"}), "style"),
    ] {
        let error = client.raw_prompt("sub/trip.formal", given).await.unwrap_err().to_string();
        assert!(error.starts_with("-32602: ") && error.contains(said), "{error}");
    }
}

#[tokio::test]
async fn function_and_a_builder_are_served_alike() {
    let folder = trip();
    let client = client(&folder).await;
    let reply = serde_json::to_value(client.raw_prompt("look", json!({})).await.unwrap()).unwrap();
    let shown: Vec<(&str, &str)> = reply["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["role"].as_str().unwrap(), m["content"]["type"].as_str().unwrap()))
        .collect();
    let user = |kind| ("user", kind);
    let all = [
        user("text"),
        user("text"),
        user("image"),
        user("resource_link"),
        user("resource"),
        ("assistant", "text"),
    ];
    assert_eq!(shown, all);
    assert!(reply.get("_meta").is_none());
    let reply = client.raw_prompt("made", json!({"city": "5"})).await.unwrap();
    let reply = serde_json::to_value(reply).unwrap();
    assert_eq!(reply["messages"][0]["content"]["text"], r#"{"city": String("5")}"#);
    assert_eq!(reply["_meta"]["genkit/prompt"], json!({"model": "m", "tools": ["weather"]}));
    let error = client.raw_prompt("made", json!({"city": "a", "town": "b"})).await.unwrap_err();
    assert!(error.to_string().contains("town"), "{error}");
}
