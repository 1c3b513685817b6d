//! A custom model and a custom provider: the guide page `providers`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::model::{
    self, GenerateChunk, Model, ModelInfo, ModelResponse, OpenAi, Provider, Supports,
};
use genkit::{Error, Genkit, Result};
use std::sync::Arc;

/// A provider whose models are named `house/NAME`, such as `house/echo`.
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
        let name = format!("house/{name}");
        let model = model::from_fn(name, |request, chunks| async move {
            // Send a request in your service's format here.
            let said = request.messages.last().map(|last| last.text());
            let said = said.unwrap_or_default();
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
    // A server with an OpenAI-compatible API needs no code.
    let gateway = OpenAi::builder().name("gateway");
    let gateway = gateway.base_url("http://localhost:4000/v1").build()?;
    let genkit = Genkit::builder()
        .provider(House { key: "k1".to_owned() })
        .provider(gateway) // `gateway/gpt-4o-mini` and every other model of that server
        .default_model("house/echo")
        .build()?;
    println!("{}", genkit.generate("Hello, house!").await?.text());
    Ok(())
}
