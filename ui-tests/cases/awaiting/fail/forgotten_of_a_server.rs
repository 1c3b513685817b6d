#![deny(unused_must_use)]

async fn serve() {
    genkit::serve_mcp();
}

fn main() {
    let _ = serve;
}
