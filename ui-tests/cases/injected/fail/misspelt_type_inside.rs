use genkit::tool;

struct Db(u8);

/// Does something.
#[tool]
async fn act(db: &Option<Dbb>) -> bool {
    db.is_some()
}

fn main() {}
