//! The errors of a template, with all messages of this crate.

use std::fmt;

use crate::limits::{MAX_TEMPLATE_BYTES, MAX_VARIABLES};

/// An error in a template: the problem, its position, the reason, and how to fix it.
///
/// ```
/// use genkit_uri_template::UriTemplate;
///
/// let error = UriTemplate::parse("note://{id").unwrap_err();
/// assert_eq!(error.offset(), 7);
/// assert_eq!(
///     error.to_string(),
///     "a `{` at byte 7 of the URI template: it is not closed; \
///      add a `}`, or write `%7B` for the character itself",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplateError {
    offset: usize,
    kind: Kind,
}

/// The kinds of errors: first errors in the grammar, then errors in templates whose values cannot be read back from a
/// URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    TooLong { bytes: usize },
    Empty,
    NestedBrace,
    UnclosedBrace,
    UnopenedBrace,
    BarePercent,
    Character(u8),
    UnknownVariable,
    ReservedOperator(u8),
    Prefix { name: String, prefix: String },
    MissingName,
    CharacterInName(char),
    RepeatedVariable(String),
    TooManyVariables(String),
    AfterFragment(String),
    TextAfterQuery(String),
    ExpressionAfterQuery(String),
    SecondQuery(String),
    ContinuationWithoutQuery,
    QueryIsNotText,
    QueryHasBegun,
    FragmentHasBegun,
    OpenList(String),
    OpenSecondVariable(String),
    VariableAfterList(String),
    Neighbours { before: String, after: String },
}

impl UriTemplateError {
    /// Returns the position of the error, in bytes from the start of the template.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the part of the template that is invalid.
    pub fn what(&self) -> String {
        match &self.kind {
            Kind::TooLong { bytes } => format!("a template of {bytes} bytes"),
            Kind::Empty => "an empty template".into(),
            Kind::NestedBrace | Kind::UnclosedBrace => "a `{`".into(),
            Kind::UnopenedBrace => "a `}`".into(),
            Kind::BarePercent => "a `%`".into(),
            Kind::Character(byte) => format!("the character {:?}", char::from(*byte)),
            Kind::UnknownVariable => "`{}`".into(),
            Kind::ReservedOperator(symbol) => format!("the operator `{}`", char::from(*symbol)),
            Kind::Prefix { prefix, .. } => format!("the prefix `{prefix}`"),
            Kind::MissingName => "a variable".into(),
            Kind::CharacterInName(c) => format!("the character {c:?} in a name"),
            Kind::RepeatedVariable(name) | Kind::TooManyVariables(name) => {
                format!("the variable `{name}`")
            }
            Kind::AfterFragment(part)
            | Kind::TextAfterQuery(part)
            | Kind::ExpressionAfterQuery(part)
            | Kind::SecondQuery(part) => format!("`{part}`"),
            Kind::ContinuationWithoutQuery => "`{&…}`".into(),
            Kind::QueryIsNotText => "the query before `{&…}`".into(),
            Kind::QueryHasBegun => "`{?…}`".into(),
            Kind::FragmentHasBegun => "this expression".into(),
            Kind::OpenList(name) => format!("the list `{name}*`"),
            Kind::OpenSecondVariable(name) => format!("the second variable `{name}`"),
            Kind::VariableAfterList(name) => format!("the variable `{name}` after a list"),
            Kind::Neighbours { before, after } => format!("`{after}` right after `{before}`"),
        }
    }

