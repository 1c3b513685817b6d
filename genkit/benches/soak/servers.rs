//! The servers under test. This program starts itself as one of them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use genkit::mcp::host::ServerConfig;
use genkit::mcp::{McpHost, McpServer};
use genkit::{Context, Genkit, Registry, Result, Tool, prompt, prompts, tool, tools};
use serde_json::{Value, json};

use crate::sessions;

/// The number of running functions that wait for their user's answer.
static ASKING: AtomicUsize = AtomicUsize::new(0);

/// Counts one waiting function until it is dropped.
struct Asking;

impl Asking {
    fn begin() -> Self {
        ASKING.fetch_add(1, Relaxed);
        Self
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        ASKING.fetch_sub(1, Relaxed);
    }
}

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Reports its progress.
#[tool]
async fn steps(ctx: &Context, count: u32) -> u32 {
    for step in 0..count {
        ctx.progress((f64::from(step), f64::from(count))).await;
    }
    count
}

/// Asks the user for a word.
#[tool]
async fn ask(ctx: &Context, message: String) -> Result<String> {
    let _asking = Asking::begin();
    let form = json!({ "type": "object", "properties": { "word": { "type": "string" } } });
    let answer: Value = ctx.elicit_form(message, form).await?.accepted()?;
    Ok(answer["word"].as_str().unwrap_or_default().to_owned())
}

/// Counts open questions, sessions and tasks.
#[tool]
async fn open() -> Value {
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    json!([ASKING.load(Relaxed), sessions::open(), tasks])
}

/// Notifies that a resource changed.
#[tool]
async fn touch(ctx: &Context, uri: String) -> String {
    ctx.resource_updated(&uri);
    uri
}

/// Adds a tool and removes it again.
#[tool]
async fn change(registry: &Changing) -> Result<()> {
    let passing = Tool::builder("passing", "Here for a moment.")
        .handler(|_: Context, (): ()| async { Ok(()) });
    registry.0.insert(passing)?;
    registry.0.remove_tool("passing");
    Ok(())
}

/// Greets.
#[prompt]
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

struct Changing(Registry);

/// Serves until it receives the request to stop.
pub(crate) fn serve(name: &str, rest: &[String]) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let work = async {
        match (name, rest) {
            ("server", [address, lifetime]) => {
                sessions::count();
                within(server(), lifetime).http(address.clone()).await
            }
            ("child", [_mark]) => server().await,
            ("proxy", [address, lifetime, mark]) => proxy(address, lifetime, mark).await,
            _ => panic!("unknown server {name}"),
        }
    };
    runtime.block_on(work).unwrap();
}

/// Sets the lifetime of sessions and questions, in seconds; 0 is the library's default.
fn within(server: McpServer, seconds: &str) -> McpServer {
    match Duration::from_secs(seconds.parse().unwrap()) {
        Duration::ZERO => server,
        time => server.question_timeout(time).session_timeout(time),
    }
}

fn server() -> McpServer {
    let tools = tools![add, steps, ask, open, touch, change];
    let registry = Registry::new().add(tools).add(prompts![greet]);
    let changing = Changing(registry.clone());
    let genkit = Genkit::builder().registry(registry).state(changing).build().unwrap();
    genkit.serve_mcp().name("soak")
}

async fn proxy(address: &str, lifetime: &str, mark: &str) -> Result<()> {
    let program = std::env::current_exe().unwrap();
    let child = || ServerConfig::stdio(&program).args(["--serve", "child", mark]);
    let host = McpHost::builder().server("a", child()).server("b", child()).build()?;
    let genkit = Genkit::builder().registry(Registry::new()).build()?;
    let proxy = within(genkit.serve_mcp().name("proxy").host(&host), lifetime);
    let served = proxy.http(address.to_owned()).await;
    host.close().await;
    served
}
