//! Checks of the signature: remote callers must be able to call the function, and it must have
//! only one of this crate's macros.

use quote::ToTokens as _;
use syn::{GenericParam, ReturnType, Safety};

use crate::error::Errors;
use crate::kind::Kind;
use crate::parse::Item;

pub(super) fn check_other_macros(kind: Kind, item: &Item, errors: &mut Errors) {
    for attr in &item.attrs {
        let Some(other) = Item::macro_kind(attr) else { continue };
        if other == kind {
            let what = format!("duplicate {}", kind.attribute());
            errors.add_at(attr, what, "keep one of them");
        } else {
            let what = format!(
                "{} cannot be combined with {}: each generates a type with the function's name",
                other.attribute(),
                kind.attribute(),
            );
            errors.add_at(
                attr,
                what,
                "keep one of them, and write a second function that calls the first",
            );
        }
    }
}

pub(super) fn check_signature(kind: Kind, item: &Item, errors: &mut Errors) {
    let sig = &item.sig;
    let (noun, attribute) = (kind.noun(), kind.attribute());
    if let Some(receiver) = sig.receiver() {
        errors.add_at(
            receiver,
            format_args!("{attribute} must be on a free function: callers cannot provide `self`"),
            "move it out of the `impl`, and take what it needs by reference: `store: &Store`",
        );
    } else if !item.has_body() && !item.is_declared(kind) {
        errors.add_at(
            &sig.ident,
            format_args!("{attribute} must be on a function with a body"),
            "write the body instead of the `;`; a function of a trait must become a free function",
        );
    }
    if let Some(constness) = &sig.constness {
        errors.add_at(
            constness,
            format_args!("a {noun} cannot be `const`: it is called at run time"),
            format_args!("write `async fn {}`", sig.ident),
        );
    } else if sig.asyncness.is_none() {
        let what = format!("a {noun} must be `async`: calls run concurrently and can be cancelled");
        let help = match returns_boxed_future(&sig.output) {
            true => format!("put {attribute} above the attribute that boxes the future"),
            false => format!("write `async fn {}`", sig.ident),
        };
        errors.add_at(sig.fn_token, what, help);
    }
    if let Safety::Unsafe(token) = &sig.safety {
        errors.add_at(
            token,
            format_args!(
                "a {noun} cannot be `unsafe`: remote callers cannot uphold its safety conditions"
            ),
            "remove it, and check the conditions in the body",
        );
    }
    if let Some(abi) = &sig.abi {
        let what = format!("a {noun} cannot be `extern`: it is called from Rust");
        errors.add_at(abi, what, "remove it");
    }
    if let Some(variadic) = &sig.variadic {
        let what =
            format!("a {noun} cannot be variadic: its schema is generated from its arguments");
        errors.add_at(variadic, what, "take a `Vec<T>`");
    }
    check_generics(kind, item, errors);
}

/// Returns whether another macro, such as `#[async_recursion]`, has replaced the `async`.
fn returns_boxed_future(output: &ReturnType) -> bool {
    let ReturnType::Type(_, ty) = output else { return false };
    let text = ty.to_token_stream().to_string();
    text.contains("Pin") && text.contains("dyn") && text.contains("Future")
}

fn check_generics(kind: Kind, item: &Item, errors: &mut Errors) {
    let generics = &item.sig.generics;
    let only_lifetimes =
        generics.params.iter().all(|param| matches!(param, GenericParam::Lifetime(_)));
    let noun = kind.noun();
    if generics.params.is_empty() {
        if let Some(clause) = &generics.where_clause {
            let what =
                format!("a {noun} cannot have a `where` clause: it has no generic parameters");
            errors.add_at(clause, what, "remove it");
        }
    } else if only_lifetimes {
        errors.add_at(
            &generics.params,
            format_args!(
                "a {noun} cannot have lifetime parameters: injected values live as long as the call, and \
                 input is owned"
            ),
            "omit the lifetimes: `&Context`, `&Db`",
        );
    } else {
        errors.add_at(
            &generics.params,
            format_args!("a {noun} cannot be generic: callers send JSON and cannot choose types"),
            "use concrete types, and call a generic function from the body",
        );
    }
}
