//! A size-limited summary of the data that a client reports about itself.

use std::sync::{Arc, OnceLock};

use rmcp::model::{ClientCapabilities, Implementation, RequestMetaObject};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::quota::MAX_CLIENT_NAME;
use genkit_core::ClientInfo;
use genkit_core::internal::action::{APP_EXTENSION, APP_MIME_TYPE};
use genkit_core::internal::context::Capability;
use genkit_schema::internal::size::json_size;
use genkit_schema::internal::truncate::truncate;

/// A client's name and version, and the kinds of questions that it supports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClientDescription {
    pub(crate) info: Option<Implementation>,
    elicitation: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    elicit_url: bool,
    sampling: bool,
    roots: bool,
    pub(crate) tasks: bool,
    /// The reported capabilities, unless they are too large to store.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) capabilities: Map<String, Value>,
}

/// The maximum size of stored capabilities, in bytes of JSON.
const MAX_CAPABILITIES: usize = 4096;

impl ClientDescription {
    /// Returns a client that reported nothing.
    pub(crate) fn unknown() -> Arc<Self> {
        static UNKNOWN: OnceLock<Arc<ClientDescription>> = OnceLock::new();
        Arc::clone(UNKNOWN.get_or_init(Arc::default))
    }

    pub(crate) fn new(info: Option<&Implementation>, capabilities: &ClientCapabilities) -> Self {
        Self { info: info.map(shorten_info), ..Self::from(capabilities) }
    }

    /// Returns the client described by a request, falling back to the `known` description for missing fields.
    pub(crate) fn from_request(meta: &RequestMetaObject, known: Option<&Arc<Self>>) -> Arc<Self> {
        let (info, capabilities) = (meta.client_info(), meta.client_capabilities());
        match (info, capabilities, known) {
            (None, None, Some(known)) => Arc::clone(known),
            (None, None, None) => Self::unknown(),
            (info, capabilities, known) => {
                let info = info.as_ref().map(shorten_info);
                let info = info.or_else(|| known.and_then(|known| known.info.clone()));
                Arc::new(match (capabilities, known) {
                    (Some(can), _) => Self { info, ..Self::from(&can) },
                    (None, Some(known)) => Self { info, ..(**known).clone() },
                    (None, None) => Self { info, ..Self::default() },
                })
            }
        }
    }

    /// Returns the reported name and version.
    pub(crate) fn reported_name(&self) -> Option<(&str, &str)> {
        self.info.as_ref().map(|info| (info.name.as_str(), info.version.as_str()))
    }

    pub(crate) fn supports_question(&self, capability: Capability) -> bool {
        match capability {
            Capability::Elicitation => self.elicitation,
            Capability::ElicitUrl => self.elicit_url,
            Capability::Sampling => self.sampling,
            Capability::Roots => self.roots,
        }
    }

    /// Returns whether the client shows the pages of MCP Apps.
    pub(crate) fn shows_apps(&self) -> bool {
        let declared = self.capabilities.get("extensions").and_then(|all| all.get(APP_EXTENSION));
        let kinds = |declared: &Value| declared.get("mimeTypes")?.as_array().cloned();
        declared.is_some_and(|declared| {
            kinds(declared).is_none_or(|kinds| kinds.iter().any(|kind| kind == APP_MIME_TYPE))
        })
    }

    /// Returns the client information for functions, if the client reported any.
    pub(crate) fn shown_info(&self) -> Option<ClientInfo> {
        let (name, version) = match self.reported_name() {
            None if self.capabilities.is_empty() => return None,
            named => named.unwrap_or_default(),
        };
        Some(ClientInfo::new(name, version).with_capabilities(self.capabilities.clone()))
    }
}

impl From<&ClientCapabilities> for ClientDescription {
    fn from(can: &ClientCapabilities) -> Self {
        let capabilities = match serde_json::to_value(can) {
            Ok(Value::Object(all)) => all,
            _ => Map::new(),
        };
        let is_small = json_size(&Value::Object(capabilities.clone())) <= MAX_CAPABILITIES;
        Self {
            capabilities: if is_small { capabilities } else { Map::new() },
            elicit_url: can.elicitation.as_ref().is_some_and(|can| can.url.is_some()),
            info: None,
            // An empty object declares forms. A client that only opens URLs cannot display a form.
            elicitation: can
                .elicitation
                .as_ref()
                .is_some_and(|can| can.form.is_some() || can.url.is_none()),
            sampling: can.sampling.is_some(),
            roots: can.roots.is_some(),
            tasks: can.supports_tasks(),
        }
    }
}

/// Returns the name and version, truncated.
fn shorten_info(info: &Implementation) -> Implementation {
    Implementation::new(cut_name(&info.name), cut_name(&info.version))
}

fn cut_name(text: &str) -> String {
    truncate(text, MAX_CLIENT_NAME).to_owned()
}
