//! Tasks in one process.
