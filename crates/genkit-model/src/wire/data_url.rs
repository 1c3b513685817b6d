//! Data URLs, split into the media type and the data in base64.

use std::borrow::Cow;

/// A URL that starts with `data:`.
#[derive(Clone, Copy)]
pub struct DataUrl<'a> {
    /// The media type with its parameters, including a trailing `;base64`.
    pub head: &'a str,
    /// The text after the comma, or `None` if there is no comma.
    pub data: Option<&'a str>,
}

impl<'a> DataUrl<'a> {
    /// Splits a `data:` URL. Returns `None` for any other URL.
    pub fn from_url(url: &'a str) -> Option<Self> {
        let rest = url.strip_prefix("data:")?;
        Some(match rest.split_once(',') {
            Some((head, data)) => Self { head, data: Some(data) },
            None => Self { head: rest, data: None },
        })
    }

    /// Returns the media type without parameters, or an empty string if it is not specified.
    pub fn media_type(self) -> &'a str {
        self.head.split(';').next().unwrap_or_default()
    }

    /// Returns the data in base64, encoding it if it is percent-encoded. Returns `None` if the URL has no comma.
    pub fn to_base64(self) -> Option<Cow<'a, str>> {
        use base64::Engine as _;
        use base64::engine::general_purpose::STANDARD;
        use percent_encoding::percent_decode_str;

        let data = self.data?;
        Some(match self.head.ends_with(";base64") {
            true => Cow::Borrowed(data),
            false => Cow::Owned(STANDARD.encode(percent_decode_str(data).collect::<Vec<u8>>())),
        })
    }
}
