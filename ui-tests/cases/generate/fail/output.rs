#[derive(serde::Deserialize)]
struct Dish {
    name: String,
}

fn main() {
    let _ = genkit::generate("A dish?").output::<Dish>();
    let _ = |dish: Dish| dish.name;
}
