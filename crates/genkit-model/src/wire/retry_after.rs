//! The headers of an error response that specify when to retry: `retry-after` and
//! `x-should-retry`.

use std::time::Duration;

use super::HeaderLookup;

/// Returns the retry delay from the headers: `retry-after-ms`, or `retry-after` in seconds or as a
/// date.
pub fn retry_after(headers: HeaderLookup<'_>) -> Option<Duration> {
    let number = |name: &str| headers(name)?.trim().parse::<f64>().ok();
    if let Some(wait) = number("retry-after-ms").and_then(|ms| duration_from_seconds(ms / 1000.0)) {
        return Some(wait);
    }
    if let Some(wait) = number("retry-after").and_then(duration_from_seconds) {
        return Some(wait);
    }
    let date = httpdate::parse_http_date(headers("retry-after")?.trim()).ok()?;
    Some(date.duration_since(std::time::SystemTime::now()).unwrap_or_default())
}

/// Converts seconds to a duration. Returns `None` if the server sent an invalid number.
pub fn duration_from_seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns whether the server recommends a retry, from the header `x-should-retry`.
pub fn should_retry(headers: HeaderLookup<'_>) -> Option<bool> {
    match headers("x-should-retry")?.trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}
