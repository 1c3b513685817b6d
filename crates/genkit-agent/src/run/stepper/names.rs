//! The names that a run depends on, so that another process can rebuild it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The names of the model, tools and middleware of a run, and descriptions of its parts without a name.
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
    /// Descriptions of the parts that are code or values of the program, and that must be set again to resume the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<String>,
}
