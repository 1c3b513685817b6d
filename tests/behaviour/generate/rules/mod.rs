//! Limits and rules of a run: budgets, compaction, tool search.

mod budgets;
mod compacting;
mod lazy_tools;
mod tool_search;

use super::outputs;
