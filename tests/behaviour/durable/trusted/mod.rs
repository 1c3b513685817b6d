//! What operators rely on: no effect twice, and no run that blocks others.

mod nested;
