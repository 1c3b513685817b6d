//! Hints of `--check`: the data that a package lacks for a bundle and for an MCP registry entry.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use genkit_files::read_regular_file;

use crate::Publication;
use crate::registry::{MAX_DESCRIPTION, is_registry_name};

/// The maximum size of a readme, in bytes. A larger one counts as missing.
const MAX_README: u64 = 1024 * 1024;

impl Publication {
    /// Returns one line that lists what to add before the server is published, or an empty string if nothing is
    /// missing. Reads the readme of the package.
    pub fn hint(&self) -> String {
        let path = readme_path(&self.crate_name, |name| env::var_os(name));
        let readme = read_regular_file(&path, MAX_README).ok();
        let missing = self.missing(readme.as_deref().map(String::from_utf8_lossy).as_deref());
        match missing.is_empty() {
            true => String::new(),
            false => format!("To publish the server, add: {}.\n", missing.join(", ")),
        }
    }

    /// Lists what a package with this readme lacks.
    pub fn missing(&self, readme: Option<&str>) -> Vec<String> {
        if self.crate_name.is_empty() {
            return vec!["`.package(genkit::package!())` to the server".to_owned()];
        }
        let fields = [
            ("description", &self.description),
            ("authors", &self.authors),
            ("license", &self.license),
            ("repository", &self.repository),
        ];
        let empty = fields.iter().filter(|(_, text)| text.is_empty());
        let mut missing: Vec<String> =
            empty.map(|(name, _)| format!("`{name}` to Cargo.toml")).collect();
        if self.description.chars().count() > MAX_DESCRIPTION {
            missing.push(format!(
                "a `description` of at most {MAX_DESCRIPTION} characters to Cargo.toml"
            ));
        }
        if !readme.is_some_and(has_name_line) {
            let line = format!("`mcp-name: io.github.me/{}`", self.crate_name);
            missing.push(match readme {
                Some(_) => format!("the line {line} to the readme, as visible text"),
                None => format!("a readme with the line {line}"),
            });
        }
        missing
    }
}

/// Returns the path of the readme of this package. Cargo sets the variables for a program that it runs. Otherwise, the
/// readme is expected in the current folder.
pub fn readme_path(crate_name: &str, variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let is_run_by_cargo = variable("CARGO_PKG_NAME").is_some_and(|name| name == crate_name);
    let folder = variable("CARGO_MANIFEST_DIR").filter(|_| is_run_by_cargo).unwrap_or_default();
    let name = variable("CARGO_PKG_README").filter(|name| is_run_by_cargo && !name.is_empty());
    Path::new(&folder).join(name.unwrap_or_else(|| "README.md".into()))
}

/// Returns whether the registry finds the name of a server in the readme of the published crate. The crate registry
/// removes comments from the readme.
fn has_name_line(readme: &str) -> bool {
    let mut visible = String::new();
    let mut rest = readme;
    while let Some((before, comment)) = rest.split_once("<!--") {
        visible.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    visible.push_str(rest);
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
    let names = visible.split("mcp-name: ").skip(1);
    names.map(|rest| rest.split(|c| !is_inner(c)).next().unwrap_or_default()).any(is_registry_name)
}
