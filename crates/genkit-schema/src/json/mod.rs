//! JSON values: pointers, the canonical text, sizes and type names.

pub(crate) mod canonical;
pub(crate) mod json_type;
pub(crate) mod pointer;
pub(crate) mod size;
