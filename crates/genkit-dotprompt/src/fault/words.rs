//! The words of each fault, by topic.

use std::fmt;

use super::Fault;
use crate::limits::{
    MAX_BLOCKS, MAX_FRONTMATTER_BYTES, MAX_HISTORIES, MAX_JSON_DEPTH, MAX_SUBEXPRESSIONS,
    MAX_YAML_DEPTH,
};

impl Fault {
    pub(super) fn of_frontmatter(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FrontmatterTooLarge => {
                write!(f, "the frontmatter has over {MAX_FRONTMATTER_BYTES} bytes")
            }
            Self::FrontmatterIsNoMap => f.write_str(
                "the frontmatter is no map: write `key: value` lines between the two `---`",
            ),
            Self::FrontmatterOverlooked(why) => write!(
                f,
                "the frontmatter is read as template: {why} (where it is meant as text, write `{{{{! }}}}` on the \
                 line above)"
            ),
            Self::Yaml(text) => write!(f, "the YAML of the frontmatter is broken: {text}"),
            Self::SeveralDocuments => f.write_str("the frontmatter has several YAML documents"),
            Self::AliasOfItself => f.write_str("this alias stands for the value that it is in"),
            Self::YamlTooLarge { values, bytes } => write!(
                f,
                "the YAML has over {values} values or {bytes} bytes, \
                 with what aliases stand for"
            ),
            Self::YamlTooDeep => {
                write!(f, "over {MAX_YAML_DEPTH} maps and lists stand within each other")
            }
            Self::KeyIsNoText => f.write_str("a map or list cannot be a key"),
            Self::DuplicateKey(key) => write!(f, "the key `{key}` stands here twice"),
            Self::NoJsonNumber(text) => write!(f, "`{text}` is no number of JSON: quote it"),
            Self::Tag(tag) => write!(f, "the tag `{tag}` is not known or does not fit its value"),
            Self::Key { key, expected } => write!(f, "`{key}` must be {expected}"),
            Self::UnknownTool(name) => write!(f, "nothing defines the tool `{name}`"),
            _ => Ok(()),
        }
    }

    pub(super) fn of_schema(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemaIsNoSchema(kind) => {
                write!(f, "Picoschema has a type or a map of fields here, not {kind}")
            }
            Self::JsonSchemaWithoutType { keyword, fault } => write!(
                f,
                "{fault} (`{keyword}` is read as the name of a field: JSON Schema needs `type: object` beside it, \
                 with one type as text)"
            ),
            Self::UnknownType(unknown) => {
                unknown.fmt(f, "type or schema")?;
                f.write_str(" (a description follows after a comma, right behind the type)")
            }
            Self::EnumIsNoList(kind) => {
                write!(f, "an enum needs a list of values, such as `[RED, BLUE]`, not {kind}")
            }
            Self::FieldKind(kind) => write!(
                f,
                "`({kind})` is no kind of field: there are `(array)`, `(object)` and `(enum)`, each with a \
                 description after a comma"
            ),
            Self::LooksLikePicoschema(key) => write!(
                f,
                "this is read as JSON Schema, as it has a `type`, but `{key}` looks like Picoschema: a field called \
                 `type` needs a description (`type: string, the kind`)"
            ),
            _ => Ok(()),
        }
    }

    pub(super) fn of_template(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TagNotClosed => f.write_str("`{{` is never closed: write `}}`"),
            Self::EmptyTag => f.write_str("this tag has no name: `\\{{` writes braces as they are"),
            Self::CommentNotClosed(close) => {
                write!(f, "this comment is never closed: write `{close}`")
            }
            Self::TextNotClosed(quote) => write!(f, "this text is never closed: write {quote}"),
            Self::BracketNotClosed => f.write_str("`[` is never closed: write `]`"),
            Self::CallNotClosed => f.write_str("`(` is never closed: write `)`"),
            Self::ThreeBraces => {
                f.write_str("`}}}` closes no `{{{`: write `}} }`, or `{{{` at the beginning")
            }
            Self::FewBraces => f.write_str("this tag needs as many `}` as it has `{`"),
            Self::Unexpected(text) => write!(f, "{text} cannot stand here"),
            Self::PathGoesBack(path) => {
                write!(
                    f,
                    "`{path}`: `.`, `..` and `this` can only stand at the beginning of a path"
                )
            }
            Self::NumberInPath(number) => {
                write!(f, "write `[{number}]` for the item {number} of a list")
            }
            Self::ValueAfterKey => f.write_str("values stand before `key=value`"),
            Self::ArgumentTwice(key) => write!(f, "`{key}=` stands here twice"),
            Self::TooManySubexpressions => {
                write!(f, "over {MAX_SUBEXPRESSIONS} subexpressions stand within each other")
            }
            Self::TooManyBlocks => write!(f, "over {MAX_BLOCKS} blocks stand within each other"),
            Self::BlockNotClosed(name) => {
                write!(f, "this block is never closed: write `{{{{/{name}}}}}`")
            }
            Self::WrongEnd { open, closed } => write!(
                f,
                "`{{{{/{closed}}}}}` does not close `{{{{#{open}}}}}`: write `{{{{/{open}}}}}` first"
            ),
            Self::EndWithoutBlock(name) => write!(f, "`{{{{/{name}}}}}` closes no block"),
            Self::ElseWithoutBlock => f.write_str("this `else` belongs to no block"),
            Self::SecondElse => f.write_str("the block has an `else` already"),
            Self::NoBlockParams(name) => write!(f, "`{name}` hands no values to `as |..|`"),
            Self::Decorator => {
                f.write_str("the only form with `*` is `{{#*inline \"name\"}}..{{/inline}}`")
            }
            Self::PartialArguments => {
                f.write_str("a partial takes one context, and then `key=value`")
            }
            Self::ArgumentsOfVariable(name) => {
                write!(f, "`{name}` is a variable, which takes no arguments")
            }
            Self::HelperMisplaced { name, usage } => {
                write!(f, "`{name}` cannot stand here: write `{usage}`")
            }
            Self::HelperArguments { name, usage } => {
                write!(f, "`{name}` has not the arguments that it takes: write `{usage}`")
            }
            Self::UnknownArgument { of, unknown } => {
                unknown.fmt(f, "argument")?;
                write!(f, " (of `{of}`)")
            }
            _ => Ok(()),
        }
    }

    pub(super) fn of_environment(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownHelper(unknown) => unknown.fmt(f, "helper"),
            Self::UnknownPartial(unknown) => unknown.fmt(f, "partial"),
            Self::UnknownVariable(unknown) => {
                unknown.fmt(f, "variable")?;
                f.write_str(" (by `input.schema`)")
            }
            Self::NoPartialBlock => {
                f.write_str("nothing is handed over here: only `{{#> name}}..{{/name}}` gives a `@partial-block`")
            }
            Self::EndlessPartial(names) => {
                f.write_str("these partials include each other without end: ")?;
                for (i, name) in names.iter().enumerate() {
                    write!(f, "{}`{name}`", if i > 0 { " → " } else { "" })?;
                }
                Ok(())
            }
            Self::HelperTaken(name) => write!(f, "`{name}` is a helper of the language"),
            _ => Ok(()),
        }
    }

    pub(super) fn of_rendering(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PartialName => f.write_str("the name of a partial must be text"),
            Self::PartialsTooDeep { limit, name } => {
                write!(f, "over {limit} partials include each other; the last one is `{name}`")
            }
            Self::TooDeep(limit) => {
                write!(f, "over {limit} blocks and partials are rendered within each other")
            }
            Self::Steps(limit) => write!(f, "rendering takes more than {limit} steps"),
            Self::OutputBytes(limit) => write!(f, "the rendered prompt has over {limit} bytes"),
            Self::Parts(limit) => {
                write!(f, "the rendered prompt has over {limit} messages and parts")
            }
            Self::Histories => write!(f, "the history is inserted more than {MAX_HISTORIES} times"),
            Self::JsonTooDeep => {
                write!(f, "the value has over {MAX_JSON_DEPTH} maps and lists within each other")
            }
            Self::JsonIndent => f.write_str("`indent` must be a number or a text"),
            Self::Role(unknown) => unknown.fmt(f, "role"),
            Self::RoleIsNoText => {
                f.write_str("the role must be text: `system`, `user`, `model` or `tool`")
            }
            Self::SectionIsNoText => f.write_str("the name of a section must be text"),
            Self::MediaUrl => f.write_str("`url` of this media is missing, empty or no text"),
            Self::MediaType => f.write_str("`contentType` of this media is no text"),
            Self::HelperFailed { name, text } => write!(f, "the helper `{name}` failed: {text}"),
            Self::HistoryMessage { index, what } => {
                write!(f, "the earlier message {index} {what}")
            }
            _ => Ok(()),
        }
    }
}
