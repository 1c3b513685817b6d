//! Typed progress and chunks of tools in a stream.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::generate::error::Error as E;
use crate::message::{Role, ToolRequest};
use crate::model::response::GenerateChunk;

/// The key of a tool's progress or chunk in the custom data of a stream chunk.
const TOOL: &str = "tool";

/// Progress of a running tool, as passed to [`Context::progress`](crate::context::Context::progress). Read it with
/// [`GenerateChunk::tool_progress`].
///
/// ```
/// use genkit::message::ToolRequest;
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Context, tool, tools};
///
/// /// Imports a file.
/// #[tool]
/// async fn import(ctx: &Context) -> String {
///     ctx.progress((3.0, 10.0)).await;
///     "imported".into()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("import", ())]),
///     ModelResponse::from_text("Done."),
/// ]);
/// let mut stream = genkit::generate("Import it.").model(model).tools(tools![import]).stream();
/// let mut shown = Vec::new();
/// while let Some(chunk) = stream.next().await {
///     if let Some(told) = chunk?.tool_progress() {
///         shown.push(format!("{}: {} of {}", told.name, told.progress, told.total.unwrap_or(0.0)));
///     }
/// }
/// assert_eq!(shown, ["import: 3 of 10"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolProgress {
    /// The name of the tool.
    pub name: String,
    /// The id of the [`ToolRequest`], which distinguishes parallel calls to the same tool.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The amount of work done, in the tool's own unit.
    pub progress: f64,
    /// The total amount of work, in the same unit, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// A message that describes the current work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A chunk of output that a running tool sent through [`Chunks`](crate::action::Chunks). Read it with
/// [`GenerateChunk::tool_chunk`].
///
/// ```
/// use genkit::message::ToolRequest;
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Chunks, Result, tool, tools};
///
/// #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// struct Hit { page: u32 }
///
/// /// Searches the archive.
/// #[tool]
/// async fn search(chunks: &Chunks<Hit>) -> Result<String> {
///     chunks.send(Hit { page: 7 }).await?;
///     Ok("one page".into())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("search", ())]),
///     ModelResponse::from_text("On page 7."),
/// ]);
/// let mut stream = genkit::generate("Where?").model(model).tools(tools![search]).stream();
/// let mut hits: Vec<Hit> = Vec::new();
/// while let Some(chunk) = stream.next().await {
///     if let Some(sent) = chunk?.tool_chunk() {
///         assert_eq!(sent.name, "search");
///         hits.push(sent.read()?);
///     }
/// }
/// assert_eq!(hits, [Hit { page: 7 }]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolChunk {
    /// The name of the tool.
    pub name: String,
    /// The id of the [`ToolRequest`], which distinguishes parallel calls to the same tool.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The value that the tool sent.
    pub chunk: Value,
}

impl ToolChunk {
    /// Deserializes the chunk as a `T`.
    ///
    /// # Errors
    /// Returns [`InvalidArgument`](crate::error::ErrorKind::InvalidArgument) if the chunk is not a `T`.
    pub fn read<T: DeserializeOwned>(self) -> Result<T> {
        let Self { name, chunk, .. } = self;
        serde_json::from_value(chunk).map_err(|why| {
            Error::from(E::ToolChunk { name, why: why.to_string() }).with_source(why)
        })
    }
}

impl GenerateChunk {
    /// Returns the tool progress in this chunk, if any. Such a chunk has no content and is not sent to the model.
    pub fn tool_progress(&self) -> Option<ToolProgress> {
        let mut told = self.custom.get(TOOL)?.as_object()?.clone();
        let Value::Object(progress) = told.shift_remove("progress")? else { return None };
        told.extend(progress);
        serde_json::from_value(told.into()).ok()
    }

    /// Returns the tool chunk in this chunk, if any. Such a chunk has no content and is not sent to the model.
    pub fn tool_chunk(&self) -> Option<ToolChunk> {
        let told = self.custom.get(TOOL)?;
        told.get("chunk")?;
        serde_json::from_value(told.clone()).ok()
    }

    /// Creates a chunk that contains a tool's `value` under the key `what`, for the tool message `index`.
    #[doc(hidden)]
    pub fn from_tool(request: &ToolRequest, index: usize, what: &str, value: Value) -> Self {
        let mut told = json!({ "name": request.name, what: value });
        if let Some(id) = &request.id {
            told["ref"] = json!(id);
        }
        let mut chunk = Self::new([]);
        chunk.role = Some(Role::Tool);
        chunk.index = Some(index);
        chunk.custom = Map::from_iter([(TOOL.to_owned(), told)]);
        chunk
    }
}
