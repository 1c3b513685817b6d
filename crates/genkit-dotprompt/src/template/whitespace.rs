//! Whitespace control. Tags strip the whitespace around them if they contain `~` or are alone on their line.
//!
//! The rules match the reference implementation, including its inconsistencies, because existing templates
//! depend on them.

use super::tree::{Block, BlockStrips, Inline, Node, Partial, Program, Strip, Text};
use crate::text::is_blank;

/// Strips whitespace from all text nodes of a template.
pub(super) fn control_whitespace(program: &mut Program, source: &str) {
    strip_program(program, source, true);
}

/// The whitespace that a node strips from its neighbors.
struct Strips {
    open: bool,
    close: bool,
    standalone: Standalone,
}

#[derive(PartialEq)]
enum Standalone {
    No,
    /// A comment or partial: the whole line.
    Inline,
    /// A block: the lines of its first and last tags.
    Block {
        open: bool,
        close: bool,
    },
}

fn strip_program(program: &mut Program, source: &str, root: bool) {
    let nodes = &mut program.nodes;
    for i in 0..nodes.len() {
        let Some(taken) = strip_node(&mut nodes[i], source) else { continue };
        let before = ends_line(nodes, Some(i), source, root);
        let after = begins_line(nodes, Some(i), source, root);
        if taken.close {
            strip_after(nodes, Some(i), source, true);
        }
        if taken.open {
            strip_before(nodes, Some(i), source, true);
        }
        match taken.standalone {
            Standalone::Inline if before && after => {
                strip_after(nodes, Some(i), source, false);
                if strip_before(nodes, Some(i), source, false) {
                    record_indent(nodes, i, source);
                }
            }
            Standalone::Block { open, close } => {
                if open && before {
                    strip_after(first_body(&mut nodes[i]), None, source, false);
                    strip_before(nodes, Some(i), source, false);
                }
                if close && after {
                    strip_after(nodes, Some(i), source, false);
                    strip_before(last_body(&mut nodes[i]), None, source, false);
                }
            }
            _ => {}
        }
    }
}

/// Records the indentation of a partial that is alone on its line.
fn record_indent(nodes: &mut [Node], i: usize, source: &str) {
    let Some(Node::Text(text)) = i.checked_sub(1).and_then(|before| nodes.get(before)) else {
        return;
    };
    let range = text.original.clone();
    let line = &source[range.clone()];
    let blanks = line.len() - line.trim_end_matches([' ', '\t']).len();
    if let Node::Partial(partial) = &mut nodes[i] {
        partial.indent = range.end - blanks..range.end;
    }
}

fn strip_node(node: &mut Node, source: &str) -> Option<Strips> {
    let of_tag = |strip: Strip, standalone| {
        Some(Strips { open: strip.open, close: strip.close, standalone })
    };
    match node {
        Node::Text(_) => None,
        Node::Value(_, strip) => of_tag(*strip, Standalone::No),
        Node::Comment(strip) => of_tag(*strip, Standalone::Inline),
        Node::Partial(partial) => match &mut **partial {
            Partial { block: Some(program), strips, .. } => {
                Some(strip_block(Some(program), None, *strips, source))
            }
            Partial { strips, .. } => of_tag(strips.open, Standalone::Inline),
        },
        Node::Inline(inline) => {
            let Inline { program, strips, .. } = &mut **inline;
            Some(strip_block(Some(program), None, *strips, source))
        }
        Node::Block(block) => {
            let Block { program, inverse, strips, .. } = &mut **block;
            Some(strip_block(program.as_mut(), inverse.as_mut(), *strips, source))
        }
    }
}

fn strip_block(
    program: Option<&mut Program>,
    inverse: Option<&mut Program>,
    strips: BlockStrips,
    source: &str,
) -> Strips {
    let (first, second) = match (program, inverse) {
        (Some(program), inverse) => (Some(program), inverse),
        (None, inverse) => (inverse, None),
    };
    let (open, close) = (strips.open.open, strips.close.close);
    let Some(first) = first else { return Strips { open, close, standalone: Standalone::No } };
    strip_program(first, source, false);
    let Some(second) = second else {
        let standalone = Standalone::Block {
            open: begins_line(&first.nodes, None, source, false),
            close: ends_line(&first.nodes, None, source, false),
        };
        if strips.open.close {
            strip_after(&mut first.nodes, None, source, true);
        }
        if strips.close.open {
            strip_before(&mut first.nodes, None, source, true);
        }
        return Strips { open, close, standalone };
    };
    strip_program(second, source, false);
    let standalone = Standalone::Block {
        open: begins_line(&first.nodes, None, source, false),
        close: ends_line(first_inverse(second), None, source, false),
    };
    if strips.open.close {
        strip_after(&mut first.nodes, None, source, true);
    }
    if strips.inverse.open {
        strip_before(&mut first.nodes, None, source, true);
    }
    if strips.inverse.close {
        strip_after(first_inverse(second), None, source, true);
    }
    if strips.close.open {
        strip_before(last_inverse(second), None, source, true);
    }
    if ends_line(&first.nodes, None, source, false)
        && begins_line(first_inverse(second), None, source, false)
    {
        strip_before(&mut first.nodes, None, source, false);
        strip_after(first_inverse(second), None, source, false);
    }
    Strips { open, close, standalone }
}

