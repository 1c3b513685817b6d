//! Which actions a server shows.

use crate::action::{Prompt, Resource, Tool};

/// By tag and by name; everything passes an empty one.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    /// One of these tags, if there are any here.
    pub(super) tags: Vec<String>,
    /// One of these names, if there are any here; `*` stands for any text.
    pub(super) only: Vec<String>,
    /// None of these names.
    pub(super) except: Vec<String>,
}

impl Filter {
    pub(super) fn tool(&self, tool: &Tool) -> bool {
        self.passes(tool.name(), tool.tags())
    }

    pub(super) fn prompt(&self, prompt: &Prompt) -> bool {
        self.passes(prompt.name(), prompt.tags())
    }

    pub(super) fn resource(&self, resource: &Resource) -> bool {
        self.passes(resource.name(), resource.tags())
    }

    fn passes<'a>(&self, name: &str, mut tags: impl Iterator<Item = &'a str>) -> bool {
        (self.tags.is_empty() || tags.any(|tag| self.tags.iter().any(|wanted| wanted == tag)))
            && (self.only.is_empty() || self.only.iter().any(|pattern| glob(pattern, name)))
            && !self.except.iter().any(|pattern| glob(pattern, name))
    }
}

/// Whether `text` fits `pattern`, in which `*` stands for any text.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let Some(tail) = pieces.pop() else { return true };
    for piece in pieces {
        match text.find(piece) {
            Some(at) => text = &text[at + piece.len()..],
            None => return false,
        }
    }
    text.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, fits) in [
            ("add", "add", true),
            ("add", "adds", false),
            ("add*", "adds", true),
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "ab", false),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(glob(pattern, text), fits, "{pattern} {text}");
        }
    }
}
