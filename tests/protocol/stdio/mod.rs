//! Raw bytes on stdio: the messages of a faulty client, and the expected responses.

mod ending;
mod lines;
mod params;
mod tasks;
