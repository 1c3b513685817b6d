//! The description from doc comments.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, Meta};

use crate::literal;

/// Returns the doc comments of `attrs` as one text: a string literal, or an expression if one of them is computed, as
/// with `#[doc = include_str!(..)]`. Returns `None` if there is no text.
pub(crate) fn doc_description(attrs: &[Attribute]) -> Option<TokenStream> {
    let parts: Vec<&Expr> = attrs
        .iter()
        .filter(|attr| attr.path().is_ident("doc"))
        .filter_map(|attr| match &attr.meta {
            Meta::NameValue(meta) => Some(&meta.value),
            _ => None, // #[doc(hidden)] and the like
        })
        .collect();
    let texts: Option<Vec<String>> = parts
        .iter()
        .map(|part| literal::string_literal(part).map(|text| strip_markup(&text.value())))
        .collect();
    match texts {
        Some(texts) => {
            let text = texts.join("\n");
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_token_stream())
        }
        None => {
            let parts = parts.iter().map(|part| match literal::string_literal(part) {
                Some(text) => strip_markup(&text.value()).to_token_stream(),
                None => part.to_token_stream(),
            });
            Some(quote!(::core::concat!(#(#parts, "\n"),*)))
        }
    }
}

/// Removes the markup of one comment: the space after `///`, and the stars of `/** */`.
fn strip_markup(comment: &str) -> String {
    if !comment.contains('\n') {
        return comment.strip_prefix(' ').unwrap_or(comment).trim_end().to_owned();
    }
    let starred = comment.lines().skip(1).all(|line| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with('*')
    });
    let line = |line: &str| {
        let line = if starred {
            let rest = line.trim_start();
            let rest = rest.strip_prefix('*').unwrap_or(rest);
            rest.strip_prefix(' ').unwrap_or(rest)
        } else {
            line.trim_start()
        };
        line.trim_end().to_owned()
    };
    comment.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn described(item: syn::ItemFn) -> Option<String> {
        doc_description(&item.attrs).map(|tokens| tokens.to_string())
    }

    #[test]
    fn keeps_paragraphs_and_code() {
        let text = described(parse_quote! {
            /// Gets the weather.
            ///
            /// Not the climate:
            ///     indented
            fn f() {}
        });
        assert_eq!(
            text.as_deref(),
            Some("\"Gets the weather.\\n\\nNot the climate:\\n    indented\"")
        );
    }

    #[test]
    fn reads_block_comments() {
        let text = described(parse_quote! {
            #[doc = " Gets the weather.\n *\n * Not the climate.\n "]
            fn f() {}
        });
        assert_eq!(text.as_deref(), Some("\"Gets the weather.\\n\\nNot the climate.\""));
    }

    #[test]
    fn empty_comment_describes_nothing() {
        assert_eq!(described(parse_quote! { #[doc = "  "] #[doc(hidden)] fn f() {} }), None);
        assert_eq!(described(parse_quote! { fn f() {} }), None);
    }

    #[test]
    fn computed_comment_stays_an_expression() {
        let text = described(parse_quote! {
            /// First.
            #[doc = include_str!("more.md")]
            fn f() {}
        });
        assert_eq!(
            text.as_deref(),
            Some(
                ":: core :: concat ! (\"First.\" , \"\\n\" , include_str ! (\"more.md\") , \"\\n\")"
            )
        );
    }
}
