//! Behaviour across crates: see `README.md` in this folder.