/// Returns the contents after the first `{{else ..}}`.
fn first_inverse(inverse: &mut Program) -> &mut Vec<Node> {
    if !inverse.chained {
        return &mut inverse.nodes;
    }
    match inverse.nodes.first_mut() {
        Some(Node::Block(block)) if block.program.is_some() => {
            // Checked just above.
            &mut block.program.get_or_insert_default().nodes
        }
        _ => unreachable!("a chain is one block"),
    }
}

/// Returns the contents after the first `{{else ..}}`, since only an inverse program is chained.
fn last_inverse(inverse: &mut Program) -> &mut Vec<Node> {
    let mut last = inverse;
    while last.chained {
        last = match last.nodes.last_mut() {
            Some(Node::Block(block)) => block.program.get_or_insert_default(),
            _ => unreachable!("a chain is one block"),
        };
    }
    &mut last.nodes
}

/// Returns the contents after the first tag of a block.
fn first_body(node: &mut Node) -> &mut Vec<Node> {
    match node {
        Node::Block(block) => {
            let Block { program, inverse, .. } = &mut **block;
            &mut program.as_mut().or(inverse.as_mut()).expect("a block has a body").nodes
        }
        other => only_body(other),
    }
}

/// Returns the contents before the last tag of a block.
fn last_body(node: &mut Node) -> &mut Vec<Node> {
    match node {
        Node::Block(block) => {
            let Block { program, inverse, .. } = &mut **block;
            &mut inverse.as_mut().or(program.as_mut()).expect("a block has a body").nodes
        }
        other => only_body(other),
    }
}

fn only_body(node: &mut Node) -> &mut Vec<Node> {
    match node {
        Node::Inline(inline) => &mut inline.program.nodes,
        Node::Partial(partial) => &mut partial.block.get_or_insert_default().nodes,
        _ => unreachable!("only blocks have a body"),
    }
}

/// Returns whether the text before `at` ends a line. If `at` is `None`, checks the end of `nodes`.
fn ends_line(nodes: &[Node], at: Option<usize>, source: &str, root: bool) -> bool {
    let at = at.unwrap_or(nodes.len());
    let Some(before) = at.checked_sub(1) else { return root };
    let Node::Text(text) = &nodes[before] else { return false };
    let text = &source[text.original.clone()];
    let rest = text.trim_end_matches(is_blank);
    text[rest.len()..].contains('\n') || (rest.is_empty() && before == 0 && root)
}

/// Returns whether the text after `at` starts with the end of a line. If `at` is `None`, checks the start of `nodes`.
fn begins_line(nodes: &[Node], at: Option<usize>, source: &str, root: bool) -> bool {
    let next = at.map_or(0, |at| at + 1);
    let Some(node) = nodes.get(next) else { return root };
    let Node::Text(text) = node else { return false };
    let text = &source[text.original.clone()];
    let rest = text.trim_start_matches(is_blank);
    let blanks = &text[..text.len() - rest.len()];
    blanks.contains('\n') || (rest.is_empty() && next + 1 == nodes.len() && root)
}

fn text_at(nodes: &mut [Node], at: Option<usize>) -> Option<&mut Text> {
    match nodes.get_mut(at?)? {
        Node::Text(text) => Some(text),
        _ => None,
    }
}

/// Removes whitespace after `at`: all of it, or the rest of the line.
fn strip_after(nodes: &mut [Node], at: Option<usize>, source: &str, all: bool) {
    let at = at.map_or(0, |at| at + 1);
    let Some(text) = text_at(nodes, Some(at)).filter(|text| all || !text.right_stripped) else {
        return;
    };
    let value = &source[text.value.clone()];
    let rest = if all {
        value.trim_start_matches(is_blank)
    } else {
        let rest = value.trim_start_matches([' ', '\t']);
        let rest = rest.strip_prefix('\r').unwrap_or(rest);
        rest.strip_prefix('\n').unwrap_or(rest)
    };
    let taken = value.len() - rest.len();
    text.value.start += taken;
    text.right_stripped = taken > 0;
}

/// Removes whitespace before `at`: all of it, or only on the same line. Returns whether there was any whitespace.
fn strip_before(nodes: &mut [Node], at: Option<usize>, source: &str, all: bool) -> bool {
    let at = at.unwrap_or(nodes.len()).checked_sub(1);
    let Some(text) = text_at(nodes, at).filter(|text| all || !text.left_stripped) else {
        return false;
    };
    let value = &source[text.value.clone()];
    let rest = match all {
        true => value.trim_end_matches(is_blank),
        false => value.trim_end_matches([' ', '\t']),
    };
    let taken = value.len() - rest.len();
    text.value.end -= taken;
    text.left_stripped = taken > 0;
    text.left_stripped
}
