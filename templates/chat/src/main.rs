use axum::Router;
use axum::response::Html;
use axum::routing::get;
use genkit::generate::Generate;
use genkit::{tool, tools};

/// Returns the weather of a city.
#[tool]
async fn weather(city: String) -> String {
    format!("{city}: sunny, 21 degrees")
}

fn agent() -> Generate {
    genkit::generate(())
        .model("gemini/gemini-2.5-flash")
        .system("Answer in one sentence.")
        .tools(tools![weather])
}

/// Builds the app: the page, and the agent at `/agui`.
fn app() -> genkit::Result<Router> {
    let page = get(|| async { Html(include_str!("page.html")) });
    Ok(Router::new().route("/", page).merge(genkit::serve_agui(agent()).router()?))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    genkit::log_to_stderr();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    println!("http://127.0.0.1:8000");
    axum::serve(listener, app()?).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn app_is_valid() {
        assert!(super::app().is_ok());
    }
}
