//! The cost of encoding a request, for each provider that is compiled in.

use std::sync::Arc;
use std::time::Instant;

use genkit::message::ToolRequest;
use genkit::model::{Model, ModelRequest, ToolDefinition};
use genkit::{Message, Part, Role};
use serde_json::json;

/// The number of tool rounds in one history.
const ROUNDS: usize = 20;

/// Prints microseconds per turn: for bodies encoded from scratch, and for the loop, which reuses encoded messages.
pub(crate) fn report(samples: usize) {
    println!(
        "encoding a turn of {ROUNDS} with 2 calls each and 8 tools, us; the loop keeps the front"
    );
    for (name, model) in providers() {
        let time = |kept: bool| {
            let mut each: Vec<f64> = (0..samples).map(|_| history(&*model, kept)).collect();
            each.sort_by(f64::total_cmp);
            each[each.len() / 2]
        };
        let (whole, kept) = (time(false), time(true));
        println!("{name:<18} whole {whole:>6.1}; kept {kept:>6.1}");
    }
}

fn providers() -> Vec<(&'static str, Arc<dyn Model>)> {
    let mut all: Vec<(&'static str, Arc<dyn Model>)> = Vec::new();
    let gemini = genkit::model::Gemini::builder().api_key("KEY").build().unwrap();
    all.push(("gemini", gemini.model("gemini-2.5-flash")));
    #[cfg(feature = "openai")]
    {
        let openai = genkit::model::OpenAi::builder().api_key("KEY").build().unwrap();
        all.push(("openai", openai.model("gpt-4o")));
    }
    #[cfg(feature = "openai-responses")]
    {
        let openai = genkit::model::OpenAiResponses::builder().api_key("KEY").build().unwrap();
        all.push(("openai-responses", openai.model("gpt-5")));
    }
    #[cfg(feature = "anthropic")]
    {
        let anthropic = genkit::model::Anthropic::builder().api_key("KEY").build().unwrap();
        all.push(("anthropic", anthropic.model("claude-sonnet-4-6")));
    }
    #[cfg(feature = "ollama")]
    {
        let ollama = genkit::model::Ollama::builder().build().unwrap();
        all.push(("ollama", ollama.model("qwen3")));
    }
    all
}

/// Returns the microseconds per turn of one run.
fn history(model: &dyn Model, kept: bool) -> f64 {
    let tools = (0..8).map(|n| {
        ToolDefinition::new(format!("tool_{n}"), "Does what its name says.").with_input_schema(json!({
            "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        }))
    });
    let asked = [Message::system("Be brief."), Message::user("How is the weather there?")];
    let mut request = ModelRequest::new(asked).with_tools(tools);
    if kept {
        request = request.with_encoding_cache();
    }
    let mut micros = 0.0;
    for round in 0..ROUNDS {
        let started = Instant::now();
        let body = model.body(&request, true).unwrap().unwrap();
        micros += started.elapsed().as_secs_f64() * 1e6;
        assert!(body.len() > 500 * round);
        let call = |n: usize| {
            ToolRequest::new(format!("tool_{n}"), json!({"city": "Baltimore", "days": n}))
                .with_id(format!("call_{round}_{n}"))
        };
        let said = "It is 63 degrees and sunny in Baltimore, and will be so tomorrow. ".repeat(4);
        let answer = |n| Part::from(call(n).respond(json!({"said": &said, "days": n})));
        request.messages.push(Message::model(call(0)).with(call(1)));
        request.messages.push(Message::new(Role::Tool, [answer(0), answer(1)]));
    }
    micros / ROUNDS as f64
}
