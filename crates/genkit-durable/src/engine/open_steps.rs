//! The steps that an engine was given and has not settled yet.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Open steps by their numbers, which are never given twice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OpenSteps {
    next: u64,
    /// Of a tool call, where it stands: its message, and its place in it.
    open: BTreeMap<u64, Option<(usize, usize)>>,
}

impl OpenSteps {
    pub(crate) fn is_unused(&self) -> bool {
        self.next == 0
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn has(&self, call: (usize, usize)) -> bool {
        self.open.values().any(|open| *open == Some(call))
    }

    /// The number of a step that is given out.
    pub(super) fn add(&mut self, call: Option<(usize, usize)>) -> u64 {
        self.next += 1;
        self.open.insert(self.next, call);
        self.next
    }

    /// Takes a step out; `None` where it is not open.
    pub(super) fn settle(&mut self, number: u64) -> Option<Option<(usize, usize)>> {
        self.open.remove(&number)
    }
}
