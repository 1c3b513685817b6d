fn serve<H>(host: H) {
    let _ = genkit::serve_mcp().host(&host);
}

fn main() {
    serve(());
}
