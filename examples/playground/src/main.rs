//! One action of every kind, for Genkit's Developer UI and CLI.
//!
//! ```text
//! genkit start -- cargo run -p playground   then http://localhost:4000
//! genkit flow:run shout '{"text": "hello"}' -s
//! ```

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod actions;

use genkit::evaluate::metrics;
use genkit::model::{self, GenerateChunk, ModelInfo, Supports};
use genkit::{Genkit, Result};

const USAGE: &str = "usage: genkit start -- playground\n\nOffers one action of each kind to Genkit's Developer UI and CLI.";

#[tokio::main]
async fn main() -> Result<()> {
    if std::env::args().skip(1).any(|argument| ["-h", "--help"].contains(&argument.as_str())) {
        println!("{USAGE}");
        return Ok(());
    }
    genkit::log_to_stderr();
    // A model that repeats its input in two chunks.
    let supports = Supports::text_only().with_tools(true);
    let info = ModelInfo::default().with_label("Echo").with_supports(supports);
    let echo = model::from_fn("house/echo", |request, chunks| async move {
        let said = request.messages.last().map(|message| message.text()).unwrap_or_default();
        chunks.send(GenerateChunk::from_text("echo: "));
        chunks.send(GenerateChunk::from_text(said.clone()));
        format!("echo: {said}")
    });
    let genkit = Genkit::builder()
        .actions(actions::haiku())
        .actions(metrics::deep_equal())
        .actions(actions::shortest())
        .actions(actions::clerk()?)
        .embedder(actions::vowels())
        .default_model(echo.with_info(info))
        .build()?;
    genkit::dev::wait_with(&genkit).await
}

#[cfg(test)]
mod tests {
    #[test]
    fn registry_is_sound() {
        genkit::testing::check().unwrap();
    }
}
