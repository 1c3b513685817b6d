mod http {
    pub async fn serve() -> genkit::Result<()> {
        genkit::serve_mcp().name("notes").await
    }
}

mod cli {
    pub async fn serve() -> genkit::Result<()> {
        genkit::serve_mcp().shutdown(async {}).await
    }
}

fn main() {
    let _ = (http::serve(), cli::serve());
}
