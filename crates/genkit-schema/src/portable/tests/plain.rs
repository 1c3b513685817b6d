//! Tests that the fast path for plain schemas and the full rewriter produce identical output.

use proptest::prelude::*;
use serde_json::Value;

use crate::conversion::{MAX_DEPTH, MAX_NODES};
use crate::portable::draft::Null;
use crate::portable::plain::Plain;
use crate::portable::rewriter::PortableRewriter;
use crate::testing::{deep_schema, random, wide_schema, zoo_schemas};

/// Returns the result of the fast path or the full rewriter for a schema: its text, and its losses.
fn by(exact: &Value, is_long: bool) -> Option<(String, String)> {
    let rewriter = PortableRewriter::new(exact, MAX_DEPTH, MAX_NODES);
    let mut rewriter = if is_long { rewriter.without_fast_path() } else { rewriter };
    let schema = rewriter.rewrite_root();
    Some((schema.to_string(), format!("{:?}", rewriter.into_losses()?)))
}

#[track_caller]
fn is_the_same(exact: &Value) {
    assert_eq!(by(exact, false), by(exact, true), "{exact}");
}

#[test]
fn fast_path_and_rewriter_agree_on_the_type_zoo() {
    for (_, exact) in zoo_schemas() {
        is_the_same(&exact);
    }
    for count in [MAX_NODES - 2, MAX_NODES - 1, MAX_NODES] {
        is_the_same(&wide_schema(count));
    }
    for depth in [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 2] {
        is_the_same(&deep_schema(depth));
    }
}

#[test]
fn most_schemas_of_structs_go_the_short_way() {
    let short = |exact: &Value| {
        let mut plain = Plain { nodes: 0, max_nodes: MAX_NODES, depth: 0 };
        plain.rewrite_schema(exact, true, Null::Needed).is_some()
    };
    let zoo = zoo_schemas();
    let count = zoo.iter().filter(|(_, exact)| short(exact)).count();
    assert!(count >= 20, "{count} of {}", zoo.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fast_path_and_rewriter_agree_on_random_schemas(exact in random()) {
        prop_assert_eq!(by(&exact, false), by(&exact, true), "{}", exact);
    }
}
