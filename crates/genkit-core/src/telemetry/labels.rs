//! Labels of metrics. Their number is limited, because names may come from other programs.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use crate::sync::lock;

/// The maximum number of names that become labels in a process. Default is 1,000; additional names
/// are recorded as `_OTHER`.
const MAX_LABELS: usize = 1000;

/// The maximum length of a name that becomes a label, in bytes. Default is 256.
const MAX_LABEL: usize = 256;

/// The label for all additional names.
const OTHER: &str = "_OTHER";

/// Returns the label for the name of a tool, a prompt or a model.
pub fn metric_label(name: &str) -> &str {
    static KNOWN: LazyLock<Mutex<Labels>> = LazyLock::new(Mutex::default);
    if lock(&KNOWN).admit_label(name) { name } else { OTHER }
}

#[derive(Default)]
pub(super) struct Labels {
    known: HashSet<Box<str>>,
    is_full: bool,
}

impl Labels {
    pub(super) fn admit_label(&mut self, name: &str) -> bool {
        if self.known.contains(name) {
            return true;
        }
        if self.known.len() < MAX_LABELS && name.len() <= MAX_LABEL {
            return self.known.insert(name.into());
        }
        if !std::mem::replace(&mut self.is_full, true) {
            tracing::warn!(
                "there are more than {MAX_LABELS} names of tools, prompts and models, or a name is too long; such \
                 names are recorded as `{OTHER}` in metrics, and spans still contain the names"
            );
        }
        false
    }
}
