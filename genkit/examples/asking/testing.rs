//! Tests of a tool, a server and an agent: the guide page `testing`.
//! Run them with `cargo test -p genkit --all-features --example testing`.

use genkit::{Context, Result, tool};

/// Orders a book.
#[tool]
async fn order_book(ctx: &Context, title: String) -> Result<String> {
    ctx.confirm(format!("Order {title:?} for 12 euros?")).await?;
    Ok(format!("{title} is on its way"))
}

fn main() {} // `cargo test` runs the tests below

#[cfg(test)]
mod tests {
    use super::*;
    use genkit::testing::{Client, ScriptedModel};
    use genkit::{Genkit, Registry, message::ToolRequest, model::ModelResponse, tools};
    use serde_json::json;

    #[tokio::test]
    async fn tool_is_a_function() -> Result<()> {
        let yes = Context::testing().answer(true).build();
        assert_eq!(order_book(&yes, "Emma".into()).await?, "Emma is on its way");
        let no = Context::testing().answer(false).build();
        assert!(order_book(&no, "Emma".into()).await.is_err());
        Ok(())
    }

    #[tokio::test]
    async fn client_sees_the_schema_and_the_answer() -> Result<()> {
        let registry = Registry::new().add(tools![order_book]);
        let genkit = Genkit::builder().registry(registry).build()?;
        let client = Client::builder().on_elicit(|_, _| Some(json!({}))); // accepts
        let client = client.connect(genkit.serve_mcp()).await?;
        let tools = client.tools().await?;
        assert_eq!(tools[0].input_schema()["required"], json!(["title"]));
        let answer = client.call_tool("order_book", json!({"title": "Emma"})).await?;
        assert_eq!(answer.text(), "Emma is on its way");
        Ok(())
    }

    #[tokio::test]
    async fn agent_calls_it() -> Result<()> {
        let call = ToolRequest::new("order_book", json!({"title": "Emma"}));
        let call = ModelResponse::from_tool_requests([call]);
        let model = ScriptedModel::new([call, ModelResponse::from_text("Done.")]);
        let run = genkit::generate("Order Emma.").model(model.clone());
        let run = run.tools(tools![order_book]);
        let asked = run.clone().await?;
        let done = run.resume(asked, |question| question.approve()).await?;
        assert_eq!(done.text(), "Done.");
        assert_eq!(model.tool_outputs("order_book"), ["Emma is on its way"]);
        Ok(())
    }
}
