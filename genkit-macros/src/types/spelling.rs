//! Types as text: as a user writes them, and with corrections.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// Removes references and lifetimes from a type: `Option<&str>` becomes `Option<String>`.
pub(super) fn strip_borrows(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut trees = tokens.into_iter().peekable();
    let mut borrowed = false;
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '&' => borrowed = true,
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                if borrowed {
                    trees.next();
                } else {
                    out.extend([TokenTree::Punct(punct)]);
                    let lifetime = trees.next().map(|name| name.span());
                    out.extend(lifetime.map(|span| TokenTree::Ident(Ident::new("static", span))));
                }
            }
            TokenTree::Ident(ident) if borrowed && ident == "mut" => {}
            TokenTree::Ident(ident) if borrowed && (ident == "str" || ident == "Path") => {
                let name = if ident == "str" { "String" } else { "PathBuf" };
                out.extend([TokenTree::Ident(Ident::new(name, ident.span()))]);
                borrowed = false;
            }
            TokenTree::Group(group) => {
                let inner = strip_borrows(group.stream());
                if borrowed && group.delimiter() == Delimiter::Bracket {
                    out.extend(quote!(Vec<#inner>));
                } else {
                    out.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
                }
                borrowed = false;
            }
            other => {
                borrowed = false;
                out.extend([other]);
            }
        }
    }
    out
}

/// Formats the tokens of a type the way a user would write them.
pub(crate) fn format_type(tokens: impl ToTokens) -> String {
    let mut text = String::new();
    write(tokens.into_token_stream(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    for tree in tokens {
        let word = matches!(tree, TokenTree::Ident(_) | TokenTree::Literal(_));
        if text.ends_with([',', '+', '=', ';'])
            || (word
                && text.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                && !text.is_empty())
        {
            text.push(' ');
        }
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) if "+=".contains(punct.as_char()) => {
                text.push(' ');
                text.push(punct.as_char());
            }
            TokenTree::Punct(punct) if punct.as_char() == '-' => text.push_str(" -"),
            other => text.push_str(&other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{Type, parse_str};

    fn parsed(text: &str) -> Type {
        parse_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn types_are_formatted_like_source() {
        for text in [
            "&str",
            "Vec<u8>",
            "dyn Store + Send",
            "[u8; 4]",
            "(u8, String)",
            "&'static str",
            "a::B<C, D>",
            "impl Iterator<Item = u8>",
        ] {
            assert_eq!(format_type(parsed(text)), text);
        }
    }

    #[test]
    fn borrowing_type_has_an_owned_twin() {
        let twins = [
            ("Option<&str>", "Option<String>"),
            ("Vec<&'static str>", "Vec<String>"),
            ("Cow<'_, str>", "Cow<'static, str>"),
            ("Option<&[u8]>", "Option<Vec<u8>>"),
            ("(&Path, u8)", "(PathBuf, u8)"),
        ];
        for (text, owned) in twins {
            assert_eq!(format_type(strip_borrows(parsed(text).to_token_stream())), owned);
        }
    }
}
