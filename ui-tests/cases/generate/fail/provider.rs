struct GeminiBuilder;

fn main() {
    let _ = genkit::Genkit::builder().provider(GeminiBuilder);
}
