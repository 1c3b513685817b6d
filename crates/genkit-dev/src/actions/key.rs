//! Action keys: `/type/name`, where the name can contain slashes.

/// The type of an action, which is the first part of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ActionType {
    Flow,
    Tool,
    /// A tool whose response contains content in addition to its value.
    MultipartTool,
    Model,
    Embedder,
    Prompt,
    ExecutablePrompt,
    Resource,
    /// An action of a kind that another crate defines.
    Custom(&'static str),
    Util,
}

const TYPES: &[(&str, ActionType)] = &[
    ("flow", ActionType::Flow),
    ("tool", ActionType::Tool),
    ("tool.v2", ActionType::MultipartTool),
    ("model", ActionType::Model),
    ("prompt", ActionType::Prompt),
    ("executable-prompt", ActionType::ExecutablePrompt),
    ("resource", ActionType::Resource),
    ("evaluator", ActionType::Custom("evaluator")),
    ("embedder", ActionType::Embedder),
    ("retriever", ActionType::Custom("retriever")),
    ("reranker", ActionType::Custom("reranker")),
    ("agent", ActionType::Custom("agent")),
    ("agent-snapshot", ActionType::Custom("agent-snapshot")),
    ("agent-abort", ActionType::Custom("agent-abort")),
    ("agent-wait", ActionType::Custom("agent-wait")),
    ("util", ActionType::Util),
];

impl ActionType {
    /// Returns the key of the action `name` of this type.
    pub(super) fn format_key(self, name: &str) -> String {
        format!("/{}/{name}", self.as_str())
    }

    fn as_str(self) -> &'static str {
        TYPES.iter().find(|(_, kind)| *kind == self).map_or("", |(text, _)| text)
    }
}

/// Parses a key into its type and name. Returns `None` if the key is invalid.
pub(super) fn parse_key(key: &str) -> Option<(ActionType, &str)> {
    let (kind, name) = key.strip_prefix('/')?.split_once('/')?;
    let (_, kind) = TYPES.iter().find(|(text, _)| *text == kind)?;
    (!name.is_empty()).then_some((*kind, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_a_type_and_a_name_which_may_hold_slashes() {
        assert_eq!(parse_key("/flow/greet"), Some((ActionType::Flow, "greet")));
        assert_eq!(parse_key("/model/house/large/2"), Some((ActionType::Model, "house/large/2")));
        assert_eq!(parse_key("/tool.v2/add"), Some((ActionType::MultipartTool, "add")));
        for (_, kind) in TYPES {
            assert_eq!(parse_key(&kind.format_key("a/b")), Some((*kind, "a/b")));
        }
        for none in ["", "/", "/flow", "/flow/", "flow/greet", "/flaw/greet", "//greet"] {
            assert_eq!(parse_key(none), None, "{none}");
        }
    }
}
