//! What a run is made of by name, so that another process can make it again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The model, the tools and the middleware of a run by their names, and what of it has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunNames {
    pub(crate) model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tools: Vec<String>,
    #[serde(default, rename = "use", skip_serializing_if = "Vec::is_empty")]
    pub(crate) middleware: Vec<Value>,
    /// What is code or a value of the program: it must be given again. In words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<String>,
}
