//! The file format of a cassette, which holds recorded requests and responses.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::Error as E;
use crate::http::{Secrets, StoredResponse};
use crate::wire::HeaderLookup;
use genkit_core::{ErrorContext as _, Result};

/// The version of the file format.
const VERSION: u32 = 1;

/// The response headers that affect how a response is interpreted.
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

/// A recorded request, without the parts that differ between runs.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedRequest {
    pub(super) method: String,
    /// The path with its query, without the host and the base path, because a replay may use
    /// a different base URL.
    pub(super) path: String,
    pub(super) body: Value,
}

/// A response as stored in the file.
#[derive(Serialize, Deserialize)]
pub(super) struct RecordedResponse {
    status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
    /// Used instead of `body` if the body is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl CassetteFile {
    pub(super) fn check_version(&self, path: &Path) -> Result<()> {
        if self.version == VERSION {
            return Ok(());
        }
        Err(E::Version { path: path.to_owned(), found: self.version, known: VERSION }.into())
    }

    pub(super) fn exchanges_to_text<'a>(
        exchanges: impl Iterator<Item = &'a Exchange>,
    ) -> Result<String> {
        #[derive(Serialize)]
        struct WrittenFile<'a> {
            version: u32,
            exchanges: Vec<&'a Exchange>,
        }
        let file = WrittenFile { version: VERSION, exchanges: exchanges.collect() };
        let mut text = serde_json::to_string_pretty(&file).context("cannot write a cassette")?;
        text.push('\n');
        Ok(text)
    }
}

impl RecordedRequest {
    pub(super) fn new(path: &str, body: &[u8], secrets: &Secrets) -> Self {
        let body = String::from_utf8_lossy(body);
        let redact = |text: &str| secrets.redact_text(text).unwrap_or_else(|| text.to_owned());
        Self { method: "POST".to_owned(), path: redact(path), body: json_of(&redact(&body)) }
    }
}

impl RecordedResponse {
    pub(super) fn new(response: StoredResponse, secrets: &Secrets) -> Self {
        let (body, base64) = match String::from_utf8(response.body) {
            Ok(text) => (secrets.redact_text(&text).unwrap_or(text), None),
            Err(bytes) => {
                let clean = secrets.redacted_bytes(bytes.into_bytes());
                (String::new(), Some(STANDARD.encode(clean)))
            }
        };
        let clean = |(name, value): (String, String)| {
            let clean = secrets.redact_text(&value).unwrap_or(value);
            (name, clean)
        };
        let headers = response.headers.into_iter().map(clean).collect();
        Self { status: response.status, headers, body, base64 }
    }

    pub(super) fn to_stored(&self) -> Result<StoredResponse> {
        let body = match &self.base64 {
            Some(bytes) => STANDARD.decode(bytes).context("a cassette contains invalid base64")?,
            None => self.body.clone().into_bytes(),
        };
        Ok(StoredResponse { status: self.status, headers: self.headers.clone(), body })
    }
}

/// Returns the headers of a response that are recorded.
pub(super) fn select_headers(header: HeaderLookup<'_>) -> BTreeMap<String, String> {
    HEADERS.iter().filter_map(|name| Some(((*name).to_owned(), header(name)?))).collect()
}

/// Parses a body for comparison; a body that is not JSON becomes a string.
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}
