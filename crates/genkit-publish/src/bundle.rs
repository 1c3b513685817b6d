//! Bundles: a zip archive with the program and a `manifest.json` (MCPB, version 0.3).

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use genkit_core::Result;
use genkit_files::read_regular_file;
use serde_json::{Map, Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{Error, Publication, PublishedVariable};

/// The mode of the program in the archive: executable by all users.
const EXECUTABLE: u32 = 0o755;

/// The maximum size of a program or bundle, in bytes. Default is 1,024 MiB.
pub(crate) const MAX_BINARY: u64 = 1024 * 1024 * 1024;

/// The name of the icon in the archive.
const ICON: &str = "icon.png";

impl Publication {
    /// Writes a bundle with this program to `file`. An existing file is replaced only if the bundle is complete.
    ///
    /// # Errors
    /// Returns an error if the description or the authors are missing, or if a file cannot be read or written.
    pub fn write_bundle(&self, program: &Path, file: &Path) -> Result<()> {
        let name = program.file_name().and_then(|name| name.to_str()).unwrap_or("server");
        let manifest = self.manifest(name)?;
        let bytes = read_regular_file(program, MAX_BINARY)
            .map_err(|error| Error::Read { path: program.to_owned(), source: error.into() })?;
        let unwritable = |source| Error::Write { path: file.to_owned(), source };
        let partial = file.with_extension("mcpb.partial");
        let mut files = vec![(format!("server/{name}"), EXECUTABLE, bytes)];
        files.extend(self.embedded_icon().map(|icon| (ICON.to_owned(), 0o644, icon)));
        let written =
            write_archive(&partial, &manifest, &files).and_then(|()| fs::rename(&partial, file));
        if written.is_err() {
            // Ignored, because the error from writing the archive is reported.
            let _ = fs::remove_file(&partial);
        }
        Ok(written.map_err(unwritable)?)
    }

    /// Returns the manifest of a bundle whose program has this file name.
    ///
    /// # Errors
    /// Returns an error if the description or the authors are missing.
    pub fn manifest(&self, program: &str) -> Result<Value> {
        self.check_description()?;
        let author = self.authors.split(':').next().filter(|author| !author.is_empty());
        let author = author.ok_or(Error::Missing { field: "authors" })?;
        let entry_point = format!("server/{program}");
        let environment: Map<String, Value> = self
            .variables
            .iter()
            .map(|variable| {
                let value = format!("${{user_config.{}}}", setting_key(variable));
                (variable.name.clone(), value.into())
            })
            .collect();
        let mut manifest = json!({
            "manifest_version": "0.3",
            "name": self.name,
            "version": self.version,
            "description": self.description,
            "author": parse_person(author),
            "server": {
                "type": "binary",
                "entry_point": entry_point,
                "mcp_config": {
                    "command": format!("${{__dirname}}/{entry_point}"),
                    "args": ["--stdio"],
                    "env": environment,
                },
            },
            "compatibility": { "platforms": [platform()] },
        });
        let optional = [
            ("display_name", self.title.clone().unwrap_or_default()),
            ("license", self.license.clone()),
            ("homepage", self.website.clone().unwrap_or_default()),
            ("icon", self.icon()),
        ];
        for (key, text) in optional {
            if !text.is_empty() {
                manifest[key] = text.into();
            }
        }
        if !self.repository.is_empty() {
            manifest["repository"] = json!({ "type": "git", "url": self.repository });
        }
        let tools: Vec<Value> = self.tools.iter().map(listed_item).collect();
        if !tools.is_empty() {
            manifest["tools"] = tools.into();
        }
        let prompts: Vec<Value> = self.prompts.iter().map(listed_prompt).collect();
        if !prompts.is_empty() {
            manifest["prompts"] = prompts.into();
        }
        let settings: Map<String, Value> = self
            .variables
            .iter()
            .map(|variable| (setting_key(variable), setting(variable)))
            .collect();
        if !settings.is_empty() {
            manifest["user_config"] = settings.into();
        }
        Ok(manifest)
    }

    /// Returns the icon for the manifest: the file name in the archive, a URL, or an empty string if there is none.
    fn icon(&self) -> String {
        if self.embedded_icon().is_some() {
            return ICON.to_owned();
        }
        let url = self.icons.iter().find(|url| url.starts_with("https://"));
        url.cloned().unwrap_or_default()
    }

    /// Returns the first icon that is a PNG image in a `data:` URL.
    fn embedded_icon(&self) -> Option<Vec<u8>> {
        let images = self.icons.iter().filter_map(|url| url.strip_prefix("data:image/png;base64,"));
        images.filter_map(|text| STANDARD.decode(text).ok()).next()
    }
}

/// Writes the manifest and the files, each with its path and mode.
fn write_archive(
    path: &Path,
    manifest: &Value,
    files: &[(String, u32, Vec<u8>)],
) -> io::Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut archive = ZipWriter::new(File::create(path)?);
    archive.start_file("manifest.json", options)?;
    archive.write_all(format!("{manifest:#}\n").as_bytes())?;
    for (name, mode, bytes) in files {
        archive.start_file(name, options.unix_permissions(*mode))?;
        archive.write_all(bytes)?;
    }
    archive.finish()?.sync_all()
}

/// Converts an author, written as `Name <mail>`, into a person of the manifest.
fn parse_person(author: &str) -> Value {
    match author.split_once('<') {
        Some((name, mail)) => {
            json!({ "name": name.trim(), "email": mail.trim_end_matches('>').trim() })
        }
        None => json!({ "name": author.trim() }),
    }
}

fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

fn setting_key(variable: &PublishedVariable) -> String {
    variable.name.to_ascii_lowercase()
}

fn setting(variable: &PublishedVariable) -> Value {
    let mut setting = json!({
        "type": "string",
        "title": variable.name,
        "description": variable.description,
        "required": variable.is_required,
        "sensitive": variable.is_secret,
    });
    // A client replaces `${user_config.name}` only if the setting has a value. Without a default, the program would
    // receive this literal text.
    let default = variable.default.as_deref().or((!variable.is_required).then_some(""));
    if let Some(default) = default {
        setting["default"] = default.into();
    }
    setting
}

fn listed_item(item: &Value) -> Value {
    json!({ "name": item["name"], "description": string_field(&item["description"]) })
}

/// Returns a prompt of the manifest. The text is generated on request, so the description is used as a placeholder.
fn listed_prompt(prompt: &Value) -> Value {
    let arguments = prompt["arguments"].as_array();
    let arguments: Vec<&Value> = arguments.into_iter().flatten().map(|it| &it["name"]).collect();
    let mut listed = listed_item(prompt);
    listed["arguments"] = json!(arguments);
    listed["text"] = string_field(&prompt["description"]).into();
    listed
}

fn string_field(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
