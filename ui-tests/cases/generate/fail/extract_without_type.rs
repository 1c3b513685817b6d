async fn dish() -> genkit::Result<()> {
    let dish = genkit::generate("A dish?").extract().await?;
    let _ = dish;
    Ok(())
}

fn main() {
    let _ = dish();
}
