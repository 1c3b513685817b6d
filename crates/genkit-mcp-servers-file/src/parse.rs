//! Parsing of a file's text, and the location of the servers in it.

use std::path::Path;

use serde_json::{Map, Value};

use crate::entry;
use crate::entry_keys::{nearest, normalize_word};
use crate::error::{Error, ErrorReason};
use crate::jsonc;
use crate::place::Place;
use crate::server::{ServerEntry, ServersFile};
use crate::server_keys;
use crate::variables::Variables;

/// The keys of the servers: of most programs, and of VS Code.
const SECTIONS: [&str; 2] = ["mcpServers", "servers"];

/// Parses the text of a file, which errors refer to as `name`. `variables` returns the value of each `${NAME}`.
///
/// Relative paths of `envFile` and `cwd` are kept unchanged.
///
/// ```
/// let text = r#"{"mcp_servers": {}}"#;
/// let error = genkit_mcp_servers_file::parse(text, "mcp.json", |_| None).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "mcp.json: no servers found; expected `mcpServers`, or `servers` as in VS Code, \
///      instead of `mcp_servers`",
/// );
/// ```
///
/// # Errors
/// Returns an error if the text is not JSON, or has no servers. A single invalid server has its own error.
pub fn parse(
    text: &str,
    name: &str,
    variables: impl Fn(&str) -> Option<String>,
) -> Result<ServersFile, Error> {
    parse_in(text, name, &variables, None)
}

/// Like [`parse`], with the folder that relative paths are resolved against.
pub(crate) fn parse_in(
    text: &str,
    name: &str,
    variables: &Variables<'_>,
    folder: Option<&Path>,
) -> Result<ServersFile, Error> {
    let mut notices = Vec::new();
    let mut servers: Vec<ServerEntry> = Vec::new();
    for (section, entries) in find_sections(text, name)? {
        let at = Place::new(name, &section);
        let Value::Object(entries) = entries else {
            return Err(at.type_error("an object with a server under each name", &entries));
        };
        for (key, entry) in entries {
            // Comments may be written as keys.
            if key.starts_with("//") {
                continue;
            }
            if servers.iter().any(|other| other.key == key) {
                return Err(Place::of_file(name).error_at(ErrorReason::SameServer(key)));
            }
            let at = at.of_key(&key);
            servers.push(entry::read_server(key, &at, entry, variables, folder, &mut notices));
        }
    }
    let names: Vec<&str> = servers.iter().map(|server| server.key.as_str()).collect();
    let keys = server_keys::assign_keys(&names);
    for (server, key) in servers.iter_mut().zip(keys) {
        if server.key != key {
            let shown: String = server.key.chars().take(100).collect();
            notices.push(format!(
                "{name}: the server {shown:?} is renamed to `{key}`; keys must not contain `/` or `*`, \
                 and have at most 64 bytes"
            ));
            server.key = key;
        }
    }
    Ok(ServersFile { servers, notices })
}

/// Returns the sections of a file that contain servers.
fn find_sections(text: &str, name: &str) -> Result<Vec<(String, Value)>, Error> {
    let at = Place::of_file(name);
    let file = jsonc::parse_object(text).map_err(|reason| at.error_at(reason))?;
    let Value::Object(mut file) = file else {
        return Err(at.type_error("an object with `mcpServers`", &file));
    };
    let mut found = take_entries(&mut file, "");
    // The settings of VS Code, and files of development containers.
    if let (true, Some(Value::Object(inner))) = (found.is_empty(), file.get_mut("mcp")) {
        found = take_entries(inner, "mcp.");
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let near = file.keys().find(|key| nearest(&normalize_word(key), ["mcpservers"]).is_some());
    Err(at.error_at(ErrorReason::NoServers { near: near.cloned() }))
}

fn take_entries(object: &mut Map<String, Value>, before: &str) -> Vec<(String, Value)> {
    let section = |key: &str| Some((format!("{before}{key}"), object.shift_remove(key)?));
    SECTIONS.into_iter().filter_map(section).collect()
}
