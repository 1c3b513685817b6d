//! Labels of metrics: their number is bounded, whatever others call their things.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use crate::sync::lock;

/// How many names may become labels in a process. Default is 1,000; what comes later is one, `_OTHER`.
const MAX_LABELS: usize = 1000;

/// The longest name that becomes a label, in bytes. Default is 256.
const MAX_LABEL: usize = 256;

/// What stands for all that is too much.
const OTHER: &str = "_OTHER";

/// The name of a tool, a prompt or a model as a label.
pub fn label(name: &str) -> &str {
    static KNOWN: LazyLock<Mutex<Labels>> = LazyLock::new(Mutex::default);
    if lock(&KNOWN).admits(name) { name } else { OTHER }
}

#[derive(Default)]
pub(super) struct Labels {
    known: HashSet<Box<str>>,
    is_full: bool,
}

impl Labels {
    pub(super) fn admits(&mut self, name: &str) -> bool {
        if self.known.contains(name) {
            return true;
        }
        if self.known.len() < MAX_LABELS && name.len() <= MAX_LABEL {
            return self.known.insert(name.into());
        }
        if !std::mem::replace(&mut self.is_full, true) {
            tracing::warn!(
                "more than {MAX_LABELS} tools, prompts and models are measured, or one has a long name: the rest \
                 is `{OTHER}` in metrics; the spans have their names"
            );
        }
        false
    }
}
