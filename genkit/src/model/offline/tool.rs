//! Where a message speaks of a tool.

use std::ops::Range;

use super::text::Text;
use super::words;

/// How many words after the first are looked at.
const MAX_WORDS: usize = 8;

/// The first words of a message that are the tool's, with words that say nothing in between.
pub(super) fn cluster(text: &Text, tool: &[String]) -> Option<Range<usize>> {
    let all = &text.words;
    let is_tool = |at: usize| !all[at].quoted && tool.contains(&all[at].stem);
    let first = (0..all.len()).find(|at| is_tool(*at))?;
    let mut end = first + 1;
    for (at, word) in all.iter().enumerate().skip(first + 1).take(MAX_WORDS) {
        if is_tool(at) {
            end = at + 1;
        } else if !words::is_stop(&word.lower) || text.gap(at - 1) != " " {
            break;
        }
    }
    Some(first..end)
}

/// Where the tool's telling words begin in a message: what is behind them is rather its own.
pub(super) fn anchor(text: &Text, tool: &[String]) -> usize {
    let telling = |stem: &String| tool.contains(stem) && !words::is_generic(stem);
    let word = text.words.iter().find(|word| !word.quoted && telling(&word.stem));
    word.map_or(0, |word| word.at)
}
