//! Ownership of parameters: borrowed ones are injected by the framework, owned ones come from the caller.

use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::{ReturnType, Type, TypePath, TypeReference};

use super::shape::{SCALARS, strip_groups};
use super::spelling::{format_type, strip_borrows};
use crate::error::Errors;

/// Returns the `T` of an injected `&T`. Reports an error if the framework cannot inject it.
pub(crate) fn injected_type(reference: &TypeReference, errors: &mut Errors) -> Option<Type> {
    let elem = strip_groups(&reference.elem);
    let owned = |name: &str| format!("take it by value: `{name}`");
    let (what, help) = if let Some(text) = borrowed_input(elem) {
        let what = format!(
            "`{}` cannot be an argument: arguments must be owned, and the framework injects \
             parameters taken by reference",
            format_type(reference)
        );
        (what, owned(&text))
    } else if reference.mutability.is_some() {
        let what = format!(
            "`{}` cannot be injected: calls run concurrently and share state",
            format_type(reference)
        );
        let mutex = format!(
            "take `&tokio::sync::Mutex<{0}>`, or `&{0}` with interior mutability",
            format_type(elem)
        );
        (what, mutex)
    } else if let Type::TraitObject(object) = elem {
        let what = format!(
            "`{}` cannot be injected: state is looked up by its type, which must be sized",
            format_type(reference)
        );
        (what, format!("take `&std::sync::Arc<{}>`", format_type(object)))
    } else if let Some(lifetime) = reference.lifetime.as_ref().filter(|l| l.ident == "static") {
        errors.add_at(
            lifetime,
            "injected values live as long as the call, not `'static`",
            format_args!("write `&{}`", format_type(elem)),
        );
        return None;
    } else if contains_token(elem, TypeToken::Impl) {
        return report_generic(elem, errors);
    } else if is_borrowing(elem) {
        let what = format!("`{}` borrows, but state must be owned", format_type(elem));
        (what, "take the owned type: `&T` for state added with `.state(T)`".to_owned())
    } else {
        return Some(elem.clone());
    };
    errors.add_at(reference, what, help);
    None
}

/// Returns whether a parameter taken by value can be deserialized from JSON, judging by its spelling.
pub(crate) fn check_owned(ty: &Type, errors: &mut Errors) -> bool {
    match strip_groups(ty) {
        Type::TraitObject(_) | Type::Infer(_) => errors.leave_to_rustc(),
        Type::Slice(slice) => {
            report_unsized(ty, &format!("Vec<{}>", format_type(&slice.elem)), errors)
        }
        Type::Path(path) if path.path.is_ident("str") => report_unsized(ty, "String", errors),
        Type::Path(path) if is_chunks(path) => {
            let ty = format_type(ty);
            errors.add_at(
                path,
                format_args!("`{ty}` is not an argument: the framework injects it"),
                format_args!(
                    "take `&{ty}`; parameters by reference are `&Context`, `&Chunks<T>` and state"
                ),
            );
        }
        _ if contains_token(ty, TypeToken::Impl) => {
            report_generic(ty, errors);
        }
        _ if is_borrowing(ty) => errors.add_at(
            ty,
            format_args!("`{}` borrows, but arguments must be owned", format_type(ty)),
            format_args!("take `{}`", format_type(strip_borrows(ty.to_token_stream()))),
        ),
        _ => return true,
    }
    false
}

/// Returns whether a type is a slice or `str`, judging by its spelling.
pub(crate) fn is_unsized(ty: &Type) -> bool {
    match strip_groups(ty) {
        Type::Slice(_) => true,
        Type::Path(path) => path.path.is_ident("str"),
        _ => false,
    }
}

/// Reports an unsized argument type, and suggests the owned type.
fn report_unsized(ty: &Type, owned: &str, errors: &mut Errors) {
    errors.add_at(
        ty,
        format_args!("`{}` has no known size, but arguments are taken by value", format_type(ty)),
        format_args!("take `{owned}`"),
    );
}

/// Returns whether a type is `Chunks<T>`, judging by its spelling.
fn is_chunks(path: &TypePath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Chunks" && !last.arguments.is_none())
}

/// Returns whether a type borrows, judging by its spelling. In a separate item such a type would need a named lifetime.
pub(crate) fn is_borrowing(ty: &Type) -> bool {
    contains_token(ty, TypeToken::Reference) || contains_token(ty, TypeToken::Lifetime)
}

/// Checks that the return type can be named.
pub(crate) fn check_return_type(output: &ReturnType, errors: &mut Errors) {
    if let ReturnType::Type(_, ty) = output
        && contains_token(ty, TypeToken::Impl)
    {
        errors.add_at(
            ty,
            format_args!(
                "`{}` hides the return type, from which the result's schema is generated",
                format_type(ty)
            ),
            "name the type, for example `Result<String>`",
        );
    }
}

fn report_generic(ty: &Type, errors: &mut Errors) -> Option<Type> {
    errors.add_at(
        ty,
        format_args!(
            "`{}` makes the function generic, but callers send JSON and cannot choose a type",
            format_type(ty)
        ),
        "use a concrete type",
    );
    None
}

/// Returns the owned type to suggest for a reference that is commonly written for input.
fn borrowed_input(elem: &Type) -> Option<String> {
    match elem {
        Type::Slice(slice) => {
            Some(format!("Vec<{}>", format_type(strip_borrows(slice.elem.to_token_stream()))))
        }
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            let name = last.ident.to_string();
            match name.as_str() {
                "str" | "String" => Some("String".to_owned()),
                "Path" | "PathBuf" => Some("PathBuf".to_owned()),
                _ if SCALARS.contains(&name.as_str()) => Some(name),
                _ => None,
            }
        }
        Type::Reference(inner) => borrowed_input(strip_groups(&inner.elem)),
        _ => None,
    }
}

/// A kind of token to search for in a type.
#[derive(Clone, Copy, PartialEq)]
enum TypeToken {
    Reference,
    /// Any lifetime except `'static`.
    Lifetime,
    Impl,
}

fn contains_token(ty: impl ToTokens, token: TypeToken) -> bool {
    let mut after_quote = false;
    ty.into_token_stream().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => contains_token(group.stream(), token),
        TokenTree::Punct(punct) => {
            after_quote = punct.as_char() == '\'';
            token == TypeToken::Reference && punct.as_char() == '&'
        }
        TokenTree::Ident(ident) => {
            let lifetime = std::mem::take(&mut after_quote);
            match token {
                TypeToken::Lifetime => lifetime && ident != "static",
                TypeToken::Impl => !lifetime && ident == "impl",
                TypeToken::Reference => false,
            }
        }
        TokenTree::Literal(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_str;

    fn parsed(text: &str) -> Type {
        parse_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn lifetimes_other_than_static_are_seen() {
        assert!(contains_token(parsed("Cow<'_, str>"), TypeToken::Lifetime));
        assert!(!contains_token(parsed("Cow<'static, str>"), TypeToken::Lifetime));
        assert!(contains_token(parsed("Box<impl Fn()>"), TypeToken::Impl));
    }
}
