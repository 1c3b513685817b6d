fn main() {
    let _ = genkit::Genkit::builder().prompts_dir("prompts").build();
}
