//! What bounds and steers a run: budgets, compaction, the search of tools.

mod budgets;

use super::outputs;