    /// Returns the reason why the template is invalid.
    pub fn why(&self) -> &'static str {
        match &self.kind {
            Kind::TooLong { .. } => "it is too long",
            Kind::Empty => "it does not identify a resource",
            Kind::NestedBrace => "an expression cannot be inside another",
            Kind::UnclosedBrace => "it is not closed",
            Kind::UnopenedBrace => "it has no matching `{`",
            Kind::BarePercent => "two hexadecimal digits must follow it",
            Kind::Character(_) => "it is not allowed in a URI",
            Kind::UnknownVariable => "it has no variable",
            Kind::ReservedOperator(_) => "RFC 6570 reserves it for future use",
            Kind::Prefix { .. } => "a truncated value cannot be read back from a URI",
            Kind::MissingName => "it has no name",
            Kind::CharacterInName(_) => "a name consists of ASCII letters, digits and `_`",
            Kind::RepeatedVariable(_) => "it occurs twice, and a URI could give it two values",
            Kind::TooManyVariables(_) => "the template has too many variables",
            Kind::AfterFragment(_) => "it comes after the fragment, which ends a URI",
            Kind::TextAfterQuery(_) | Kind::ExpressionAfterQuery(_) => {
                "it comes after variables of the query, which may be missing"
            }
            Kind::SecondQuery(_) => "the query has already begun",
            Kind::ContinuationWithoutQuery => "it must directly follow a query without variables",
            Kind::QueryIsNotText => "it is not UTF-8",
            Kind::QueryHasBegun => "there is a `?` before it",
            Kind::FragmentHasBegun => "there is a `#` before it, and a fragment ends a URI",
            Kind::OpenList(_) | Kind::OpenSecondVariable(_) => {
                "a URI does not show where one value ends, since values may contain the separator"
            }
            Kind::VariableAfterList(_) => "a URI does not show where the list ends",
            Kind::Neighbours { .. } => "a URI does not show where the first value ends",
        }
    }

    /// Returns a hint on how to fix the error.
    pub fn remedy(&self) -> String {
        match &self.kind {
            Kind::TooLong { .. } => return format!("use at most {MAX_TEMPLATE_BYTES} bytes"),
            Kind::Empty => "write a URI such as `note://{id}`",
            Kind::NestedBrace => "close the outer expression with `}` first",
            Kind::UnclosedBrace => "add a `}`, or write `%7B` for the character itself",
            Kind::UnopenedBrace => "remove it, or write `%7D` for the character itself",
            Kind::BarePercent => "write `%25` for the character itself",
            Kind::Character(byte) => return format!("write `%{byte:02X}` for it"),
            Kind::UnknownVariable => "add a name, such as `{id}`",
            Kind::ReservedOperator(_) => "use one of `+ # . / ; ? &` or none",
            Kind::Prefix { name, .. } => return format!("write `{{{name}}}`"),
            Kind::MissingName => "write a name, or remove the comma or `*`",
            Kind::CharacterInName(_) => "choose another name",
            Kind::RepeatedVariable(_) => "use two names",
            Kind::TooManyVariables(_) => return format!("use at most {MAX_VARIABLES} variables"),
            Kind::AfterFragment(_) => "put it before `{#…}`",
            Kind::TextAfterQuery(_) => "put it before them: `?fixed=1{&…}`",
            Kind::ExpressionAfterQuery(_) => "put it before `{?…}`, or into it",
            Kind::SecondQuery(_) | Kind::QueryHasBegun => "write `{&…}`",
            Kind::ContinuationWithoutQuery => "write `{?…}`, with all variables of the query in it",
            Kind::QueryIsNotText => "encode it as UTF-8",
            Kind::FragmentHasBegun => "remove the `#`",
            Kind::OpenList(name) => return format!("use `{{/{name}*}}` or `{{{name}*}}`"),
            Kind::OpenSecondVariable(_) => "use one variable in each expression, with text between",
            Kind::VariableAfterList(_) => "put the list last",
            Kind::Neighbours { .. } => "put text between them, such as `/`",
        }
        .to_owned()
    }
}

impl Kind {
    pub(crate) fn at_offset(self, offset: usize) -> UriTemplateError {
        UriTemplateError { offset, kind: self }
    }
}

impl fmt::Display for UriTemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, why, remedy) = (self.what(), self.why(), self.remedy());
        write!(f, "{what} at byte {} of the URI template: {why}; {remedy}", self.offset)
    }
}

impl std::error::Error for UriTemplateError {}
