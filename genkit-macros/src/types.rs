//! What can be said of a type by its spelling alone; everything else is said by traits.

use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{GenericArgument, PathArguments, ReturnType, Type, TypeReference};

use crate::error::Errors;
use crate::spelling::{unborrowed, written};

/// Through parentheses and the invisible groups of `macro_rules!`.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        other => other,
    }
}

/// The `T` of a `&T` that the framework can lend; reports why it cannot.
pub(crate) fn lent(reference: &TypeReference, errors: &mut Errors) -> Option<Type> {
    let elem = bare(&reference.elem);
    let owned = |name: &str| format!("take it by value: `{name}`");
    let (what, help) = if let Some(text) = borrowed_input(elem) {
        let what = format!(
            "`{}` is borrowed, but input comes from the caller and is owned: a parameter by \
             reference is lent by the framework",
            written(reference)
        );
        (what, owned(&text))
    } else if reference.mutability.is_some() {
        let what = format!(
            "`{}` cannot be lent: calls run at the same time and share state",
            written(reference)
        );
        let mutex = format!(
            "lend `&tokio::sync::Mutex<{0}>`, or `&{0}` with interior mutability",
            written(elem)
        );
        (what, mutex)
    } else if let Type::TraitObject(object) = elem {
        let what = format!(
            "`{}` cannot be lent: state is found by its type, which must be sized",
            written(reference)
        );
        (what, format!("lend `&std::sync::Arc<{}>`", written(object)))
    } else if let Some(lifetime) = reference.lifetime.as_ref().filter(|l| l.ident == "static") {
        errors.at(
            lifetime,
            "what is lent lives as long as the call, not `'static`",
            format_args!("write `&{}`", written(elem)),
        );
        return None;
    } else if contains(elem, Part::Impl) {
        return generic(elem, errors);
    } else if contains(elem, Part::Reference) || contains(elem, Part::Lifetime) {
        let what = format!("`{}` borrows, and state is owned by the program", written(elem));
        (what, "lend the owned type: `&T` for a `.state(T)`".to_owned())
    } else {
        return Some(elem.clone());
    };
    errors.at(reference, what, help);
    None
}

/// Whether a parameter by value can be read from JSON, by its spelling.
pub(crate) fn owned(ty: &Type, errors: &mut Errors) -> bool {
    match bare(ty) {
        Type::Slice(_) | Type::TraitObject(_) | Type::Infer(_) => errors.leave_to_rustc(),
        Type::Path(path) if path.path.is_ident("str") => errors.leave_to_rustc(),
        _ if contains(ty, Part::Impl) => {
            generic(ty, errors);
        }
        _ if contains(ty, Part::Reference) || contains(ty, Part::Lifetime) => errors.at(
            ty,
            format_args!("`{}` borrows, but the input of a call is owned", written(ty)),
            format_args!("take `{}`", written(unborrowed(ty.to_token_stream()))),
        ),
        _ => return true,
    }
    false
}

/// A result that can be named.
pub(crate) fn returned(output: &ReturnType, errors: &mut Errors) {
    if let ReturnType::Type(_, ty) = output
        && contains(ty, Part::Impl)
    {
        errors.at(
            ty,
            format_args!(
                "`{}` hides its type, and the result's schema is made from it",
                written(ty)
            ),
            "name the type, for example `Result<String>`",
        );
    }
}

fn generic(ty: &Type, errors: &mut Errors) -> Option<Type> {
    errors.at(
        ty,
        format_args!(
            "`{}` makes the function generic, and nobody chooses a type for it: a caller sends JSON",
            written(ty)
        ),
        "name one type",
    );
    None
}

/// The owned type for a reference that people write for input.
fn borrowed_input(elem: &Type) -> Option<String> {
    match elem {
        Type::Slice(slice) => {
            Some(format!("Vec<{}>", written(unborrowed(slice.elem.to_token_stream()))))
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
        Type::Reference(inner) => borrowed_input(bare(&inner.elem)),
        _ => None,
    }
}

const SCALARS: [&str; 16] = [
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "f32", "f64",
];

/// A type that is named like a function may not hide one of these.
pub(crate) fn is_primitive(name: &str) -> bool {
    name == "str" || SCALARS.contains(&name)
}

/// Types that need no assertion, since they have every trait: the errors could only be ours.
pub(crate) fn is_plain(ty: &Type) -> bool {
    let Type::Path(path) = bare(ty) else { return false };
    let Some(only) = path.path.segments.first() else { return false };
    if path.qself.is_some() || path.path.leading_colon.is_some() || path.path.segments.len() != 1 {
        return false;
    }
    let name = only.ident.to_string();
    match &only.arguments {
        PathArguments::None => name == "String" || SCALARS.contains(&name.as_str()),
        PathArguments::AngleBracketed(arguments) if name == "Option" || name == "Vec" => {
            arguments.args.len() == 1
                && matches!(arguments.args.first(), Some(GenericArgument::Type(ty)) if is_plain(ty))
        }
        _ => false,
    }
}

/// A type without arguments in one word, `City`.
pub(crate) fn is_word(ty: &Type) -> bool {
    matches!(bare(ty), Type::Path(path) if path.path.get_ident().is_some())
}

/// Where an error about a type is shown: at the word that names it.
pub(crate) fn place(ty: &Type) -> Span {
    match bare(ty) {
        Type::Path(path) => path.path.segments.last().map_or_else(|| ty.span(), |s| s.ident.span()),
        other => other.span(),
    }
}

/// Where errors about the value and about the error of a `Result<Value, Error>` are shown. Only
/// places are guessed from the spelling; what a type is, its traits say.
pub(crate) fn result_places(ty: &Type) -> (Span, Span) {
    let whole = place(ty);
    let Type::Path(path) = bare(ty) else { return (whole, whole) };
    let Some(last) = path.path.segments.last() else { return (whole, whole) };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return (whole, whole) };
    if !last.ident.to_string().ends_with("Result") {
        return (whole, whole);
    }
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(place(ty)),
        _ => None,
    });
    (types.next().unwrap_or(whole), types.next().unwrap_or(whole))
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Reference,
    /// Any but `'static`.
    Lifetime,
    Impl,
}

fn contains(ty: impl ToTokens, part: Part) -> bool {
    let mut after_quote = false;
    ty.into_token_stream().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => contains(group.stream(), part),
        TokenTree::Punct(punct) => {
            after_quote = punct.as_char() == '\'';
            part == Part::Reference && punct.as_char() == '&'
        }
        TokenTree::Ident(ident) => {
            let lifetime = std::mem::take(&mut after_quote);
            match part {
                Part::Lifetime => lifetime && ident != "static",
                Part::Impl => !lifetime && ident == "impl",
                Part::Reference => false,
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
        assert!(contains(parsed("Cow<'_, str>"), Part::Lifetime));
        assert!(!contains(parsed("Cow<'static, str>"), Part::Lifetime));
        assert!(contains(parsed("Box<impl Fn()>"), Part::Impl));
    }

    #[test]
    fn plain_types_are_the_ones_everybody_has() {
        for plain in ["String", "u8", "Option<Vec<f64>>", "(bool)"] {
            assert!(is_plain(&parsed(plain)), "{plain}");
        }
        for other in [
            "City",
            "Vec<City>",
            "std::string::String",
            "[u8; 2]",
            "HashMap<String, u8>",
            "Option<>",
        ] {
            assert!(!is_plain(&parsed(other)), "{other}");
        }
    }
}
