//! The annotated function: its signature is parsed, its body is kept as opaque tokens.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, FnArg, Ident, Signature, Token, Visibility};

use super::common_mistakes;
use crate::error::Errors;
use crate::kind::Kind;

#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    /// `{ .. }`, or `;` in a trait.
    pub(crate) body: TokenStream,
}

impl Item {
    /// Parses a function. For any other item, reports which items support the attribute.
    pub(crate) fn parse(kind: Kind, tokens: TokenStream, errors: &mut Errors) -> Option<Self> {
        let parser = |input: ParseStream| {
            Ok(Self {
                attrs: input.call(Attribute::parse_outer)?,
                vis: input.parse()?,
                sig: input.parse()?,
                body: input.parse()?,
            })
        };
        // Cloning tokens is cheap, and the copy is used only if parsing fails.
        let error = match parser.parse2(tokens.clone()) {
            Ok(item) => return Some(item),
            Err(error) => error,
        };
        match identify_item(tokens) {
            Some((place, thing)) => {
                let what = format!(
                    "{} can only be applied to an `async fn`, not to {thing}",
                    kind.attribute()
                );
                let help = match thing {
                    "an `impl` block" | "a trait" | "a struct" => {
                        "annotate free functions, and take state by reference: `store: &Store`"
                    }
                    _ => "move it above the function",
                };
                errors.add_at(place, what, help);
            }
            None => errors.add(error),
        }
        None
    }

    /// Returns the visibility and the name of a function that does not parse.
    pub(crate) fn visibility_and_name(tokens: TokenStream) -> Option<(Visibility, Ident)> {
        let parser = |input: ParseStream| {
            input.call(Attribute::parse_outer)?;
            let vis = input.parse()?;
            while !input.peek(Token![fn]) {
                input.parse::<TokenTree>()?;
            }
            input.parse::<Token![fn]>()?;
            let ident = input.parse()?;
            input.parse::<TokenStream>()?;
            Ok((vis, ident))
        };
        parser.parse2(tokens).ok()
    }

    /// Removes the attributes on the parameters of a function that does not parse, since some of them belong to this
    /// crate.
    pub(crate) fn without_param_attributes(tokens: TokenStream) -> TokenStream {
        let mut named = false;
        let trees = tokens.into_iter().map(|tree| match tree {
            TokenTree::Group(group) if named && group.delimiter() == Delimiter::Parenthesis => {
                TokenTree::Group(Group::new(
                    Delimiter::Parenthesis,
                    without_attributes(group.stream()),
                ))
            }
            other => {
                named |= matches!(&other, TokenTree::Ident(ident) if ident == "fn");
                other
            }
        });
        trees.collect()
    }

    /// Returns whether the function has a body; a declaration in a trait has none.
    pub(crate) fn has_body(&self) -> bool {
        match self.body.clone().into_iter().next() {
            Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
            _ => false,
        }
    }

    /// Returns whether a tool is declared: the signature ends with `;`.
    pub(crate) fn is_declared(&self, kind: Kind) -> bool {
        let ends = matches!(self.body.clone().into_iter().next(), Some(TokenTree::Punct(it)) if it.as_char() == ';');
        kind == Kind::Tool && ends && self.sig.receiver().is_none()
    }

    /// Returns the attributes without those of this crate.
    pub(crate) fn own_attributes(&self) -> TokenStream {
        let own = self.attrs.iter().filter(|attr| Self::macro_kind(attr).is_none());
        quote!(#(#own)*)
    }

    /// Returns the `cfg` attributes, which decide whether the function is compiled.
    pub(crate) fn cfg_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.attrs.iter().filter(|attr| attr.path().is_ident("cfg"))
    }

    /// Returns the kind of `attr` if it is one of this crate's macros.
    pub(crate) fn macro_kind(attr: &Attribute) -> Option<Kind> {
        let path = attr.path();
        let last = path.segments.last()?;
        let ours = match path.segments.len() {
            1 => true,
            2 => path.segments.first().is_some_and(|first| first.ident == "genkit"),
            _ => false,
        };
        Kind::ALL.into_iter().find(|kind| ours && last.ident == kind.noun())
    }
}

