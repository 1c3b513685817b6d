/// Cooks a menu.
#[flow]
async fn cook(chunks: &Chunks<Step>, #[input] menu: Menu) -> Result<Meal> {
    kitchen::cook(chunks, menu).await
}
