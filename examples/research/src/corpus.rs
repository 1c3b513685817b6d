//! The documents, which are embedded in the program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A planet. There is one document per planet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Planet {
    Mercury,
    Venus,
    Earth,
    Mars,
    Jupiter,
    Saturn,
    Uranus,
    Neptune,
}

/// The number of paragraphs per page.
const PAGE: usize = 3;

impl Planet {
    pub(crate) const ALL: [Self; 8] = [
        Self::Mercury,
        Self::Venus,
        Self::Earth,
        Self::Mars,
        Self::Jupiter,
        Self::Saturn,
        Self::Uranus,
        Self::Neptune,
    ];

    /// Returns the document: title and facts, then paragraphs.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Mercury => include_str!("../corpus/mercury.txt"),
            Self::Venus => include_str!("../corpus/venus.txt"),
            Self::Earth => include_str!("../corpus/earth.txt"),
            Self::Mars => include_str!("../corpus/mars.txt"),
            Self::Jupiter => include_str!("../corpus/jupiter.txt"),
            Self::Saturn => include_str!("../corpus/saturn.txt"),
            Self::Uranus => include_str!("../corpus/uranus.txt"),
            Self::Neptune => include_str!("../corpus/neptune.txt"),
        }
    }

    fn paragraphs(self) -> impl Iterator<Item = &'static str> {
        self.text().split("\n\n").map(str::trim)
    }

    /// Returns all pages; the first contains title and facts.
    pub(crate) fn pages(self) -> Vec<String> {
        let paragraphs: Vec<&str> = self.paragraphs().collect();
        paragraphs.chunks(PAGE).map(|page| page.join("\n\n")).collect()
    }

    /// Returns the paragraph with the most `words`, its page, and the number of words found.
    pub(crate) fn best(self, words: &[&str]) -> Option<(&'static str, usize, usize)> {
        let hits = |text: &str| {
            let text = text.to_lowercase();
            words.iter().filter(|word| has(&text, word)).count()
        };
        let found =
            self.paragraphs().enumerate().map(|(at, text)| (text, at / PAGE + 1, hits(text)));
        // If two paragraphs have the same number, the first one is returned.
        found.filter(|(.., hits)| *hits > 0).reduce(|a, b| if b.2 > a.2 { b } else { a })
    }

    /// Returns a number from the facts, with its unit.
    pub(crate) fn fact(self, name: &str) -> Option<(f64, &'static str)> {
        let value =
            self.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
        let (number, unit) = value.split_once(' ').unwrap_or((value, ""));
        Some((number.parse().ok()?, unit))
    }
}

/// Returns whether the text contains a word or a word that starts with it: `ring` matches `rings`.
fn has(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|other| other.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_its_facts() {
        for planet in Planet::ALL {
            for name in ["diameter", "gravity", "day", "year", "distance", "moons", "temperature"] {
                assert!(planet.fact(name).is_some(), "{planet:?} has no {name}");
            }
            assert!(planet.pages().len() > 1);
            assert!(planet.text().starts_with(&format!("{planet:?}\n")));
        }
        assert_eq!(Planet::Saturn.fact("diameter"), Some((120_536.0, "km")));
    }

    #[test]
    fn best_paragraph_has_most_of_the_words() {
        let words = ["ring", "ice"];
        let (text, page, hits) = Planet::Saturn.best(&words).unwrap();
        assert!(text.starts_with("Saturn is known for its rings"));
        assert_eq!((page, hits), (1, 2));
        assert_eq!(Planet::Venus.best(&words[..1]), None);
    }
}
