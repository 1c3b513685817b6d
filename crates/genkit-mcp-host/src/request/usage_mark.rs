//! The mark of requests to Gemini that use tools of MCP servers.

/// The header that counts clients and their features.
const HEADER: &str = "x-goog-api-client";

/// The mark of requests that use MCP; Google's SDKs append the version of their MCP library.
const MARK: &str = "mcp_used/unknown";

/// Adds the mark for requests that use MCP to the headers of a request to Gemini: appends it to `x-goog-api-client`, or
/// adds that header.
///
/// Requests with tools of an [`McpHost`](crate::McpHost) or of `peer_tools` are marked automatically. Use this for
/// requests that a program sends itself, or if it sets the header.
///
/// ```
/// use genkit::mcp::host::add_usage_mark;
///
/// let mut headers = vec![("X-Goog-Api-Client".to_owned(), "my-agent/1.0".to_owned())];
/// add_usage_mark(&mut headers);
/// add_usage_mark(&mut headers); // no effect
/// assert_eq!(headers, [("X-Goog-Api-Client".to_owned(), "my-agent/1.0 mcp_used/unknown".to_owned())]);
/// ```
pub fn add_usage_mark(headers: &mut Vec<(String, String)>) {
    match headers.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(HEADER)) {
        Some((_, value)) if value.split(' ').any(|word| word.starts_with("mcp_used/")) => {}
        Some((_, value)) => {
            let marked = format!("{value} {MARK}");
            *value = marked.trim_start().to_owned();
        }
        None => headers.push((HEADER.to_owned(), MARK.to_owned())),
    }
}
