//! The values that options take: each reader gives the value or reports why there is none.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, Ident, Lit, LitStr, Path};

use crate::entries::Value;
use crate::error::Errors;
use crate::json;

/// What an option looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `key = "text"`
    Text,
    /// `key`, `key = false`
    Flag,
    /// `key = "30s"`
    Duration,
    /// `key = 65536`, `key = "64KiB"`
    Size,
    /// `key("a", "b")`
    Texts,
    /// `key("https://…")`
    Urls,
    /// `key = "text/plain"`
    MimeType,
    /// `key = { .. }`
    Json,
    /// `key = "a::path"`
    Path,
}

impl Form {
    fn wanted(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Flag => "nothing, or `= true` or `= false`",
            Self::Duration => "a time with its unit in quotes",
            Self::Size => "a number of bytes, or a size with its unit in quotes",
            Self::Texts => "strings in parentheses",
            Self::Urls => "addresses in parentheses",
            Self::MimeType => "a media type in quotes",
            Self::Json => "a JSON object",
            Self::Path => "a path in quotes",
        }
    }
}

/// A value that was read, ready to be the argument of a builder method of the definition.
pub(crate) enum Setting {
    Text(LitStr),
    Flag(bool),
    /// Milliseconds or bytes.
    Number(u64),
    Texts(Vec<LitStr>),
    Json(TokenTree),
    Path(Path),
}

impl ToTokens for Setting {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Text(text) => quote!(#text),
            Self::Flag(yes) => quote!(#yes),
            Self::Number(number) => {
                proc_macro2::Literal::u64_unsuffixed(*number).into_token_stream()
            }
            Self::Texts(texts) => quote!(&[#(#texts),*]),
            Self::Json(object) => quote!(|| __genkit::serde_json::json!(#object)),
            Self::Path(path) => quote!(#path),
        });
    }
}

/// Reads the value of the option `key`; `example` shows how it is written.
pub(crate) fn read(
    form: Form,
    key: &Ident,
    value: &Value,
    example: &str,
    errors: &mut Errors,
) -> Option<Setting> {
    let refused = |errors: &mut Errors, what: String| {
        let help = format!("write it like this: `{example}`");
        match value {
            Value::Is(expr) => errors.at(expr, what, help),
            Value::Braces(tree) => errors.at(tree, what, help),
            Value::List(list) if !list.is_empty() => errors.at(quote!(#(#list),*), what, help),
            Value::List(_) | Value::Flag => errors.at(key, what, help),
        }
        None
    };
    let wrong = |errors: &mut Errors| refused(errors, format!("`{key}` takes {}", form.wanted()));
    match (form, value) {
        (Form::Flag, Value::Flag) => Some(Setting::Flag(true)),
        (Form::Flag, Value::Is(expr)) => match literal(expr) {
            Some(Lit::Bool(yes)) => Some(Setting::Flag(yes.value)),
            _ => wrong(errors),
        },
        (Form::Json, Value::Braces(object)) => match json::check(object.to_token_stream()) {
            Ok(()) => Some(Setting::Json(object.clone())),
            Err(error) => {
                errors.add(error);
                None
            }
        },
        (Form::Texts | Form::Urls, Value::List(list)) => {
            let texts: Option<Vec<LitStr>> = list.iter().map(text).collect();
            let Some(texts) = texts.filter(|texts| !texts.is_empty()) else { return wrong(errors) };
            for (i, item) in texts.iter().enumerate() {
                let value = item.value();
                if value.trim().is_empty() {
                    errors.at(item, format_args!("an empty string in `{key}`"), "take it out");
                } else if texts[..i].iter().any(|earlier| earlier.value() == value) {
                    errors.at(item, format_args!("`{value}` is twice in `{key}`"), "take it out");
                } else if form == Form::Urls && !is_url(&value) {
                    errors.at(
                        item,
                        format_args!("`{value}` is no address that a client can show"),
                        "begin it with `https://`, `http://` or `data:`",
                    );
                }
            }
            Some(Setting::Texts(texts))
        }
        (Form::Size, Value::Is(expr)) => match literal(expr) {
            Some(Lit::Int(number)) => match number.base10_parse::<u64>() {
                Ok(bytes) if bytes > 0 => Some(Setting::Number(bytes)),
                _ => refused(errors, format!("`{number}` bytes hold no answer")),
            },
            Some(Lit::Str(text)) => match size(&text.value()) {
                Some(bytes) => Some(Setting::Number(bytes)),
                None => refused(
                    errors,
                    format!(
                        "`{}` is no size: a whole number above 0 and `B`, `KiB` or `MiB`",
                        text.value()
                    ),
                ),
            },
            _ => wrong(errors),
        },
        (Form::Text | Form::Duration | Form::MimeType | Form::Path, Value::Is(expr)) => {
            let Some(literal) = text(expr) else { return wrong(errors) };
            let value = literal.value();
            match form {
                _ if value.trim().is_empty() => refused(errors, format!("`{key}` is empty")),
                Form::Duration => match milliseconds(&value) {
                    Some(milliseconds) => Some(Setting::Number(milliseconds)),
                    None => refused(
                        errors,
                        format!(
                            "`{value}` is no time: a whole number above 0 and `ms`, `s`, `m` or `h`"
                        ),
                    ),
                },
                Form::MimeType if !is_mime_type(&value) => refused(
                    errors,
                    format!("`{value}` is no media type: a type, `/` and a subtype"),
                ),
                Form::Path => match literal.parse_with(Path::parse_mod_style) {
                    Ok(path) => Some(Setting::Path(path)),
                    Err(_) => refused(errors, format!("`{value}` is no path")),
                },
                _ => Some(Setting::Text(literal)),
            }
        }
        _ => wrong(errors),
    }
}

/// The literal of an expression, through the invisible groups of `macro_rules!`.
pub(crate) fn literal(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

pub(crate) fn text(expr: &Expr) -> Option<LitStr> {
    match literal(expr) {
        Some(Lit::Str(text)) => Some(text.clone()),
        _ => None,
    }
}

/// `30s`, `500ms`, `2m`, `1h` in milliseconds.
fn milliseconds(text: &str) -> Option<u64> {
    with_unit(text, &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)])
}

/// `512B`, `64KiB`, `1MiB` in bytes.
fn size(text: &str) -> Option<u64> {
    with_unit(text, &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)])
}

fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor).filter(|value| *value > 0)
}

fn is_url(text: &str) -> bool {
    ["https://", "http://", "data:"].iter().any(|scheme| {
        text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty() && !rest.contains(' '))
    })
}

