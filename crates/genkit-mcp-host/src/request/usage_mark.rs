//! The usage mark of requests to Gemini that use MCP tools.

/// The header that identifies clients and the features they use.
const HEADER: &str = "x-goog-api-client";

/// The mark of requests that use MCP; Google's SDKs append the version of their MCP library.
const MARK: &str = "mcp_used/unknown";

/// Marks a request to Gemini as one that uses MCP: appends the mark to the header `x-goog-api-client`, or adds the
/// header.
///
/// Requests with tools from an [`McpHost`](crate::McpHost) or from `peer_tools` are marked automatically. Use this
/// function if a program sends a request itself, or sets the header itself.
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
