//! Stubs without the feature `host`. [`FrontedHost`] is uninhabited, because there are no hosts.

use genkit_core::Registry;

#[derive(Clone)]
pub(crate) enum FrontedHost {}

impl FrontedHost {
    pub(super) async fn register_in(&self, _: &Registry) {
        match *self {}
    }
}

pub(super) fn describe_problems(host: &FrontedHost) -> String {
    match *host {}
}

pub(super) fn count_servers(host: &FrontedHost) -> (usize, usize) {
    match *host {}
}
