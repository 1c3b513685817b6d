//! Type errors in the use of a prompt, reported by the compiler.

genkit::prompts!("src/bin/types/prompts");

fn main() {
    let _ = prompts::tripp(prompts::Trip::new("Rome"));
    let _ = prompts::trip(prompts::Trip { citty: "Rome".into(), days: None });
    let _ = prompts::trip(prompts::Trip { city: "Rome".into() });
    let _ = prompts::trip(prompts::Trip::new(5));
    let _ = prompts::trip("Rome");
}
