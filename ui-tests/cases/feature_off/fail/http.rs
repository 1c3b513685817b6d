async fn serve() -> genkit::Result<()> {
    genkit::serve_mcp().name("notes").http("127.0.0.1:8000").await
}

fn main() {
    let _ = serve();
}
