fn main() -> genkit::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(genkit::serve_mcp())
}
