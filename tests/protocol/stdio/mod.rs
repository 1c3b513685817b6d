//! Raw bytes on stdio: the messages from a faulty client, and the expected responses.

mod ending;
mod lines;
mod params;
mod tasks;
