struct Gemini;

fn main() {
    let _ = genkit::Genkit::builder().default_model(Gemini);
}
