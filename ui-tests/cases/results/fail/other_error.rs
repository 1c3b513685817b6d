fn port(text: &str) -> genkit::Result<u16> {
    Ok(text.parse::<u16>()?)
}

fn main() {
    let _ = port("80");
}
