async fn serve() -> genkit::Result<()> {
    genkit::serve_mcp().cli().await
}

fn main() {
    let _ = serve();
}
