use genkit::tool;

struct Db(u8);

/// Does something.
#[tool]
async fn act(db: &mut Db) -> u8 {
    db.0 += 1;
    db.0
}

fn main() {}
