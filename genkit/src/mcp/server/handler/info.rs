//! Server info and capabilities: what `initialize` and `server/discover` answer.

use rmcp::model::{Implementation, ProtocolVersion, ServerCapabilities, ServerConfig};

use crate::mcp::server::settings::ServerSettings;

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
