//! Every mistake of every file is told at once, and nothing follows from them.

genkit::prompts!("src/bin/mistakes/prompts");

fn main() {
    let trip = prompts::Trip { days: Some(3), ..prompts::Trip::new("Rome") };
    let _ = prompts::trip(trip).temperature(0.5);
    let _ = prompts::poem(prompts::Poem::new("rain"));
    let _ = prompts::all();
}
