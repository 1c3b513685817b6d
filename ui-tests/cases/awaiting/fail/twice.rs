async fn serve() -> genkit::Result<()> {
    genkit::serve_mcp().await.await
}

fn main() {
    let _ = serve;
}
