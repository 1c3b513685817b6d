//! A model and a provider of your own: the page `providers` of the guide.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a person")]

use genkit::model::{
    self, GenerateChunk, Model, ModelInfo, ModelResponse, OpenAi, Provider, Supports,
};
use genkit::{Error, Genkit, Result};
use std::sync::Arc;

/// Models behind one address and one key: `house/echo`.
struct House {
    key: String,
}

impl Provider for House {
    fn name(&self) -> &str {
        "house"
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
        if self.key.is_empty() {
            return Err(Error::invalid_argument("house: HOUSE_API_KEY is not set"));
        }
        let info = ModelInfo::default().with_supports(Supports::text_only());
        let model = model::from_fn(format!("house/{name}"), |request, chunks| async move {
            // Here a request of your service's own format goes out.
            let said = request.messages.last().map(|message| message.text()).unwrap_or_default();
            for word in said.split_inclusive(' ') {
                chunks.send(GenerateChunk::from_text(word));
            }
            ModelResponse::from_text(said)
        });
        Ok(Arc::new(model.with_info(info)))
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    // A server that speaks OpenAI's chat completions needs no code at all.
    let gateway = OpenAi::builder().name("gateway").base_url("http://localhost:4000/v1").build()?;
    let genkit = Genkit::builder()
        .provider(House { key: "k1".to_owned() })
        .provider(gateway) // `gateway/gpt-4o-mini` and whatever else it has
        .default_model("house/echo")
        .build()?;
    println!("{}", genkit.generate("Hello, house!").await?.text());
    Ok(())
}
