//! The answer of a tool, as a test reads it.

use rmcp::model::CallToolResult;
use serde_json::Value;

/// The answer of a tool.
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
/// let three = client.call("divide", json!({"a": 6, "b": 2})).await?;
/// assert_eq!((three.text().as_str(), three.is_error()), ("3", false));
/// assert!(three.structured().is_some());
/// assert_eq!(three.result().content.len(), 1);
///
/// let error = client.call("divide", json!({"a": 6, "b": 0})).await?;
/// assert!(error.is_error() && error.text().contains("b must not be 0"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Answer(CallToolResult);

impl Answer {
    pub(super) fn new(result: CallToolResult) -> Self {
        Self(result)
    }

    /// All its text.
    pub fn text(&self) -> String {
        self.0.content.iter().filter_map(|block| block.as_text()).map(|t| t.text.as_str()).collect()
    }

    /// Its value for programs.
    pub fn structured(&self) -> Option<&Value> {
        self.0.structured_content.as_ref()
    }

    /// Whether the tool failed.
    pub fn is_error(&self) -> bool {
        self.0.is_error == Some(true)
    }

    /// The whole result, as the SDK has it.
    pub fn result(&self) -> &CallToolResult {
        &self.0
    }
}
