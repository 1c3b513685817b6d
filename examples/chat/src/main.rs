//! A chat in the browser, over AG-UI.
//!
//! ```text
//! cargo run -p chat                                   http://127.0.0.1:3400, with the offline model
//! GEMINI_API_KEY=.. cargo run -p chat -- gemini/gemini-2.5-flash
//! ```
//!
//! Try: weather in Rome · transfer 50 to Ada · paint_page red · fail. The page is `page.html`; it needs no build.

#![allow(clippy::print_stdout, reason = "an interactive program")]

use std::time::Duration;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use genkit::agui::AguiRequest;
use genkit::{Error, Result, tool, tools};
use offline::Offline;

const USAGE: &str = "usage: chat [MODEL]";

/// Returns the weather of a city.
#[tool]
async fn weather(city: String) -> String {
    tokio::time::sleep(Duration::from_millis(500)).await;
    format!("It is sunny in {city}.")
}

/// Transfers money to a person.
#[tool(needs_approval)]
async fn transfer(euros: u32, to: String) -> String {
    format!("{euros} euros were transferred to {to}.")
}

/// Fails, to show how a page receives the error.
#[tool]
async fn fail() -> Result<String> {
    Err(Error::invalid_argument("this tool always fails"))
}

/// Returns the page and the agent as one application.
fn app(model: Option<String>) -> Result<Router> {
    let agent = move |request: AguiRequest| {
        let model = model.clone();
        async move {
            let locale = request.forwarded_prop("locale").and_then(|it| it.as_str());
            let system = format!("Be brief. The user's locale is {}.", locale.unwrap_or("en"));
            let run = genkit::generate(()).system(system).tools(tools![weather, transfer, fail]);
            Ok(match model {
                Some(name) => run.model(name),
                None => run.model(Offline),
            })
        }
    };
    let chat = genkit::serve_agui(agent).forwarded_props(["locale"]).router()?;
    Ok(chat.route("/", get(|| async { Html(include_str!("page.html")) })))
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let model = std::env::args().nth(1);
    if model.as_deref().is_some_and(|argument| ["-h", "--help"].contains(&argument)) {
        println!("{USAGE}");
        return Ok(());
    }
    let app = app(model)?;
    let port = std::env::var("PORT").unwrap_or_else(|_| "3400".to_owned());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}
