async fn ask() -> genkit::Result<String> {
    Ok(genkit::generate("hi")?.text())
}

fn main() {
    let _ = ask;
}
