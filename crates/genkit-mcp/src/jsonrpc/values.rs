//! The number of values in JSON text.

/// The maximum number of values in a message, including objects, arrays and their contents. Default is 200,000: a
/// parsed `Value` takes forty times the memory of its text `0,`. In a message from a client, a list or an object counts
/// as three, and a string or a key as two.
pub const MAX_VALUES: usize = 200_000;
