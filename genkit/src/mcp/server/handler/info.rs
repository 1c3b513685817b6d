//! Server info and capabilities: what `initialize` and `server/discover` answer.

use rmcp::model::{
    Implementation, PromptsCapability, ProtocolVersion, ResourcesCapability, ServerCapabilities,
    ServerConfig, TASKS_EXTENSION_ID, ToolsCapability,
};
use serde_json::Map;

use crate::mcp::server::settings::ServerSettings;
use crate::mcp::server::state::SharedState;

/// The same with what clients of the 2026-07-28 protocol may use beside.
pub(crate) fn described(shared: &SharedState) -> ServerConfig {
    let mut info = info(&shared.settings);
    if shared.makes_tasks() {
        let extensions = info.capabilities.extensions.get_or_insert_default();
        extensions.entry(TASKS_EXTENSION_ID.to_owned()).or_default();
    }
    info
}

/// All kinds are always advertised: they can come while the server runs.
pub(crate) fn info(settings: &ServerSettings) -> ServerConfig {
    let mut tools = ToolsCapability::default();
    tools.list_changed = Some(true);
    let mut prompts = PromptsCapability::default();
    prompts.list_changed = Some(true);
    let mut resources = ResourcesCapability::default();
    resources.list_changed = Some(true);
    resources.subscribe = Some(true);
    let mut capabilities = ServerCapabilities::default();
    capabilities.tools = Some(tools);
    capabilities.prompts = Some(prompts);
    capabilities.resources = Some(resources);
    capabilities.completions = Some(Map::new());
    capabilities.logging = Some(Map::new());
    if !settings.extensions.is_empty() {
        let declared = settings
            .extensions
            .iter()
            .map(|(id, value)| (id.clone(), value.as_object().cloned().unwrap_or_default()));
        capabilities.extensions = Some(declared.collect());
    }
    let mut info = ServerConfig::new(capabilities);
    info.server_info = Implementation::new(settings.name.clone(), settings.version.clone());
    info.server_info.title = settings.title.clone();
    info.instructions = settings.instructions.clone();
    info.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
    info
}
