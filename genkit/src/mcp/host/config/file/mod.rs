//! The `mcpServers` file that other programs keep, read as servers of a host.

mod dotenv;
mod entry;
mod jsonc;
mod keys;
mod names;
mod place;
mod strict;
#[cfg(test)]
mod tests;
mod vars;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Launch, ServerConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::suggest;
use place::Place;
use strict::Strict;
use vars::Vars;

/// Largest file that is read, 32 MiB: `~/.claude.json` keeps much else.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Where the servers stand: most programs, then VS Code.
const SECTIONS: [&str; 2] = ["mcpServers", "servers"];

/// What a file says.
#[derive(Debug)]
pub(crate) struct File {
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
pub(crate) fn read(path: &Path) -> Result<File> {
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
                command.cwd.get_or_insert_with(|| folder.clone());
            }
        }
    }
    Ok(file)
}

/// Reads the text of a file, of which errors speak as `name`. `vars` knows the variables, and
/// `workspaceFolder` and `userHome` where they are to be had.
///
/// # Errors
/// As those of [`read`].
#[cfg(test)]
pub(crate) fn parse(text: &str, name: &str, vars: impl Fn(&str) -> Option<String>) -> Result<File> {
    parse_in(text, name, &vars, None)
}

fn parse_in(text: &str, name: &str, vars: &Vars<'_>, folder: Option<&Path>) -> Result<File> {
    let mut notices = Vec::new();
    let mut servers: Vec<(String, ServerConfig)> = Vec::new();
    for (section, entries) in sections(text, name)? {
        let Value::Object(entries) = entries else {
            let place = Place::new(name, &section);
            return Err(place.expected("an object with a server under each name", &entries));
        };
        for (key, entry) in entries {
            if key.starts_with("//") {
                continue;
            }
            if servers.iter().any(|(other, _)| *other == key) {
                let said = format!("the server `{key}` stands in `mcpServers` and in `servers`");
                return Err(Error::invalid_argument(format!("{name}: {said}")));
            }
            let place = Place::new(name, &section).key(&key);
            let server = entry::server(&place, entry, vars, folder, &mut notices);
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
    Ok(File { servers, notices })
}

/// The parts of a file that have servers.
fn sections(text: &str, name: &str) -> Result<Vec<(String, Value)>> {
    let text = jsonc::to_json(text);
    let Strict(file) =
        serde_json::from_str::<Strict>(&text).map_err(|error| malformed(name, &error))?;
    let Value::Object(mut file) = file else {
        return Err(Place::file(name).expected("an object with `mcpServers`", &file));
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
    let hint = match near {
        Some(key) => format!("; `{key}` is there: is it meant?"),
        None => String::new(),
    };
    let message = format!(
        "{name}: no servers are in it: they stand under `mcpServers`, or `servers` as VS Code has it{hint}"
    );
    Err(Error::invalid_argument(message))
}

fn take(object: &mut Map<String, Value>, before: &str) -> Vec<(String, Value)> {
    let section = |key: &str| Some((format!("{before}{key}"), object.shift_remove(key)?));
    SECTIONS.into_iter().filter_map(section).collect()
}

fn malformed(name: &str, error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    // It ends with the place, which stands in front here.
    let said = said.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&said);
    Error::invalid_argument(format!("{name}: line {line}, column {column}: {said}"))
}

fn text(path: &Path) -> Result<String> {
    let shown = path.display();
    let failed = |error: std::io::Error| {
        let (kind, remedy) = match error.kind() {
            std::io::ErrorKind::NotFound => (ErrorKind::NotFound, usual_places()),
            std::io::ErrorKind::PermissionDenied => (ErrorKind::PermissionDenied, String::new()),
            _ => (ErrorKind::InvalidArgument, String::new()),
        };
        Error::new(kind, format!("cannot read {shown}: {error}{remedy}")).with_source(error)
    };
    let bytes = bounded(path).map_err(failed)?;
    String::from_utf8(bytes)
        .map_err(|_| Error::invalid_argument(format!("cannot read {shown}: it is not UTF-8")))
}

/// The bytes of a file that is no larger than it may be.
fn bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let said = format!("it is larger than {MAX_BYTES} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, said));
    }
    Ok(bytes)
}

fn usual_places() -> String {
    let desktop = if cfg!(target_os = "macos") {
        "~/Library/Application Support/Claude/claude_desktop_config.json"
    } else if cfg!(windows) {
        r"%APPDATA%\Claude\claude_desktop_config.json"
    } else {
        "~/.config/Claude/claude_desktop_config.json"
    };
    format!(
        ". The usual ones are: .mcp.json or ~/.claude.json (Claude Code), {desktop} (Claude \
         Desktop), .cursor/mcp.json or ~/.cursor/mcp.json (Cursor), .vscode/mcp.json (VS Code)"
    )
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
