//! The scenario, as specified by the suite.

use std::env;

use genkit::serde_json::{self, Value};
use genkit::{Error, Result};

/// One scenario.
pub(crate) struct Scenario {
    pub(crate) name: String,
    /// The protocol version to use.
    pub(crate) version: String,
    pub(crate) url: String,
    /// Additional data of the scenario, such as keys. `null` if there is none.
    pub(crate) context: Value,
}

impl Scenario {
    pub(crate) fn from_environment() -> Result<Self> {
        let Some(url) = env::args().nth(1) else {
            return Err(Error::invalid_argument("usage: conformance_client URL"));
        };
        let context = env::var("MCP_CONFORMANCE_CONTEXT").ok();
        let context = context.map(|text| serde_json::from_str(&text)).transpose()?;
        Ok(Self {
            name: env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default(),
            version: env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or_default(),
            url,
            context: context.unwrap_or_default(),
        })
    }

    /// Returns a string from the context.
    pub(crate) fn text(&self, key: &str) -> Result<&str> {
        self.context[key].as_str().ok_or_else(|| {
            Error::not_found(format!("the suite did not provide `{key}` for {}", self.name))
        })
    }
}
