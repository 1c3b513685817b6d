//! Prompts: typed arguments, several messages, completion.

mod embedded;
mod files;
pub mod folder;
mod running;
mod seeds;
mod served;

use genkit::action::{CompleteRequest, PromptReply};
use genkit::mcp::rmcp::{RawClient as _, RawItem as _};
use genkit::testing::Client;
use genkit::{Message, Part, Result, Role, prompt, prompts};
use serde_json::json;

use crate::serving;

#[derive(Clone, Copy, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Stern,
}

/// Writes a letter.
#[prompt(title = "Letter", version = "2.1", metadata = {"owner": "post"})]
async fn letter(
    /// Who gets it.
    #[arg(complete = people)]
    to: String,
    /// How long it is.
    words: u32,
    #[arg(default = Tone::Kind)] tone: Tone,
    urgent: Option<bool>,
    tags: Option<Vec<String>>,
) -> Result<PromptReply> {
    let tone = serde_json::to_string(&tone)?;
    Ok(PromptReply::new([
        Message::user(format!("To {to}: {words} words, {tone}, {urgent:?}, {tags:?}"))
            .with(Part::resource_text("letter://last", "text/plain", "Dear Bob")),
        Message::model("I will write it."),
    ])
    .with_description("A letter"))
}

async fn people(asked: CompleteRequest) -> Vec<String> {
    let tone = asked.other("tone").unwrap_or("any").to_owned();
    (0..150).map(|n| format!("{}{n}-{tone}", asked.value())).collect()
}

/// Lists a few cities.
#[prompt]
async fn city(#[arg(complete = ["Oslo", "Osaka", "Paris"])] name: String) -> String {
    name
}

async fn client() -> Client {
    Client::connect(serving(prompts![letter, city])).await.unwrap()
}

#[tokio::test]
async fn arguments_are_described_from_the_signature() {
    let listed = client().await.prompts().await.unwrap();
    let arguments = listed[1].arguments();
    assert_eq!((listed[1].name(), arguments.len(), arguments[0].required), ("letter", 5, true));
    assert_eq!(
        serde_json::to_value(listed[1].raw()).unwrap(),
        json!({
            "name": "letter", "title": "Letter", "description": "Writes a letter.",
            "_meta": {"owner": "post", "version": "2.1"},
            "arguments": [
                {"name": "to", "description": "Who gets it.", "required": true},
                {"name": "words", "description": "How long it is. (a whole number)", "required": true},
                {"name": "tone", "description": "one of: kind, stern", "required": false},
                {"name": "urgent", "description": "one of: true, false", "required": false},
                {"name": "tags", "description": "a JSON list", "required": false}
            ]
        })
    );
}

#[tokio::test]
async fn arguments_are_parsed_from_strings() {
    let client = client().await;
    let given = json!({"to": "5", "words": "200", "urgent": "true", "tags": "[\"a\"]"});
    let typed = client.get_prompt("letter", &given).await.unwrap();
    let roles: Vec<_> = typed.messages().iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::User, Role::Model]);
    assert_eq!(typed.messages()[2].text(), "I will write it.");
    let reply = client.raw_prompt("letter", &given).await.unwrap();
    let reply = serde_json::to_value(reply).unwrap();
    assert_eq!(reply["description"], "A letter");
    let text = r#"To 5: 200 words, "kind", Some(true), Some(["a"])"#;
    assert_eq!(
        reply["messages"][0],
        json!({"role": "user", "content": {"type": "text", "text": text}})
    );
    assert_eq!(reply["messages"][1]["content"]["resource"]["text"], "Dear Bob");
    assert_eq!(reply["messages"][2]["role"], "assistant");
    // A field that a user leaves empty in a form counts as missing.
    let given = json!({"to": "Bob", "words": "1", "urgent": "", "tone": "stern"});
    let reply = serde_json::to_value(client.raw_prompt("letter", given).await.unwrap()).unwrap();
    let text = r#"To Bob: 1 words, "stern", None, None"#;
    assert_eq!(reply["messages"][0]["content"]["text"], text);
}

#[tokio::test]
async fn missing_and_malformed_arguments_are_named() {
    let client = client().await;
    let said = client.get_prompt("letter", json!({})).await.unwrap_err().to_string();
    assert_eq!(said, "-32602: prompt `letter` is missing required arguments: `to`, `words`");
    let given = json!({"to": "Bob", "words": "many"});
    let said = client.get_prompt("letter", given).await.unwrap_err().to_string();
    assert!(said.starts_with("-32602: prompt `letter`: at `words`: "), "{said}");
    let said = client.get_prompt("leter", json!({})).await.unwrap_err().to_string();
    assert_eq!(said, "-32602: Unknown prompt: leter. Did you mean `letter`?");
}

#[tokio::test]
async fn arguments_are_completed() {
    let client = client().await;
    assert_eq!(client.complete("city", "name", "os").await.unwrap(), ["Oslo", "Osaka"]);
    assert_eq!(client.complete("letter", "tone", "").await.unwrap(), ["kind", "stern"]);
    assert_eq!(client.complete("letter", "urgent", "t").await.unwrap(), ["true"]);
    let many = client.complete("letter", "to", "x").await.unwrap();
    assert_eq!((many.len(), many[0].as_str()), (100, "x0-any"));
    assert!(client.complete("letter", "nobody", "").await.is_err());
    assert!(client.complete("nothing", "to", "").await.is_err());
}
