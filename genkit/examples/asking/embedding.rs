//! Calls genkit from a synchronous program: the guide page `embedding`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::message::ToolRequest;
use genkit::{Error, ErrorKind, Genkit, Registry, Result, tool, tools};
use serde_json::json;
use std::sync::mpsc;

/// Adds two numbers.
#[tool]
async fn add_numbers(a: i64, b: i64) -> i64 {
    a + b
}

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;

    // A custom registry holds only the functions that are listed here.
    let registry = Registry::new().add(tools![add_numbers]);
    let genkit = Genkit::builder().registry(registry).build()?;

    // Run a server in the background until `stop` is sent.
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (told, address) = mpsc::channel();
    let server = genkit
        .serve_mcp()
        .http("127.0.0.1:0")
        .on_listening(move |at| _ = told.send(at))
        .shutdown(async move { _ = stopped.await });
    let server = runtime.spawn(server.run()); // `spawn` needs a future, not a builder
    println!("serving at {:?}", address.recv().ok());

    // Call a tool from a synchronous thread.
    let call = ToolRequest::new("add_numbers", json!({"a": 2, "b": 40}));
    let answer = runtime.block_on(genkit.call_tool(&call).run())?;
    println!("{:?}", answer.response().map(|response| &response.output));

    _ = stop.send(());
    let ended = runtime.block_on(server);
    ended.map_err(|_| Error::new(ErrorKind::Internal, "the server panicked"))??;
    Ok(())
}
