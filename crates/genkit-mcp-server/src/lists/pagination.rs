//! Pagination: pages of a list and their cursors.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::Error as E;

/// The time that clients can cache lists and contents. Default is 0: no caching.
const DEFAULT_CACHE_TTL: Duration = Duration::ZERO;

/// The settings of lists.
#[derive(Clone)]
pub(crate) struct PageSettings {
    /// The number of items on a page; `None` means all.
    pub(crate) size: Option<usize>,
    /// The time that clients can cache lists and contents.
    pub(crate) cache_ttl: Duration,
}

impl PageSettings {
    /// Returns the cache time in milliseconds.
    pub(crate) fn cache_ms(&self) -> u64 {
        u64::try_from(self.cache_ttl.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Default for PageSettings {
    fn default() -> Self {
        Self { size: None, cache_ttl: DEFAULT_CACHE_TTL }
    }
}

/// Returns one page of `all`, which must be sorted by `key`, and the cursor of the next page.
///
/// A cursor contains the last key of its page. It stays valid while items are added and removed, and on any instance
/// of the server.
pub(crate) fn take_page<'a, T>(
    all: &'a [T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
    size: Option<usize>,
) -> Result<(&'a [T], Option<String>), E> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last = read_cursor(cursor).ok_or(E::InvalidCursor)?;
            all.partition_point(|item| key(item) <= last.as_str())
        }
    };
    let end = size.map_or(all.len(), |size| all.len().min(start.saturating_add(size.max(1))));
    let items = &all[start..end];
    let next = (end < all.len()).then(|| items.last().map(|item| write_cursor(key(item))));
    Ok((items, next.flatten()))
}

/// The prefix of a decoded cursor.
const CURSOR_MARK: &str = "after:";

fn write_cursor(last: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{CURSOR_MARK}{last}"))
}

fn read_cursor(cursor: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    text.strip_prefix(CURSOR_MARK).map(str::to_owned)
}
