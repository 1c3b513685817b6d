//! The rules for a function as a whole; what passes them is an [`Action`], and only that can be
//! expanded.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, LitStr, Path, Safety};

use crate::error::Errors;
use crate::item::Item;
use crate::kind::Kind;
use crate::options::Options;
use crate::params::{self, Param};
use crate::{docs, resource, types};

/// The longest name that every provider takes.
const MAX_NAME: usize = 64;

/// A function without mistakes. Made only here.
pub(crate) struct Action<'a> {
    pub(crate) kind: Kind,
    pub(crate) item: &'a Item,
    pub(crate) options: &'a Options,
    pub(crate) name: LitStr,
    pub(crate) description: TokenStream,
    /// The URI of a resource.
    pub(crate) uri: Option<LitStr>,
    pub(crate) params: Vec<Param>,
    pub(crate) crate_path: Path,
    _validated: (),
}

/// Checks everything that is left; an action is given even if there were mistakes, and
/// [`Errors::finish`] withholds it then.
pub(crate) fn validate<'a>(
    kind: Kind,
    item: &'a Item,
    options: &'a Options,
    uri: Option<LitStr>,
    crate_path: Path,
    errors: &mut Errors,
) -> Action<'a> {
    other_macros(kind, item, errors);
    signature(kind, item, errors);
    let name = name(kind, item, options, errors);
    let description = description(kind, item, options, errors);
    let params = params::parse(kind, &item.sig.inputs, errors);
    types::returned(&item.sig.output, errors);
    if let Some(uri) = &uri {
        resource::check(uri, &params, errors);
    }
    Action { kind, item, options, name, description, uri, params, crate_path, _validated: () }
}

fn other_macros(kind: Kind, item: &Item, errors: &mut Errors) {
    for attr in &item.attrs {
        let Some(other) = Item::another(attr) else { continue };
        if other == kind {
            let what = format!("{} is there twice", kind.attribute());
            errors.at(attr, what, "keep one of them");
        } else {
            let what = format!(
                "{} on a function that is {} already: each defines a type with the function's name",
                other.attribute(),
                kind.attribute(),
            );
            errors.at(
                attr,
                what,
                "keep one of them, and write a second function that calls the first",
            );
        }
    }
}

fn signature(kind: Kind, item: &Item, errors: &mut Errors) {
    let sig = &item.sig;
    let (noun, attribute) = (kind.noun(), kind.attribute());
    if let Some(receiver) = sig.receiver() {
        errors.at(
            receiver,
            format_args!(
                "{attribute} goes on a free function: a caller has no `self` to call it on"
            ),
            "move it out of the `impl`, and take what it needs by reference: `store: &Store`",
        );
    } else if !item.has_body() {
        errors.at(
            &sig.ident,
            format_args!(
                "{attribute} goes on a function with a body: a trait's method has nothing to run"
            ),
            "move it to a free function",
        );
    }
    if let Some(constness) = &sig.constness {
        errors.at(
            constness,
            format_args!("a {noun} cannot be `const`: it runs when a caller asks for it"),
            format_args!("write `async fn {}`", sig.ident),
        );
    } else if sig.asyncness.is_none() {
        errors.at(
            sig.fn_token,
            format_args!("a {noun} must be `async`: calls run side by side and can be cancelled"),
            format_args!("write `async fn {}`", sig.ident),
        );
    }
    if let Safety::Unsafe(token) = &sig.safety {
        errors.at(
            token,
            format_args!("a {noun} cannot be `unsafe`: callers outside cannot promise anything"),
            "take it out, and check in the body what must hold",
        );
    }
    if let Some(abi) = &sig.abi {
        let what = format!("a {noun} cannot be `extern`: it is called from Rust");
        errors.at(abi, what, "take it out");
    }
    if let Some(variadic) = &sig.variadic {
        let what = format!("a {noun} has a fixed list of arguments: its schema is made of it");
        errors.at(variadic, what, "take a `Vec<T>`");
    }
    generics(kind, item, errors);
}

fn generics(kind: Kind, item: &Item, errors: &mut Errors) {
    let generics = &item.sig.generics;
    let only_lifetimes =
        generics.params.iter().all(|param| matches!(param, GenericParam::Lifetime(_)));
    let noun = kind.noun();
    if generics.params.is_empty() {
        if let Some(clause) = &generics.where_clause {
            let what = format!(
                "a `where` clause on a {noun}: there is nothing generic that it could bound"
            );
            errors.at(clause, what, "take it out");
        }
    } else if only_lifetimes {
        errors.at(
            &generics.params,
            format_args!(
                "a {noun} has no lifetimes of its own: what is lent lives as long as the call, and \
                 input is owned"
            ),
            "leave the lifetimes out: `&Context`, `&Db`",
        );
    } else {
        errors.at(
            &generics.params,
            format_args!("a {noun} cannot be generic: a caller sends JSON and chooses no types"),
            "name the types, and call a generic function from the body",
        );
    }
}

fn name(kind: Kind, item: &Item, options: &Options, errors: &mut Errors) -> LitStr {
    let ident = item.sig.ident.unraw().to_string();
    if types::is_primitive(&ident) {
        errors.at(
            &item.sig.ident,
            format_args!(
                "the function's type would hide the primitive type `{ident}` in this module"
            ),
            format_args!("rename the function, and write `#[{}(name = \"{ident}\")]`", kind.noun()),
        );
    }
    let (name, renamed) = match options.text("name") {
        Some(literal) => (literal.clone(), true),
        None => (LitStr::new(&ident, item.sig.ident.span()), false),
    };
    let value = name.value();
    let (what, help) = if value.len() > MAX_NAME {
        (
            format!(
                "the name `{value}` has {} characters; callers take at most {MAX_NAME}",
                value.chars().count()
            ),
            "shorten it",
        )
    } else if let Some(odd) =
        value.chars().find(|c| !c.is_ascii_alphanumeric() && !"_-".contains(*c))
    {
        (
            format!(
                "the name `{value}` contains `{odd}`; callers take letters, digits, `_` and `-`"
            ),
            "use only those",
        )
    } else {
        return name;
    };
    let place: &dyn ToTokens = if renamed { &name } else { &item.sig.ident };
    if renamed {
        errors.at(place, what, format_args!("{help}; `title` is for people"));
    } else {
        errors.at(
            place,
            what,
            format_args!("give callers another: `#[{}(name = \"..\")]`", kind.noun()),
        );
    }
    name
}

fn description(kind: Kind, item: &Item, options: &Options, errors: &mut Errors) -> TokenStream {
    let found = match options.text("description") {
        Some(text) => Some(text.to_token_stream()),
        None => docs::description(&item.attrs),
    };
    found.unwrap_or_else(|| {
        let ident = &item.sig.ident;
        errors.at(
            ident,
            format_args!("`{ident}` has no description: {}", kind.reader()),
            "write a doc comment above it: `/// What it does, and when to use it.`",
        );
        quote_spanned!(ident.span()=> "")
    })
}

/// The span of the function's name, for what is generated in its place.
impl Action<'_> {
    pub(crate) fn span(&self) -> proc_macro2::Span {
        self.item.sig.ident.span()
    }
}
