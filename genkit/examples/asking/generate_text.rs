//! Streams the response from a model that calls a tool: the guide page `generate`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::{Result, tool, tools};
use std::io::Write as _;

/// Gets the current weather in a city.
#[tool(read_only)]
async fn get_weather(city: String) -> String {
    format!("63°F and sunny in {city}")
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut stream = genkit::generate("Briefly, what is the weather in Baltimore?")
        .model("gemini/gemini-2.5-flash")
        .system("You are a weather reporter.")
        .tools(tools![get_weather])
        .temperature(0.2)
        .max_turns(3)
        .stream();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        for call in chunk.tool_requests() {
            println!("[{} {}]", call.name, call.input);
        }
        print!("{}", chunk.text());
        std::io::stdout().flush()?;
    }
    let response = stream.response().await?;
    let messages = response.messages().len();
    println!("\n[{messages} messages, {:?}]", response.finish_reason);
    Ok(())
}
