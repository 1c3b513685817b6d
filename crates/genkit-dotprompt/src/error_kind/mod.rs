//! All errors of a prompt, without their positions.

mod display;
mod unknown;

use std::fmt;

pub(crate) use unknown::{Unknown, find_nearest};

use crate::limits::MAX_SOURCE_BYTES;
use crate::message::Role;

#[derive(Clone, Debug)]
pub(crate) enum ErrorKind {
    SourceTooLarge,
    // The frontmatter.
    FrontmatterTooLarge,
    FrontmatterNotAMap,
    FrontmatterOverlooked(&'static str),
    Yaml(String),
    SeveralDocuments,
    RecursiveAlias,
    YamlTooLarge { values: usize, bytes: usize },
    YamlTooDeep,
    NonStringKey,
    DuplicateKey(String),
    NumberNotInJson(String),
    Tag(String),
    Key { key: String, expected: &'static str },
    MisspelledKey { key: String, near: String },
    DefaultWithoutField(Unknown),
    DefaultKind { field: String, schema: serde_json::Value },
    UnknownTool(String),
    // Picoschema.
    InvalidSchema(&'static str),
    JsonSchemaWithoutType { keyword: String, fault: Box<ErrorKind> },
    UnknownType(Unknown),
    EnumNotAList(&'static str),
    FieldKind(String),
    LooksLikePicoschema(String),
    // The template, when it is parsed.
    UnclosedTag,
    EmptyTag,
    UnclosedComment(&'static str),
    UnclosedString(char),
    UnclosedBracket,
    UnclosedCall,
    ThreeBraces,
    MissingBrace,
    Unexpected(String),
    PathGoesBack(String),
    NumberInPath(String),
    ValueAfterKey,
    DuplicateArgument(String),
    TooManySubexpressions,
    TooManyBlocks,
    UnclosedBlock(String),
    MismatchedEndTag { open: String, closed: String },
    UnmatchedEndTag(String),
    ElseWithoutBlock,
    SecondElse,
    MissingBlockParams(String),
    Decorator,
    PartialArguments,
    ArgumentsOfVariable(String),
    HelperMisplaced { name: &'static str, usage: &'static str },
    HelperArguments { name: &'static str, usage: &'static str },
    UnknownArgument { of: &'static str, unknown: Unknown },
    // References to items that the environment does not have.
    UnknownHelper(Unknown),
    UnknownPartial(Unknown),
    UnknownVariable(Unknown),
    MissingPartialBlock,
    RecursivePartial(Vec<String>),
    DuplicateHelper(String),
    // Rendering.
    PartialName,
    PartialsTooDeep { limit: usize, name: String },
    TooDeep(usize),
    Steps(usize),
    OutputTooLarge(usize),
    TooManyParts(usize),
    TooManyHistories,
    JsonTooDeep,
    JsonIndent,
    Role(Unknown),
    RoleIsNoText,
    SectionNotText,
    MediaUrl,
    MediaType,
    HelperFailed { name: String, text: String },
    HistoryMessage { index: usize, what: &'static str },
    // Folders.
    Folder { path: String, what: String },
    File(String),
    UnknownPrompt { folder: String, unknown: Unknown },
}

impl ErrorKind {
    pub(crate) fn unknown_role(name: &str) -> Self {
        Self::Role(Unknown::new(name, Role::ALL.map(Role::as_str)))
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SourceTooLarge => write!(f, "the file is larger than {MAX_SOURCE_BYTES} bytes"),
            Self::FrontmatterTooLarge
            | Self::FrontmatterNotAMap
            | Self::FrontmatterOverlooked(_)
            | Self::Yaml(_)
            | Self::SeveralDocuments
            | Self::RecursiveAlias
            | Self::YamlTooLarge { .. }
            | Self::YamlTooDeep
            | Self::NonStringKey
            | Self::DuplicateKey(_)
            | Self::NumberNotInJson(_)
            | Self::Tag(_)
            | Self::Key { .. }
            | Self::MisspelledKey { .. }
            | Self::DefaultWithoutField(_)
            | Self::DefaultKind { .. }
            | Self::UnknownTool(_) => self.fmt_frontmatter(f),
            Self::InvalidSchema(_)
            | Self::JsonSchemaWithoutType { .. }
            | Self::UnknownType(_)
            | Self::EnumNotAList(_)
            | Self::FieldKind(_)
            | Self::LooksLikePicoschema(_) => self.fmt_schema(f),
            Self::UnknownHelper(_)
            | Self::UnknownPartial(_)
            | Self::UnknownVariable(_)
            | Self::MissingPartialBlock
            | Self::RecursivePartial(_)
            | Self::DuplicateHelper(_) => self.fmt_environment(f),
            Self::PartialName
            | Self::PartialsTooDeep { .. }
            | Self::TooDeep(_)
            | Self::Steps(_)
            | Self::OutputTooLarge(_)
            | Self::TooManyParts(_)
            | Self::TooManyHistories
            | Self::JsonTooDeep
            | Self::JsonIndent
            | Self::Role(_)
            | Self::RoleIsNoText
            | Self::SectionNotText
            | Self::MediaUrl
            | Self::MediaType
            | Self::HelperFailed { .. }
            | Self::HistoryMessage { .. } => self.fmt_rendering(f),
            Self::File(what) => write!(f, "the file {what}"),
            Self::UnknownPrompt { folder, unknown } => {
                unknown.fmt(f, "prompt")?;
                write!(f, " (in the folder `{folder}`)")
            }
            Self::Folder { path, what } => write!(f, "the prompt folder {path} {what}"),
            _ => self.fmt_template(f),
        }
    }
}
