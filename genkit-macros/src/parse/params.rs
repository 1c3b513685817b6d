//! The parameters: those taken by value come from the caller, those taken by reference from the framework.

use syn::punctuated::Punctuated;
use syn::{Attribute, FnArg, Ident, Meta, Pat, PatType, Token, Type};

use super::arg::InputField;
use super::common_mistakes;
use super::item::is_field_attribute;
use super::meta::{self, MetaEntry, MetaValue};
use crate::error::Errors;
use crate::kind::Kind;
use crate::types;

/// A parameter of the function.
pub(crate) enum FnParam {
    /// `&T`: injected by the framework.
    Injected(Type),
    /// `#[arg(extension)] &T`: an extension of the request.
    Extension(Type),
    /// A named argument from the caller.
    Field(Box<InputField>),
    /// `#[input]`: the whole input.
    Input(Type),
}

impl FnParam {
    pub(crate) fn ty(&self) -> &Type {
        match self {
            Self::Injected(ty) | Self::Extension(ty) | Self::Input(ty) => ty,
            Self::Field(field) => &field.ty,
        }
    }

    /// Returns whether the framework provides the value, rather than the caller.
    pub(crate) fn is_injected(&self) -> bool {
        matches!(self, Self::Injected(_) | Self::Extension(_))
    }

    pub(crate) fn field(&self) -> Option<&InputField> {
        match self {
            Self::Field(field) => Some(field),
            _ => None,
        }
    }
}

pub(crate) fn parse_params(
    kind: Kind,
    inputs: &Punctuated<FnArg, Token![,]>,
    errors: &mut Errors,
) -> Vec<FnParam> {
    let typed = inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None, // reported with the signature
    });
    let params = typed.filter_map(|typed| parse_param(kind, typed, errors)).collect::<Vec<_>>();
    input_is_alone(inputs, errors);
    names_differ(&params, errors);
    params
}

fn parse_param(kind: Kind, typed: &PatType, errors: &mut Errors) -> Option<FnParam> {
    let conditional =
        typed.attrs.iter().find(|a| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr"));
    if let Some(attr) = conditional {
        let what = "a parameter cannot be conditional: the schema would have two forms";
        errors.add_at(attr, what, "put the `cfg` on the function, and write the function twice");
        return None;
    }
    for attr in typed.attrs.iter().filter(|attr| !is_field_attribute(attr)) {
        let Some(help) = common_mistakes::translate_attribute(attr) else { continue };
        let name = quote::ToTokens::to_token_stream(attr.path());
        errors.add_at(attr, format_args!("`#[{name}]` is not an attribute of a parameter"), help);
    }
    let taken: Vec<Attribute> =
        typed.attrs.iter().filter(|attr| is_field_attribute(attr)).cloned().collect();
    if let Type::Reference(reference) = types::strip_groups(&typed.ty) {
        let mut extension = false;
        for attr in taken.iter().filter(|attr| !attr.path().is_ident("doc")) {
            if !extension && is_extension(attr) {
                extension = true;
                continue;
            }
            let name = quote::ToTokens::to_token_stream(attr.path());
            errors.add_at(
                attr,
                format_args!(
                    "`#[{name}]` is for parameters taken by value; this one is injected by the \
                     framework"
                ),
                "remove it, or take the parameter by value",
            );
        }
        let wrap = if extension { FnParam::Extension } else { FnParam::Injected };
        return types::injected_type(reference, errors).map(wrap);
    }
    let is_owned = types::check_owned(&typed.ty, errors);
    if is_input(typed) {
        check_input(kind, typed, &taken, errors);
        return is_owned.then(|| FnParam::Input((*typed.ty).clone()));
    }
    let name = argument_name(&typed.pat, errors);
    // Read the attributes even if the type is invalid, so that every error is reported.
    let placeholder = || Ident::new("argument", proc_macro2::Span::call_site());
    let field = InputField::new(
        kind,
        name.clone().unwrap_or_else(placeholder),
        (*typed.ty).clone(),
        taken,
        errors,
    );
    (is_owned && name.is_some()).then(|| FnParam::Field(Box::new(field)))
}

/// Returns whether the attribute is `#[arg(extension)]`.
fn is_extension(attr: &Attribute) -> bool {
    let Meta::List(list) = &attr.meta else { return false };
    let is_it =
        |entry: &MetaEntry| entry.name() == "extension" && matches!(entry.value, MetaValue::Flag);
    // Errors in it are reported when the attribute is parsed.
    let entries = meta::parse_entries(list.tokens.clone(), &mut Errors::default());
    attr.path().is_ident("arg") && entries.len() == 1 && entries.iter().all(is_it)
}

fn is_input(typed: &PatType) -> bool {
    typed.attrs.iter().any(|attr| attr.path().is_ident("input"))
}

/// Returns the name that callers use for the argument.
fn argument_name(pat: &Pat, errors: &mut Errors) -> Option<Ident> {
    match pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        Pat::Wild(_) => {
            let what = "an argument must have a name: callers pass arguments by name";
            errors.add_at(
                pat,
                what,
                "name it, and write `let _ = name;` in the body if it is unused",
            );
            None
        }
        _ => {
            errors.add_at(
                pat,
                "an argument cannot be a pattern: callers pass arguments by name",
                "name the argument and destructure it in the body, or write `#[input]` before it \
                 if it is the whole input",
            );
            None
        }
    }
}

