//! The servers under test: this program starts itself as one of them.

use genkit::mcp::McpHost;
use genkit::mcp::host::ServerConfig;
use genkit::{Context, Genkit, Registry, Result, Tool, prompt, prompts, tool, tools};
use serde_json::json;

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Tells how far it is.
#[tool]
async fn steps(ctx: &Context, count: u32) -> u32 {
    for step in 0..count {
        ctx.progress((f64::from(step), f64::from(count))).await;
    }
    count
}

/// Asks its user for a word.
#[tool]
async fn ask(ctx: &Context, message: String) -> Result<String> {
    let form = json!({ "type": "object", "properties": { "word": { "type": "string" } } });
    let answer: serde_json::Value = ctx.elicit_form(message, form).await?.accepted()?;
    Ok(answer["word"].as_str().unwrap_or_default().to_owned())
}

/// Tells that a resource changed.
#[tool]
async fn touch(ctx: &Context, uri: String) -> String {
    ctx.resource_updated(&uri);
    uri
}

/// Adds a tool and takes it out again.
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

/// Serves until it is told to stop.
pub(crate) fn serve(name: &str, rest: &[String]) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let work = async {
        match (name, rest) {
            ("server", [address]) => server().http(address.clone()).await,
            ("child", [_mark]) => server().await,
            ("proxy", [address, mark]) => proxy(address, mark).await,
            _ => panic!("there is no server {name}"),
        }
    };
    runtime.block_on(work).unwrap();
}

fn server() -> genkit::mcp::McpServer {
    let registry = Registry::new().add(tools![add, steps, ask, touch, change]).add(prompts![greet]);
    let changing = Changing(registry.clone());
    let genkit = Genkit::builder().registry(registry).state(changing).build().unwrap();
    genkit.serve_mcp().name("soak")
}

async fn proxy(address: &str, mark: &str) -> Result<()> {
    let program = std::env::current_exe().unwrap();
    let child = || ServerConfig::stdio(&program).args(["--serve", "child", mark]);
    let host = McpHost::builder().server("a", child()).server("b", child()).build()?;
    let genkit = Genkit::builder().registry(Registry::new()).build()?;
    let served = genkit.serve_mcp().name("proxy").host(&host).http(address.to_owned()).await;
    host.close().await;
    served
}