/// `type/subtype`, perhaps with parameters.
fn is_mime_type(text: &str) -> bool {
    let token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
    };
    let kind = text.split_once(';').map_or(text, |(kind, _)| kind).trim_end();
    kind.split_once('/').is_some_and(|(first, second)| token(first) && token(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(milliseconds("30s"), Some(30_000));
        assert_eq!(milliseconds("500ms"), Some(500));
        assert_eq!(milliseconds("2 m"), Some(120_000));
        assert_eq!(milliseconds("1h"), Some(3_600_000));
        for wrong in [
            "",
            "30",
            "s",
            "0s",
            "-1s",
            "1.5s",
            "1d",
            "30 s later",
            "99999999999999999999s",
            "18446744073709551615h",
        ] {
            assert_eq!(milliseconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes_have_a_binary_unit() {
        assert_eq!(size("512B"), Some(512));
        assert_eq!(size("64KiB"), Some(65_536));
        assert_eq!(size("1 MiB"), Some(1_048_576));
        for wrong in ["64", "64KB", "0KiB", "KiB", "lots"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn media_types_have_a_slash() {
        for right in ["text/plain", "image/svg+xml", "text/plain; charset=utf-8"] {
            assert!(is_mime_type(right), "{right}");
        }
        for wrong in ["text", "text/", "/plain", "a/b/c", "text/pl ain"] {
            assert!(!is_mime_type(wrong), "{wrong}");
        }
    }

    #[test]
    fn addresses_of_icons_have_a_scheme() {
        assert!(is_url("https://example.com/a.png") && is_url("data:image/png;base64,AA=="));
        assert!(!is_url("a.png") && !is_url("https://") && !is_url("https://a b"));
    }
}
