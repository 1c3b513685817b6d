use genkit::{Answer, Interrupt, tool};

/// Picks a seat.
#[tool]
async fn pick_seat(row: u32) -> String {
    format!("{row}A")
}

fn answer(question: &Interrupt) -> Answer {
    question.respond_as::<pick_seat>("7A".to_owned())
}

fn main() {
    let _ = answer;
}
