//! The signature: what a caller outside can call, and one macro for each function.

use syn::{GenericParam, Safety};

use crate::error::Errors;
use crate::kind::Kind;
use crate::parse::Item;

pub(super) fn other_macros(kind: Kind, item: &Item, errors: &mut Errors) {
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

pub(super) fn signature(kind: Kind, item: &Item, errors: &mut Errors) {
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
                "a {noun} has no lifetimes of its own: what is injected lives as long as the call, and \
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
