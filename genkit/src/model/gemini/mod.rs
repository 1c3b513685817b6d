//! Google Gemini: the `generateContent` calls of the Gemini API.
//!
//! Settings that this provider reads from a request's `config`, beside Genkit's common ones:
//!
//! | where they go | keys |
//! |---|---|
//! | the top of the request | `safetySettings`, `cachedContent`, `serviceTier`, `labels` |
//! | `tools` | `googleSearch`, `googleSearchRetrieval`, `codeExecution`, `urlContext`, `fileSearch`, `googleMaps`, `enterpriseWebSearch`, `computerUse` (`true` or an object), `tools` (a list, as it is) |
//! | `toolConfig` | `functionCallingConfig`, `retrievalConfig`, `toolConfig` (as it is) |
//! | the call | `version` (the model), `apiVersion`; `apiKey` and `baseUrl` are never sent |
//! | `generationConfig` | every other key, as it is: `thinkingConfig`, `seed`, `responseModalities`, … |

mod error;
mod media;
mod models;
mod partial;
mod parts;
mod request;
mod response;
mod schema;
mod stream;
mod tools;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::model::http::cassette::Cassette;
use crate::model::http::{Endpoint, HttpModel};
use crate::model::wire::{HttpCall, Wire, WireStream};
use crate::model::{Model, ModelRequest, ModelResponse, Provider};

/// What errors call this provider, and the first part of its models' names.
const NAME: &str = "gemini";

/// Where the Gemini API is.
const BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// The version of the API. Default is `v1beta`: much of what models can do is only there.
const API_VERSION: &str = "v1beta";

/// Google's Gemini models.
///
/// ```no_run
/// use genkit::model::Gemini;
///
/// # async fn run() -> genkit::Result<()> {
/// let gemini = Gemini::from_env()?; // GEMINI_API_KEY
/// let answer = genkit::generate("Why is the sky blue?").model(gemini.model("gemini-2.5-flash")).await?;
/// println!("{}", answer.text());
/// # Ok(())
/// # }
/// ```
///
/// Thought signatures stay in the metadata of the parts that they came with, under
/// `thoughtSignature`, and go back with them: keep the messages of a conversation as they are.
#[derive(Clone)]
pub struct Gemini {
    endpoint: Arc<Endpoint>,
    settings: Arc<Settings>,
}

/// What all models of one [`Gemini`] share.
struct Settings {
    key: Option<String>,
    version: String,
    /// Schemas in the older subset of OpenAPI.
    openapi: bool,
}

impl Gemini {
    /// Gemini with the key in `GEMINI_API_KEY`, else in `GOOGLE_API_KEY`, at `GEMINI_BASE_URL` if
    /// that is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no key, or the base URL cannot be used.
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Gemini with settings of your own; the environment is not read.
    ///
    /// ```
    /// use genkit::model::Gemini;
    /// use std::time::Duration;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = Gemini::builder().key("AIza…").timeout(Duration::from_secs(60)).build();
    /// # let gemini = Gemini::builder().key("AIza").timeout(Duration::from_secs(60)).build()?;
    /// assert_eq!(gemini.model("gemini-2.5-flash").name(), "gemini/gemini-2.5-flash");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> GeminiBuilder {
        GeminiBuilder::default()
    }

    /// The model of that name: `gemini-2.5-flash`, `models/gemini-2.5-flash`, `tunedModels/mine`.
    /// One that is not known is made all the same.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::builder().key("AIza").build()?;
    /// assert_eq!(gemini.model("models/gemini-9").name(), "gemini/gemini-9");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        let model = models::bare(name).to_owned();
        let (name, info) = (format!("{NAME}/{model}"), models::info(&model));
        let wire = GeminiWire { settings: Arc::clone(&self.settings), model };
        Arc::new(HttpModel::new(name, info, wire, Arc::clone(&self.endpoint)))
    }
}

impl Provider for Gemini {
    fn name(&self) -> &str {
        NAME
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
        Ok(Gemini::model(self, name))
    }
}

