//! Annotations of content for MCP clients: its audience, its importance and the time of its last change.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Part, Role};

/// The metadata key of MCP-specific data.
const MCP: &str = "mcp";

/// Annotations of content for MCP clients: its audience, its importance and the time of its last change.
///
/// ```
/// use genkit::message::Annotations;
/// use genkit::{Part, tool};
///
/// /// Draws a chart, for the user.
/// #[tool]
/// async fn chart() -> Part {
///     let shown = Annotations::default().for_user().with_priority(0.9);
///     Part::media("data:image/png;base64,AAAA", "image/png")
///         .with_annotations(shown.with_last_modified("2026-11-27T00:00:00Z"))
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert!(chart().await.annotations().is_some_and(|shown| shown.priority == Some(0.9)));
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Annotations {
    /// The intended readers: [`Role::User`], [`Role::Model`], or both. An empty list means both.
    #[serde(skip_serializing_if = "Vec::is_empty", with = "audience")]
    pub audience: Vec<Role>,
    /// The importance, from 0 (optional) to 1 (required).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// The time of the last change, as in `2026-11-27T00:00:00Z` (ISO 8601).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl Annotations {
    /// Adds the user to the audience.
    #[must_use]
    pub fn for_user(mut self) -> Self {
        self.audience.push(Role::User);
        self
    }

    /// Adds the model to the audience.
    #[must_use]
    pub fn for_model(mut self) -> Self {
        self.audience.push(Role::Model);
        self
    }

    /// Sets the importance, from 0 (optional) to 1 (required). A value outside this range is clamped.
    #[must_use]
    pub fn with_priority(mut self, priority: f64) -> Self {
        let priority = if priority.is_nan() { 0.0 } else { priority };
        self.priority = Some(priority.clamp(0.0, 1.0));
        self
    }

    /// Sets the time of the last change, as in `2026-11-27T00:00:00Z` (ISO 8601).
    #[must_use]
    pub fn with_last_modified(mut self, time: impl Into<String>) -> Self {
        self.last_modified = Some(time.into());
        self
    }
}

/// The audience in MCP's JSON, where the model is `assistant`.
mod audience {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::Role;

    pub(super) fn serialize<S: Serializer>(
        roles: &[Role],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let named =
            roles.iter().map(|role| if *role == Role::Model { "assistant" } else { "user" });
        named.collect::<Vec<_>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Role>, D::Error> {
        let named = Vec::<String>::deserialize(deserializer)?;
        let role = |name: &String| match name.as_str() {
            "assistant" => Some(Role::Model),
            "user" => Some(Role::User),
            _ => None,
        };
        Ok(named.iter().filter_map(role).collect())
    }
}

impl Part {
    /// Sets the annotations that MCP clients receive with this part.
    #[must_use]
    pub fn with_annotations(self, annotations: Annotations) -> Self {
        self.with_mcp_member("annotations", json!(annotations))
    }

    /// Returns the annotations, if a program or an MCP server has set them.
    pub fn annotations(&self) -> Option<Annotations> {
        serde_json::from_value(self.metadata().get(MCP)?.get("annotations")?.clone()).ok()
    }

    /// Sets the size of the resource that this part links to, in bytes. MCP clients receive it.
    #[must_use]
    pub fn with_size(self, bytes: u64) -> Self {
        self.with_mcp_member("size", bytes.into())
    }

    /// Adds an entry to the `_meta` that MCP clients receive with this part.
    ///
    /// ```
    /// let part = genkit::Part::text("hi").with_mcp_meta("com.example/source", "cache");
    /// assert_eq!(part.mcp_meta().unwrap()["com.example/source"], "cache");
    /// ```
    #[must_use]
    pub fn with_mcp_meta(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let mut meta = self.mcp_meta().cloned().unwrap_or_default();
        meta.insert(key.into(), value.into());
        self.with_mcp_member("_meta", meta.into())
    }

    /// Returns the `_meta` of this part, if a program or an MCP server has set it.
    pub fn mcp_meta(&self) -> Option<&Map<String, Value>> {
        self.metadata().get(MCP)?.get("_meta")?.as_object()
    }

    /// Sets an MCP-specific member: `annotations`, `size` or `_meta`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_mcp_member(mut self, key: &str, value: Value) -> Self {
        let mcp = self.metadata_mut().entry(MCP).or_insert_with(|| json!({}));
        if let Value::Object(mcp) = mcp {
            mcp.insert(key.to_owned(), value);
        }
        self
    }
}
