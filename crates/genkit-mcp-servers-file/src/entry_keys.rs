//! Keys that programs write into an entry.

use genkit_did_you_mean::nearest;

/// Keys of a server that are used.
#[rustfmt::skip]
const USED: [&str; 22] = [
    "args", "command", "cwd", "disabled", "disabledTools", "enabled", "enabledTools", "env",
    "envFile", "excludeTools", "headers", "httpUrl", "includeTools", "serverUrl", "timeout",
    "tools", "transport", "transportType", "type", "url", "allowedTools", "blockedTools",
];

/// Approval before a call is a decision of this program.
const APPROVAL: [&str; 4] = ["alwaysAllow", "autoApprove", "trust", "autoApproveAll"];

/// Keys of other programs that are not used here.
#[rustfmt::skip]
const NOT_USED: [&str; 14] = [
    "alwaysLoad", "auth", "authProviderType", "dev", "headersHelper", "initTimeout",
    "networkTimeout", "oauth", "oauthScopes", "sandbox", "sandboxEnabled", "startupTimeout",
    "watchPaths", "fromGalleryId",
];

/// Keys without a consequence anywhere.
#[rustfmt::skip]
const IGNORED: [&str; 9] = [
    "comment", "description", "displayName", "gallery", "icon", "id", "metadata", "name",
    "version",
];

/// The notice for a key that is not used.
pub(crate) fn notice(key: &str) -> Option<String> {
    // Comments as keys.
    if key.starts_with(['/', '_', '$']) || USED.contains(&key) || IGNORED.contains(&key) {
        return None;
    }
    if APPROVAL.contains(&key) {
        return Some("not used: `.needs_approval(..)` says which tools ask first".to_owned());
    }
    if NOT_USED.contains(&key) {
        return Some("not used".to_owned());
    }
    Some(match nearest(key, USED) {
        Some(near) => format!("unknown key; did you mean `{near}`?"),
        None => "unknown key".to_owned(),
    })
}
