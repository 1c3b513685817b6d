//! `WWW-Authenticate`: the challenge for a client whose request was rejected (RFC 6750, section 3;
//! RFC 9728, section 5.1; MCP's authorization).

use http::HeaderValue;

use super::authentication::AuthError;
use super::protected_resource::ProtectedResource;

/// The maximum length of the reason in the header, in characters.
const MAX_DESCRIPTION: usize = 200;

/// The challenges of one server.
#[derive(Default)]
pub(crate) struct Challenges {
    metadata: Option<String>,
    scope: Option<String>,
}

impl Challenges {
    pub(crate) fn new(resource: Option<&ProtectedResource>) -> Self {
        let scopes = resource.map(|it| it.required_scopes()).filter(|scopes| !scopes.is_empty());
        Self {
            metadata: resource.map(ProtectedResource::metadata_url),
            scope: scopes.map(|scopes| scopes.join(" ")),
        }
    }

    /// Returns the challenge for a client whose token lacks some of these scopes.
    pub(crate) fn for_scopes(&self, scopes: &[String]) -> Option<HeaderValue> {
        self.header(Some("insufficient_scope"), None, Some(&scopes.join(" ")))
    }

    /// Returns the challenge for a denial, or `None` if another token would not help.
    pub(crate) fn for_denial(&self, denial: &AuthError) -> Option<HeaderValue> {
        let (error, why) = match denial {
            // RFC 6750 sends no error code to a client that sent no token.
            AuthError::Missing => (None, None),
            AuthError::Malformed => (Some("invalid_request"), None),
            AuthError::Invalid(why) => (Some("invalid_token"), Some(why.as_str())),
            AuthError::Scope => (Some("insufficient_scope"), None),
            AuthError::Unavailable => return None,
        };
        self.header(error, why, self.scope.as_deref())
    }

    fn header(
        &self,
        error: Option<&str>,
        why: Option<&str>,
        scope: Option<&str>,
    ) -> Option<HeaderValue> {
        let parameters = [
            ("error", error),
            ("error_description", why),
            ("scope", scope),
            ("resource_metadata", self.metadata.as_deref()),
        ];
        let shown: Vec<String> = parameters
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}=\"{}\"", escape_quotes(value?, name))))
            .collect();
        let header = format!("Bearer {}", shown.join(", "));
        HeaderValue::try_from(header.trim_end()).ok()
    }
}

/// Makes a string valid within quotes: replaces quotes, backslashes and characters outside printable ASCII with spaces,
/// and truncates an `error_description`.
fn escape_quotes(text: &str, name: &str) -> String {
    let limit = if name == "error_description" { MAX_DESCRIPTION } else { usize::MAX };
    let plain = |c: char| if c.is_ascii_graphic() && c != '"' && c != '\\' { c } else { ' ' };
    text.chars().take(limit).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge_for(resource: Option<ProtectedResource>, denial: &AuthError) -> String {
        let header = Challenges::new(resource.as_ref()).for_denial(denial).expect("a challenge");
        header.to_str().expect("text").to_owned()
    }

    #[test]
    fn challenge_states_the_required_action() {
        let notes = || {
            let notes = ProtectedResource::new("https://mcp.example.com/mcp");
            Some(
                notes
                    .with_authorization_server("https://a.example")
                    .with_required_scopes(["r", "w"]),
            )
        };
        let metadata = "resource_metadata=\"https://mcp.example.com/.well-known/oauth-protected-resource/mcp\"";
        let scope = "scope=\"r w\"";
        assert_eq!(challenge_for(None, &AuthError::Missing), "Bearer");
        assert_eq!(
            challenge_for(notes(), &AuthError::Missing),
            format!("Bearer {scope}, {metadata}")
        );
        assert_eq!(
            challenge_for(
                notes(),
                &AuthError::Invalid("it \"expired\"\r\nset-cookie: x".to_owned())
            ),
            format!(
                "Bearer error=\"invalid_token\", error_description=\"it  expired   set-cookie: x\", \
                 {scope}, {metadata}"
            )
        );
        assert_eq!(
            challenge_for(notes(), &AuthError::Scope),
            format!("Bearer error=\"insufficient_scope\", {scope}, {metadata}")
        );
        assert_eq!(challenge_for(None, &AuthError::Malformed), "Bearer error=\"invalid_request\"");
        assert_eq!(Challenges::default().for_denial(&AuthError::Unavailable), None);
    }
}
