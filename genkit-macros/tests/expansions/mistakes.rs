#[tool(titel = "Weather", timeout = 30)]
fn get_weather(city: &str) -> String {
    city.to_owned()
}
