//! The parts of the params of a message that the rules depend on.

use std::borrow::Cow;

use rmcp::model::ClientCapabilities;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use genkit_mcp::internal::jsonrpc::scan::parse_string;

/// Some fields of the params; the value of a field can have any type.
#[derive(Default, Deserialize)]
pub(in super::super) struct ParamsOutline<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<Meta<'a>>,
    #[serde(borrow, default, rename = "protocolVersion")]
    protocol_version: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "taskId")]
    task_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientInfo")]
    client: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ClientName<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

impl<'a> ParamsOutline<'a> {
    /// Parses the params. Returns an empty outline if they are not an object or have a duplicate
    /// field.
    pub(in super::super) fn parse_params(params: Option<&'a str>) -> Self {
        params.and_then(|params| serde_json::from_str(params).ok()).unwrap_or_default()
    }

    /// Returns the version that the request declares in its `_meta`.
    pub(super) fn meta_version(&self) -> Option<Cow<'a, str>> {
        text(self.meta.as_ref()?.version)
    }

    /// Returns the version that a handshake requests.
    pub(super) fn protocol_version(&self) -> Option<Cow<'a, str>> {
        text(self.protocol_version)
    }

    /// Returns the name of the client.
    pub(in super::super) fn client_name(&self) -> Option<Cow<'a, str>> {
        let client = self.meta.as_ref()?.client?;
        serde_json::from_str::<ClientName<'_>>(client.get()).ok().map(|client| client.name)
    }

    /// Returns whether the `_meta` of the request has all required fields.
    pub(in super::super) fn is_described(&self) -> bool {
        self.meta_version().is_some() && self.has_capabilities()
    }

    /// Returns the required fields that are missing.
    pub(super) fn missing_members(&self) -> String {
        let version = "io.modelcontextprotocol/protocolVersion";
        let capabilities = "io.modelcontextprotocol/clientCapabilities";
        let lacks_version = self.meta_version().is_none().then_some(version);
        let lacks_capabilities = (!self.has_capabilities()).then_some(capabilities);
        let missing: Vec<_> = lacks_version.into_iter().chain(lacks_capabilities).collect();
        missing.join(", ")
    }

    fn has_capabilities(&self) -> bool {
        let capabilities = self.meta.as_ref().and_then(|meta| meta.capabilities);
        capabilities.is_some_and(|raw| {
            raw.get() == "{}" || serde_json::from_str::<ClientCapabilities>(raw.get()).is_ok()
        })
    }

    /// Returns the arguments, if they are an object.
    pub(in super::super) fn argument_object(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(self.arguments?.get()).ok()
    }

    /// Returns the value that `Mcp-Name` must repeat, which depends on the method.
    pub(in super::super) fn routed_name(&self, method: &str) -> Option<Cow<'a, str>> {
        text(match method {
            "tools/call" | "prompts/get" => self.name,
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => self.uri,
            "tasks/get" | "tasks/update" | "tasks/cancel" => self.task_id,
            _ => return None,
        })
    }
}

fn text(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    parse_string(raw?.get())
}
