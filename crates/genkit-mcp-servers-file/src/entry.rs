//! One server of a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::error::{Error, ErrorReason};
use crate::fields::Fields;
use crate::location::Location;
use crate::read::read_bounded;
use crate::server::{ServerEntry, ServerOptions, ServerTransport};
use crate::shapes::unify_entry;
use crate::variables::Variables;
use crate::{dotenv, entry_keys};

/// A time limit below this number is interpreted as seconds. Claude Code, Gemini CLI, Kiro and Copilot write
/// milliseconds, and Claude Code ignores values below a second; Cline and Roo Code write seconds.
const LEAST_MILLISECONDS: f64 = 1000.0;

/// A time limit in milliseconds below this number is suspicious: Cline's longest value, an hour, is 3600.
const ODD_MILLISECONDS: f64 = 3601.0;

/// Reads the server of an entry.
pub(crate) fn read_server(
    key: String,
    at: &Location<'_>,
    entry: Value,
    variables: &Variables<'_>,
    folder: Option<&Path>,
    notices: &mut Vec<String>,
) -> ServerEntry {
    let mut options = ServerOptions::default();
    let transport = match entry {
        Value::Object(mut entry) => {
            unify_entry(&mut entry);
            let disabling = disabling_key(&entry);
            for key in entry.keys().filter(|key| disabling != Some(key.as_str())) {
                if let Some(notice) = entry_keys::unknown_key_notice(key) {
                    notices.push(format!("{}: {notice}", at.for_key(key)));
                }
            }
            if let Some(key) = disabling {
                options.disabled = true;
                if !matches!((key, &entry[key]), ("disabled" | "enabled", Value::Bool(_))) {
                    let at = at.for_key(key);
                    notices.push(format!(
                        "{at}: interpreted as disabled; write `\"disabled\": true` or remove the key"
                    ));
                }
            }
            let fields = Fields { at, entry, variables };
            read_options(&fields, &mut options, notices)
                .and_then(|()| read_transport(&fields, folder))
        }
        other => Err(at.type_error("an object with `command` or `url`", &other)),
    };
    ServerEntry { key, place: at.to_string(), options, transport }
}

/// Returns the key that disables the server. Programs use different keys and values, so an unknown value also disables
/// the server: a server that the user disabled must not start. The key is read first, because an error in an entry does
/// not matter while the server is disabled.
fn disabling_key(entry: &Map<String, Value>) -> Option<&str> {
    let (key, _) = entry.iter().find(|(key, value)| {
        let word = match value {
            Value::Bool(value) => value.to_string(),
            Value::Number(value) => value.to_string(),
            Value::String(value) => value.trim().to_lowercase(),
            Value::Null => return false,
            other => other.to_string(),
        };
        let word = word.as_str();
        let is_yes = matches!(word, "true" | "yes" | "y" | "on" | "1" | "1.0");
        let is_no = matches!(word, "false" | "no" | "n" | "off" | "0" | "0.0" | "");
        let word_enables = matches!(
            word,
            "enabled"
                | "active"
                | "activated"
                | "running"
                | "started"
                | "connected"
                | "ready"
                | "auto"
                | "default"
        );
        let key = entry_keys::normalize_word(key);
        let key =
            key.trim_start_matches("is").trim_start_matches("server").trim_start_matches("mcp");
        match key.trim_end_matches("server") {
            "disabled" | "disable" | "inactive" | "deactivated" | "paused" | "suspended"
            | "stopped" | "off" => !(is_no || word_enables),
            "enabled" | "enable" | "active" | "activated" | "on" => !(is_yes || word_enables),
            "state" | "status" => !(is_yes || word_enables || word.is_empty()),
            _ => false,
        }
    })?;
    Some(key)
}

