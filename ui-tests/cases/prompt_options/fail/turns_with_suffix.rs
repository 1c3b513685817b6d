use genkit::prompt;

/// Plans.
#[prompt(max_turns = 3k)]
async fn plan() -> String {
    "Plan.".to_owned()
}

fn main() {}
