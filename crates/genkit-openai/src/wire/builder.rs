//! The settings of a provider, shared by both APIs.

use serde_json::{Map, Value};
use std::borrow::Cow;

use super::error::Error as E;
use super::servers::{Deviations, KnownServer};
use genkit_core::Result;
use genkit_model::internal::http::{ApiEndpoint, ProviderSettings, bearer_headers, env_var};

/// Implements the methods that the builders of both APIs share. Their field `common` is a
/// [`ServerBuilder`].
macro_rules! openai_builder {
    (
        $builder:ident
        $(#[$name:meta])+
        name;
        $(#[$base_url:meta])+
        base_url;
        $(#[$header:meta])+
        header;
        $(#[$timeout:meta])*
        timeout;
    ) => {
        genkit_model::provider_builder! {
            $builder { settings: common.settings, debug: ["name": common.name] }
            /// Reads missing settings from environment variables: `OPENAI_API_KEY` and `OPENAI_BASE_URL`,
            /// or the variables of the known server at the base URL.
            env;
            api_key;
            $(#[$base_url])+
            base_url;
            $(#[$header])+
            header;
            $(#[$timeout])*
            timeout;
            cassette;
        }

        impl $builder {
            $(#[$name])+
            pub fn name(mut self, name: impl Into<String>) -> Self {
                self.common.name = Some(name.into());
                self
            }

            /// Sets the OpenAI organization that is billed.
            pub fn organization(self, id: impl Into<String>) -> Self {
                self.header("openai-organization", id)
            }

            /// Sets the OpenAI project that is billed.
            pub fn project(self, id: impl Into<String>) -> Self {
                self.header("openai-project", id)
            }

            /// Sets whether to use strict mode for the schemas of tools. A schema that strict mode does not
            /// support, for example with a `maxLength` or a map, is sent without strict mode, and a warning is logged
            /// once. Default is true for OpenAI, and false for other known servers.
            pub fn strict_tools(mut self, yes: bool) -> Self {
                self.common.strict_tools = Some(yes);
                self
            }

            /// Sets whether to use strict mode for structured output, if strict mode supports its schema.
            /// Default is true for OpenAI and for servers that are known to need it.
            pub fn strict_output(mut self, yes: bool) -> Self {
                self.common.strict_output = Some(yes);
                self
            }
        }
    };
}
pub(crate) use openai_builder;

/// Settings shared by all models of one provider.
pub(crate) struct OpenAiServer {
    /// The prefix of its models' names, and its name in errors.
    pub(crate) name: String,
    /// The name of the known server at the URL, else the name that was set, else the name of the selected server.
    pub(crate) server: String,
    pub(crate) key: Option<String>,
    pub(crate) deviations: Deviations,
}

impl OpenAiServer {
    /// Returns whether the server is OpenAI itself.
    pub(crate) fn is_openai(&self) -> bool {
        self.server == KnownServer::openai_server().name
    }

    /// Returns the headers of a call. A key in the settings of the call takes precedence.
    pub(crate) fn call_headers(
        &self,
        config: &Map<String, Value>,
    ) -> Vec<(&'static str, Cow<'static, str>)> {
        let own = config.get("apiKey").and_then(Value::as_str);
        bearer_headers(own.or(self.key.as_deref()))
    }
}

/// The settings of both builders.
#[derive(Clone, Default)]
pub(crate) struct ServerBuilder {
    /// The server that was selected by name.
    pub(crate) server: Option<&'static KnownServer>,
    pub(crate) name: Option<String>,
    pub(crate) settings: ProviderSettings,
    pub(crate) strict_tools: Option<bool>,
    pub(crate) strict_output: Option<bool>,
}

impl ServerBuilder {
    /// Returns the server selected by name or URL, or OpenAI.
    fn known_server(&self) -> &'static KnownServer {
        let at_address = || KnownServer::find_by_url(self.settings.base_url.as_deref()?);
        self.server.or_else(at_address).unwrap_or(KnownServer::openai_server())
    }

    /// Fills in missing settings from the environment variables of the server.
    pub(crate) fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let server = self.known_server();
        self.settings
            .fill_missing(|| variable(server.key), || variable(&server.base_url_variable()));
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

    /// Builds the endpoint and the shared settings. The prefix of the models' names is `name`, or the
    /// name of the server. `from_env` returns the Rust call that reads a server's key, for the error message.
    pub(crate) fn build_server(
        self,
        name: Option<&str>,
        from_env: fn(&str) -> String,
    ) -> Result<(ApiEndpoint, OpenAiServer)> {
        let this = if self.settings.from_env { self.with_env(env_var) } else { self };
        let (server, given) = (this.known_server(), &this.settings);
        let at_url = KnownServer::find_by_url(given.base_url.as_deref().unwrap_or(server.base_url));
        let is_moved = at_url.is_none_or(|other| other.name != server.name);
        if server.needs_key && !is_moved && given.lacks_key() {
            let (server, variable) = (server.name, server.key);
            return Err(E::MissingApiKey { server, variable, from_env: from_env(server) }.into());
        }
        // A known server at another URL, without a custom name, is treated as the same server
        // behind a proxy.
        let behind = at_url.map(|it| it.name).or(this.name.as_deref()).unwrap_or(server.name);
        let behind = behind.to_owned();
        let name = this.name.unwrap_or_else(|| name.unwrap_or(server.name).to_owned());
        let endpoint = given.build_endpoint(&name, server.base_url)?;
        let mut deviations = at_url.unwrap_or(server).deviations.clone();
        // A gateway that imitates the server may forward to any other server.
        deviations.extra_fields |= at_url.is_none();
        deviations.strict_tools = this.strict_tools.unwrap_or(deviations.strict_tools);
        deviations.strict_output = this.strict_output.unwrap_or(deviations.strict_output);
        let key = given.key_to_send();
        Ok((endpoint, OpenAiServer { name, server: behind, key, deviations }))
    }
}
