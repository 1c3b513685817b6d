//! The server info and capabilities in responses to `initialize` and `server/discover`.

use rmcp::model::{
    Implementation, PromptsCapability, ProtocolVersion, ResourcesCapability, SKILLS_EXTENSION_ID,
    ServerCapabilities, ServerConfig, TASKS_EXTENSION_ID, ToolsCapability,
};
use serde_json::{Map, json};

use crate::state::SharedState;
use genkit_core::internal::action::{APP_EXTENSION, APP_MIME_TYPE};
use genkit_mcp::internal::content;

/// Returns the server info with the extensions that only clients of protocol 2026-07-28 can use.
pub(crate) fn info_with_extensions(shared: &SharedState) -> ServerConfig {
    let mut info = server_info(shared);
    if shared.makes_tasks() {
        let extensions = info.capabilities.extensions.get_or_insert_default();
        extensions.entry(TASKS_EXTENSION_ID.to_owned()).or_default();
    }
    info
}

/// Returns the server info for a client of an older protocol without a session, which cannot receive notifications
/// of changes.
pub(crate) fn without_session(shared: &SharedState) -> ServerConfig {
    let mut info = server_info(shared);
    info.capabilities.tools = Some(ToolsCapability::default());
    info.capabilities.prompts = Some(PromptsCapability::default());
    info.capabilities.resources = Some(ResourcesCapability::default());
    info
}

/// Returns the server info. Tools, prompts and resources are always advertised, because they can be added while the
/// server runs. Skills are advertised only if there are any, because hosts then request their list.
pub(crate) fn server_info(shared: &SharedState) -> ServerConfig {
    let settings = &shared.settings;
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
    if shared.genkit.registry.has_skills() {
        let mut offered = Map::new();
        offered.insert("directoryRead".to_owned(), json!(true));
        let declared = capabilities.extensions.get_or_insert_default();
        declared.entry(SKILLS_EXTENSION_ID.to_owned()).or_insert(offered);
    }
    if shared.all_lists().has_apps {
        let mut offered = Map::new();
        offered.insert("mimeTypes".to_owned(), json!([APP_MIME_TYPE]));
        let declared = capabilities.extensions.get_or_insert_default();
        declared.entry(APP_EXTENSION.to_owned()).or_insert(offered);
    }
    let mut info = ServerConfig::new(capabilities);
    info.server_info = Implementation::new(settings.name.clone(), settings.version.clone());
    info.server_info.title = settings.title.clone();
    info.server_info.description = settings.description.clone();
    info.server_info.website_url = settings.website.clone();
    info.server_info.icons = content::to_icons(settings.icons.iter().map(String::as_str));
    info.instructions = settings.instructions.clone();
    info.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
    info
}
