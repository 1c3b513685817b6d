//! Which resources a subscriber hears of.

use std::sync::Arc;

/// Whether the resource at a URI is there for a subscriber. Default is that all are.
#[derive(Clone, Default)]
pub(crate) struct Sees(Option<SeesUri>);

type SeesUri = Arc<dyn Fn(&str) -> bool + Send + Sync>;

impl Sees {
    pub(crate) fn new(sees: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sees)))
    }

    pub(super) fn uri(&self, uri: &str) -> bool {
        self.0.as_ref().is_none_or(|sees| sees(uri))
    }
}
