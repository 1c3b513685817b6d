//! Limits and rules of a run: budgets, compaction, tool search.

mod budgets;
mod compacting;
mod tool_search;

use super::outputs;
