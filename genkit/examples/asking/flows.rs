//! Serves a flow over HTTP and calls it: the guide page `flows`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::{Chunks, Context, Error, ErrorKind, Result, flow, flows};
use serde_json::json;

/// Writes a poem, line by line.
#[flow]
async fn write_poem(
    ctx: &Context,
    chunks: &Chunks<String>,
    /// What the poem is about.
    topic: String,
) -> Result<String> {
    let title = async { Ok::<_, Error>(format!("On {topic}")) };
    let title = ctx.step("title", title).await?; // a span in the trace; it is not saved
    let user = ctx.auth()["user"].as_str().unwrap_or("a guest"); // from the token
    for line in [&title, "It comes and goes,", &format!("as {user} knows.")] {
        chunks.send(line.to_owned()).await?;
    }
    Ok(title)
}

async fn call_it(address: std::net::SocketAddr) -> Result<()> {
    let call = genkit::flow_client(format!("http://{address}/write_poem"))
        .input(json!({"topic": "rain"}))
        .bearer("ada-7f3a")
        .output::<String>()
        .chunks::<String>();
    let mut stream = call.stream();
    while let Some(line) = stream.next().await {
        println!("{}", line?);
    }
    println!("= {}", stream.response().await?);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let (told, listening) = tokio::sync::oneshot::channel();
    let server = genkit::serve_flows()
        .http("127.0.0.1:0")
        .context_provider(flows::bearer(|token: String| async move {
            match token.split_once('-') {
                Some((user, "7f3a")) => Ok(json!({ "user": user })), // your check
                _ => Err(Error::new(ErrorKind::Unauthenticated, "unknown").into()),
            }
        }))
        .durable_streams(true)
        .on_listening(|address| _ = told.send(address));
    tokio::spawn(server.run());
    call_it(listening.await.map_err(|_| Error::not_found("the server ended"))?).await
}
