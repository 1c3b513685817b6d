//! One server of a file.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::bounded::read_bounded;
use super::config_path::ConfigPath;
use super::error::Error;
use super::values::ServerEntry;
use super::vars::Variables;
use super::{dotenv, keys};
use crate::error::Result;
use crate::mcp::host::config::{Controls, ServerConfig, StdioServer};

/// Below this a time limit is taken as seconds. Claude Code, Gemini CLI, Kiro and Copilot write
/// milliseconds, and Claude Code leaves out what is below a second; Cline and Roo Code write seconds.
const LEAST_MILLISECONDS: f64 = 1000.0;

/// Below this a time limit in milliseconds is odd: Cline's longest, an hour, is 3600.
const ODD_MILLISECONDS: f64 = 3601.0;

/// The server of an entry; a broken one if it cannot be used.
pub(crate) fn server(
    at: &ConfigPath<'_>,
    entry: Value,
    vars: &Variables<'_>,
    folder: Option<&Path>,
    notices: &mut Vec<String>,
) -> ServerConfig {
    let Value::Object(entry) = entry else {
        let error = at.expected("an object with `command` or `url`", &entry);
        return ServerConfig::broken(error, Controls::default());
    };
    for key in entry.keys() {
        if let Some(notice) = keys::notice(key) {
            notices.push(format!("{}: {notice}", at.key(key)));
        }
    }
    let mut controls = Controls { disabled: is_disabled(&entry), ..Controls::default() };
    let entry = ServerEntry { at, entry, vars };
    let read = read_controls(&entry, &mut controls, notices).and_then(|()| launch(&entry, folder));
    match read {
        Ok(server) => ServerConfig { controls, ..server },
        Err(error) => ServerConfig::broken(error, controls),
    }
}

/// Known before all else: what is broken does not matter while it is switched off.
fn is_disabled(entry: &Map<String, Value>) -> bool {
    let is = |key: &str, value: bool| entry.get(key) == Some(&Value::Bool(value));
    is("disabled", true) || is("enabled", false)
}

fn read_controls(
    entry: &ServerEntry<'_>,
    controls: &mut Controls,
    notices: &mut Vec<String>,
) -> Result<()> {
    entry.boolean("disabled")?;
    entry.boolean("enabled")?;
    for key in ["enabledTools", "includeTools", "allowedTools", "tools"] {
        if let Some(names) = entry.strings(key)? {
            if key == "tools" && names.is_empty() {
                // Copilot means no tools at all.
                controls.except.push("*".to_owned());
            }
            controls.only.extend(names);
        }
    }
    for key in ["disabledTools", "excludeTools", "blockedTools"] {
        controls.except.extend(entry.strings(key)?.unwrap_or_default());
    }
    if let Some(limit) = entry.number("timeout")? {
        let in_seconds = limit < LEAST_MILLISECONDS;
        if limit < ODD_MILLISECONDS {
            let unit = if in_seconds { "seconds" } else { "milliseconds" };
            let at = entry.at.key("timeout");
            notices.push(format!("{at}: taken as {unit}; milliseconds are meant to stand here"));
        }
        let seconds = if in_seconds { limit } else { limit / 1000.0 };
        let limit = Duration::try_from_secs_f64(seconds);
        // Longer than a program can run is no limit.
        controls.timeout = Some(limit.unwrap_or(Duration::MAX));
    }
    Ok(())
}

/// How a server is reached.
#[derive(Clone, Copy, PartialEq)]
enum TransportKind {
    Stdio,
    Http,
}

fn launch(entry: &ServerEntry<'_>, folder: Option<&Path>) -> Result<ServerConfig> {
    let url = ["url", "httpUrl", "serverUrl"].into_iter().find(|key| entry.has(key));
    let kind = match (transport_kind(entry)?, entry.has("command"), url) {
        (None, true, Some(url)) => {
            return Err(entry.at.error(Error::CommandAndUrl { url }));
        }
        (Some(TransportKind::Stdio), false, _) => {
            return Err(entry.at.error(Error::NoCommand));
        }
        (Some(TransportKind::Http), _, None) => return Err(entry.at.error(Error::NoUrl)),
        (None, false, None) => return Err(entry.at.error(Error::NeitherCommandNorUrl)),
        (Some(kind), ..) => kind,
        (None, true, None) => TransportKind::Stdio,
        (None, false, Some(_)) => TransportKind::Http,
    };
    match (kind, url) {
        (TransportKind::Http, Some(url)) => http(entry, url),
        _ => stdio(entry, folder),
    }
}

/// What `type` names.
fn transport_kind(entry: &ServerEntry<'_>) -> Result<Option<TransportKind>> {
    let Some(key) = ["type", "transport", "transportType"].into_iter().find(|key| entry.has(key))
    else {
        return Ok(None);
    };
    let at = entry.at.key(key);
    let name = entry.text(key)?.unwrap_or_default();
    match name.to_lowercase().replace(['-', '_'], "").as_str() {
        "stdio" | "local" => Ok(Some(TransportKind::Stdio)),
        "http" | "streamablehttp" | "remote" => Ok(Some(TransportKind::Http)),
        "sse" => Err(at.error(Error::Sse)),
        _ => Err(at.error(Error::UnknownTransport)),
    }
}

fn stdio(entry: &ServerEntry<'_>, folder: Option<&Path>) -> Result<ServerConfig> {
    let mut server = StdioServer::new(entry.text("command")?.unwrap_or_default());
    server = server.args(entry.texts("args")?);
    let in_folder = |path: String| match folder {
        Some(folder) => folder.join(path),
        None => path.into(),
    };
    if let Some(file) = entry.text("envFile")? {
        server = server.envs(variables(&entry.at.key("envFile"), &in_folder(file))?);
    }
    // What stands in the entry itself goes before the file.
    server = server.envs(entry.variables("env")?);
    if let Some(cwd) = entry.text("cwd")? {
        server = server.cwd(in_folder(cwd));
    }
    Ok(server.into())
}

fn variables(at: &ConfigPath<'_>, file: &Path) -> Result<Vec<(String, String)>> {
    let path = file.display().to_string();
    let bytes = match read_bounded(file) {
        Ok(bytes) => bytes,
        Err(source) => return Err(at.error(Error::EnvFile { path, source })),
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return Err(at.error(Error::EnvFileNotUtf8(path)));
    };
    dotenv::parse(&text).map_err(|line| at.error(Error::EnvFileLine { path, line }))
}

fn http(entry: &ServerEntry<'_>, key: &str) -> Result<ServerConfig> {
    let url = entry.text(key)?.unwrap_or_default();
    let headers = entry.pairs("headers")?;
    #[cfg(feature = "mcp-host-http")]
    return Ok(crate::mcp::host::config::HttpServer::new(url).headers(headers).into());
    #[cfg(not(feature = "mcp-host-http"))]
    {
        // A mistake in them is the first error, as it would be with the feature.
        let _ = (url, headers);
        Err(entry.at.error(Error::NoHttp))
    }
}
