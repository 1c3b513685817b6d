fn main() {
    let _ = tokio::spawn(genkit::generate("hi"));
}
