fn main() {
    let _ = genkit::generate(5);
}
