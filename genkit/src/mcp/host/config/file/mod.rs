//! Configuration files of other programs (`mcpServers`), read as servers of a host.

mod bounded;
mod config_path;
mod dotenv;
mod entry;
mod error;
mod json;
mod keys;
mod names;
#[cfg(test)]
mod tests;
mod values;
mod vars;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Launch, ServerConfig};
use crate::error::Result;
use crate::suggest;
use config_path::ConfigPath;
use error::Error;
use vars::Variables;

/// Where the servers stand: most programs, then VS Code.
const SECTIONS: [&str; 2] = ["mcpServers", "servers"];

/// A configuration file that was read.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    /// The servers by their names, in the order of the file.
    pub(crate) servers: Vec<(String, ServerConfig)>,
    /// What was not understood or is not done, to be logged once.
    pub(crate) notices: Vec<String>,
}

/// Reads a file with this program's environment.
///
/// # Errors
/// If it is missing, too large, no JSON, or has no servers. A single server that cannot be used is
/// a broken server of the file and no error.
pub(crate) fn read(path: &Path) -> Result<ConfigFile> {
    let text = text(path)?;
    let name = path.display().to_string();
    let folder = workspace(path);
    let vars = |name: &str| match name {
        "workspaceFolder" => Some(folder.display().to_string()),
        "workspaceFolderBasename" => Some(folder.file_name()?.to_str()?.to_owned()),
        "userHome" => std::env::home_dir()?.to_str().map(str::to_owned),
        "pathSeparator" | "/" => Some(std::path::MAIN_SEPARATOR.to_string()),
        name => std::env::var(name).ok(),
    };
    let mut file = parse_in(&text, &name, &vars, Some(&folder))?;
    if is_in_project(path, &folder) {
        for (_, server) in &mut file.servers {
            if let Launch::Stdio(command) = &mut server.launch {
                command.child.cwd.get_or_insert_with(|| folder.clone());
            }
        }
    }
    Ok(file)
}

/// Reads the text of a file, which errors name as `name`. `vars` knows the variables, and
/// `workspaceFolder` and `userHome` where they are to be had.
///
/// # Errors
/// As those of [`read`].
#[cfg(test)]
pub(crate) fn parse(
    text: &str,
    name: &str,
    vars: impl Fn(&str) -> Option<String>,
) -> Result<ConfigFile> {
    parse_in(text, name, &vars, None)
}

fn parse_in(
    text: &str,
    name: &str,
    vars: &Variables<'_>,
    folder: Option<&Path>,
) -> Result<ConfigFile> {
    let mut notices = Vec::new();
    let mut servers: Vec<(String, ServerConfig)> = Vec::new();
    for (section, entries) in sections(text, name)? {
        let Value::Object(entries) = entries else {
            let at = ConfigPath::new(name, &section);
            return Err(at.expected("an object with a server under each name", &entries));
        };
        for (key, entry) in entries {
            if key.starts_with("//") {
                continue;
            }
            if servers.iter().any(|(other, _)| *other == key) {
                return Err(ConfigPath::file(name).error(Error::SameServer(key)));
            }
            let at = ConfigPath::new(name, &section).key(&key);
            let server = entry::server(&at, entry, vars, folder, &mut notices);
            servers.push((key, server));
        }
    }
    let names: Vec<&str> = servers.iter().map(|(name, _)| name.as_str()).collect();
    let keys = names::keys(&names);
    for ((server, _), key) in servers.iter_mut().zip(keys) {
        if *server != key {
            let shown: String = server.chars().take(100).collect();
            notices.push(format!(
                "{name}: the server {shown:?} is called `{key}` here: keys have no `/` and no `*`, \
                 and at most 64 bytes"
            ));
            *server = key;
        }
    }
    Ok(ConfigFile { servers, notices })
}

/// The parts of a file that have servers.
fn sections(text: &str, name: &str) -> Result<Vec<(String, Value)>> {
    let at = ConfigPath::file(name);
    let file = json::parse(text).map_err(|error| at.error(error))?;
    let Value::Object(mut file) = file else {
        return Err(at.expected("an object with `mcpServers`", &file));
    };
    let mut found = take(&mut file, "");
    // VS Code's settings, and the files of development containers.
    if let (true, Some(Value::Object(inner))) = (found.is_empty(), file.get_mut("mcp")) {
        found = take(inner, "mcp.");
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let near = file.keys().find(|key| {
        suggest::nearest(&key.to_lowercase().replace(['_', '-'], ""), ["mcpservers"].into_iter())
            .is_some()
    });
    Err(at.error(Error::NoServers { near: near.cloned() }))
}

fn take(object: &mut Map<String, Value>, before: &str) -> Vec<(String, Value)> {
    let section = |key: &str| Some((format!("{before}{key}"), object.shift_remove(key)?));
    SECTIONS.into_iter().filter_map(section).collect()
}

fn text(path: &Path) -> Result<String, Error> {
    let shown = || path.display().to_string();
    let bytes = bounded::read_bounded(path)
        .map_err(|source| Error::Unreadable { path: shown(), source })?;
    String::from_utf8(bytes).map_err(|_| Error::FileNotUtf8(shown()))
}

/// The folder that a file of a project is about.
fn workspace(path: &Path) -> PathBuf {
    let folder = parent(path);
    match folder.parent() {
        Some(project) if is_hidden(&folder) => project.to_owned(),
        _ => folder,
    }
}

/// Whether it is a file for one project: programs run its servers in the project's folder.
fn is_in_project(path: &Path, folder: &Path) -> bool {
    // What lies so in the folder of a user is for all projects.
    is_hidden(&parent(path)) && std::env::home_dir().is_none_or(|home| home != folder)
}

fn parent(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.parent().unwrap_or(Path::new("/")).to_owned()
}

/// `.vscode`, `.cursor`.
fn is_hidden(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
