//! The engine without any transport.
