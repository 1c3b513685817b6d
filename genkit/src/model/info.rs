//! What a model can do, as data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is known of a model.
///
/// ```
/// use genkit::model::{ModelInfo, Supports};
///
/// let mut info = ModelInfo::default();
/// info.supports = Some(Supports { tools: true, ..Supports::text_only() });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelInfo {
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The versions that `config.version` may name; empty if any may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// The schema of its own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_schema: Option<Value>,
    /// What it can do; `None` is unknown, and then nothing is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports: Option<Supports>,
}

/// What a model can do. A request for more is an error before any call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Supports {
    /// More than one message.
    pub multiturn: bool,
    /// Images, audio and other files in a message.
    pub media: bool,
    /// Tools.
    pub tools: bool,
    /// `toolChoice` other than `auto`.
    pub tool_choice: bool,
    /// Messages of the role `system`.
    pub system_role: bool,
    /// Output that is bound to a schema.
    pub constrained: Constrained,
    /// Documents as part of the request; where not, they are put into the last user message.
    pub context: bool,
}

impl Default for Supports {
    fn default() -> Self {
        Self::text_only()
    }
}

impl Supports {
    /// Several messages of text, with a system message.
    pub fn text_only() -> Self {
        Self {
            multiturn: true,
            media: false,
            tools: false,
            tool_choice: false,
            system_role: true,
            constrained: Constrained::None,
            context: false,
        }
    }

    /// All of it, as large models can; documents are put into the messages.
    pub fn all() -> Self {
        Self {
            multiturn: true,
            media: true,
            tools: true,
            tool_choice: true,
            system_role: true,
            constrained: Constrained::All,
            context: false,
        }
    }
}

/// When a model can bind its output to a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constrained {
    /// Never: the schema goes into the prompt as instructions.
    #[default]
    None,
    /// Always.
    All,
    /// Where the request has no tools.
    NoTools,
}
