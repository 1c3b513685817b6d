//! The shape of a type: whether it is plain or a single word, and where errors about it are reported.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{GenericArgument, PathArguments, Type};

/// Removes parentheses and the invisible groups of `macro_rules!`.
pub(crate) fn strip_groups(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => strip_groups(&inner.elem),
        Type::Group(inner) => strip_groups(&inner.elem),
        other => other,
    }
}

pub(super) const SCALARS: [&str; 16] = [
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "f32", "f64",
];

/// Returns whether `name` is a primitive type, which the type generated for a function must not shadow.
pub(crate) fn is_primitive(name: &str) -> bool {
    name == "str" || SCALARS.contains(&name)
}

/// Returns whether a type is plain: it is known to implement every trait, so assertions for it are omitted.
pub(crate) fn is_plain(ty: &Type) -> bool {
    let Type::Path(path) = strip_groups(ty) else { return false };
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

/// Returns whether a type is a single word without arguments, such as `City`.
pub(crate) fn is_word(ty: &Type) -> bool {
    matches!(strip_groups(ty), Type::Path(path) if path.path.get_ident().is_some())
}

/// Returns whether a type is `()`.
pub(crate) fn is_unit(ty: &Type) -> bool {
    matches!(strip_groups(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Returns where to report an error about a type: at the last segment of its path.
pub(crate) fn type_span(ty: &Type) -> Span {
    match strip_groups(ty) {
        Type::Path(path) => path.path.segments.last().map_or_else(|| ty.span(), |s| s.ident.span()),
        other => other.span(),
    }
}

/// Returns where to report errors about the value and about the error of a `Result<Value, Error>`. Only the spans are
/// guessed from the spelling; the traits of a type decide its actual kind.
pub(crate) fn result_spans(ty: &Type) -> (Span, Span) {
    let whole = type_span(ty);
    let mut types = result_arguments(ty).into_iter().flatten().map(type_span);
    (types.next().unwrap_or(whole), types.next().unwrap_or(whole))
}

/// Returns the `T` of a `Result<T>`, judging by its spelling.
pub(crate) fn result_value(ty: &Type) -> Option<&Type> {
    result_arguments(ty)?.next()
}

fn result_arguments(ty: &Type) -> Option<impl Iterator<Item = &Type>> {
    let Type::Path(path) = strip_groups(ty) else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    last.ident.to_string().ends_with("Result").then_some(types)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_str;

    fn parsed(text: &str) -> Type {
        parse_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn plain_types_are_standard_types() {
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
