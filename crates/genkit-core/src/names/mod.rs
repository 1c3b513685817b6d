//! The mapping between tool names and names that every provider and MCP client accepts.

pub(crate) mod name_table;
pub(crate) mod suggest;

use std::borrow::Cow;
use std::collections::HashMap;

/// The maximum length of a tool's name for a provider. Default is 64, the lowest limit of all
/// providers.
const MAX_NAME: usize = 64;

/// The maximum length of a name before the number that makes it unique.
const MAX_STEM: usize = MAX_NAME - 8;

/// Tool names as providers and clients receive them: unique names that match `[A-Za-z_][A-Za-z0-9_-]{0,63}`. For
/// example, `fs/read_file` becomes `fs__read_file`.
pub struct Names<'a> {
    /// The sent names that differ from our names, by our name.
    sent: HashMap<&'a str, String>,
    /// Our names, by the sent name.
    ours: HashMap<String, &'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(all: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut names = Self { sent: HashMap::new(), ours: HashMap::new() };
        if all.clone().all(is_safe) {
            return names; // the common case needs no maps
        }
        // A safe name is sent unchanged, even if an earlier name has the same safe form.
        let (safe, unsafe_): (Vec<&str>, Vec<&str>) = all.partition(|name| is_safe(name));
        for name in safe {
            names.ours.insert(name.to_owned(), name);
        }
        let mut numbers = Numbers::default();
        for name in unsafe_ {
            let sent = numbers.free_name(safe_name(name), |sent| names.ours.contains_key(sent));
            names.ours.insert(sent.clone(), name);
            names.sent.insert(name, sent);
        }
        names
    }

    /// Returns the name to send.
    pub fn sent_name<'b>(&'b self, name: &'b str) -> Cow<'b, str> {
        match self.sent.get(name) {
            Some(sent) => Cow::Borrowed(sent),
            None if is_safe(name) => Cow::Borrowed(name),
            // The history contains a call to a tool that is no longer offered.
            None => Cow::Owned(safe_name(name)),
        }
    }

    /// Returns our name for the name in a call from the provider.
    pub fn own_name<'b>(&'b self, sent: &'b str) -> &'b str {
        self.ours.get(sent).copied().unwrap_or(sent)
    }
}

/// The next number for each stem, so that no number is tried twice.
#[derive(Default)]
pub(crate) struct Numbers(HashMap<String, usize>);

impl Numbers {
    /// Returns `safe`, with the next free number if it is taken.
    pub(crate) fn free_name(&mut self, safe: String, is_taken: impl Fn(&str) -> bool) -> String {
        if !is_taken(&safe) {
            return safe;
        }
        let stem = &safe[..safe.len().min(MAX_STEM)];
        let next = self.0.entry(stem.to_owned()).or_insert(2);
        loop {
            let sent = format!("{stem}_{next}");
            *next += 1;
            if !is_taken(&sent) {
                return sent;
            }
        }
    }
}

pub(crate) fn is_safe(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| is_safe_char(char::from(byte)))
}

pub(crate) fn is_safe_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

pub fn safe_name(name: &str) -> String {
    let mut safe = String::with_capacity(name.len() + 2);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        safe.push('_');
    }
    for c in name.chars() {
        match c {
            '/' => safe.push_str("__"),
            c if is_safe_char(c) => safe.push(c),
            _ => safe.push('_'),
        }
    }
    if safe.len() > MAX_NAME { shorten_name(&safe, &format!("_{:08x}", hash(name))) } else { safe }
}

/// Returns `name` followed by `end`, truncating `name` so that both fit.
fn shorten_name(name: &str, end: &str) -> String {
    let length = name.len().min(MAX_NAME - end.len());
    format!("{}{end}", &name[..length])
}

/// Returns the FNV-1a hash, which is stable across processes, so that names in stored histories do not change.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn safe_names_are_unchanged() {
        let names = Names::new(["add", "get_weather-2"].into_iter());
        assert_eq!(names.sent_name("add"), "add");
        assert_eq!(names.own_name("add"), "add");
    }

    #[test]
    fn unsafe_names_are_unique_and_reversible() {
        let long = "x".repeat(65);
        let other = format!("{}y", "x".repeat(64));
        let all = ["a/b", "a__b", "a b", "a_b", "7up", "ü", long.as_str(), other.as_str()];
        let names = Names::new(all.into_iter());
        let sent: Vec<String> = all.iter().map(|name| names.sent_name(name).into_owned()).collect();
        assert_eq!(sent[..6], ["a__b_2", "a__b", "a_b_2", "a_b", "_7up", "__"]);
        for (name, sent) in all.iter().zip(&sent) {
            assert!(is_safe(sent), "{sent}");
            assert_eq!(names.own_name(sent), *name);
        }
    }

    #[test]
    fn sixty_four_is_the_limit() {
        let fits = format!("a/{}", "x".repeat(61));
        assert_eq!(safe_name(&fits).len(), 64);
        assert!(safe_name(&fits).ends_with('x'));
        assert_eq!(safe_name(&format!("{fits}x")).len(), 64);
    }

    /// Returns names of four characters that all become `____`, and names that collide with their
    /// numbered forms.
    fn alike(count: usize) -> Vec<String> {
        let signs: Vec<char> = (' '..='~').filter(|c| !is_safe_char(*c) && *c != '/').collect();
        let digit = |n: usize, place: u32| signs[n / signs.len().pow(place) % signs.len()];
        let mut all: Vec<String> =
            (0..count).map(|n| (0..4).map(|place| digit(n, place)).collect()).collect();
        all.extend((2..count / 2).map(|n| format!("_____{n}")));
        all
    }

    #[test]
    fn twenty_thousand_names_that_become_one_take_one_pass() {
        let all = alike(20_000);
        let names = Names::new(all.iter().map(String::as_str));
        let sent: HashSet<String> =
            all.iter().map(|name| names.sent_name(name).into_owned()).collect();
        assert_eq!(sent.len(), all.len());
    }

    #[test]
    fn names_with_equal_prefix_take_one_pass() {
        let long = "x".repeat(62);
        let pairs = (0..2_000).flat_map(|n| {
            let end = [n / 45, n % 45].map(|n| char::from(b'0' + u8::try_from(n).unwrap_or(0)));
            [".", "/"].map(|first| format!("{first}{}{}", &long[3..], String::from_iter(end)))
        });
        let all: Vec<String> = pairs.collect();
        let names = Names::new(all.iter().map(String::as_str));
        let sent: HashSet<String> =
            all.iter().map(|name| names.sent_name(name).into_owned()).collect();
        assert!(sent.iter().all(|sent| is_safe(sent)));
        assert_eq!(sent.len(), all.iter().collect::<HashSet<_>>().len());
    }
}
