//! Addresses of Ollama servers, in the formats that Ollama's programs and users write.

use std::net::IpAddr;

/// The port that Ollama listens on. Default is 11,434.
const PORT: u16 = 11434;

/// Converts the address in `OLLAMA_HOST`, in the formats that Ollama's own programs accept:
/// `0.0.0.0`, `:8080`, `gpu:8080`, `https://a.b/c`.
pub(super) fn of_host(host: &str) -> String {
    let host = host.trim();
    let (scheme, rest, default) = match host.split_once("://") {
        Some(("https", rest)) => ("https", rest, 443),
        Some((scheme, rest)) => (scheme, rest, if scheme == "http" { 80 } else { PORT }),
        None if host == "ollama.com" => ("https", host, 443),
        None => ("http", host, PORT),
    };
    let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
    let is_whole = place.ends_with(']') || place.parse::<IpAddr>().is_ok();
    let (name, port) = match place.rsplit_once(':').filter(|_| !is_whole) {
        Some((name, port)) => (name, port.parse().unwrap_or(default)),
        None => (place, default),
    };
    let name = name.trim_matches(['[', ']']);
    // An address to listen on is not an address to connect to.
    let name = match name.parse::<IpAddr>() {
        Ok(address) if address.is_unspecified() => "127.0.0.1".to_owned(),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ if name.is_empty() => "127.0.0.1".to_owned(),
        _ => name.to_owned(),
    };
    format!("{scheme}://{name}:{port}/{path}")
}

/// Returns the root URL of the server, without a trailing `/v1` (OpenAI-compatible API) or `/api` (Ollama's API).
pub(super) fn server_root(base_url: &str) -> String {
    let (path, query) = split_query(base_url);
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/v1").or_else(|| path.strip_suffix("/api")).unwrap_or(path);
    format!("{}{query}", path.trim_end_matches('/'))
}

/// Returns whether the server is ollama.com, which requires a key and manages context windows itself.
pub(super) fn is_cloud(root: &str) -> bool {
    let place = root.split_once("://").map_or(root, |(_, rest)| rest);
    let host = place.split(['/', ':', '?']).next().unwrap_or_default();
    host == "ollama.com" || host.ends_with(".ollama.com")
}

/// Returns the base URL of the OpenAI-compatible API on the same server.
pub(super) fn v1_root(root: &str) -> String {
    let (path, query) = split_query(root);
    format!("{path}/v1{query}")
}

fn split_query(url: &str) -> (&str, &str) {
    url.split_at(url.find('?').unwrap_or(url.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_read_as_ollama_reads_it() {
        for (host, expected) in [
            ("", "http://127.0.0.1:11434/"),
            ("1.2.3.4", "http://1.2.3.4:11434/"),
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            ("[::]:8080", "http://127.0.0.1:8080/"),
            ("::1", "http://[::1]:11434/"),
            ("[::1]", "http://[::1]:11434/"),
            (":8080", "http://127.0.0.1:8080/"),
            ("gpu:8080", "http://gpu:8080/"),
            ("gpu:99999", "http://gpu:11434/"),
            ("http://gpu", "http://gpu:80/"),
            (" https://a.b/c ", "https://a.b:443/c"),
            ("https://a.b:8443", "https://a.b:8443/"),
            ("ollama.com", "https://ollama.com:443/"),
        ] {
            assert_eq!(of_host(host), expected, "{host}");
        }
    }

    #[test]
    fn root_is_before_either_api() {
        for url in ["http://a:1", "http://a:1/", "http://a:1/v1", "http://a:1/api/"] {
            assert_eq!(server_root(url), "http://a:1", "{url}");
        }
        assert_eq!(server_root("https://a.b/proxy/v1/?t=1"), "https://a.b/proxy?t=1");
        assert!(is_cloud("https://ollama.com:443") && is_cloud("https://www.ollama.com/x"));
        assert!(!is_cloud("http://localhost:11434") && !is_cloud("https://notollama.com"));
        assert_eq!(v1_root("https://a.b/proxy?t=1"), "https://a.b/proxy/v1?t=1");
    }
}
