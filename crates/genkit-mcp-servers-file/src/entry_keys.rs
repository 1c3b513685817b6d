//! Keys that programs write into an entry.

/// The keys that are used.
#[rustfmt::skip]
const USED: [&str; 22] = [
    "args", "command", "cwd", "disabled", "disabledTools", "enabled", "enabledTools", "env",
    "envFile", "excludeTools", "headers", "httpUrl", "includeTools", "serverUrl", "timeout",
    "tools", "transport", "transportType", "type", "url", "allowedTools", "blockedTools",
];

/// Keys about approval, which the program must configure itself.
const APPROVAL: [&str; 4] = ["alwaysAllow", "autoApprove", "trust", "autoApproveAll"];

/// Keys of other programs that are not supported.
#[rustfmt::skip]
const NOT_USED: [&str; 14] = [
    "alwaysLoad", "auth", "authProviderType", "dev", "headersHelper", "initTimeout",
    "networkTimeout", "oauth", "oauthScopes", "sandbox", "sandboxEnabled", "startupTimeout",
    "watchPaths", "fromGalleryId",
];

/// Keys that have no effect, and keys that are only read to find out whether the server is disabled.
#[rustfmt::skip]
const IGNORED: [&str; 29] = [
    "active", "author", "comment", "description", "displayName", "gallery", "icon", "id",
    "installSource", "isActive", "isTrusted", "key", "logoUrl", "longRunning", "metadata", "name",
    "official", "provider", "providerUrl", "reference", "registryId", "registryUrl", "source",
    "state", "status", "tags", "title", "uuid", "version",
];

/// Returns a notice for a key that is not used.
pub(crate) fn unknown_key_notice(key: &str) -> Option<String> {
    // Some files use keys as comments.
    if key.starts_with(['/', '_', '$']) || USED.contains(&key) || IGNORED.contains(&key) {
        return None;
    }
    if APPROVAL.contains(&key) {
        return Some(
            "not used; set which tools need approval with `.needs_approval(..)`".to_owned(),
        );
    }
    if NOT_USED.contains(&key) {
        return Some("not used".to_owned());
    }
    Some(match nearest(key, USED) {
        Some(near) => format!("unknown key; did you mean `{near}`?"),
        None => "unknown key".to_owned(),
    })
}

/// Returns the candidate that `word` is probably a typo of: at most a third of its characters, or
/// one character, may differ. Among equally close candidates, a candidate that differs only in
/// case is preferred, then the first in alphabetical order.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let distances = candidates.into_iter().map(|candidate| {
        let is_other_word = !candidate.eq_ignore_ascii_case(word);
        (strsim::osa_distance(word, candidate), is_other_word, candidate)
    });
    let close = distances
        .filter(|(edits, _, candidate)| *edits <= limit && *edits < candidate.chars().count());
    close.min().map(|(.., candidate)| candidate)
}

/// Normalizes a key or a value, so that all of its spellings are equal: lower case, without `_` and `-`.
pub(crate) fn normalize_word(text: &str) -> String {
    text.to_lowercase().replace(['_', '-'], "")
}
