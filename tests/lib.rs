//! Nothing by itself: see `protocol/` and `behaviour/`.
