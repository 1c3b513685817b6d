//! Every portable schema of the zoo, checked by ajv in its strict mode as draft 7 and draft 2020-12.
//!
//! `genkit`'s own tests compare the golden files with the library's output.

use std::time::Duration;

use crate::{packages, program};

/// The minimum number of schemas that are checked: 25 shapes of arguments and results, and more.
const AT_LEAST: usize = 50;

#[test]
fn portable_schemas_are_accepted_by_a_strict_validator_of_both_drafts() {
    let tests = env!("CARGO_MANIFEST_DIR");
    let mut node = packages::tool(std::path::Path::new("node"));
    node.arg(format!("{tests}/schema/ajv.mjs")).arg(format!("{tests}/fixtures/schemas"));
    node.env("AJV_HOME", packages::npm());
    let ran = program::run(&mut node, Duration::from_secs(120)).unwrap();
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    let count = ran.stdout.lines().last().and_then(|line| line.split(' ').next()?.parse().ok());
    assert!(count.is_some_and(|count: usize| count >= AT_LEAST), "{}", ran.story());
}
