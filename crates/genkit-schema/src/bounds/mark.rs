//! Marks the schemas that assert more than deserializing a Rust type checks, and rejects circular schemas.

use super::keywords::{AdditionalMembers, Check, Id, Leaf, Node};
use crate::error::Error as E;

/// The maximum number of nested schemas that apply to the same value. Default is 64.
const MAX_CHAIN: usize = 64;

/// Marks the schemas that must be checked after a type has deserialized the value.
pub(super) fn mark_nodes(nodes: &mut [Node]) {
    let tags = find_tags(nodes);
    for (id, node) in nodes.iter_mut().enumerate() {
        node.is_bounded = node.checks.iter().any(|check| match check {
            Check::Leaf(Leaf::Listed(_)) => !tags[id],
            Check::Leaf(leaf) => !leaf.is_shape(),
            Check::Not(_) | Check::Contains { .. } | Check::LeftOver { .. } => true,
            _ => false,
        });
    }
    let edges: Vec<Vec<Id>> = nodes.iter().map(child_nodes).collect();
    let mut parents = vec![Vec::new(); nodes.len()];
    for (id, children) in edges.iter().enumerate() {
        children.iter().for_each(|child| parents[*child].push(id));
    }
    let mut bounded: Vec<Id> = (0..nodes.len()).filter(|id| nodes[*id].is_bounded).collect();
    while let Some(id) = bounded.pop() {
        for parent in &parents[id] {
            if !std::mem::replace(&mut nodes[*parent].is_bounded, true) {
                bounded.push(*parent);
            }
        }
    }
}

/// Finds the tags of enum variants. The deserializer already checks them.
fn find_tags(nodes: &[Node]) -> Vec<bool> {
    let mut tags = vec![false; nodes.len()];
    let checks = nodes.iter().flat_map(|node| &node.checks);
    let branches = checks.filter_map(|check| match check {
        Check::Any { branches, .. } => Some(branches),
        _ => None,
    });
    for branch in branches.flatten() {
        tags[*branch] = true;
        for check in &nodes[*branch].checks {
            let Check::Members(members) = check else { continue };
            for (_, id) in &members.named {
                let is_const = |check: &Check| matches!(check, Check::Leaf(Leaf::Listed(values)) if values.values.len() == 1);
                tags[*id] |= nodes[*id].checks.iter().any(is_const);
            }
        }
    }
    tags
}

/// Rejects schemas that apply themselves to the same value again, because their check would not terminate.
pub(super) fn reject_cycles(nodes: &[Node]) -> Result<(), E> {
    let mut heights = vec![None; nodes.len()];
    (0..nodes.len()).try_for_each(|id| node_height(nodes, id, &mut heights, 0).map(|_| ()))
}

fn node_height(
    nodes: &[Node],
    id: Id,
    heights: &mut [Option<usize>],
    depth: usize,
) -> Result<usize, E> {
    if let Some(known) = heights[id] {
        return Ok(known);
    }
    if depth > MAX_CHAIN {
        return Err(E::Circle);
    }
    let mut own = 0;
    for child in nodes[id].checks.iter().flat_map(applied_schemas) {
        own = own.max(node_height(nodes, child, heights, depth + 1)? + 1);
    }
    if own > MAX_CHAIN {
        return Err(E::Circle);
    }
    heights[id] = Some(own);
    Ok(own)
}

/// Returns the schemas that a check applies to the same value.
fn applied_schemas(check: &Check) -> Vec<Id> {
    match check {
        Check::All(ids) | Check::Any { branches: ids, .. } => ids.clone(),
        Check::Not(id) => vec![*id],
        Check::Dependent(all) => all.iter().map(|(_, id)| *id).collect(),
        Check::If { condition, then, otherwise } => {
            [Some(*condition), *then, *otherwise].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

fn child_nodes(node: &Node) -> Vec<Id> {
    let mut all = Vec::new();
    for check in &node.checks {
        all.extend(applied_schemas(check));
        match check {
            Check::Members(members) => {
                all.extend(members.named.iter().map(|(_, id)| *id));
                all.extend(members.patterns.iter().map(|(_, id)| *id));
                if let AdditionalMembers::Schema(id) = members.rest {
                    all.push(id);
                }
            }
            Check::MemberNames(id) => all.push(*id),
            Check::Items { first, rest } => all.extend(first.iter().chain(rest)),
            Check::Contains { item, .. } => all.push(*item),
            Check::LeftOver { schema, .. } => all.push(*schema),
            _ => {}
        }
    }
    all
}
