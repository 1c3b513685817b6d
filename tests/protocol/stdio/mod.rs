//! Raw bytes on stdio: what a client in trouble may send, and what must come back.

mod ending;
mod lines;
mod params;
mod tasks;
