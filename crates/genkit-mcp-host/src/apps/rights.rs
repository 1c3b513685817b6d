//! The rights of a page.

use serde_json::Value;

use genkit_core::internal::action::is_origin;

/// The maximum number of origins in each list; the rest is ignored.
const MAX_ORIGINS: usize = 100;

/// The rights that a page of an MCP App requests: origins for its content security policy, and permissions of the
/// browser. The program decides which of them to grant. Entries that are not origins are omitted, because they could
/// change the policy.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AppRights {
    /// Origins that the page may send requests to.
    pub connect: Vec<String>,
    /// Origins that the page may load scripts, styles, images, fonts and media from.
    pub resources: Vec<String>,
    /// Origins that the page may embed frames from.
    pub frames: Vec<String>,
    /// Origins that the page may use as its base URI.
    pub base_uris: Vec<String>,
    /// Permissions: `camera`, `microphone`, `geolocation`, `clipboard-write`.
    pub permissions: Vec<String>,
    /// The page's preference for a border around it, if it states one.
    pub prefers_border: Option<bool>,
    /// The domain that the page requests, in a host-specific format.
    pub domain: Option<String>,
}

impl AppRights {
    /// Reads the rights from the `ui` member of a page's `_meta`.
    pub(super) fn read(ui: &Value) -> Self {
        let origins = |list: &str| {
            let all = ui["csp"][list].as_array().into_iter().flatten().filter_map(Value::as_str);
            all.filter(|origin| is_origin(origin)).take(MAX_ORIGINS).map(str::to_owned).collect()
        };
        let names = [
            ("camera", "camera"),
            ("microphone", "microphone"),
            ("geolocation", "geolocation"),
            ("clipboardWrite", "clipboard-write"),
        ];
        let is_wanted = |key: &str| ui["permissions"][key].is_object();
        let permissions = names.iter().filter(|(key, _)| is_wanted(key));
        Self {
            connect: origins("connectDomains"),
            resources: origins("resourceDomains"),
            frames: origins("frameDomains"),
            base_uris: origins("baseUriDomains"),
            permissions: permissions.map(|(_, name)| (*name).to_owned()).collect(),
            prefers_border: ui["prefersBorder"].as_bool(),
            domain: ui["domain"].as_str().filter(|domain| is_domain(domain)).map(str::to_owned),
        }
    }

    /// Returns the content security policy that grants the requested origins and nothing else, for the HTTP header
    /// `Content-Security-Policy` of the page's frame.
    ///
    /// ```
    /// # let app: Option<genkit::mcp::host::McpApp> = None;
    /// if let Some(app) = app {
    ///     println!("Content-Security-Policy: {}", app.rights().content_security_policy());
    /// }
    /// ```
    pub fn content_security_policy(&self) -> String {
        let join = |origins: &[String]| {
            origins.iter().map(|origin| format!(" {origin}")).collect::<String>()
        };
        let or_none = |origins: &[String]| match origins {
            [] => " 'none'".to_owned(),
            some => join(some),
        };
        let resources = join(&self.resources);
        format!(
            "default-src 'none'; script-src 'self' 'unsafe-inline'{resources}; style-src 'self' 'unsafe-inline'{resources}; \
             img-src 'self' data:{resources}; media-src 'self' data:{resources}; font-src 'self'{resources}; \
             connect-src{}; frame-src{}; base-uri{}; object-src 'none'; form-action 'none'",
            or_none(&self.connect),
            or_none(&self.frames),
            match self.base_uris.as_slice() {
                [] => " 'self'".to_owned(),
                some => join(some),
            },
        )
    }
}

/// The longest domain, in bytes.
const MAX_DOMAIN: usize = 253;

/// Returns whether the text has only the characters of a domain. Programs may put it in a URL or display it.
fn is_domain(text: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    (1..=MAX_DOMAIN).contains(&text.len()) && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_that_could_change_the_policy_is_omitted() {
        let rights = AppRights::read(&json!({
            "csp": {
                "connectDomains": ["https://api.example", "*", "https://a; script-src *", 7],
                "resourceDomains": "https://a.example",
            },
            "permissions": {"camera": {}, "clipboardWrite": {}, "microphone": true, "usb": {}},
            "prefersBorder": "yes",
        }));
        assert_eq!(rights.connect, ["https://api.example"]);
        assert_eq!(rights.permissions, ["camera", "clipboard-write"]);
        assert!(rights.resources.is_empty() && rights.prefers_border.is_none());
        for (domain, is_kept) in
            [("app.example", true), ("a.example/x?", false), ("\u{202e}a", false), ("", false)]
        {
            let rights = AppRights::read(&json!({ "domain": domain }));
            assert_eq!(rights.domain.is_some(), is_kept, "{domain:?}");
        }
        let policy = rights.content_security_policy();
        assert!(policy.contains("connect-src https://api.example;"), "{policy}");
        assert!(policy.starts_with("default-src 'none'; ") && policy.contains("frame-src 'none'"));
        assert!(!policy.contains('*'), "{policy}");
        assert!(AppRights::default().content_security_policy().contains("connect-src 'none'"));
    }
}
