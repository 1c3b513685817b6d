//! Environment variables that apply to the whole library.

use std::ffi::OsStr;

/// Returns whether `GENKIT_ENV` selects development mode.
pub fn is_development() -> bool {
    is_dev(std::env::var_os("GENKIT_ENV").as_deref())
}

fn is_dev(value: Option<&OsStr>) -> bool {
    value.is_some_and(|value| value == "dev")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dev_is_development() {
        assert!(is_dev(Some(OsStr::new("dev"))));
        for other in ["", "prod", "DEV", "development"] {
            assert!(!is_dev(Some(OsStr::new(other))), "{other}");
        }
        assert!(!is_dev(None));
    }
}
