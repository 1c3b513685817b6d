use genkit::tool;

use std::cell::RefCell;

struct Db(RefCell<u8>);

/// Does something.
#[tool]
async fn act(db: &Db) -> u8 {
    *db.0.borrow()
}

fn main() {}
