struct Gemini;

fn main() {
    let _ = genkit::generate("hi").model(Gemini);
}
