use genkit::Registry;

fn main() {
    let _ = Registry::new().add(["add", "subtract"]);
}
