#[derive(serde::Deserialize)]
struct Dish {
    name: String,
}

async fn dish() -> genkit::Result<Dish> {
    genkit::generate("A dish?").extract::<Dish>().await
}

fn main() {
    let _ = |dish: Dish| dish.name;
    let _ = dish();
}
