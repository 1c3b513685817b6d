//! One server of a file.

mod take;

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::place::Place;
use super::vars::Vars;
use super::{bounded, dotenv, keys};
use crate::error::Result;
use crate::mcp::host::config::{Controls, ServerConfig, StdioServer};
use take::Entry;

/// Below this a time limit is taken as seconds. Claude Code, Gemini CLI, Kiro and Copilot write
/// milliseconds, and Claude Code leaves out what is below a second; Cline and Roo Code write seconds.
const LEAST_MILLISECONDS: f64 = 1000.0;

/// Below this a time limit in milliseconds is odd: Cline's longest, an hour, is 3600.
const ODD_MILLISECONDS: f64 = 3601.0;

/// The server of an entry; a broken one if it cannot be used.
pub(crate) fn server(
    place: &Place<'_>,
    entry: Value,
    vars: &Vars<'_>,
    folder: Option<&Path>,
    notices: &mut Vec<String>,
) -> ServerConfig {
    let Value::Object(entry) = entry else {
        let error = place.expected("an object with `command` or `url`", &entry);
        return ServerConfig::broken(error, Controls::default());
    };
    for key in entry.keys() {
        if let Some(notice) = keys::notice(key) {
            notices.push(format!("{}: {notice}", place.key(key)));
        }
    }
    let mut controls = Controls { disabled: is_disabled(&entry), ..Controls::default() };
    let entry = Entry { place, entry, vars };
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
    entry: &Entry<'_>,
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
            let place = entry.place.key("timeout");
            notices.push(format!("{place}: taken as {unit}; milliseconds are meant to stand here"));
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
enum Way {
    Stdio,
    Http,
}

fn launch(entry: &Entry<'_>, folder: Option<&Path>) -> Result<ServerConfig> {
    let url = ["url", "httpUrl", "serverUrl"].into_iter().find(|key| entry.has(key));
    let way = match (said(entry)?, entry.has("command"), url) {
        (None, true, Some(url)) => {
            let both = format!("`command` and `{url}` are both there: which one is it?");
            return Err(entry.place.error(both));
        }
        (Some(Way::Stdio), false, _) => {
            return Err(entry.place.error("`command` is missing"));
        }
        (Some(Way::Http), _, None) => return Err(entry.place.error("`url` is missing")),
        (None, false, None) => {
            let neither = "`command` (a program) or `url` (a server on the network) is missing";
            return Err(entry.place.error(neither));
        }
        (Some(way), ..) => way,
        (None, true, None) => Way::Stdio,
        (None, false, Some(_)) => Way::Http,
    };
    match (way, url) {
        (Way::Http, Some(url)) => http(entry, url),
        _ => stdio(entry, folder),
    }
}

/// What `type` says.
fn said(entry: &Entry<'_>) -> Result<Option<Way>> {
    let Some(key) = ["type", "transport", "transportType"].into_iter().find(|key| entry.has(key))
    else {
        return Ok(None);
    };
    let place = entry.place.key(key);
    let said = entry.text(key)?.unwrap_or_default();
    match said.to_lowercase().replace(['-', '_'], "").as_str() {
        "stdio" | "local" => Ok(Some(Way::Stdio)),
        "http" | "streamablehttp" | "remote" => Ok(Some(Way::Http)),
        "sse" => Err(place.error(
            "servers over `sse`, the transport of 2024, are not supported: most of them offer \
             streamable HTTP too, often at an address that ends in `/mcp` and not in `/sse`: \
             give that, and \"type\": \"http\"",
        )),
        _ => Err(place.error("expected \"stdio\" or \"http\"")),
    }
}

fn stdio(entry: &Entry<'_>, folder: Option<&Path>) -> Result<ServerConfig> {
    let mut server = StdioServer::new(entry.text("command")?.unwrap_or_default());
    server = server.args(entry.texts("args")?);
    let in_folder = |path: String| match folder {
        Some(folder) => folder.join(path),
        None => path.into(),
    };
    if let Some(file) = entry.text("envFile")? {
        server = server.envs(variables(&entry.place.key("envFile"), &in_folder(file))?);
    }
    // What stands in the entry itself goes before the file.
    server = server.envs(entry.variables("env")?);
    if let Some(cwd) = entry.text("cwd")? {
        server = server.cwd(in_folder(cwd));
    }
    Ok(server.into())
}

fn variables(place: &Place<'_>, file: &Path) -> Result<Vec<(String, String)>> {
    let shown = file.display();
    let unread = |error: std::io::Error| {
        place.error(format!("cannot read {shown}: {error}")).with_source(error)
    };
    let text = String::from_utf8(bounded(file).map_err(unread)?)
        .map_err(|_| place.error(format!("{shown} is not UTF-8")))?;
    dotenv::parse(&text)
        .map_err(|line| place.error(format!("line {line} of {shown} is not `NAME=value`")))
}

#[cfg(feature = "mcp-host-http")]
fn http(entry: &Entry<'_>, key: &str) -> Result<ServerConfig> {
    let mut server =
        crate::mcp::host::transport::http::HttpServer::new(entry.text(key)?.unwrap_or_default());
    for (name, value) in entry.pairs("headers")? {
        server = server.header(name, value);
    }
    Ok(server.into())
}

#[cfg(not(feature = "mcp-host-http"))]
fn http(entry: &Entry<'_>, key: &str) -> Result<ServerConfig> {
    // A mistake in it is told first, as it would be with the feature.
    entry.text(key)?;
    entry.pairs("headers")?;
    Err(crate::error::Error::new(
        crate::error::ErrorKind::Unimplemented,
        format!("{}: servers over HTTP need genkit's feature `mcp-host-http`", entry.place),
    ))
}
