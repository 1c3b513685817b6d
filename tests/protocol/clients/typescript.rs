//! The TypeScript SDK's client, in both generations, with `notes`.

use std::path::Path;

use serde_json::Value;

use super::notes::{self, Expected, MODERN};
use super::target::{Target, Transport, document};
use crate::packages;

/// This SDK removes its progress handler as soon as the response arrives, so progress that is read together with the
/// response is lost.
const LEGACY: Expected = Expected { all_progress: false, ..Expected::LEGACY };

/// Like [`LEGACY`]; in addition, the second generation uses the newer code for all missing resources.
const LEGACY_2: Expected = Expected { not_found: Expected::MODERN.not_found, ..LEGACY };

const NEWER: Expected = Expected { all_progress: false, ..Expected::MODERN };

/// Returns what one of the scripts saw.
fn visit(test: &str, script: &str, mode: Option<&str>, transport: Transport) -> Value {
    let npm = packages::npm();
    let target = Target::new(test, transport);
    let mut node = packages::tool(Path::new("node"));
    node.current_dir(npm).arg(script).args(mode);
    document(&mut node, &target)
}

/// The first generation supports only sessions.
#[test]
fn first_generation_sees_everything_over_stdio() {
    let seen = visit("ts1-stdio", "ts1.mjs", None, Transport::Stdio);
    notes::check(&seen, LEGACY);
    notes::identity(&seen);
}

#[test]
fn first_generation_sees_everything_over_http() {
    let seen = visit("ts1-http", "ts1.mjs", None, Transport::Http);
    notes::check(&seen, LEGACY);
    notes::identity(&seen);
}

#[test]
fn second_generation_sees_everything_with_a_session() {
    for transport in [Transport::Stdio, Transport::Http] {
        let test = format!("ts2-legacy-{transport:?}");
        let seen = visit(&test, "ts2.mjs", Some("legacy"), transport);
        notes::check(&seen, LEGACY_2);
        notes::identity(&seen);
    }
}

#[test]
fn second_generation_sdk_negotiates_the_newer_protocol() {
    for transport in [Transport::Stdio, Transport::Http] {
        let test = format!("ts2-auto-{transport:?}");
        let seen = visit(&test, "ts2.mjs", Some("auto"), transport);
        notes::check(&seen, NEWER);
        notes::identity(&seen);
    }
}

#[test]
fn second_generation_may_insist_on_the_newer_era() {
    for transport in [Transport::Stdio, Transport::Http] {
        let test = format!("ts2-modern-{transport:?}");
        let seen = visit(&test, "ts2.mjs", Some(MODERN), transport);
        notes::check(&seen, NEWER);
    }
}
