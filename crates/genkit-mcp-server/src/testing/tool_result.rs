//! The result of a tool call.

use rmcp::model::CallToolResult;
use serde_json::{Map, Value};

use super::content::to_part;
use genkit_core::Part;

/// The result of a tool call: the tool's output or its error.
///
/// ```
/// use genkit::testing::Client;
/// use genkit::{Genkit, Registry, tool, tools};
/// use serde_json::json;
///
/// /// Divides.
/// #[tool]
/// async fn divide(a: i64, b: i64) -> Result<i64, String> {
///     a.checked_div(b).ok_or("b must not be 0".into())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![divide])).build()?;
/// let client = Client::connect(genkit.serve_mcp()).await?;
/// let three = client.call_tool("divide", json!({"a": 6, "b": 2})).await?;
/// assert_eq!((three.text().as_str(), three.is_error()), ("3", false));
/// assert!(three.structured().is_some());
/// assert_eq!(three.parts(), [genkit::Part::text("3")]);
///
/// let error = client.call_tool("divide", json!({"a": 6, "b": 0})).await?;
/// assert!(error.is_error() && error.text().contains("b must not be 0"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult(CallToolResult);

impl ToolResult {
    pub(super) fn new(result: CallToolResult) -> Self {
        Self(result)
    }

    /// Returns the text of the result, concatenated.
    pub fn text(&self) -> String {
        self.0.content.iter().filter_map(|block| block.as_text()).map(|t| t.text.as_str()).collect()
    }

    /// Returns the structured content (`structuredContent`), if any.
    pub fn structured(&self) -> Option<&Value> {
        self.0.structured_content.as_ref()
    }

    /// Returns the content as parts.
    pub fn parts(&self) -> Vec<Part> {
        self.0.content.iter().map(to_part).collect()
    }

    /// Returns whether the tool returned an error (`isError`).
    pub fn is_error(&self) -> bool {
        self.0.is_error == Some(true)
    }

    /// Returns the metadata of the result (`_meta`), if any.
    pub fn meta(&self) -> Option<&Map<String, Value>> {
        self.0.meta.as_ref().map(|meta| &meta.0)
    }
}

impl super::RawItem for ToolResult {
    type Raw = CallToolResult;

    fn raw(&self) -> &CallToolResult {
        &self.0
    }
}
