//! Serves prompts to clients and runs one: the guide page `prompts`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::action::CompleteRequest;
use genkit::{Message, Prompt, Registry, Result, prompt};
use serde_json::json;

async fn languages(asked: CompleteRequest) -> Vec<String> {
    let known = ["English", "Finnish", "French"];
    let matching = known.iter().filter(|name| name.starts_with(asked.value()));
    matching.map(ToString::to_string).collect()
}

/// Translates text.
#[prompt(title = "Translate", config = { "temperature": 0.2 })]
async fn translate(
    text: String,
    #[arg(complete = languages)] into: String,
    #[arg(default = 1, complete = ["1", "2", "3"])] drafts: u8,
) -> Vec<Message> {
    vec![
        Message::system("Reply with the translation only."),
        Message::user(format!("Into {into}, {drafts} drafts:\n{text}")),
    ]
}

#[tokio::main]
async fn main() -> Result<()> {
    // A prompt can also be built from a template at run time.
    let greeting = Prompt::builder("greeting", "Greets a person.")
        .template("Greet {{name}}{{#if formal}} formally{{/if}}, in one line.")?;
    Registry::global().insert(greeting)?;

    let input = json!({"name": "Ada", "formal": true});
    let asked = genkit::prompt("greeting").input(input);
    println!("{}", asked.clone().render().await?.messages[0].text());
    println!("{}", asked.model("gemini/gemini-2.5-flash").await?.text());

    genkit::serve_mcp().name("prompts").cli().await // clients see both
}
