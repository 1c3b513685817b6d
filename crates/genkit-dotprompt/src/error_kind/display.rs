//! The messages of all errors, by topic.

use std::fmt;

use super::ErrorKind;
use crate::limits::{
    MAX_BLOCKS, MAX_FRONTMATTER_BYTES, MAX_HISTORIES, MAX_JSON_DEPTH, MAX_SUBEXPRESSIONS,
    MAX_YAML_DEPTH,
};

impl ErrorKind {
    pub(super) fn fmt_frontmatter(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FrontmatterTooLarge => {
                write!(f, "the frontmatter is larger than {MAX_FRONTMATTER_BYTES} bytes")
            }
            Self::FrontmatterNotAMap => f.write_str(
                "the frontmatter is not a map; write `key: value` lines between the two `---`",
            ),
            Self::FrontmatterOverlooked(why) => write!(
                f,
                "the frontmatter is read as part of the template: {why} (if it is meant as text, write `{{{{! }}}}` on the \
                 line above)"
            ),
            Self::Yaml(text) => write!(f, "the frontmatter is not valid YAML: {text}"),
            Self::SeveralDocuments => f.write_str("the frontmatter has several YAML documents"),
            Self::RecursiveAlias => f.write_str("this alias refers to the value that contains it"),
            Self::YamlTooLarge { values, bytes } => write!(
                f,
                "the YAML has more than {values} values or {bytes} bytes, \
                 counting what aliases refer to"
            ),
            Self::YamlTooDeep => {
                write!(f, "maps and lists are nested more than {MAX_YAML_DEPTH} deep")
            }
            Self::NonStringKey => f.write_str("a map or list cannot be a key"),
            Self::DuplicateKey(key) => write!(f, "duplicate key `{key}`"),
            Self::NumberNotInJson(text) => {
                write!(f, "`{text}` is not a JSON number; to use it as text, quote it")
            }
            Self::Tag(tag) => write!(f, "the tag `{tag}` is unknown or does not match its value"),
            Self::Key { key, expected } => write!(f, "`{key}` must be {expected}"),
            Self::MisspelledKey { key, near } => {
                write!(f, "unknown key `{key}`; did you mean `{near}`?")
            }
            Self::DefaultWithoutField(unknown) => {
                write!(f, "the default of `{}` has no field in the schema", unknown.name)?;
                unknown.fmt_nearest(f)
            }
            Self::DefaultKind { field, schema } => {
                write!(f, "the default of `{field}` does not match its schema {schema}")
            }
            Self::UnknownTool(name) => write!(f, "the tool `{name}` is not defined"),
            _ => Ok(()),
        }
    }

    pub(super) fn fmt_schema(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidSchema(kind) => {
                write!(f, "Picoschema expects a type or a map of fields here, not {kind}")
            }
            Self::JsonSchemaWithoutType { keyword, fault } => write!(
                f,
                "{fault} (`{keyword}` is read as the name of a field; to write JSON Schema, add a `type` with a single \
                 type, such as `type: object`)"
            ),
            Self::UnknownType(unknown) => {
                unknown.fmt(f, "type or schema")?;
                let is_rust_type =
                    unknown.name.starts_with(|first: char| first.is_ascii_uppercase());
                if is_rust_type && unknown.nearest().is_none() {
                    let name = &unknown.name;
                    return write!(
                        f,
                        "; to use a Rust type, register it: `schemas({name})` in `prompts!` or `.schema_of::<{name}>()`"
                    );
                }
                f.write_str(" (to add a description, write a comma directly after the type)")
            }
            Self::EnumNotAList(kind) => {
                write!(f, "an enum needs a list of values, such as `[RED, BLUE]`, not {kind}")
            }
            Self::FieldKind(kind) => write!(
                f,
                "`({kind})` is not a kind of field; expected `(array)`, `(object)` or `(enum)`, each with a \
                 description after a comma if needed"
            ),
            Self::LooksLikePicoschema(key) => write!(
                f,
                "this is read as JSON Schema because it has a `type`, but `{key}` looks like Picoschema; a field named \
                 `type` needs a description (`type: string, the kind`)"
            ),
            _ => Ok(()),
        }
    }

    pub(super) fn fmt_template(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnclosedTag => f.write_str("`{{` is never closed; write `}}`"),
            Self::EmptyTag => f.write_str("this tag has no name; to print braces, write `\\{{`"),
            Self::UnclosedComment(close) => {
                write!(f, "this comment is never closed; write `{close}`")
            }
            Self::UnclosedString(quote) => write!(f, "this string is never closed; write {quote}"),
            Self::UnclosedBracket => f.write_str("`[` is never closed; write `]`"),
            Self::UnclosedCall => f.write_str("`(` is never closed; write `)`"),
            Self::ThreeBraces => {
                f.write_str("`}}}` without `{{{`; write `}} }`, or begin the tag with `{{{`")
            }
            Self::MissingBrace => {
                f.write_str("this tag must end with as many `}` as it begins with `{`")
            }
            Self::Unexpected(text) => write!(f, "unexpected {text}"),
            Self::PathGoesBack(path) => {
                write!(
                    f,
                    "`{path}`: `.`, `..` and `this` are only allowed at the beginning of a path"
                )
            }
            Self::NumberInPath(number) => {
                write!(
                    f,
                    "`{number}` is not a valid name in a path; write `[{number}]` for an item of a list"
                )
            }
            Self::ValueAfterKey => f.write_str("positional values must come before `key=value`"),
            Self::DuplicateArgument(key) => write!(f, "duplicate argument `{key}`"),
            Self::TooManySubexpressions => {
                write!(f, "subexpressions are nested more than {MAX_SUBEXPRESSIONS} deep")
            }
            Self::TooManyBlocks => write!(f, "blocks are nested more than {MAX_BLOCKS} deep"),
            Self::UnclosedBlock(name) => {
                write!(f, "this block is never closed; write `{{{{/{name}}}}}`")
            }
            Self::MismatchedEndTag { open, closed } => write!(
                f,
                "`{{{{/{closed}}}}}` does not close `{{{{#{open}}}}}`; write `{{{{/{open}}}}}` first"
            ),
            Self::UnmatchedEndTag(name) => write!(f, "`{{{{/{name}}}}}` does not close a block"),
            Self::ElseWithoutBlock => f.write_str("this `else` is not in a block"),
            Self::SecondElse => f.write_str("the block already has an `else`"),
            Self::MissingBlockParams(name) => {
                write!(f, "`{name}` does not support block parameters (`as |..|`)")
            }
            Self::Decorator => {
                f.write_str("the only tag with `*` is `{{#*inline \"name\"}}..{{/inline}}`")
            }
            Self::PartialArguments => {
                f.write_str("a partial takes one context, followed by `key=value` arguments")
            }
            Self::ArgumentsOfVariable(name) => {
                write!(f, "`{name}` is a variable, which takes no arguments")
            }
            Self::HelperMisplaced { name, usage } => {
                write!(f, "`{name}` cannot be used here; write `{usage}`")
            }
            Self::HelperArguments { name, usage } => {
                write!(f, "invalid arguments for `{name}`; write `{usage}`")
            }
            Self::UnknownArgument { of, unknown } => {
                unknown.fmt(f, "argument")?;
                write!(f, " (of `{of}`)")
            }
            _ => Ok(()),
        }
    }

    pub(super) fn fmt_environment(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownHelper(unknown) => {
                unknown.fmt(f, "helper")?;
                if unknown.nearest().is_some() {
                    return Ok(());
                }
                write!(f, "; to add a helper, call `.template_helper(\"{}\", ..)`", unknown.name)
            }
            Self::UnknownPartial(unknown) => unknown.fmt(f, "partial"),
            Self::UnknownVariable(unknown) => {
                unknown.fmt(f, "variable")?;
                f.write_str(" (according to `input.schema`)")
            }
            Self::MissingPartialBlock => f.write_str(
                "`@partial-block` is not defined here; only `{{#> name}}..{{/name}}` passes a block",
            ),
            Self::RecursivePartial(names) => {
                f.write_str("these partials include each other endlessly: ")?;
                for (i, name) in names.iter().enumerate() {
                    write!(f, "{}`{name}`", if i > 0 { " → " } else { "" })?;
                }
                Ok(())
            }
            Self::DuplicateHelper(name) => write!(f, "`{name}` is the name of a built-in helper"),
            _ => Ok(()),
        }
    }

    pub(super) fn fmt_rendering(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PartialName => f.write_str("the name of a partial must be a string"),
            Self::PartialsTooDeep { limit, name } => {
                write!(
                    f,
                    "partials are nested more than {limit} deep; the innermost partial is `{name}`"
                )
            }
            Self::TooDeep(limit) => {
                write!(f, "blocks and partials are nested more than {limit} deep")
            }
            Self::Steps(limit) => write!(f, "rendering takes more than {limit} steps"),
            Self::OutputTooLarge(limit) => {
                write!(f, "the rendered prompt is larger than {limit} bytes")
            }
            Self::TooManyParts(limit) => {
                write!(f, "the rendered prompt has more than {limit} messages and parts")
            }
            Self::TooManyHistories => {
                write!(f, "the history is inserted more than {MAX_HISTORIES} times")
            }
            Self::JsonTooDeep => {
                write!(f, "maps and lists in the value are nested more than {MAX_JSON_DEPTH} deep")
            }
            Self::JsonIndent => f.write_str("`indent` must be a number or a string"),
            Self::Role(unknown) => unknown.fmt(f, "role"),
            Self::RoleIsNoText => {
                f.write_str("the role must be a string: `system`, `user`, `model` or `tool`")
            }
            Self::SectionNotText => f.write_str("the name of a section must be a string"),
            Self::MediaUrl => f.write_str("`url` of this media is missing, empty or not text"),
            Self::MediaType => f.write_str("`contentType` of this media is not text"),
            Self::HelperFailed { name, text } => write!(f, "the helper `{name}` failed: {text}"),
            Self::HistoryMessage { index, what } => {
                write!(f, "message {index} of the history {what}")
            }
            _ => Ok(()),
        }
    }
}
