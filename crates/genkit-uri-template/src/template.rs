//! The public type of a template.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::error::UriTemplateError;
use crate::expand;
use crate::limits::MAX_SEARCH_STEPS;
use crate::matcher::{self, Matcher};
use crate::model::{Expression, TemplatePart, VarSpec};
use crate::parse;
use crate::structure::Structure;
use crate::value::UriValue;

/// A URI template, or a plain URI.
///
/// ```
/// use genkit_uri_template::UriTemplate;
///
/// let template = UriTemplate::parse("note://{user}/{id}")?;
/// assert!(template.variables().eq(["user", "id"]));
/// assert!(template.match_uri("note://ann/7/text").is_none());
/// # Ok::<(), genkit_uri_template::UriTemplateError>(())
/// ```
#[derive(Clone)]
pub struct UriTemplate {
    source: String,
    parts: Vec<TemplatePart>,
    matcher: Matcher,
}

/// The specificity of a template. If several templates match a URI, use the one with the greatest specificity.
///
/// A plain URI is greater than any template. Among templates, the template with more fixed text is greater. If the
/// amount of fixed text is equal, the template with fewer variables that can contain a `/` is greater. If this number
/// is also equal, the template with fewer variables is greater. See [`UriTemplate::specificity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    is_static: bool,
    literal_bytes: usize,
    wide_variables: Reverse<usize>,
    variables: Reverse<usize>,
}

impl UriTemplate {
    /// Parses a template. Every accepted template can be matched.
    ///
    /// ```
    /// use genkit_uri_template::UriTemplate;
    ///
    /// let error = UriTemplate::parse("note://{a}{b}").unwrap_err();
    /// assert_eq!((error.offset(), error.what()), (10, "`{b}` right after `{a}`".to_owned()));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the syntax is invalid, if a limit is exceeded, or if values could not be read back from a
    /// URI.
    pub fn parse(template: &str) -> Result<Self, UriTemplateError> {
        let parts = parse::parse_template(template)?;
        let matcher = Matcher::new(Structure::from_parts(&parts)?);
        Ok(Self { source: template.to_owned(), parts, matcher })
    }

    /// Returns the names of the variables, from left to right.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.var_specs().map(|variable| variable.name.as_str())
    }

    /// Returns the byte range of a variable's name in the template.
    ///
    /// ```
    /// let template = genkit_uri_template::UriTemplate::parse("note://{id}")?;
    /// assert_eq!(template.position("id"), Some(8..10));
    /// # Ok::<(), genkit_uri_template::UriTemplateError>(())
    /// ```
    pub fn position(&self, variable: &str) -> Option<Range<usize>> {
        let found = self.var_specs().find(|other| other.name == variable)?;
        Some(found.offset..found.offset + found.name.len())
    }

    /// Returns whether this is a plain URI, which is a template without variables.
    pub fn is_static(&self) -> bool {
        self.expressions().next().is_none()
    }

    /// Expands the template to a URI, as defined by RFC 6570.
    ///
    /// A variable without a value, or with an empty list, is omitted. Values for unknown names are ignored.
    ///
    /// ```
    /// use genkit_uri_template::UriTemplate;
    ///
    /// let template = UriTemplate::parse("note://{user}{/id}")?;
    /// assert_eq!(template.expand(&[("user", "ann/bob".into())]), "note://ann%2Fbob");
    /// # Ok::<(), genkit_uri_template::UriTemplateError>(())
    /// ```
    pub fn expand(&self, values: &[(impl AsRef<str>, UriValue)]) -> String {
        expand::expand_parts(&self.parts, values)
    }

    /// Matches a URI, and returns the decoded values of the variables. Returns `None` if the URI does not match, or if
    /// it is longer than [`MAX_URI_BYTES`](crate::MAX_URI_BYTES).
    ///
    /// The value of an exploded variable (`{/path*}`) is a list; the value of any other variable is text.
    ///
    /// ```
    /// use genkit_uri_template::UriTemplate;
    ///
    /// let template = UriTemplate::parse("note://{id}")?;
    /// assert_eq!(template.match_uri("note://caf%C3%A9"), Some(vec![("id", "café".into())]));
    /// assert_eq!(template.match_uri("note://"), None);
    /// # Ok::<(), genkit_uri_template::UriTemplateError>(())
    /// ```
    pub fn match_uri(&self, uri: &str) -> Option<Vec<(&str, UriValue)>> {
        let mut steps = MAX_SEARCH_STEPS;
        self.matcher.match_normal(&matcher::normalize_for_match(uri)?, &mut steps)
    }

    /// Returns the specificity of the template, to choose between several templates that match a URI.
    ///
    /// ```
    /// use genkit_uri_template::UriTemplate;
    ///
    /// let [all, one] = ["note://{id}", "note://{id}/text"].map(|text| UriTemplate::parse(text).unwrap());
    /// assert!(one.specificity() > all.specificity());
    /// ```
    pub fn specificity(&self) -> Specificity {
        let literal_bytes = self.parts.iter().map(|part| match part {
            TemplatePart::Literal { text, .. } => text.len(),
            TemplatePart::Expression(_) => 0,
        });
        let wide_variables =
            self.expressions().flat_map(|Expression { operator, variables, .. }| {
                variables.iter().filter(|variable| operator.is_wide(variable.explode))
            });
        Specificity {
            is_static: self.is_static(),
            literal_bytes: literal_bytes.sum(),
            wide_variables: Reverse(wide_variables.count()),
            variables: Reverse(self.var_specs().count()),
        }
    }

    pub(crate) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Literal { .. } => None,
            TemplatePart::Expression(expression) => Some(expression),
        })
    }

    fn var_specs(&self) -> impl Iterator<Item = &VarSpec> {
        self.expressions().flat_map(|expression| &expression.variables)
    }
}

impl FromStr for UriTemplate {
    type Err = UriTemplateError;

    fn from_str(template: &str) -> Result<Self, UriTemplateError> {
        Self::parse(template)
    }
}

impl fmt::Debug for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UriTemplate").field(&self.source).finish()
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}
