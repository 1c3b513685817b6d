//! Parsing of a file's text, and the location of the servers in it.

use std::path::Path;

use serde_json::Value;

use crate::entry;
use crate::entry_keys::{nearest, normalize_word};
use crate::error::{Error, ErrorReason};
use crate::jsonc::{self, Parsed};
use crate::location::Location;
use crate::sections::{Section, take_sections};
use crate::server::{ServerEntry, ServersFile};
use crate::server_keys;
use crate::shapes::listed_name;
use crate::variables::Variables;

/// Parses the text of a file. Errors refer to the file as `name`. `variables` returns the value of each `${NAME}`.
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

/// Parses a file like [`parse`]. Relative paths are resolved against `folder`.
pub(crate) fn parse_in(
    text: &str,
    name: &str,
    variables: &Variables<'_>,
    folder: Option<&Path>,
) -> Result<ServersFile, Error> {
    let mut notices = Vec::new();
    let mut servers: Vec<ServerEntry> = Vec::new();
    // An invalid section does not disable the others.
    let mut broken = None;
    for section in find_sections(text, name, &mut notices)? {
        let at = Location::new(name, &section.path);
        let is_elsewhere = section.project.as_deref().filter(|folder| !is_working_folder(folder));
        let entries = match list_entries(&at, section.entries) {
            Ok(entries) => entries,
            Err(error) => {
                notices.push(error.to_string());
                broken.get_or_insert(error);
                continue;
            }
        };
        for (key, at, entry) in entries {
            // Comments may be written as keys.
            if key.starts_with("//") {
                continue;
            }
            if let Some(index) = servers.iter().position(|other| other.key == key) {
                let unused = "not used, because another server has this name";
                // As in Claude Code, a project's own servers replace the user's servers in its folder.
                if section.project.is_none() || is_elsewhere.is_some() {
                    notices.push(format!("{at}: {unused}"));
                    continue;
                }
                notices.push(format!("{}: {unused}", servers.remove(index).place));
            }
            let is_disabled = section.disabled.contains(&key);
            let mut server = entry::read_server(key, &at, entry, variables, folder, &mut notices);
            if let Some(project) = is_elsewhere {
                notices.push(format!(
                    "{at}: disabled, because it is for the project {project:?}; run the program in that folder, \
                     or enable the server"
                ));
            }
            server.options.disabled |= is_disabled || is_elsewhere.is_some();
            servers.push(server);
        }
    }
    if let (true, Some(error)) = (servers.is_empty(), broken) {
        return Err(error);
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

/// Returns whether this program runs in `folder` or below it.
fn is_working_folder(folder: &str) -> bool {
    std::env::current_dir().is_ok_and(|current| current.starts_with(folder))
}

/// Returns the entries of a section, by name, with their positions.
fn list_entries<'a>(
    at: &Location<'a>,
    entries: Value,
) -> Result<Vec<(String, Location<'a>, Value)>, Error> {
    match entries {
        Value::Object(entries) => {
            let each = entries.into_iter().map(|(key, entry)| {
                let place = at.for_key(&key);
                (key, place, entry)
            });
            Ok(each.collect())
        }
        // Cherry Studio and Witsy write a list.
        Value::Array(entries) => {
            let each = entries.into_iter().enumerate().map(|(index, entry)| {
                let name = listed_name(&entry).unwrap_or_else(|| format!("server-{}", index + 1));
                (name, at.index(index), entry)
            });
            Ok(each.collect())
        }
        other => Err(at.type_error("an object with a server under each name", &other)),
    }
}

/// Returns the sections of a file that contain servers.
fn find_sections(text: &str, name: &str, notices: &mut Vec<String>) -> Result<Vec<Section>, Error> {
    let at = Location::for_file(name);
    let Parsed { value, duplicates } =
        jsonc::parse_value(text).map_err(|reason| at.error_at(reason))?;
    for duplicate in duplicates {
        notices.push(format!("{}; the last value is used", at.error_at(duplicate)));
    }
    let Value::Object(mut file) = value else {
        return Err(at.type_error("an object with `mcpServers`", &value));
    };
    let found = take_sections(&mut file);
    if !found.is_empty() {
        return Ok(found);
    }
    let near = file.keys().find(|key| nearest(&normalize_word(key), ["mcpservers"]).is_some());
    Err(at.error_at(ErrorReason::MissingServers { near: near.cloned() }))
}
