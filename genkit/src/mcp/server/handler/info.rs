//! Server info and capabilities: what `initialize` and `server/discover` answer.

use rmcp::model::{
    Implementation, ProtocolVersion, SKILLS_EXTENSION_ID, ServerCapabilities, ServerConfig,
};
use serde_json::{Map, json};

use crate::mcp::server::state::SharedState;

/// All kinds are always advertised: they can come while the server runs. Skills are where there is one: hosts ask for
/// their list then.
pub(crate) fn info(shared: &SharedState) -> ServerConfig {
    let settings = &shared.settings;
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
    if shared.genkit.registry.has_skills() {
        let mut offered = Map::new();
        offered.insert("directoryRead".to_owned(), json!(true));
        let declared = capabilities.extensions.get_or_insert_default();
        declared.entry(SKILLS_EXTENSION_ID.to_owned()).or_insert(offered);
    }
    let mut info = ServerConfig::new(capabilities);
    info.server_info = Implementation::new(settings.name.clone(), settings.version.clone());
    info.server_info.title = settings.title.clone();
    info.instructions = settings.instructions.clone();
    info.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
    info
}
