//! Names that every provider and every MCP client takes, and the way back.

mod kept;

use std::borrow::Cow;
use std::collections::HashMap;

pub use kept::KeptNames;

/// How long a tool's name may be for a provider. Default is 64, the least of all.
const MAX_NAME: usize = 64;

/// How long a name is kept before a number that tells it from another.
const MAX_STEM: usize = MAX_NAME - 8;

/// Names as a provider or a client sees them: `[A-Za-z_][A-Za-z0-9_-]{0,63}`, no two
/// alike. `fs/read_file` becomes `fs__read_file`.
pub struct Names<'a> {
    /// By our name; only those that differ.
    sent: HashMap<&'a str, String>,
    /// By the provider's.
    ours: HashMap<String, &'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(all: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut names = Self { sent: HashMap::new(), ours: HashMap::new() };
        if all.clone().all(is_safe) {
            return names; // the usual case costs nothing
        }
        // A name that is safe stays as it is, whatever stands before it.
        let (safe, unsafe_): (Vec<&str>, Vec<&str>) = all.partition(|name| is_safe(name));
        for name in safe {
            names.ours.insert(name.to_owned(), name);
        }
        let mut numbers = Numbers::default();
        for name in unsafe_ {
            let sent = numbers.free(safe_name(name), |sent| names.ours.contains_key(sent));
            names.ours.insert(sent.clone(), name);
            names.sent.insert(name, sent);
        }
        names
    }

    /// The name that is sent.
    pub fn sent<'b>(&'b self, name: &'b str) -> Cow<'b, str> {
        match self.sent.get(name) {
            Some(sent) => Cow::Borrowed(sent),
            None if is_safe(name) => Cow::Borrowed(name),
            // A call in the history of a tool that is not offered any more.
            None => Cow::Owned(safe_name(name)),
        }
    }

    /// Our name of what the provider calls.
    pub fn ours<'b>(&'b self, sent: &'b str) -> &'b str {
        self.ours.get(sent).copied().unwrap_or(sent)
    }
}

/// The numbers that were given to names that are alike, so that nobody counts twice.
#[derive(Default)]
struct Numbers(HashMap<String, usize>);

impl Numbers {
    /// `safe`, or that with the next number under which it is not taken.
    fn free(&mut self, safe: String, is_taken: impl Fn(&str) -> bool) -> String {
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

fn is_safe(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| is_safe_char(char::from(byte)))
}

fn is_safe_char(c: char) -> bool {
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
    if safe.len() > MAX_NAME { shortened(&safe, &format!("_{:08x}", hash(name))) } else { safe }
}

/// `name` with `end`, cut in between so that both fit.
fn shortened(name: &str, end: &str) -> String {
    let length = name.len().min(MAX_NAME - end.len());
    format!("{}{end}", &name[..length])
}

/// FNV-1a: the same in every process, so that a stored history has the same names.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn safe_names_are_themselves() {
        let names = Names::new(["add", "get_weather-2"].into_iter());
        assert_eq!(names.sent("add"), "add");
        assert_eq!(names.ours("add"), "add");
    }

    #[test]
    fn unsafe_names_are_unique_and_come_back() {
        let long = "x".repeat(65);
        let other = format!("{}y", "x".repeat(64));
        let all = ["a/b", "a__b", "a b", "a_b", "7up", "ü", long.as_str(), other.as_str()];
        let names = Names::new(all.into_iter());
        let sent: Vec<String> = all.iter().map(|name| names.sent(name).into_owned()).collect();
        assert_eq!(sent[..6], ["a__b_2", "a__b", "a_b_2", "a_b", "_7up", "__"]);
        for (name, sent) in all.iter().zip(&sent) {
            assert!(is_safe(sent), "{sent}");
            assert_eq!(names.ours(sent), *name);
        }
    }

    #[test]
    fn sixty_four_is_the_limit() {
        let fits = format!("a/{}", "x".repeat(61));
        assert_eq!(safe_name(&fits).len(), 64);
        assert!(safe_name(&fits).ends_with('x'));
        assert_eq!(safe_name(&format!("{fits}x")).len(), 64);
    }

    /// Names of 4 characters that all become `____`, and some that were made to be in the way.
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
        let sent: HashSet<String> = all.iter().map(|name| names.sent(name).into_owned()).collect();
        assert_eq!(sent.len(), all.len());
    }

    #[test]
    fn names_that_are_one_where_they_are_cut_take_one_pass() {
        let long = "x".repeat(62);
        let pairs = (0..2_000).flat_map(|n| {
            let end = [n / 45, n % 45].map(|n| char::from(b'0' + u8::try_from(n).unwrap_or(0)));
            [".", "/"].map(|first| format!("{first}{}{}", &long[3..], String::from_iter(end)))
        });
        let all: Vec<String> = pairs.collect();
        let names = Names::new(all.iter().map(String::as_str));
        let sent: HashSet<String> = all.iter().map(|name| names.sent(name).into_owned()).collect();
        assert!(sent.iter().all(|sent| is_safe(sent)));
        assert_eq!(sent.len(), all.iter().collect::<HashSet<_>>().len());
    }
}
