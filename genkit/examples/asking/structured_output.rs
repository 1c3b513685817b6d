//! A typed answer, while it is being written: the page `structured_output` of the guide.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a person")]

use genkit::Result;
use schemars::JsonSchema;
use serde::Deserialize;

/// A recipe. What may come late in a stream has a default.
#[derive(Debug, Deserialize, JsonSchema)]
struct Recipe {
    /// What it is called.
    name: String,
    #[serde(default)]
    ingredients: Vec<String>,
    /// How long it takes, in minutes.
    #[schemars(range(min = 1, max = 600))]
    minutes: Option<u32>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let recipe = genkit::generate("A soup for a rainy day, please.")
        .model("gemini/gemini-2.5-flash")
        .extract::<Recipe>()
        .validate(|recipe| match recipe.ingredients.len() {
            0 => Err("it has no ingredients"), // goes back to the model, once by default
            _ => Ok(()),
        });
    let mut stream = recipe.stream();
    while let Some(chunk) = stream.next().await {
        chunk?;
        if let Some(so_far) = stream.output::<Recipe>() {
            println!("{}: {} ingredients", so_far.name, so_far.ingredients.len());
        }
    }
    let recipe: Recipe = stream.response().await?.output()?;
    println!("{} in {} minutes", recipe.name, recipe.minutes.unwrap_or(30));
    Ok(())
}
