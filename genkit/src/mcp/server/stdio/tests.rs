//! What the connection promises.
