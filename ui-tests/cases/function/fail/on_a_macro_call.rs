macro_rules! add {
    () => {
        async fn add() {}
    };
}

#[genkit::tool]
add!();

fn main() {}
