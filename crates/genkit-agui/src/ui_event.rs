//! Events that tools of the server send to the page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event that a tool of the server sends to the page, as a chunk: `chunks.send(UiEvent::state(..)).await?`.
///
/// A chunk of any other type is sent to the page as a `CUSTOM` event with the name of the tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "agUiEvent", rename_all = "camelCase")]
#[non_exhaustive]
pub enum UiEvent {
    /// Replaces the state of the page: `STATE_SNAPSHOT`.
    StateSnapshot {
        /// The new state.
        snapshot: Value,
    },
    /// Changes the state of the page: `STATE_DELTA`.
    StateDelta {
        /// The operations of a JSON Patch (RFC 6902).
        delta: Vec<Value>,
    },
    /// Shows or replaces an activity in the conversation: `ACTIVITY_SNAPSHOT`.
    #[serde(rename_all = "camelCase")]
    Activity {
        /// Identifies the activity; the same id replaces it.
        id: String,
        /// The kind of activity, which selects its display.
        activity_type: String,
        /// The content to display.
        content: Map<String, Value>,
    },
    /// Sends an application-defined event: `CUSTOM`.
    Custom {
        /// The name of the event.
        name: String,
        /// The value of the event.
        value: Value,
    },
}

impl UiEvent {
    /// Creates an event that replaces the state of the page.
    pub fn state(snapshot: impl Into<Value>) -> Self {
        Self::StateSnapshot { snapshot: snapshot.into() }
    }

    /// Creates an event that changes the state of the page with the operations of a JSON Patch.
    pub fn state_delta(operations: impl IntoIterator<Item = Value>) -> Self {
        Self::StateDelta { delta: operations.into_iter().collect() }
    }

    /// Creates an event that shows or replaces an activity.
    pub fn activity(
        id: impl Into<String>,
        activity_type: impl Into<String>,
        content: Map<String, Value>,
    ) -> Self {
        Self::Activity { id: id.into(), activity_type: activity_type.into(), content }
    }

    /// Creates an application-defined event.
    pub fn custom(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::Custom { name: name.into(), value: value.into() }
    }
}
