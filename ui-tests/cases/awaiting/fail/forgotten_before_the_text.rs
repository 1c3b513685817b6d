fn main() {
    let _ = genkit::generate("hi").text();
}
