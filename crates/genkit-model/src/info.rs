//! What a model can do, as data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Model info: what is known of a model.
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
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The versions that `config.version` may name; empty if any may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// The schema of its own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_schema: Option<Value>,
    /// Capabilities: what it can do; `None` is unknown, and then nothing is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports: Option<Supports>,
}

impl ModelInfo {
    /// Sets the label: a name for people.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets the versions that `config.version` may name. Default is any.
    #[must_use]
    pub fn with_versions<V: Into<String>>(mut self, all: impl IntoIterator<Item = V>) -> Self {
        self.versions = all.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the schema of its own settings.
    #[must_use]
    pub fn with_config_schema(mut self, schema: Value) -> Self {
        self.config_schema = Some(schema);
        self
    }

    /// Sets the capabilities: what it can do. Default is unknown, and then nothing is checked.
    #[must_use]
    pub fn with_supports(mut self, supports: Supports) -> Self {
        self.supports = Some(supports);
        self
    }
}

/// Capabilities: what a model can do. A request for more is an error before any call.
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
    /// Documents as part of the request; where not, they are put into the last user message. In
    /// Genkit's JSON it is called `context`.
    #[serde(rename = "context")]
    pub docs: bool,
}

impl Default for Supports {
    fn default() -> Self {
        Self::text_only()
    }
}

impl Supports {
    /// Capabilities of a model of text: several messages, with a system message.
    pub const fn text_only() -> Self {
        Self {
            multiturn: true,
            media: false,
            tools: false,
            tool_choice: false,
            system_role: true,
            constrained: Constrained::None,
            docs: false,
        }
    }

    /// Capabilities of large models: all of them; documents are put into the messages.
    pub const fn all() -> Self {
        Self {
            multiturn: true,
            media: true,
            tools: true,
            tool_choice: true,
            system_role: true,
            constrained: Constrained::All,
            docs: false,
        }
    }

    /// Sets whether it takes [more than one message](Self::multiturn).
    #[must_use]
    pub const fn with_multiturn(mut self, yes: bool) -> Self {
        self.multiturn = yes;
        self
    }

    /// Sets whether it takes [files in a message](Self::media).
    #[must_use]
    pub const fn with_media(mut self, yes: bool) -> Self {
        self.media = yes;
        self
    }

    /// Sets whether it takes [tools](Self::tools).
    #[must_use]
    pub const fn with_tools(mut self, yes: bool) -> Self {
        self.tools = yes;
        self
    }

    /// Sets whether it takes a [choice of tools](Self::tool_choice).
    #[must_use]
    pub const fn with_tool_choice(mut self, yes: bool) -> Self {
        self.tool_choice = yes;
        self
    }

    /// Sets whether it takes [messages of the role `system`](Self::system_role).
    #[must_use]
    pub const fn with_system_role(mut self, yes: bool) -> Self {
        self.system_role = yes;
        self
    }

    /// Sets when it can [bind its output to a schema](Self::constrained).
    #[must_use]
    pub const fn with_constrained(mut self, when: Constrained) -> Self {
        self.constrained = when;
        self
    }

    /// Sets whether it takes [documents as part of the request](Self::docs).
    #[must_use]
    pub const fn with_docs(mut self, yes: bool) -> Self {
        self.docs = yes;
        self
    }
}

/// Constrained output: when a model can bind its output to a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Constrained {
    /// Never: the schema goes into the prompt as instructions.
    #[default]
    None,
    /// Always.
    All,
    /// Where the request has no tools.
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
