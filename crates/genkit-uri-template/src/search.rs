//! One URI, asked of many templates.

use std::borrow::Cow;

use crate::limits::MAX_SEARCH_STEPS;
use crate::matcher;
use crate::template::UriTemplate;
use crate::value::UriValue;

/// A URI that several templates are asked for, within one limit of work for all of them.
///
/// Templates that begin or end with another text than the URI cost next to nothing.
///
/// ```
/// use genkit_uri_template::{UriSearch, UriTemplate};
///
/// let [note, page] = ["note://{id}", "book://{page}"].map(|text| UriTemplate::parse(text).unwrap());
/// let mut search = UriSearch::new("note://7").unwrap();
/// assert!(search.matches(&page).is_none());
/// assert_eq!(search.matches(&note), Some(vec![("id", "7".into())]));
/// assert!(!search.is_exhausted());
/// ```
#[derive(Debug)]
pub struct UriSearch<'u> {
    uri: Cow<'u, str>,
    steps: usize,
}

impl<'u> UriSearch<'u> {
    /// Begins a search; `None` for what is no URI, or longer than [`MAX_URI_BYTES`](crate::MAX_URI_BYTES).
    pub fn new(uri: &'u str) -> Option<Self> {
        Some(Self { uri: matcher::normal(uri)?, steps: MAX_SEARCH_STEPS })
    }

    /// As [`UriTemplate::match_uri`]; nothing matches once the search [is exhausted](Self::is_exhausted).
    pub fn matches<'t>(&mut self, template: &'t UriTemplate) -> Option<Vec<(&'t str, UriValue)>> {
        let mut left = self.steps;
        let found = template.matcher().match_normal(&self.uri, &mut left);
        // A template that is given up takes all that was left.
        self.steps = left;
        found
    }

    /// Whether the work was too much ([`MAX_SEARCH_STEPS`]), so that templates may have been passed over.
    pub fn is_exhausted(&self) -> bool {
        self.steps == 0
    }
}
