//! The file of a cassette: recorded requests and responses.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::Error as E;
use crate::http::{Secrets, StoredResponse};
use genkit_core::{ErrorContext as _, Result};

/// The form of the file.
const VERSION: u32 = 1;

/// Headers of an answer that change what it means.
const HEADERS: [&str; 4] = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

#[derive(Deserialize)]
pub(super) struct CassetteFile {
    version: u32,
    pub(super) exchanges: Vec<Exchange>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) request: RecordedRequest,
    pub(super) response: RecordedResponse,
}

/// A request, without what changes from run to run.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedRequest {
    pub(super) method: String,
    /// With its query, without host and base path: a replay may be at another address.
    pub(super) path: String,
    pub(super) body: Value,
}

/// An answer as it stands in the file.
#[derive(Serialize, Deserialize)]
pub(super) struct RecordedResponse {
    status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
    /// In place of `body` where that is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl CassetteFile {
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        if self.version == VERSION {
            return Ok(());
        }
        Err(E::Version { path: path.to_owned(), found: self.version, known: VERSION }.into())
    }

    pub(super) fn text_of<'a>(exchanges: impl Iterator<Item = &'a Exchange>) -> Result<String> {
        #[derive(Serialize)]
        struct Written<'a> {
            version: u32,
            exchanges: Vec<&'a Exchange>,
        }
        let file = Written { version: VERSION, exchanges: exchanges.collect() };
        let mut text = serde_json::to_string_pretty(&file).context("cannot write a cassette")?;
        text.push('\n');
        Ok(text)
    }
}

impl RecordedRequest {
    pub(super) fn new(path: &str, body: &[u8], secrets: &Secrets) -> Self {
        let body = String::from_utf8_lossy(body);
        let redact = |text: &str| secrets.redacted(text).unwrap_or_else(|| text.to_owned());
        Self { method: "POST".to_owned(), path: redact(path), body: json_of(&redact(&body)) }
    }
}

impl RecordedResponse {
    pub(super) fn new(response: StoredResponse, secrets: &Secrets) -> Self {
        let (body, base64) = match String::from_utf8(response.body) {
            Ok(text) => (secrets.redacted(&text).unwrap_or(text), None),
            Err(bytes) => {
                let clean = secrets.redacted_bytes(bytes.into_bytes());
                (String::new(), Some(STANDARD.encode(clean)))
            }
        };
        let clean = |(name, value): (String, String)| {
            let clean = secrets.redacted(&value).unwrap_or(value);
            (name, clean)
        };
        let headers = response.headers.into_iter().map(clean).collect();
        Self { status: response.status, headers, body, base64 }
    }

    pub(super) fn stored(&self) -> Result<StoredResponse> {
        let body = match &self.base64 {
            Some(bytes) => STANDARD.decode(bytes).context("a cassette holds broken base64")?,
            None => self.body.clone().into_bytes(),
        };
        Ok(StoredResponse { status: self.status, headers: self.headers.clone(), body })
    }
}

/// The headers of a response that are recorded.
pub(super) fn headers(header: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    HEADERS.iter().filter_map(|name| Some(((*name).to_owned(), header(name)?))).collect()
}

/// JSON as it is compared; a body that is none is compared as text.
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}
