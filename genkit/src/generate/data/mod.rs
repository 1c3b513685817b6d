//! A run as plain data: the options that it is asked with, the response that it gives.

mod options;
mod parts;
mod response;

pub use options::{GenerateOptions, Instructions, OutputOptions};
pub use parts::IntoParts;
pub use response::GenerateResponse;
