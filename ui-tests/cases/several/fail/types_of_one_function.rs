// mistakes: 5
use genkit::tool;

struct City;
struct Unit;
struct Weather;
struct Rain;

/// Gets the weather.
#[tool]
async fn get_weather(
    city: City,
    units: Vec<Unit>,
    #[arg(default = "x")] days: u8,
) -> Result<Weather, Rain> {
    drop((city, units, days));
    Ok(Weather)
}

fn main() {}
