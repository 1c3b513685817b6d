use genkit::flow;

struct Weather;

/// Does something.
#[flow]
async fn act() -> Weather {
    Weather
}

fn main() {}
