//! The environment variables that Genkit's tools set for a program that they start.

use crate::error::Error as E;
use genkit_core::internal::environment::is_development;

/// The values of the variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DevEnvironment {
    /// The WebSocket URL for version 2 of the reflection protocol. If it is set, version 1 must not be used.
    pub(super) server: Option<String>,
    pub(super) port: Option<String>,
    pub(super) runtime_id: Option<String>,
    /// Whether a trace server is configured. If so, a server that the tools send later is ignored.
    pub(super) has_telemetry_server: bool,
}

impl DevEnvironment {
    /// Reads the variables of this process. Returns `None` outside development.
    pub(super) fn from_process() -> Option<Self> {
        is_development().then(|| Self::from_variables(|name| std::env::var(name).ok()))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        Self {
            server: variable("GENKIT_REFLECTION_V2_SERVER"),
            port: variable("GENKIT_REFLECTION_PORT"),
            runtime_id: variable("GENKIT_RUNTIME_ID"),
            has_telemetry_server: variable("GENKIT_TELEMETRY_SERVER").is_some(),
        }
    }

    /// Returns the configured port, if any.
    pub(super) fn parse_port(&self) -> Result<Option<u16>, E> {
        let Some(port) = &self.port else { return Ok(None) };
        match port.parse() {
            Ok(0) | Err(_) => Err(E::Port(port.clone())),
            Ok(port) => Ok(Some(port)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment_from(variables: &[(&str, &str)]) -> DevEnvironment {
        DevEnvironment::from_variables(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn empty_variable_counts_as_unset() {
        assert_eq!(environment_from(&[("GENKIT_RUNTIME_ID", "")]), DevEnvironment::default());
    }

    #[test]
    fn invalid_port_is_an_error() {
        let port = |port| environment_from(&[("GENKIT_REFLECTION_PORT", port)]).parse_port();
        assert_eq!(port("3105").unwrap(), Some(3105));
        assert_eq!(port("").unwrap(), None);
        for wrong in ["0", "65536", "http", "-1"] {
            assert!(matches!(port(wrong), Err(E::Port(_))), "{wrong}");
        }
    }
}
