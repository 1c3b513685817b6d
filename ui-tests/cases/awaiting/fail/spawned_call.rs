// mistakes: 2

use genkit::message::ToolRequest;
use genkit::{Flow, Tool, flow, tool};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Greets.
#[flow]
async fn greet(name: String) -> String {
    name
}

fn main() {
    let _ = tokio::spawn(Tool::of::<add>().call(&ToolRequest::new("add", ())));
    let _ = tokio::spawn(Flow::of::<greet>().run("Ada"));
}
