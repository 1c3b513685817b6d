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
pub(super) enum TagKind {
    /// `{{#name}}..{{/name}}`
    Block,
    /// `{{name}}` and `(name)`
    Value,
    /// `{{name}}` only, because the helper starts a message or adds a part, and a value cannot contain either.
    Tag,
}

/// The name of a helper, the kind of its tag, and its arguments.
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) place: TagKind,
    pub(super) params: std::ops::RangeInclusive<usize>,
    pub(super) hash: &'static [&'static str],
    /// The usage, for error messages.
    pub(super) usage: &'static str,
}

const fn build_signature(
    name: &'static str,
    place: TagKind,
    (from, to): (usize, usize),
    hash: &'static [&'static str],
    usage: &'static str,
) -> Signature {
    Signature { name, place, params: from..=to, hash, usage }
}

const ALL: [(Builtin, Signature); 13] = {
    use Builtin::*;
    use TagKind::{Block, Tag, Value};
    [
        (If, build_signature("if", Block, (1, 1), &["includeZero"], "{{#if value}}..{{/if}}")),
        (
            Unless,
            build_signature(
                "unless",
                Block,
                (1, 1),
                &["includeZero"],
                "{{#unless value}}..{{/unless}}",
            ),
        ),
        (Each, build_signature("each", Block, (1, 1), &[], "{{#each list}}..{{/each}}")),
        (With, build_signature("with", Block, (1, 1), &[], "{{#with map}}..{{/with}}")),
        (
            IfEquals,
            build_signature("ifEquals", Block, (2, 2), &[], "{{#ifEquals a b}}..{{/ifEquals}}"),
        ),
        (
            UnlessEquals,
            build_signature(
                "unlessEquals",
                Block,
                (2, 2),
                &[],
                "{{#unlessEquals a b}}..{{/unlessEquals}}",
            ),
        ),
        (Lookup, build_signature("lookup", Value, (2, 2), &[], "{{lookup map key}}")),
        (
            Log,
            build_signature(
                "log",
                Value,
                (0, usize::MAX),
                &["level"],
                "{{log value level=\"warn\"}}",
            ),
        ),
        (Json, build_signature("json", Value, (1, 1), &["indent"], "{{json value indent=2}}")),
        (Role, build_signature("role", Tag, (1, 1), &[], "{{role \"system\"}}")),
        (History, build_signature("history", Tag, (0, 0), &[], "{{history}}")),
        (
            Media,
            build_signature(
                "media",
                Tag,
                (0, 0),
                &["url", "contentType"],
                "{{media url=u contentType=t}}",
            ),
        ),
        (Section, build_signature("section", Tag, (1, 1), &[], "{{section \"name\"}}")),
    ]
};

impl Builtin {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
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
    fn table_is_in_the_order_of_the_enum() {
        for name in Builtin::names() {
            assert_eq!(Builtin::from_name(name).unwrap().signature().name, name);
        }
    }
}