/// Expands to the function as the user wrote it, without the attributes of this crate.
impl ToTokens for Item {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, sig, body } = self;
        let attrs = attrs.iter().filter(|attr| Self::macro_kind(attr).is_none());
        let mut sig = sig.clone();
        // It has already been rejected; keeping it would cause a second error.
        sig.variadic = None;
        for input in &mut sig.inputs {
            match input {
                FnArg::Typed(typed) => {
                    typed.attrs.retain(|attr| !is_field_attribute(attr) && !is_misplaced(attr));
                }
                FnArg::Receiver(receiver) => {
                    receiver.attrs.retain(|attr| !is_field_attribute(attr))
                }
            }
        }
        tokens.extend(quote!(#(#attrs)* #vis #sig #body));
    }
}

/// Returns whether a parameter's attribute belongs to this crate or moves to the field of the input. The function keeps
/// all others. `schemars` also reads the bounds of the crates `validator` and `garde`.
pub(super) fn is_field_attribute(attr: &Attribute) -> bool {
    let taken = ["doc", "arg", "input", "serde", "schemars", "validate", "garde"];
    taken.iter().any(|name| attr.path().is_ident(name))
}

/// Returns whether a parameter's attribute belongs to another library, or is misspelled. Unknown attributes are kept,
/// because they can belong to another macro on the function.
fn is_misplaced(attr: &Attribute) -> bool {
    !is_field_attribute(attr) && common_mistakes::translate_attribute(attr).is_some()
}

fn without_attributes(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.into_iter().peekable();
    let mut kept = TokenStream::new();
    while let Some(tree) = trees.next() {
        let hash = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '#');
        let attribute = |next: &TokenTree| matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
        if !(hash && trees.next_if(attribute).is_some()) {
            kept.extend([tree]);
        }
    }
    kept
}

/// Returns the keyword of an item that is not a function, and a name for it.
fn identify_item(tokens: TokenStream) -> Option<(TokenTree, &'static str)> {
    let parser = |input: ParseStream| {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let mut found = None;
        while found.is_none() && !input.is_empty() && !input.peek(Token![fn]) {
            // `const fn` and `const unsafe extern "C" fn` are functions.
            let constant = input.peek(Token![const]) && {
                let next = input.fork();
                next.parse::<Token![const]>()?;
                next.peek(syn::Ident) || next.peek(Token![_])
            };
            let tree: TokenTree = input.parse()?;
            let thing = match tree.to_string().as_str() {
                "struct" => "a struct",
                "enum" => "an enum",
                "union" => "a union",
                "trait" => "a trait",
                "impl" => "an `impl` block",
                "mod" => "a module",
                "use" => "a `use`",
                "static" => "a static",
                "type" => "a type alias",
                "macro_rules" => "a macro",
                "let" => "a `let` statement",
                "extern" if is_extern_block(input)? => "an `extern` block",
                _ if input.peek(Token![!]) => "a macro call",
                _ if constant => "a constant",
                _ => continue,
            };
            found = Some((tree, thing));
        }
        input.parse::<TokenStream>()?;
        Ok(found)
    };
    parser.parse2(tokens).ok().flatten()
}

/// Returns whether the tokens after `extern` are an `extern` block.
fn is_extern_block(input: ParseStream) -> syn::Result<bool> {
    let ahead = input.fork();
    ahead.parse::<Option<syn::LitStr>>()?;
    let is_block = ahead.peek(syn::token::Brace);
    ahead.parse::<TokenStream>()?;
    Ok(is_block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_distinguished_from_other_items() {
        for function in [
            "fn f() {}",
            "pub(crate) async fn f() {}",
            "#[doc = \"x\"] const unsafe extern \"C\" fn f() {}",
            "async fn f();",
        ] {
            let tokens = function.parse().expect("tokens");
            assert!(identify_item(tokens).is_none(), "{function}");
        }
        for (item, expected) in [
            ("pub struct A;", "a struct"),
            ("unsafe impl A for B {}", "an `impl` block"),
            ("const A: u8 = 1;", "a constant"),
            ("const _: () = ();", "a constant"),
            ("static A: u8 = 1;", "a static"),
            ("macro_rules! a { () => {} }", "a macro"),
            ("add!();", "a macro call"),
            ("let a = 1;", "a `let` statement"),
            ("unsafe extern \"C\" {}", "an `extern` block"),
            ("pub(in a::b) type A = u8;", "a type alias"),
        ] {
            let tokens = item.parse().expect("tokens");
            assert_eq!(identify_item(tokens).map(|(_, thing)| thing), Some(expected), "{item}");
        }
    }
}