fn read_options(
    fields: &Fields<'_>,
    options: &mut ServerOptions,
    notices: &mut Vec<String>,
) -> Result<(), Error> {
    for key in ["enabledTools", "includeTools", "allowedTools", "tools"] {
        if let Some(names) = fields.read_strings(key)? {
            if key == "tools" && names.is_empty() {
                // In Copilot an empty list disables all tools.
                options.except.push("*".to_owned());
            }
            options.only.extend(names);
        }
    }
    for key in ["disabledTools", "excludeTools", "blockedTools"] {
        options.except.extend(fields.read_strings(key)?.unwrap_or_default());
    }
    let timeout = fields.read_number("timeout").unwrap_or_else(|error| {
        notices.push(format!("{error}; the default is used"));
        None
    });
    if let Some(limit) = timeout {
        let in_seconds = limit < LEAST_MILLISECONDS;
        if limit < ODD_MILLISECONDS {
            let unit = if in_seconds { "seconds" } else { "milliseconds" };
            let at = fields.at.for_key("timeout");
            notices.push(format!("{at}: small number interpreted as {unit}; write milliseconds"));
        }
        let seconds = if in_seconds { limit } else { limit / 1000.0 };
        // A limit beyond the range is effectively unlimited.
        options.timeout = Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    Ok(())
}

/// The transports that `type` can name.
#[derive(Clone, Copy)]
enum Kind {
    Stdio,
    Http,
}

fn read_transport(fields: &Fields<'_>, folder: Option<&Path>) -> Result<ServerTransport, Error> {
    let url = ["url", "httpUrl", "serverUrl"].into_iter().find(|key| fields.has_key(key));
    let reason = match (read_kind(fields)?, fields.has_key("command"), url) {
        (Some(Kind::Stdio), true, _) | (None, true, None) => return read_stdio(fields, folder),
        (Some(Kind::Http), _, Some(url)) | (None, false, Some(url)) => {
            return read_http(fields, url);
        }
        (None, true, Some(url)) => ErrorReason::CommandAndUrl { url },
        (Some(Kind::Stdio), false, _) => ErrorReason::MissingCommand,
        (Some(Kind::Http), _, None) => ErrorReason::MissingUrl,
        (None, false, None) => ErrorReason::NeitherCommandNorUrl,
    };
    Err(fields.at.error_at(reason))
}

/// Reads the transport that `type` names.
fn read_kind(fields: &Fields<'_>) -> Result<Option<Kind>, Error> {
    let keys = ["type", "transport", "transportType"];
    let Some(key) = keys.into_iter().find(|key| fields.has_key(key)) else { return Ok(None) };
    let name = fields.read_text(key)?.unwrap_or_default();
    let reason = match entry_keys::normalize_word(&name).as_str() {
        "stdio" | "local" => return Ok(Some(Kind::Stdio)),
        "http" | "streamablehttp" | "remote" => return Ok(Some(Kind::Http)),
        "sse" => ErrorReason::Sse,
        _ => ErrorReason::UnknownTransport,
    };
    Err(fields.at.for_key(key).error_at(reason))
}

fn read_stdio(fields: &Fields<'_>, folder: Option<&Path>) -> Result<ServerTransport, Error> {
    let command = fields.read_text("command")?.unwrap_or_default();
    let args = fields.read_texts("args")?;
    let in_folder = |path: String| match folder {
        Some(folder) => folder.join(path),
        None => path.into(),
    };
    let mut env = BTreeMap::new();
    if let Some(file) = fields.read_text("envFile")? {
        let at = fields.at.for_key("envFile");
        env.extend(env_file(&in_folder(file)).map_err(|reason| at.error_at(reason))?);
    }
    // Variables in the entry itself take precedence over variables in the file.
    env.extend(fields.read_pairs("env")?);
    let cwd = fields.read_text("cwd")?.map(in_folder);
    Ok(ServerTransport::Stdio { command, args, env, cwd })
}

fn env_file(file: &Path) -> Result<Vec<(String, String)>, ErrorReason> {
    let path = file.display().to_string();
    let bytes = match read_bounded(file) {
        Ok(bytes) => bytes,
        Err(source) => return Err(ErrorReason::EnvFile { path, source }),
    };
    let Ok(text) = String::from_utf8(bytes) else { return Err(ErrorReason::EnvFileNotUtf8(path)) };
    dotenv::parse_lines(&text).map_err(|line| ErrorReason::EnvFileLine { path, line })
}

fn read_http(fields: &Fields<'_>, key: &str) -> Result<ServerTransport, Error> {
    let url = fields.read_text(key)?.unwrap_or_default();
    Ok(ServerTransport::Http { url, headers: fields.read_pairs("headers")? })
}
