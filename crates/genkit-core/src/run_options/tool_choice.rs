//! Tool choice: whether a model may, must or must not call tools, and its representation in Genkit's JSON.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

/// The tool choice: whether a model may, must or must not call tools, or must call a specific tool.
///
/// ```
/// use genkit::model::ToolChoice;
/// use genkit::testing::ScriptedModel;
/// use genkit::message::ToolRequest;
/// use genkit::{model::ModelResponse, tool, tools};
/// use serde_json::json;
///
/// /// Sorts a letter into a folder.
/// #[tool]
/// async fn file(folder: String) -> String { folder }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("file", json!({"folder": "bills"}))]),
///     ModelResponse::from_text("Filed."),
/// ]);
/// let run = genkit::generate("Dear customer, you owe us ..").model(model.clone());
/// run.tools(tools![file]).tool_choice(ToolChoice::tool("file")).await?;
/// let asked = model.requests();
/// assert_eq!(asked[0].tool_choice, Some(ToolChoice::tool("file")));
/// assert_eq!(asked[1].tool_choice, Some(ToolChoice::Auto)); // otherwise the run could never finish
/// # Ok(())
/// # }
/// ```
///
/// In Genkit's JSON, `Auto`, `Required` and `None` are `"toolChoice": "auto"`, `"required"` and `"none"`. A specific
/// tool is `"required"` with its name: `"toolChoice": "required", "toolChoiceName": "file"`. Genkit for other languages
/// ignores the name, and only requires a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// The model must call at least one tool.
    Required,
    /// The model receives the tools but must not call them.
    None,
    /// The model must call the tool with this name, which is one of the tools of the request.
    Tool(String),
}

impl ToolChoice {
    /// Creates a tool choice that requires a call to this tool.
    pub fn tool(name: impl Into<String>) -> Self {
        Self::Tool(name.into())
    }

    /// Returns whether the model must call a tool.
    pub fn is_forced(&self) -> bool {
        matches!(self, Self::Required | Self::Tool(_))
    }

    /// Returns the mode in Genkit's JSON, and the name of the required tool, if any.
    #[doc(hidden)]
    pub fn in_json(&self) -> (&'static str, Option<&str>) {
        let tool = if let Self::Tool(name) = self { Some(name.as_str()) } else { None };
        (self.mode(), tool)
    }

    /// Returns the mode in Genkit's JSON.
    fn mode(&self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required | Self::Tool(_) => "required",
            Self::None => "none",
        }
    }
}

/// The fields of a tool choice, flattened into the containing object.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields<M, N> {
    #[serde(default = "ignore_value", skip_serializing_if = "Option::is_none")]
    tool_choice: Option<M>,
    #[serde(default = "ignore_value", skip_serializing_if = "Option::is_none")]
    tool_choice_name: Option<N>,
}

fn ignore_value<T>() -> Option<T> {
    None
}

/// Serializes a tool choice flat: `#[serde(flatten, with = "..")]`.
pub(crate) fn serialize<S: Serializer>(
    choice: &Option<ToolChoice>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let tool_choice_name = match choice {
        Some(ToolChoice::Tool(name)) => Some(name),
        _ => None,
    };
    let tool_choice = choice.as_ref().map(ToolChoice::mode);
    Fields { tool_choice, tool_choice_name }.serialize(serializer)
}

/// Deserializes the form that [`serialize`] and Genkit for other languages write.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ToolChoice>, D::Error> {
    let fields = Fields::<String, String>::deserialize(deserializer)?;
    let Some(mode) = fields.tool_choice else { return Ok(None) };
    Ok(Some(match (mode.as_str(), fields.tool_choice_name) {
        ("auto", _) => ToolChoice::Auto,
        ("required", Some(name)) => ToolChoice::Tool(name),
        ("required", None) => ToolChoice::Required,
        ("none", _) => ToolChoice::None,
        (other, _) => {
            return Err(D::Error::unknown_variant(other, &["auto", "required", "none"]));
        }
    }))
}
