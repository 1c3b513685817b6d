//! Settings of a server.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::servers::Server;
use super::{OpenAi, Settings};
use crate::error::{Error, ErrorKind, Result};
use crate::model::http::Endpoint;
use crate::model::http::cassette::Cassette;

/// Settings of an [`OpenAi`]. See [`OpenAi::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OpenAiBuilder {
    /// The one that was asked for by name.
    server: Option<&'static Server>,
    name: Option<String>,
    key: Option<String>,
    base_url: Option<String>,
    headers: Vec<(String, String)>,
    timeout: Option<Duration>,
    strict_tools: Option<bool>,
    max_tokens: Option<String>,
    cassette: Option<Cassette>,
    from_env: bool,
}

impl OpenAiBuilder {
    pub(super) fn of(server: &'static Server) -> Self {
        Self { server: Some(server), ..Self::default() }
    }

    fn known(&self) -> Option<&'static Server> {
        self.server.or_else(|| Server::at(self.base_url.as_deref()?))
    }

    /// Takes what is not given otherwise from the environment: `OPENAI_API_KEY` and
    /// `OPENAI_BASE_URL`, or those of the known server at the address that is given.
    pub fn env(mut self) -> Self {
        self.from_env = true;
        self
    }

    /// What the environment adds, once it is known whose key is wanted.
    fn with_env(mut self) -> Self {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let server = self.known().or_else(|| Server::named("openai"));
        if let Some(server) = server {
            self.key = self.key.or_else(|| read(server.key));
            self.base_url = self.base_url.or_else(|| read(&server.base_url_variable()));
        }
        if server.is_some_and(|server| server.name == "openai") {
            for (name, variable) in
                [("openai-organization", "OPENAI_ORG_ID"), ("openai-project", "OPENAI_PROJECT_ID")]
            {
                let given = self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
                let value = read(variable).filter(|_| !given);
                self.headers.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
        self
    }

    /// What its models are called before the `/`. Default is the name of the server that is known
    /// to be at the base URL, else `openai`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The API key; it goes into a header, never into a URL.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Where the server is, with the version: `http://localhost:4000/v1`. Default is
    /// `https://api.openai.com/v1`. At the address of a known server its deviations are obeyed.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The organization at OpenAI that pays.
    pub fn organization(self, id: impl Into<String>) -> Self {
        self.header("openai-organization", id)
    }

    /// The project at OpenAI that pays.
    pub fn project(self, id: impl Into<String>) -> Self {
        self.header("openai-project", id)
    }

    /// One more header of every call; it replaces one of the same name.
    ///
    /// ```
    /// use genkit::model::OpenAi;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let azure = OpenAi::builder()
    ///     .name("azure")
    ///     .base_url("https://me.openai.azure.com/openai/v1")
    ///     .header("api-key", "…")
    ///     .build();
    /// # let azure = OpenAi::builder()
    /// #     .name("azure").base_url("https://me.openai.azure.com/openai/v1").header("api-key", "k")
    /// #     .build()?;
    /// assert_eq!(azure.model("gpt-4o").name(), "azure/gpt-4o");
    /// # Ok(())
    /// # }
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// How long one call may take, from sending to the end of the answer. Default is 10 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Whether models are bound to the schemas of tools, as far as strict mode can say them.
    /// Default is true at OpenAI, and false at other servers that are known.
    pub fn strict_tools(mut self, yes: bool) -> Self {
        self.strict_tools = Some(yes);
        self
    }

    /// What the limit on tokens is called. Default is what the server is known to want:
    /// `max_completion_tokens` at OpenAI, `max_tokens` at most others.
    pub fn max_tokens_field(mut self, name: impl Into<String>) -> Self {
        self.max_tokens = Some(name.into());
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
    /// use genkit::model::OpenAi;
    ///
    /// let error = OpenAi::builder().build().unwrap_err();
    /// assert!(error.to_string().contains("OPENAI_API_KEY"));
    /// assert!(OpenAi::builder().base_url("http://localhost:4000/v1").build().is_ok());
    /// ```
    ///
    /// # Errors
    /// There is no key, where nothing else makes up for it: a replayed cassette, an address of
    /// your own, an `authorization` header. Or the base URL or a header cannot be used.
    pub fn build(self) -> Result<OpenAi> {
        let this = if self.from_env { self.with_env() } else { self };
        this.made()
    }

    fn made(self) -> Result<OpenAi> {
        let Some(server) = self.known().or_else(|| Server::named("openai")) else {
            return Err(Error::new(ErrorKind::Internal, "the table of servers has no openai"));
        };
        let base_url = self.base_url.as_deref().unwrap_or(server.base_url);
        let there = Server::at(base_url);
        let moved = there.is_none_or(|there| there.name != server.name);
        let name = self.name.unwrap_or_else(|| server.name.to_owned());
        let mut endpoint = Endpoint::new(&name, base_url)?;
        let authorized =
            self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        let replays = self.cassette.as_ref().is_some_and(Cassette::is_replay);
        let key = self.key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        if key.is_none() && server.needs_key && !moved && !authorized && !replays {
            return Err(Error::new(
                ErrorKind::Unauthenticated,
                format!(
                    "{0}: there is no key: set {1} and use `OpenAi::server(\"{0}\")`, or give one \
                     with `.key(..)`",
                    server.name, server.key
                ),
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
        let mut deviations = there.unwrap_or(server).deviations.clone();
        // A gateway that looks like the server may stand before any other.
        deviations.extra_fields |= there.is_none();
        if let Some(yes) = self.strict_tools {
            deviations.strict_tools = yes;
        }
        if let Some(name) = self.max_tokens {
            deviations.max_tokens = Cow::Owned(name);
        }
        let settings = Settings {
            name,
            // Two ways to say who calls are refused by some servers.
            key: key.filter(|_| !authorized),
            deviations,
        };
        Ok(OpenAi { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Does not show the key, nor the values of headers.
impl fmt::Debug for OpenAiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiBuilder")
            .field("name", &self.name)
            .field("has_key", &self.key.is_some())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
