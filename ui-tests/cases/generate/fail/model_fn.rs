fn main() {
    let _ = genkit::model::from_fn("five", |_, _| async { 5 });
}
