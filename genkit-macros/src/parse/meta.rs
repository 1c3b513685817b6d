//! The entries in the parentheses of an attribute: `key`, `key = value`, `key(list)`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Lit, LitStr, Token, Type, parenthesized, token};

use crate::error::Errors;

pub(super) struct MetaEntry {
    pub(super) key: Ident,
    pub(super) value: MetaValue,
}

impl MetaEntry {
    pub(super) fn name(&self) -> String {
        self.key.unraw().to_string()
    }
}

pub(super) enum MetaValue {
    /// `key`
    Flag,
    /// `key = expression`
    Expr(Expr),
    /// `key = Vec<Type>`: a type that does not parse as an expression.
    Type(Type),
    /// `key = { .. }`, with the braces.
    Braces(TokenTree),
    /// `key(a, b)`
    List(Vec<Expr>),
    /// A string without a key, under the key `_`.
    String(LitStr),
}

/// Parses entries separated by commas. An invalid entry does not hide the next one.
pub(super) fn parse_entries(tokens: TokenStream, errors: &mut Errors) -> Vec<MetaEntry> {
    let parser = |input: ParseStream| {
        let mut entries = Vec::new();
        while !input.is_empty() {
            match parse_entry(input, errors) {
                Ok(entry) => {
                    entries.extend(entry);
                    if !input.is_empty() && !input.peek(Token![,]) {
                        let next: TokenTree = input.parse()?;
                        errors.add_at(
                            &next,
                            format_args!("a `,` is missing before `{next}`"),
                            "separate options with commas",
                        );
                        skip_entry(input)?;
                    }
                }
                Err(error) => {
                    errors.add(error);
                    skip_entry(input)?;
                }
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(entries)
    };
    parser.parse2(tokens).unwrap_or_else(|error| {
        errors.add(error);
        Vec::new()
    })
}

fn parse_entry(input: ParseStream, errors: &mut Errors) -> syn::Result<Option<MetaEntry>> {
    if input.peek(LitStr) {
        let text: LitStr = input.parse()?;
        let key = Ident::new("_", text.span());
        return Ok(Some(MetaEntry { key, value: MetaValue::String(text) }));
    }
    let Ok(key) = input.call(Ident::parse_any) else {
        let token: TokenTree = input.parse()?;
        errors.add_at(
            &token,
            format_args!("`{token}` is not an option: an option begins with its name"),
            "write `name`, `name = value` or `name(..)`",
        );
        skip_entry(input)?;
        return Ok(None);
    };
    let value = if input.peek(Token![=]) {
        let equals: Token![=] = input.parse()?;
        if input.is_empty() || input.peek(Token![,]) {
            let what = format!("`{key} =` has no value");
            errors.add_at(quote::quote!(#key #equals), what, format_args!("write `{key} = value`"));
            return Ok(None);
        }
        if input.peek(token::Brace) {
            MetaValue::Braces(input.parse()?)
        } else {
            parse_expression_or_type(input)?
        }
    } else if let Some(value) = parse_without_equals(&key, input, errors)? {
        value
    } else if input.peek(token::Brace) {
        let braces: TokenTree = input.parse()?;
        let what = format!("a `=` is missing after `{key}`");
        errors.add_at(&braces, what, format_args!("write `{key} = {{ .. }}`"));
        return Ok(None);
    } else if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        let list = Punctuated::<Expr, Token![,]>::parse_terminated(&content);
        if list.is_err() {
            // Tokens left over in a parsed group would cause an additional error.
            content.parse::<TokenStream>()?;
        }
        MetaValue::List(list?.into_iter().collect())
    } else {
        MetaValue::Flag
    };
    Ok(Some(MetaEntry { key, value }))
}

/// Parses the value of `key: value` and of `key "value"`, and reports that the `=` is missing.
fn parse_without_equals(
    key: &Ident,
    input: ParseStream,
    errors: &mut Errors,
) -> syn::Result<Option<MetaValue>> {
    let colon = if input.peek(Token![::]) { None } else { input.parse::<Option<Token![:]>>()? };
    if colon.is_none() && !input.peek(Lit) {
        return Ok(None);
    }
    let value: Expr = input.parse()?;
    let help = format!("write `{key} = {}`", value.to_token_stream());
    match colon {
        Some(colon) => errors.add_at(colon, "expected `=`, found `:`", help),
        None => errors.add_at(&value, format_args!("a `=` is missing after `{key}`"), help),
    }
    Ok(Some(MetaValue::Expr(value)))
}

/// Parses an expression or a type: `Vec<Weather>` begins like a comparison.
fn parse_expression_or_type(input: ParseStream) -> syn::Result<MetaValue> {
    let ends = |ahead: ParseStream| ahead.is_empty() || ahead.peek(Token![,]);
    let ahead = input.fork();
    if let (Ok(ty), true) = (ahead.parse::<Type>(), ends(&ahead))
        && syn::parse2::<Expr>(ty.to_token_stream()).is_err()
    {
        input.advance_to(&ahead);
        return Ok(MetaValue::Type(ty));
    }
    Ok(MetaValue::Expr(input.parse()?))
}

/// Skips to the next comma.
fn skip_entry(input: ParseStream) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
