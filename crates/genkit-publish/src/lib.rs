//! Files for publishing an MCP server: a bundle (`.mcpb`) that users install with a double click, and an
//! entry of the MCP registry (`server.json`).

#![allow(missing_docs, reason = "not part of the public API of genkit; it changes without notice")]

mod bundle;
mod error;
mod hints;
mod registry;

use serde_json::Value;

pub use error::Error;
pub use hints::readme_path;

/// The published metadata of a server.
#[derive(Clone, Debug, Default)]
pub struct Publication {
    pub name: String,
    pub title: Option<String>,
    pub version: String,
    /// The description. This and the strings below are empty if they are missing.
    pub description: String,
    pub website: Option<String>,
    /// The authors, separated by colons.
    pub authors: String,
    pub license: String,
    pub repository: String,
    pub crate_name: String,
    /// The icons as MCP lists them: `https://` URLs, and PNG images as `data:` URLs, which a bundle contains as a file.
    pub icons: Vec<String>,
    pub variables: Vec<PublishedVariable>,
    /// The tools as MCP lists them.
    pub tools: Vec<Value>,
    /// The prompts as MCP lists them.
    pub prompts: Vec<Value>,
}

/// An environment variable that users set.
#[derive(Clone, Debug, Default)]
pub struct PublishedVariable {
    pub name: String,
    pub description: String,
    pub is_secret: bool,
    pub is_required: bool,
    pub default: Option<String>,
}

impl Publication {
    fn check_description(&self) -> Result<(), Error> {
        match self.description.is_empty() {
            true => Err(Error::Missing { field: "description" }),
            false => Ok(()),
        }
    }
}
