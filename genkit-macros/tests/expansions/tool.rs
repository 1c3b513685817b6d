/// Gets the weather in a city.
#[tool(title = "Weather", read_only, timeout = "30s", tags("public"))]
pub async fn get_weather(
    ctx: &Context,
    db: &Db,
    /// The city.
    city: City,
    #[arg(default = 3)] days: u8,
) -> Result<Weather> {
    db.weather(ctx, city, days).await
}
