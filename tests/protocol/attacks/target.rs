//! A server in this process with features that the examples lack: tools that never finish, changes of any size, and
//! callers with names.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use genkit::action::CompleteRequest;
use genkit::mcp::McpServer;
use genkit::mcp::server::Principal;
use genkit::{
    Chunks, Context, Genkit, Registry, Result, prompt, prompts, resource, resources, tool, tools,
};
use serde_json::json;
use tokio::runtime::Runtime;

/// The number of loops of [`restless`] that are running.
pub(super) static RESTLESS: AtomicUsize = AtomicUsize::new(0);

/// The number of completions in progress.
pub(super) static SUGGESTING: AtomicUsize = AtomicUsize::new(0);

/// Increments a counter until it is dropped.
struct Counted(&'static AtomicUsize);

impl Counted {
    fn new(count: &'static AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns its argument.
#[tool]
async fn echo(text: String) -> String {
    text
}

/// Notifies clients this number of times that a resource has changed.
#[tool]
async fn touch(ctx: &Context, uri: String, times: u32) -> u32 {
    for _ in 0..times {
        ctx.resource_updated(&uri);
        tokio::task::yield_now().await;
    }
    times
}

/// Tells its caller something for ever, and never waits for anything else.
#[tool(timeout = "5m")]
async fn restless(ctx: &Context, chunks: &Chunks<u32>, how: String) -> String {
    let _counted = Counted::new(&RESTLESS);
    loop {
        match how.as_str() {
            "progress" => ctx.progress((1.0, 2.0)).await,
            "log" => ctx.debug("nobody wants to know").await,
            "info" => ctx.info("everybody reads this").await,
            _ => chunks.send(1).await.expect("a number"),
        }
    }
}

/// Asks, then says the answer.
#[tool]
async fn ask(ctx: &Context, message: String) -> Result<String> {
    let form = json!({ "type": "object", "properties": { "word": { "type": "string" } } });
    Ok(format!("{:?}", ctx.elicit_form(message, form).await?))
}

/// Takes this number of milliseconds.
#[tool(timeout = "5m")]
async fn sleep(millis: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(millis)).await;
    millis
}

/// Says who calls.
#[tool]
async fn whoami(ctx: &Context) -> String {
    ctx.extension::<Principal>().map_or("nobody", Principal::id).to_owned()
}

/// Has an argument whose suggestions take a minute.
#[prompt]
async fn slow_prompt(#[arg(complete = slowly)] word: String) -> String {
    word
}

async fn slowly(_: CompleteRequest) -> Result<Vec<String>> {
    let _counted = Counted::new(&SUGGESTING);
    tokio::time::sleep(Duration::from_secs(60)).await;
    Ok(Vec::new())
}

/// A resource of any name.
#[resource("any://{+name}")]
async fn any(name: String) -> String {
    name
}

/// Returns the server with all of these features.
pub(super) fn server() -> McpServer {
    let registry = Registry::new()
        .add(tools![echo, touch, restless, ask, sleep, whoami])
        .add(prompts![slow_prompt])
        .add(resources![any]);
    Genkit::builder().registry(registry).build().expect("a program").serve_mcp()
}

/// The running server.
pub(super) struct Target {
    pub(super) address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Target {
    /// Serves with the server's own listener, on two threads.
    pub(super) fn serve(server: McpServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let runtime = runtime();
        runtime.spawn(server.listener(listener).run());
        Self { address, runtime: Some(runtime) }
    }

    /// Serves as a part of an app that identifies callers by a header.
    pub(super) fn with_principals(server: McpServer) -> Self {
        async fn name(mut request: Request, next: Next) -> Response {
            let name = request.headers().get("x-name").and_then(|name| name.to_str().ok());
            if let Some(name) = name.map(str::to_owned) {
                request.extensions_mut().insert(Principal::new(name));
            }
            next.run(request).await
        }
        let app = server.router().expect("a router").layer(middleware::from_fn(name));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a listener of tokio");
        let runtime = runtime();
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            axum::serve(listener, app).await
        });
        Self { address, runtime: Some(runtime) }
    }
}

fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().expect("a runtime")
}

impl Drop for Target {
    fn drop(&mut self) {
        // Do not wait for work that never finishes.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
