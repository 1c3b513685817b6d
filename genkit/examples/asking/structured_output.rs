//! Streams a typed response: the guide page `structured_output`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::Result;
use schemars::JsonSchema;
use serde::Deserialize;

/// A recipe. Fields that arrive late in a stream have a default.
#[derive(Debug, Deserialize, JsonSchema)]
struct Recipe {
    /// The name of the dish.
    name: String,
    #[serde(default)]
    ingredients: Vec<String>,
    /// The cooking time in minutes.
    #[schemars(range(min = 1, max = 600))]
    minutes: Option<u32>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let recipe = genkit::generate("A soup for a rainy day, please.")
        .model("gemini/gemini-2.5-flash")
        .extract::<Recipe>()
        .validate(|recipe| match recipe.ingredients.len() {
            // The model receives this error and tries again, once by default.
            0 => Err("the recipe has no ingredients"),
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
