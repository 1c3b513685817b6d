//! The steps that were passed to an engine and whose results have not been returned yet.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Open steps by their numbers, which are never reused.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OpenSteps {
    next: u64,
    /// For a tool call, the index of its message and its index in the round.
    open: BTreeMap<u64, Option<(usize, usize)>>,
}

impl OpenSteps {
    pub(crate) fn is_unused(&self) -> bool {
        self.next == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn has_call(&self, call: (usize, usize)) -> bool {
        self.open.values().any(|open| *open == Some(call))
    }

    /// Adds a step, and returns its number.
    pub(crate) fn add(&mut self, call: Option<(usize, usize)>) -> u64 {
        self.next += 1;
        self.open.insert(self.next, call);
        self.next
    }

    /// Returns the call of an open step.
    pub(crate) fn find_step(&self, number: u64) -> Option<Option<(usize, usize)>> {
        self.open.get(&number).copied()
    }

    /// Removes a step. Returns `None` if it is not open.
    pub(crate) fn remove_step(&mut self, number: u64) -> Option<Option<(usize, usize)>> {
        self.open.remove(&number)
    }
}
