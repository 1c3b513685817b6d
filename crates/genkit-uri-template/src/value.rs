//! The values of variables.

/// The value of a variable: text, or a list of strings.
///
/// ```
/// use genkit_uri_template::{UriTemplate, UriValue};
///
/// let tags = UriTemplate::parse("tags:{tags*}")?.expand(&[("tags", vec!["a".to_owned(), "b".to_owned()].into())]);
/// assert_eq!(tags, "tags:a,b");
/// # Ok::<(), genkit_uri_template::UriTemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UriValue {
    /// Text, not encoded.
    Text(String),
    /// Strings, not encoded. An empty list is equivalent to a missing value.
    List(Vec<String>),
}

impl UriValue {
    pub(crate) fn texts(&self) -> &[String] {
        match self {
            Self::Text(text) => std::slice::from_ref(text),
            Self::List(texts) => texts,
        }
    }
}

impl From<&str> for UriValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for UriValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<String>> for UriValue {
    fn from(texts: Vec<String>) -> Self {
        Self::List(texts)
    }
}
