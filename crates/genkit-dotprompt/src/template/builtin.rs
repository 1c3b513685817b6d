//! The built-in helpers and their arguments.

/// A built-in helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    If,
    Unless,
    Each,
    With,
    IfEquals,
    UnlessEquals,
    Lookup,
    Log,
    Json,
    Role,
    History,
    Media,
    Section,
}

/// The kind of tag that a helper can be used in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// `{{#name}}..{{/name}}`
    Block,
    /// `{{name}}` and `(name)`
    Value,
    /// `{{name}}` only: it writes structure, which a value cannot hold.
    Tag,
}

/// The name of a helper, the kind of its tag, and its arguments.
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) place: Standing,
    pub(super) params: std::ops::RangeInclusive<usize>,
    pub(super) hash: &'static [&'static str],
    /// The usage, for error messages.
    pub(super) usage: &'static str,
}

const fn of(
    name: &'static str,
    place: Standing,
    (from, to): (usize, usize),
    hash: &'static [&'static str],
    usage: &'static str,
) -> Signature {
    Signature { name, place, params: from..=to, hash, usage }
}

const ALL: [(Builtin, Signature); 13] = {
    use Builtin::*;
    use Standing::{Block, Tag, Value};
    [
        (If, of("if", Block, (1, 1), &["includeZero"], "{{#if value}}..{{/if}}")),
        (Unless, of("unless", Block, (1, 1), &["includeZero"], "{{#unless value}}..{{/unless}}")),
        (Each, of("each", Block, (1, 1), &[], "{{#each list}}..{{/each}}")),
        (With, of("with", Block, (1, 1), &[], "{{#with map}}..{{/with}}")),
        (IfEquals, of("ifEquals", Block, (2, 2), &[], "{{#ifEquals a b}}..{{/ifEquals}}")),
        (
            UnlessEquals,
            of("unlessEquals", Block, (2, 2), &[], "{{#unlessEquals a b}}..{{/unlessEquals}}"),
        ),
        (Lookup, of("lookup", Value, (2, 2), &[], "{{lookup map key}}")),
        (Log, of("log", Value, (0, usize::MAX), &["level"], "{{log value level=\"warn\"}}")),
        (Json, of("json", Value, (1, 1), &["indent"], "{{json value indent=2}}")),
        (Role, of("role", Tag, (1, 1), &[], "{{role \"system\"}}")),
        (History, of("history", Tag, (0, 0), &[], "{{history}}")),
        (Media, of("media", Tag, (0, 0), &["url", "contentType"], "{{media url=u contentType=t}}")),
        (Section, of("section", Tag, (1, 1), &[], "{{section \"name\"}}")),
    ]
};

impl Builtin {
    pub(crate) fn find(name: &str) -> Option<Self> {
        ALL.iter().find(|(_, signature)| signature.name == name).map(|(builtin, _)| *builtin)
    }

    pub(crate) fn names<'a>() -> impl Iterator<Item = &'a str> {
        ALL.iter().map(|(_, signature)| signature.name)
    }

    pub(super) fn signature(self) -> &'static Signature {
        static TABLE: [(Builtin, Signature); 13] = ALL;
        &TABLE[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for name in Builtin::names() {
            assert_eq!(Builtin::find(name).unwrap().signature().name, name);
        }
    }
}
