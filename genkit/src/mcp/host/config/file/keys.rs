//! The keys that programs write into an entry.

use crate::suggest;

/// What is read of a server.
pub(crate) const READ: [&str; 22] = [
    "args",
    "command",
    "cwd",
    "disabled",
    "disabledTools",
    "enabled",
    "enabledTools",
    "env",
    "envFile",
    "excludeTools",
    "headers",
    "httpUrl",
    "includeTools",
    "serverUrl",
    "timeout",
    "tools",
    "transport",
    "transportType",
    "type",
    "url",
    "allowedTools",
    "blockedTools",
];

/// Who is asked before a call is a decision of this program.
const ASKING: [&str; 4] = ["alwaysAllow", "autoApprove", "trust", "autoApproveAll"];

/// Known to other programs, and not done here.
const ELSEWHERE: [&str; 14] = [
    "alwaysLoad",
    "auth",
    "authProviderType",
    "dev",
    "headersHelper",
    "initTimeout",
    "networkTimeout",
    "oauth",
    "oauthScopes",
    "sandbox",
    "sandboxEnabled",
    "startupTimeout",
    "watchPaths",
    "fromGalleryId",
];

/// Of no consequence anywhere.
const WORDS: [&str; 9] = [
    "comment",
    "description",
    "displayName",
    "gallery",
    "icon",
    "id",
    "metadata",
    "name",
    "version",
];

/// What has to be said of a key that is not read.
pub(crate) fn notice(key: &str) -> Option<String> {
    // Comments as keys.
    if key.starts_with(['/', '_', '$']) || READ.contains(&key) || WORDS.contains(&key) {
        return None;
    }
    if ASKING.contains(&key) {
        return Some("not used: `.needs_approval(..)` says which tools ask first".to_owned());
    }
    if ELSEWHERE.contains(&key) {
        return Some("not used".to_owned());
    }
    Some(match suggest::nearest(key, READ.into_iter()) {
        Some(near) => format!("unknown key; did you mean `{near}`?"),
        None => "unknown key".to_owned(),
    })
}
