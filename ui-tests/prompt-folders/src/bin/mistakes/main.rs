//! All errors in all files are reported at once, without follow-up errors.

genkit::prompts!("src/bin/mistakes/prompts");

fn main() {
    let trip = prompts::Trip { days: Some(3), ..prompts::Trip::new("Rome") };
    let _ = prompts::trip(trip).temperature(0.5);
    let _ = prompts::poem(prompts::Poem::new("rain"));
    let _ = prompts::all();
}
