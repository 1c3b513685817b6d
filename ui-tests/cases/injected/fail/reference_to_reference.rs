use genkit::tool;

struct Db(u8);

/// Does something.
#[tool]
async fn act(db: &&Db) -> u8 {
    db.0
}

fn main() {}
