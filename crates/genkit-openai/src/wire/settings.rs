//! Settings of a provider at one of the servers, whichever of the two APIs it speaks.

use serde_json::{Map, Value};
use std::borrow::Cow;

use super::error::Error as E;
use super::servers::{Deviations, KnownServer};
use genkit_core::Result;
use genkit_model::internal::http::{ApiEndpoint, ProviderSettings, bearer_headers, env_var};

/// What all models of one provider share.
pub(crate) struct OpenAiServer {
    /// The part before the `/` of its models' names, and what errors call it.
    pub(crate) name: String,
    /// The server, as far as it is known: by its own name, else by the one that it was given.
    pub(crate) server: String,
    pub(crate) key: Option<String>,
    pub(crate) deviations: Deviations,
}

impl OpenAiServer {
    /// Whether this is OpenAI itself.
    pub(crate) fn is_openai(&self) -> bool {
        self.server == KnownServer::openai().name
    }

    /// The headers of a call, whose own key wins.
    pub(crate) fn headers(
        &self,
        config: &Map<String, Value>,
    ) -> Vec<(&'static str, Cow<'static, str>)> {
        let own = config.get("apiKey").and_then(Value::as_str);
        bearer_headers(own.or(self.key.as_deref()))
    }
}

/// What both builders are given.
#[derive(Clone, Default)]
pub(crate) struct ServerBuilder {
    /// The one that was given by name.
    pub(crate) server: Option<&'static KnownServer>,
    pub(crate) name: Option<String>,
    pub(crate) settings: ProviderSettings,
    pub(crate) strict_tools: Option<bool>,
    pub(crate) strict_output: Option<bool>,
    pub(crate) from_env: bool,
}

impl ServerBuilder {
    /// The server by name or address, else OpenAI.
    fn known(&self) -> &'static KnownServer {
        let at_address = || KnownServer::at(self.settings.base_url.as_deref()?);
        self.server.or_else(at_address).unwrap_or(KnownServer::openai())
    }

    /// Adds what the environment has, once it is known whose key is wanted.
    pub(crate) fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let server = self.known();
        self.settings.fill(|| variable(server.key), || variable(&server.base_url_variable()));
        if server.name == "openai" {
            for (name, from) in
                [("openai-organization", "OPENAI_ORG_ID"), ("openai-project", "OPENAI_PROJECT_ID")]
            {
                let value = variable(from).filter(|_| !self.settings.has_header(name));
                self.settings.headers.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
        self
    }

    /// Where calls go, and what they have in common. Models are called after `name`, else after the server; `from_env`
    /// says how a server's key is read.
    pub(crate) fn build(
        self,
        name: Option<&str>,
        from_env: fn(&str) -> String,
    ) -> Result<(ApiEndpoint, OpenAiServer)> {
        let this = if self.from_env { self.with_env(env_var) } else { self };
        let (server, given) = (this.known(), &this.settings);
        let at_url = KnownServer::at(given.base_url.as_deref().unwrap_or(server.base_url));
        let is_moved = at_url.is_none_or(|other| other.name != server.name);
        if server.needs_key && !is_moved && given.lacks_key() {
            let (server, variable) = (server.name, server.key);
            return Err(E::NoKey { server, variable, from_env: from_env(server) }.into());
        }
        // One that was moved and has no name of its own is what it was, behind another address.
        let behind = at_url.map(|it| it.name).or(this.name.as_deref()).unwrap_or(server.name);
        let behind = behind.to_owned();
        let name = this.name.unwrap_or_else(|| name.unwrap_or(server.name).to_owned());
        let endpoint = given.endpoint(&name, server.base_url)?;
        let mut deviations = at_url.unwrap_or(server).deviations.clone();
        // A gateway that looks like the server may stand before any other.
        deviations.extra_fields |= at_url.is_none();
        deviations.strict_tools = this.strict_tools.unwrap_or(deviations.strict_tools);
        deviations.strict_output = this.strict_output.unwrap_or(deviations.strict_output);
        let key = given.key_to_send();
        Ok((endpoint, OpenAiServer { name, server: behind, key, deviations }))
    }
}
