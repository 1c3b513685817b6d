use genkit::tool;

struct Db(u8);

/// Does something.
#[tool]
async fn act(#[serde(rename = "d")] db: &Db) -> u8 {
    db.0
}

fn main() {}
