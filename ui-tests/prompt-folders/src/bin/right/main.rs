//! A correct version of the other programs.

#![deny(warnings)]

genkit::prompts!("src/bin/right/prompts");
genkit::prompts!(mod asks = "src/bin/right/prompts");

fn main() {
    let trip = prompts::Trip { days: Some(3), ..prompts::Trip::new("Rome") };
    let _ = prompts::trip(trip).temperature(0.5);
    let _ = asks::trip(asks::Trip { city: "Rome".into(), days: None });
}
