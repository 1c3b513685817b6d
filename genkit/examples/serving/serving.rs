//! An MCP server in an axum app: the guide page `serving`.

use axum::{Router, routing::get};
use genkit::{Context, Result, tool};

/// Counts to a number and reports progress.
#[tool(read_only)]
async fn count_to(ctx: &Context, number: u32) -> Result<u32> {
    for done in 1..=number {
        if ctx.is_cancelled() {
            break;
        }
        ctx.progress((f64::from(done), f64::from(number))).await;
    }
    Ok(number)
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let mcp = genkit::serve_mcp()
        .name("counter")
        .allowed_hosts(["127.0.0.1", "mcp.example.com"]) // the default is loopback only
        .health("/health");
    let app = Router::new().route("/", get(|| async { "The app." }));
    let app = app.merge(mcp.router()?);

    let address = std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8000".into());
    let listener = tokio::net::TcpListener::bind(address).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    // Without TCP_NODELAY each response may be delayed by up to 40 ms.
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        let _ = stream.set_nodelay(true);
    });
    // The addresses of clients, for quotas and the audit log.
    let app = app.into_make_service_with_connect_info::<std::net::SocketAddr>();
    axum::serve(listener, app).await?;
    Ok(())
}
