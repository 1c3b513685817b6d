use genkit::tool;

/// Says hello.
#[tool(name = "a_name_of_more_than_sixty_four_characters_which_no_provider_would_take")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
