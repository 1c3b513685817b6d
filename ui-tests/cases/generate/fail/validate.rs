#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Dish {
    minutes: u32,
}

fn main() {
    let run = genkit::generate("A dish?").extract::<Dish>();
    let _ = run.validate(|dish| dish.minutes < 30);
}
