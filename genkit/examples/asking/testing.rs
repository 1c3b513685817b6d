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

    #[test]
    fn the_registry_is_sound() -> Result<()> {
        genkit::testing::check()
    }

    #[tokio::test]
    async fn a_tool_is_a_function() -> Result<()> {
        let yes = Context::testing().answer(true).build();
        assert_eq!(order_book(&yes, "Emma".into()).await?, "Emma is on its way");
        let no = Context::testing().answer(false).build();
        assert!(order_book(&no, "Emma".into()).await.is_err());
        Ok(())
    }

    #[tokio::test]
    async fn a_client_sees_the_schema_and_the_answer() -> Result<()> {
        let genkit = Genkit::builder().registry(Registry::new().add(tools![order_book])).build()?;
        let client = Client::builder().on_elicit(|_, _| Some(json!({"approve": true})));
        let client = client.connect(genkit.serve_mcp()).await?;
        assert_eq!(client.tools().await?[0].input_schema()["required"], json!(["title"]));
        let answer = client.call_tool("order_book", json!({"title": "Emma"})).await?;
        assert_eq!(answer.text(), "Emma is on its way");
        Ok(())
    }

    #[tokio::test]
    async fn an_agent_calls_it() -> Result<()> {
        let call = ToolRequest::new("order_book", json!({"title": "Emma"}));
        let steps = [ModelResponse::from_tool_requests([call]), ModelResponse::from_text("Done.")];
        let model = ScriptedModel::new(steps);
        let asked = genkit::generate("Order Emma.").model(model.clone()).tools(tools![order_book]);
        let done = asked.clone().resume(asked.await?, |question| question.approve()).await?;
        assert_eq!(done.text(), "Done.");
        assert_eq!(model.tool_outputs("order_book"), ["Emma is on its way"]);
        Ok(())
    }
}
