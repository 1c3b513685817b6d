//! Matching of one URI against many templates.

use std::borrow::Cow;

use crate::limits::MAX_SEARCH_STEPS;
use crate::matcher;
use crate::template::UriTemplate;
use crate::value::UriValue;

/// A search that matches a URI against several templates, with one limit on the work for all templates.
///
/// A template whose first or last text differs from that of the URI costs almost nothing.
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
    /// Starts a search. Returns `None` if `uri` is invalid, or longer than [`MAX_URI_BYTES`](crate::MAX_URI_BYTES).
    pub fn new(uri: &'u str) -> Option<Self> {
        Some(Self { uri: matcher::normalize_for_match(uri)?, steps: MAX_SEARCH_STEPS })
    }

    /// Matches a template as [`UriTemplate::match_uri`] does. Nothing matches once the search [is
    /// exhausted](Self::is_exhausted).
    pub fn matches<'t>(&mut self, template: &'t UriTemplate) -> Option<Vec<(&'t str, UriValue)>> {
        let mut left = self.steps;
        let found = template.matcher().match_normal(&self.uri, &mut left);
        // A template that runs out of steps uses up all remaining steps.
        self.steps = left;
        found
    }

    /// Returns whether the search ran out of steps ([`MAX_SEARCH_STEPS`]), so that some templates may have been
    /// skipped.
    pub fn is_exhausted(&self) -> bool {
        self.steps == 0
    }
}
