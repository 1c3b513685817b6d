//! What a program tells others, and what others make of it.

mod hostile;
mod masking;
