//! The capabilities of a model, as data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Information about a model: its label, versions, settings and capabilities.
///
/// ```
/// use genkit::model::{ModelInfo, Supports};
///
/// let info = ModelInfo::default()
///     .with_label("House model")
///     .with_versions(["house-1", "house-2"])
///     .with_supports(Supports::text_only().with_tools(true));
/// assert!(info.supports.unwrap().tools);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelInfo {
    /// A name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The versions that `config.version` accepts. An empty list accepts any version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// The JSON Schema of the model's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_schema: Option<Value>,
    /// The capabilities of the model. If `None`, they are unknown and nothing is checked before a
    /// call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports: Option<Supports>,
}

impl ModelInfo {
    /// Sets the label, a name for display.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets the versions that `config.version` accepts. By default any version is accepted.
    #[must_use]
    pub fn with_versions<V: Into<String>>(mut self, all: impl IntoIterator<Item = V>) -> Self {
        self.versions = all.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the JSON Schema of the model's settings.
    #[must_use]
    pub fn with_config_schema(mut self, schema: Value) -> Self {
        self.config_schema = Some(schema);
        self
    }

    /// Sets the capabilities of the model. By default they are unknown and nothing is checked
    /// before a call.
    #[must_use]
    pub fn with_supports(mut self, supports: Supports) -> Self {
        self.supports = Some(supports);
        self
    }
}

/// The capabilities of a model. A request that needs a missing capability fails before the model is called.
///
/// ```
/// use genkit::model::{Constrained, Supports};
///
/// let supports = Supports::all().with_media(false).with_constrained(Constrained::NoTools);
/// assert!(supports.tools && !supports.media);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Supports {
    /// Whether the model accepts more than one message.
    pub multiturn: bool,
    /// Whether the model accepts images, audio and other files in messages.
    pub media: bool,
    /// Whether the model accepts tools.
    pub tools: bool,
    /// Whether the model accepts a `toolChoice` other than `auto`.
    pub tool_choice: bool,
    /// Whether the model accepts messages with the role `system`.
    pub system_role: bool,
    /// The requests for which the model can constrain its output to a schema.
    pub constrained: Constrained,
    /// Whether the model accepts documents as part of the request. If not, they are added to the last user
    /// message. Named `context` in Genkit's JSON.
    #[serde(rename = "context")]
    pub docs: bool,
    /// Whether the provider searches the [lazy](genkit_core::ToolDefinition::lazy) tools of a request, so that the
    /// model receives their definitions only when it needs them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tool_search: bool,
}

impl Default for Supports {
    fn default() -> Self {
        Self::text_only()
    }
}

impl Supports {
    /// Returns the capabilities of a text-only model: several messages and a system message.
    pub const fn text_only() -> Self {
        Self {
            multiturn: true,
            media: false,
            tools: false,
            tool_choice: false,
            system_role: true,
            constrained: Constrained::None,
            docs: false,
            tool_search: false,
        }
    }

    /// Returns all capabilities except documents, which are added to the messages instead, and tool search, which a run
    /// replaces with a tool.
    pub const fn all() -> Self {
        Self {
            multiturn: true,
            media: true,
            tools: true,
            tool_choice: true,
            system_role: true,
            constrained: Constrained::All,
            docs: false,
            tool_search: false,
        }
    }

    /// Sets whether the model accepts [more than one message](Self::multiturn).
    #[must_use]
    pub const fn with_multiturn(mut self, yes: bool) -> Self {
        self.multiturn = yes;
        self
    }

    /// Sets whether the model accepts [files in messages](Self::media).
    #[must_use]
    pub const fn with_media(mut self, yes: bool) -> Self {
        self.media = yes;
        self
    }

    /// Sets whether the model accepts [tools](Self::tools).
    #[must_use]
    pub const fn with_tools(mut self, yes: bool) -> Self {
        self.tools = yes;
        self
    }

    /// Sets whether the model accepts a [tool choice](Self::tool_choice).
    #[must_use]
    pub const fn with_tool_choice(mut self, yes: bool) -> Self {
        self.tool_choice = yes;
        self
    }

    /// Sets whether the model accepts [messages with the role `system`](Self::system_role).
    #[must_use]
    pub const fn with_system_role(mut self, yes: bool) -> Self {
        self.system_role = yes;
        self
    }

    /// Sets when the model can [constrain its output to a schema](Self::constrained).
    #[must_use]
    pub const fn with_constrained(mut self, when: Constrained) -> Self {
        self.constrained = when;
        self
    }

    /// Sets whether the model accepts [documents as part of the request](Self::docs).
    #[must_use]
    pub const fn with_docs(mut self, yes: bool) -> Self {
        self.docs = yes;
        self
    }

    /// Sets whether the provider [searches lazy tools](Self::tool_search).
    #[must_use]
    pub const fn with_tool_search(mut self, yes: bool) -> Self {
        self.tool_search = yes;
        self
    }
}

/// Constrained output: whether a model can constrain its output to a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Constrained {
    /// Never. The schema is added to the prompt as instructions.
    #[default]
    None,
    /// Always.
    All,
    /// Only if the request has no tools.
    NoTools,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_genkits_name_in_json() {
        let supports = Supports::all().with_docs(true);
        let json = serde_json::to_value(&supports).expect("plain data");
        assert_eq!((&json["context"], &json["docs"]), (&Value::Bool(true), &Value::Null));
        assert_eq!(serde_json::from_value::<Supports>(json).expect("the same"), supports);
    }
}
