//! Without the feature `dev-tools` nothing is shown to Genkit's developer tools.

use crate::instance::Genkit;

pub(crate) const fn start(_: &Genkit) {}
