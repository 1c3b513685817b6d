//! What bounds and steers a run: budgets, compaction, the search of tools.

mod budgets;
mod compacting;
mod tool_search;

use super::outputs;
