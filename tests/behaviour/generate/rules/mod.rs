//! What bounds and steers a run: budgets, compaction, the search of tools.

mod budgets;
mod compacting;

use super::outputs;
