//! What a client said of itself: little of it, however much it said.

use std::sync::{Arc, OnceLock};

use rmcp::model::{ClientCapabilities, Implementation, RequestMetaObject};
use serde::{Deserialize, Serialize};

use crate::quota::MAX_CLIENT_NAME;
use genkit_core::internal::context::Capability;
use genkit_schema::internal::truncate::truncate;

/// Who calls, and what it can be asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClientDescription {
    pub(crate) info: Option<Implementation>,
    elicitation: bool,
    sampling: bool,
    roots: bool,
    pub(crate) tasks: bool,
}

impl ClientDescription {
    /// A client that said nothing.
    pub(crate) fn unknown() -> Arc<Self> {
        static UNKNOWN: OnceLock<Arc<ClientDescription>> = OnceLock::new();
        Arc::clone(UNKNOWN.get_or_init(Arc::default))
    }

    pub(crate) fn new(info: Option<&Implementation>, capabilities: &ClientCapabilities) -> Self {
        Self { info: info.map(short), ..Self::from(capabilities) }
    }

    /// What a request says of its client, and of the rest what is known from before.
    pub(crate) fn of_request(meta: &RequestMetaObject, known: Option<&Arc<Self>>) -> Arc<Self> {
        let (info, capabilities) = (meta.client_info(), meta.client_capabilities());
        match (info, capabilities, known) {
            (None, None, Some(known)) => Arc::clone(known),
            (None, None, None) => Self::unknown(),
            (info, capabilities, known) => {
                let info = info.as_ref().map(short);
                let info = info.or_else(|| known.and_then(|known| known.info.clone()));
                Arc::new(match (capabilities, known) {
                    (Some(can), _) => Self { info, ..Self::from(&can) },
                    (None, Some(known)) => Self { info, ..known.without_info() },
                    (None, None) => Self { info, ..Self::default() },
                })
            }
        }
    }

    /// Its name and its version, as it says.
    pub(crate) fn calls_itself(&self) -> Option<(&str, &str)> {
        self.info.as_ref().map(|info| (info.name.as_str(), info.version.as_str()))
    }

    pub(crate) fn can(&self, capability: Capability) -> bool {
        match capability {
            Capability::Elicitation => self.elicitation,
            Capability::Sampling => self.sampling,
            Capability::Roots => self.roots,
        }
    }

    fn without_info(&self) -> Self {
        let Self { info: _, elicitation, sampling, roots, tasks } = *self;
        Self { info: None, elicitation, sampling, roots, tasks }
    }
}

impl From<&ClientCapabilities> for ClientDescription {
    fn from(can: &ClientCapabilities) -> Self {
        Self {
            info: None,
            // `{}` means forms; a client that only opens URLs cannot show one.
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

/// The name and the version, cut.
fn short(info: &Implementation) -> Implementation {
    Implementation::new(cut(&info.name), cut(&info.version))
}

fn cut(text: &str) -> String {
    truncate(text, MAX_CLIENT_NAME).to_owned()
}
