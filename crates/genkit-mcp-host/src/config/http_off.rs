//! Servers over HTTP, without the feature `http`.

use super::{Controls, ServerConfig};
use crate::error::Error;

/// Returns a configuration that always fails, with an error that names the missing feature.
pub(super) fn configure_entry(
    place: String,
    _: String,
    _: Vec<(String, String)>,
    controls: Controls,
) -> ServerConfig {
    ServerConfig::from_error(Error::HttpDisabled(place).into(), controls)
}
