use genkit::tool;

trait Db: Send + Sync {
    fn get(&self) -> u8;
}

/// Does something.
#[tool]
async fn act(db: &dyn Db) -> u8 {
    db.get()
}

fn main() {}