/// Does not show the key.
impl fmt::Debug for Gemini {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gemini")
            .field("version", &self.settings.version)
            .field("openapi_schemas", &self.settings.openapi)
            .finish_non_exhaustive()
    }
}

/// Settings of a [`Gemini`]. See [`Gemini::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct GeminiBuilder {
    key: Option<String>,
    base_url: Option<String>,
    version: Option<String>,
    headers: Vec<(String, String)>,
    timeout: Option<Duration>,
    openapi: bool,
    cassette: Option<Cassette>,
}

impl GeminiBuilder {
    /// Takes the key from `GEMINI_API_KEY`, else `GOOGLE_API_KEY`, and the base URL from
    /// `GEMINI_BASE_URL`, as far as they are set.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::builder().env().timeout(Duration::from_secs(60)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn env(mut self) -> Self {
        let read = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        self.key = read("GEMINI_API_KEY").or_else(|| read("GOOGLE_API_KEY")).or(self.key);
        self.base_url = read("GEMINI_BASE_URL").or(self.base_url);
        self
    }

    /// The API key; it goes into a header, never into a URL.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Another address, whose path stays in front: a proxy, a server in a test. Default is
    /// `https://generativelanguage.googleapis.com`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The version of the API. Default is `v1beta`.
    pub fn api_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// One more header of every call; it replaces one of the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// How long one call may take, from sending to the end of the answer. Default is 10 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Whether schemas are sent in the older subset of OpenAPI, for old models and servers that
    /// know no other. Default is false: they are sent as JSON schemas.
    pub fn openapi_schemas(mut self, yes: bool) -> Self {
        self.openapi = yes;
        self
    }

    /// Records calls to a file, or answers them from there; a replay needs no key.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.cassette = Some(cassette);
        self
    }

    /// The provider with these settings.
    ///
    /// ```
    /// use genkit::model::Gemini;
    ///
    /// let error = Gemini::builder().build().unwrap_err();
    /// assert!(error.to_string().contains("GEMINI_API_KEY"));
    /// assert!(Gemini::builder().base_url("http://localhost:4000").build().is_ok());
    /// ```
    ///
    /// # Errors
    /// There is no key, where nothing else makes up for it: a replayed cassette, an address of
    /// your own, an `authorization` header. Or the base URL or a header cannot be used.
    pub fn build(self) -> Result<Gemini> {
        let mut endpoint = Endpoint::new(NAME, self.base_url.as_deref().unwrap_or(BASE_URL))?;
        let authorized =
            self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        let replays = self.cassette.as_ref().is_some_and(Cassette::is_replay);
        let key = self.key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        if key.is_none() && !authorized && !replays && self.base_url.is_none() {
            return Err(Error::new(
                ErrorKind::Unauthenticated,
                "gemini: there is no key: set GEMINI_API_KEY and use `Gemini::from_env()`, \
                 or give one with `.key(..)`",
            ));
        }
        for (name, value) in &self.headers {
            endpoint = endpoint.with_header(name, value)?;
        }
        if let Some(timeout) = self.timeout {
            endpoint = endpoint.with_timeout(timeout);
        }
        if let Some(cassette) = self.cassette {
            endpoint = endpoint.with_cassette(cassette);
        }
        let settings = Settings {
            // The API refuses a call that has both.
            key: key.filter(|_| !authorized),
            version: self.version.unwrap_or_else(|| API_VERSION.to_owned()),
            openapi: self.openapi,
        };
        Ok(Gemini { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Does not show the key, nor the values of headers.
impl fmt::Debug for GeminiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeminiBuilder")
            .field("has_key", &self.key.is_some())
            .field("version", &self.version)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// The wire format of one model.
struct GeminiWire {
    settings: Arc<Settings>,
    model: String,
}

impl Wire for GeminiWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        request::encode(&self.settings, &self.model, request, stream)
    }

    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode(request, body)
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(stream::GeminiStream::new(request))
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        error::failure(status, headers, body)
    }
}
