//! The file of a cassette: what stands in it, and how a call becomes that.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json_of;
use crate::error::{Error, ErrorContext as _, Result};
use crate::model::http::failure::Secrets;

/// The form of the file.
const VERSION: u32 = 1;

/// Headers of an answer that change what it means.
const HEADERS: [&str; 4] = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

#[derive(Deserialize)]
pub(super) struct Tape {
    version: u32,
    pub(super) exchanges: Vec<Exchange>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) request: Asked,
    pub(super) response: Told,
}

/// A request, without what changes from run to run.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) method: String,
    /// With its query, without host and base path: a replay may be at another address.
    pub(super) path: String,
    pub(super) body: Value,
}

/// An answer as it stands in the file.
#[derive(Serialize, Deserialize)]
pub(super) struct Told {
    status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
    /// In place of `body` where that is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// An answer as it was heard, or is to be.
#[derive(Default)]
pub(in crate::model::http) struct Heard {
    pub(in crate::model::http) status: u16,
    pub(in crate::model::http) headers: BTreeMap<String, String>,
    pub(in crate::model::http) body: Vec<u8>,
}

impl Tape {
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        if self.version == VERSION {
            return Ok(());
        }
        Err(Error::invalid_argument(format!(
            "{} is a cassette of version {}, and version {VERSION} can be read: record it again",
            path.display(),
            self.version
        )))
    }

    pub(super) fn text_of<'a>(exchanges: impl Iterator<Item = &'a Exchange>) -> Result<String> {
        #[derive(Serialize)]
        struct Written<'a> {
            version: u32,
            exchanges: Vec<&'a Exchange>,
        }
        let tape = Written { version: VERSION, exchanges: exchanges.collect() };
        let mut text = serde_json::to_string_pretty(&tape).context("cannot write a cassette")?;
        text.push('\n');
        Ok(text)
    }
}

impl Asked {
    pub(super) fn new(path: &str, body: &[u8], secrets: &Secrets) -> Self {
        let body = String::from_utf8_lossy(body);
        let clean = |text: &str| secrets.cleaned(text).unwrap_or_else(|| text.to_owned());
        Self { method: "POST".to_owned(), path: clean(path), body: json_of(&clean(&body)) }
    }
}

impl Told {
    pub(super) fn heard(&self) -> Result<Heard> {
        let body = match &self.base64 {
            Some(bytes) => STANDARD.decode(bytes).context("a cassette holds broken base64")?,
            None => self.body.clone().into_bytes(),
        };
        Ok(Heard { status: self.status, headers: self.headers.clone(), body })
    }
}

impl Heard {
    pub(super) fn new(status: u16, header: &dyn Fn(&str) -> Option<String>) -> Self {
        let headers =
            HEADERS.iter().filter_map(|name| Some(((*name).to_owned(), header(name)?))).collect();
        Self { status, headers, body: Vec::new() }
    }

    pub(super) fn told(self, secrets: &Secrets) -> Told {
        let (body, base64) = match String::from_utf8(self.body) {
            Ok(text) => (secrets.cleaned(&text).unwrap_or(text), None),
            Err(bytes) => (String::new(), Some(STANDARD.encode(bytes.as_bytes()))),
        };
        Told { status: self.status, headers: self.headers, body, base64 }
    }
}
