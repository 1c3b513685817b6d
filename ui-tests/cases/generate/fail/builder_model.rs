fn main() {
    let _ = genkit::Genkit::builder().model("gemini/gemini-2.5-flash");
}
