//! Adding a server to the bytes of a file.

use serde_json::{Value, json};

use super::replace::set_value;
use super::{ClientApp, NewServer};
use crate::encoding::FileText;
use crate::error::{Error, ErrorReason};
use crate::jsonc::{self, Parsed};
use crate::location::Location;

/// Returns the bytes of a client's file with the server added; errors refer to the file as `name`. All other bytes are
/// preserved: comments, unknown keys, encoding, line endings. An empty file counts as a file without servers.
///
/// If the entry of a server with that name starts a program with the same file name, the path, arguments and variables
/// in the entry are updated, and the rest of the entry is kept.
///
/// ```
/// use genkit_mcp_servers_file::{ClientApp, NewServer, add_server};
///
/// let file = b"{\n\t// mine\n\t\"servers\": {},\n}\n";
/// let server = NewServer::new("notes", "/opt/notes");
/// let edited = add_server(file, "mcp.json", ClientApp::VsCode, &server)?;
/// let edited = String::from_utf8(edited).expect("text");
/// assert!(edited.starts_with("{\n\t// mine\n\t\"servers\": {\n\t\t\"notes\": {\n"), "{edited}");
/// # Ok::<(), genkit_mcp_servers_file::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the bytes are neither UTF-8 nor UTF-16 with a byte order mark, if they are not JSON with
/// comments or have duplicate keys, if the section of the servers is not an object, or if a server with that name
/// starts a different program.
pub fn add_server(
    bytes: &[u8],
    name: &str,
    app: ClientApp,
    server: &NewServer,
) -> Result<Vec<u8>, Error> {
    let at = Location::for_file(name);
    let file = FileText::decode_bytes(bytes).ok_or_else(|| at.error_at(ErrorReason::NotText))?;
    let text = put_entry(&file.text, app, server).map_err(|reason| at.error_at(reason))?;
    Ok(file.encode_text(&text))
}

fn put_entry(text: &str, app: ClientApp, server: &NewServer) -> Result<String, ErrorReason> {
    let Parsed { value, duplicates } = jsonc::parse_any(text)?;
    // A duplicate key is an error here, because clients do not agree on which of the values counts.
    if let Some(duplicate) = duplicates.into_iter().next() {
        return Err(duplicate);
    }
    let known = value.unwrap_or_default();
    let entry = server.entry(app);
    let path = [app.section(), server.name.as_str()];
    let there = known.get(path[0]).and_then(|section| section.get(path[1]));
    let Some(there) = there else { return set_value(text, &path, &entry) };
    if !is_same_program(there, &server.command) {
        return Err(ErrorReason::OtherServer { name: server.name.clone() });
    }
    let mut text = text.to_owned();
    for (key, value) in entry.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("env", Value::Object(env)) => {
                for (name, value) in env {
                    set_if_different(&mut text, there, &[path[0], path[1], "env", name], value)?;
                }
            }
            _ => set_if_different(&mut text, there, &[path[0], path[1], key], value)?,
        }
    }
    Ok(text)
}

/// Sets a value of an entry unless it is already equal, so that its formatting is kept.
fn set_if_different(
    text: &mut String,
    there: &Value,
    path: &[&str],
    value: &Value,
) -> Result<(), ErrorReason> {
    let found = path[2..].iter().try_fold(there, |value, key| value.get(key));
    if found != Some(value) {
        *text = set_value(text, path, value)?;
    }
    Ok(())
}

/// Returns whether an entry starts a program with this file name. Its path may differ if the program was moved or
/// rebuilt.
fn is_same_program(entry: &Value, command: &str) -> bool {
    let file_name = |path: &str| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
        name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
    };
    let known = entry.get("command").and_then(Value::as_str);
    known.is_some_and(|known| file_name(known) == file_name(command))
        && entry.get("type").is_none_or(|kind| *kind == json!("stdio"))
}
