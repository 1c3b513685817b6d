//! Partials that include each other endlessly, regardless of the data.

use crate::environment::Environment;
use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::template::{Node, PartialName, Template};

/// Follows the partials outside all blocks, since those are always rendered.
pub(super) fn check_recursion(environment: &Environment, template: &Template) -> Option<Error> {
    // Partials that were followed completely without finding a cycle.
    let mut done: Vec<&str> = Vec::new();
    for (name, at) in unconditional_partials(template) {
        let mut way = Vec::new();
        if let Some(circle) = follow_partial(environment, name, &mut way, &mut done) {
            return Some(template.error_at(ErrorKind::RecursivePartial(circle), at));
        }
    }
    None
}

/// Returns the cycle if `name` leads back to a partial on the current path.
fn follow_partial<'e>(
    environment: &'e Environment,
    name: &str,
    way: &mut Vec<&'e str>,
    done: &mut Vec<&'e str>,
) -> Option<Vec<String>> {
    let (name, template) = environment.registered_entry(name)?;
    if let Some(start) = way.iter().position(|known| *known == name) {
        let circle = way[start..].iter().chain(std::iter::once(&name));
        return Some(circle.map(|name| (*name).to_owned()).collect());
    }
    // Skip partials without a cycle, and paths that are deeper than any rendering can be.
    if done.contains(&name) || way.len() > 64 {
        return None;
    }
    way.push(name);
    for (next, _) in unconditional_partials(template) {
        if let Some(circle) = follow_partial(environment, next, way, done) {
            return Some(circle);
        }
    }
    way.pop();
    done.push(name);
    None
}

/// Returns the partials outside all blocks, except those that an inline partial may replace.
fn unconditional_partials(template: &Template) -> impl Iterator<Item = (&str, usize)> {
    let nodes = template.program.nodes.iter();
    nodes.filter(|_| !template.program.has_inlines).filter_map(|node| match node {
        Node::Partial(partial) => match &partial.name {
            PartialName::Static(name) => Some((&**name, partial.at)),
            PartialName::Block | PartialName::Dynamic(_) => None,
        },
        _ => None,
    })
}
