//! Server info and capabilities: what `initialize` and `server/discover` answer.

use rmcp::model::{
    Implementation, ProtocolVersion, ServerCapabilities, ServerConfig, TASKS_EXTENSION_ID,
};

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
    let mut capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .enable_completions()
        .enable_logging()
        .build();
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
