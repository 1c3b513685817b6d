//! Origins of content security policies, which `genkit` and its macros accept.

/// Returns whether a text is a valid origin in a content security policy: a scheme and a host, optionally with `*.`
/// before the host and a port after it. A text with spaces or semicolons could add other directives to the policy.
pub fn is_origin(text: &str) -> bool {
    let schemes = ["https://", "http://", "wss://", "ws://"];
    let Some(rest) = schemes.iter().find_map(|scheme| text.strip_prefix(scheme)) else {
        return false;
    };
    let rest = rest.strip_prefix("*.").unwrap_or(rest);
    let (host, port) = rest.rsplit_once(':').unwrap_or((rest, "1"));
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let is_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    !host.is_empty() && host.chars().all(is_host) && is_port && text.len() <= 300
}
