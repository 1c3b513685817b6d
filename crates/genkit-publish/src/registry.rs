//! Entries of the MCP registry: `server.json`, schema of 2025-12-11.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use genkit_core::Result;
use genkit_files::read_regular_file;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::bundle::MAX_BINARY;
use crate::{Error, Publication, PublishedVariable};

/// The schema of the entry.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The maximum length of a description, in characters.
pub(crate) const MAX_DESCRIPTION: usize = 100;

impl Publication {
    /// Returns the entry of the server with this name: a package for the crate, one for each bundle, and one for the
    /// image if there is one. The URL of a bundle refers to the release `v<version>` of the repository.
    ///
    /// # Errors
    /// Returns an error if a field is missing or invalid, or if a bundle cannot be read.
    pub fn registry_entry(
        &self,
        name: &str,
        bundles: &[PathBuf],
        image: Option<&str>,
    ) -> Result<Map<String, Value>> {
        self.check_entry(name)?;
        let mut packages = Vec::new();
        if !self.crate_name.is_empty() {
            packages.push(self.package("cargo", &self.crate_name, Some(&self.version)));
        }
        for file in bundles {
            packages.push(self.bundle_package(file)?);
        }
        if let Some(image) = image {
            packages.push(self.package("oci", image, None));
        }
        let mut entry = json!({
            "$schema": SCHEMA,
            "name": name,
            "description": self.description,
            "version": self.version,
            "packages": packages,
        });
        if let Some(title) = &self.title {
            entry["title"] = title.as_str().into();
        }
        if let Some(website) = &self.website {
            entry["websiteUrl"] = website.as_str().into();
        }
        if !self.repository.is_empty() {
            let source = if self.is_on_gitlab() { "gitlab" } else { "github" };
            entry["repository"] = json!({ "url": self.repository, "source": source });
        }
        match entry {
            Value::Object(entry) => Ok(entry),
            _ => unreachable!("the entry is an object"),
        }
    }

    fn is_on_gitlab(&self) -> bool {
        self.repository.contains("gitlab")
    }

    fn check_entry(&self, name: &str) -> Result<(), Error> {
        if !is_registry_name(name) {
            return Err(Error::RegistryName { name: name.to_owned() });
        }
        self.check_description()?;
        let length = self.description.chars().count();
        if length > MAX_DESCRIPTION {
            return Err(Error::LongDescription { length });
        }
        let mut numbers = self.version.split(['.', '-', '+']);
        let is_number = |part: Option<&str>| {
            part.is_some_and(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
        };
        match (0..3).all(|_| is_number(numbers.next())) {
            true => Ok(()),
            false => Err(Error::Version { version: self.version.clone() }),
        }
    }

    fn bundle_package(&self, file: &Path) -> Result<Value> {
        if self.repository.is_empty() {
            return Err(Error::Missing { field: "repository" }.into());
        }
        let bytes = read_regular_file(file, MAX_BINARY)
            .map_err(|error| Error::Read { path: file.to_owned(), source: error.into() })?;
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or("server.mcpb");
        let repository = self.repository.trim_end_matches('/').trim_end_matches(".git");
        let version = &self.version;
        let url = match self.is_on_gitlab() {
            true => format!("{repository}/-/releases/v{version}/downloads/{name}"),
            false => format!("{repository}/releases/download/v{version}/{name}"),
        };
        let mut package = self.package("mcpb", &url, None);
        let mut digest = String::new();
        for byte in Sha256::digest(&bytes) {
            // Writing into a `String` cannot fail.
            let _ = write!(digest, "{byte:02x}");
        }
        package["fileSha256"] = digest.into();
        Ok(package)
    }

    fn package(&self, kind: &str, identifier: &str, version: Option<&str>) -> Value {
        let mut package = json!({
            "registryType": kind,
            "identifier": identifier,
            "transport": { "type": "stdio" },
        });
        if let Some(version) = version {
            package["version"] = version.into();
        }
        let variables: Vec<Value> = self.variables.iter().map(environment_variable).collect();
        if !variables.is_empty() {
            package["environmentVariables"] = variables.into();
        }
        package
    }
}

fn environment_variable(variable: &PublishedVariable) -> Value {
    let mut shown = json!({
        "name": variable.name,
        "description": variable.description,
        "format": "string",
        "isRequired": variable.is_required,
        "isSecret": variable.is_secret,
    });
    if let Some(default) = &variable.default {
        shown["default"] = default.as_str().into();
    }
    shown
}

/// Returns whether a name is a reversed domain, a slash and the name of a server.
pub(crate) fn is_registry_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        !part.is_empty() && part.chars().all(is_inner)
    };
    name.split_once('/')
        .is_some_and(|(domain, server)| domain.contains('.') && is_part(domain) && is_part(server))
}
