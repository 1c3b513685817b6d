//! JSON values: pointers, the canonical text, sizes, type names, and numbers that JSON cannot represent.

pub(crate) mod canonical;
pub(crate) mod finite;
pub(crate) mod json_type;
pub(crate) mod pointer;
pub(crate) mod size;