/// Rejects other attributes on an `#[input]` parameter, because its type describes the whole input.
fn check_input(kind: Kind, typed: &PatType, taken: &[Attribute], errors: &mut Errors) {
    let mut seen = false;
    for attr in taken.iter().filter(|attr| !attr.path().is_ident("doc")) {
        if !attr.path().is_ident("input") {
            let name = quote::ToTokens::to_token_stream(attr.path());
            errors.add_at(
                attr,
                format_args!(
                    "`#[{name}]` has no effect with `#[input]`: the type describes the whole \
                     input"
                ),
                "put it on the fields of the type",
            );
        } else if seen {
            errors.add_at(attr, "duplicate `#[input]`", "keep one of them");
        } else if !matches!(attr.meta, Meta::Path(_)) {
            errors.add_at(attr, "`#[input]` takes no options", "write `#[input]`");
        }
        seen |= attr.path().is_ident("input");
    }
    if kind != Kind::Flow && types::is_plain(&typed.ty) {
        errors.add_at(
            &typed.ty,
            format_args!(
                "the input of a {} must be a JSON object, which `{}` is not",
                kind.noun(),
                types::format_type(&typed.ty)
            ),
            "remove `#[input]` to make the parameter a member of the object",
        );
    }
}

fn input_is_alone(inputs: &Punctuated<FnArg, Token![,]>, errors: &mut Errors) {
    let owned = || {
        inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed)
                if !matches!(types::strip_groups(&typed.ty), Type::Reference(_)) =>
            {
                Some(typed)
            }
            _ => None,
        })
    };
    let Some(first) = owned().find(|typed| is_input(typed)) else { return };
    for other in owned().filter(|other| !std::ptr::eq(*other, first)) {
        errors.add_at(
            other,
            "`#[input]` takes the whole input, so the function cannot take another argument",
            "make it a field of the input type, or remove `#[input]`",
        );
    }
}

fn names_differ(params: &[FnParam], errors: &mut Errors) {
    let mut seen: Vec<&InputField> = Vec::new();
    for field in
        params.iter().filter_map(FnParam::field).filter(|field| !field.flatten && !field.skip)
    {
        match seen.iter().find(|earlier| earlier.key == field.key) {
            // The compiler's error is better, since it shows both locations.
            Some(earlier) if earlier.name == field.name => errors.leave_to_rustc(),
            Some(earlier) => errors.add_at(
                &field.name,
                format_args!(
                    "duplicate argument name `{}`; also used by `{}`",
                    field.key, earlier.name
                ),
                "rename one of them",
            ),
            None => seen.push(field),
        }
    }
}
