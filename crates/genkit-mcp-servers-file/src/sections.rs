//! The sections of a file that can contain servers, for each program.

use serde_json::{Map, Value};

/// The keys that contain the servers, in the files of most programs, VS Code, Zed and Amp.
const KEYS: [&str; 5] =
    ["mcpServers", "servers", "context_servers", "mcp.servers", "amp.mcpServers"];

/// The objects that contain such a key, in the settings of VS Code, development containers, OpenCode and Witsy.
const PARENTS: [&str; 4] = ["", "mcp", "customizations.vscode", "customizations.vscode.mcp"];

/// Servers in a file.
pub(crate) struct Section {
    /// The path in the file, such as `mcp.servers`.
    pub(crate) path: String,
    pub(crate) entries: Value,
    /// The names of servers that are disabled elsewhere in the file.
    pub(crate) disabled: Vec<String>,
    /// The folder of the project, if the servers are for one project.
    pub(crate) project: Option<String>,
}

/// Takes all sections out of a file.
pub(crate) fn take_sections(file: &mut Map<String, Value>) -> Vec<Section> {
    let mut disabled = names(file, "disabledMcpServers");
    disabled.extend(names(file, "disabledMcpjsonServers"));
    if let Some(Value::Object(mcp)) = file.get("mcp") {
        disabled.extend(names(mcp, "disabledMcpServers"));
    }
    let mut sections = Vec::new();
    let mut add = |path: String, entries: Value| {
        sections.push(Section { path, entries, disabled: disabled.clone(), project: None });
    };
    for parent in PARENTS {
        let mut object = Some(&mut *file);
        for key in parent.split('.').filter(|key| !key.is_empty()) {
            object = object.and_then(|object| object.get_mut(key)?.as_object_mut());
        }
        let Some(object) = object else { continue };
        for key in KEYS {
            let path = if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") };
            if let Some(entries) = object.shift_remove(key) {
                add(path, entries);
            }
        }
    }
    // OpenCode and Crush write the servers directly under `mcp`.
    if let Some(Value::Object(mcp)) = file.get_mut("mcp") {
        let servers: Map<String, Value> =
            std::mem::take(mcp).into_iter().filter(|(_, entry)| is_server(entry)).collect();
        if !servers.is_empty() {
            add("mcp".to_owned(), Value::Object(servers));
        }
    }
    sections.extend(take_projects(file));
    sections
}

/// Takes the servers of each project out of a Claude Code file.
fn take_projects(file: &mut Map<String, Value>) -> Vec<Section> {
    let Some(Value::Object(projects)) = file.get_mut("projects") else { return Vec::new() };
    let sections = projects.iter_mut().filter_map(|(folder, project)| {
        let project = project.as_object_mut()?;
        let entries = project.shift_remove("mcpServers")?;
        let is_empty = entries.as_object().is_some_and(Map::is_empty);
        let section = Section {
            path: format!("projects.{folder}.mcpServers"),
            entries,
            disabled: names(project, "disabledMcpServers"),
            project: Some(folder.clone()),
        };
        (!is_empty).then_some(section)
    });
    sections.collect()
}

/// Returns whether a value is the entry of a server.
fn is_server(entry: &Value) -> bool {
    ["command", "url", "type", "enabled"].iter().any(|key| entry.get(key).is_some())
}

/// Returns the names in a list, in a string, or as the keys of an object whose values are not `false`.
fn names(object: &Map<String, Value>, key: &str) -> Vec<String> {
    match object.get(key) {
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Object(names)) => {
            names.iter().filter(|(_, on)| **on != false).map(|(name, _)| name.clone()).collect()
        }
        _ => Vec::new(),
    }
}
