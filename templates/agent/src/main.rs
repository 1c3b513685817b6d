use genkit::generate::Generate;
use genkit::{tool, tools};

/// Returns the weather of a city.
#[tool]
async fn weather(city: String) -> String {
    format!("{city}: sunny, 21 degrees")
}

/// Builds the agent, which runs with any model.
fn agent() -> Generate {
    genkit::generate(()).system("Answer in one sentence.").tools(tools![weather])
}

#[tokio::main]
async fn main() -> genkit::Result<()> {
    genkit::log_to_stderr();
    let question = std::env::args().nth(1).unwrap_or_else(|| "Do I need a coat in Oslo?".to_owned());
    let answer = agent().prompt(question).model("gemini/gemini-2.5-flash").await?;
    println!("{}", answer.text());
    Ok(())
}

#[cfg(test)]
mod tests {
    use genkit::message::ToolRequest;
    use genkit::model::ModelResponse;
    use genkit::testing::ScriptedModel;
    use serde_json::json;

    #[tokio::test]
    async fn agent_looks_the_weather_up() -> genkit::Result<()> {
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests([ToolRequest::new("weather", json!({ "city": "Oslo" }))]),
            ModelResponse::from_text("No, it is sunny."),
        ]);
        let answer = super::agent().prompt("A coat?").model(model.clone()).await?;
        assert_eq!(answer.text(), "No, it is sunny.");
        assert_eq!(model.tool_outputs("weather"), ["Oslo: sunny, 21 degrees"]);
        Ok(())
    }
}
