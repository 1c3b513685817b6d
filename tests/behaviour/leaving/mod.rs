//! Data that leaves the program, and how other programs interpret it.

mod hostile;
mod masking;
