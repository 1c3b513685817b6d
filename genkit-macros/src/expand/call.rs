//! The call: injected values, decoded arguments, and the conversion of the result.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, ReturnType};

use super::input::{ArgumentDecoding, Input};
use super::type_names::{self, TypeNames, has_schema};
use crate::kind::Kind;
use crate::parse::{FnParam, InputField};
use crate::types;
use crate::validate::ValidAction;

/// Returns the name of the definition's constructor, and its arguments after the info.
pub(super) fn expand_function(
    action: &ValidAction,
    names: &TypeNames,
    reading: &ArgumentDecoding,
    input: &Input,
) -> (Ident, TokenStream) {
    let call = match action.is_declared() {
        true => quote!(|__context, _| __genkit::Result::Ok(__genkit::wait_for_response(__context))),
        false => call(action, names, reading, input),
    };
    let gives = output_schema(action);
    let input = match input {
        Input::Fields(fields) if has_no_injected_params(action) && !action.is_declared() => {
            let gives = gives.map(|gives| quote!(, #gives));
            return (format_ident!("new"), quote!(&[#(#fields),*], #call #gives));
        }
        Input::Fields(fields) => quote!(__genkit::Input::Fields(&[#(#fields),*])),
        Input::Whole(ty) => quote!(__genkit::Input::Whole(|| #ty)),
    };
    let needs = expand_requirements(action, names);
    let gives = gives.map(|gives| quote!(.with_output_schema(#gives)));
    (format_ident!("with"), quote!(__genkit::Function::new(#input, #call) #needs #gives))
}

/// Returns whether the function takes no injected parameters.
fn has_no_injected_params(action: &ValidAction) -> bool {
    !action.params.iter().any(FnParam::is_injected)
}

/// Returns whether the expansion calls methods of extension traits, which must be in scope.
pub(super) fn needs_scope(action: &ValidAction, reading: &ArgumentDecoding) -> bool {
    let has_default = action.params.iter().filter_map(FnParam::field).any(InputField::has_default);
    matches!(reading, ArgumentDecoding::Derived)
        || has_default
        || !has_no_injected_params(action)
        || !has_plain_output(action)
        || action.options.setting("output_schema").is_some()
}

/// Returns whether the function returns a value of a plain type.
fn has_plain_output(action: &ValidAction) -> bool {
    matches!(&action.item.sig.output, ReturnType::Type(_, ty) if has_schema(action) && types::is_plain(ty))
}

/// Returns the injected parameters: index, parameter, and the name of its type.
fn injected_params<'a>(
    action: &'a ValidAction,
    names: &'a TypeNames,
) -> impl Iterator<Item = (usize, &'a FnParam, &'a TokenStream)> {
    let params = action.params.iter().zip(&names.params).enumerate();
    params.filter_map(|(i, (param, name))| param.is_injected().then_some((i, param, name)))
}

/// Generates the closure that creates the future of the call.
fn call(
    action: &ValidAction,
    names: &TypeNames,
    reading: &ArgumentDecoding,
    input: &Input,
) -> TokenStream {
    let span = action.span();
    let ident = &action.item.sig.ident;
    let mut place = 0_usize..;
    let arguments = action.params.iter().enumerate().map(|(i, param)| match (param, reading) {
        (FnParam::Injected(_) | FnParam::Extension(_), _) => {
            let injected = format_ident!("__injected{i}");
            quote!(&#injected)
        }
        (FnParam::Field(field), ArgumentDecoding::Derived) => {
            let name = &field.name;
            quote!(__input.#name)
        }
        _ => {
            let place = proc_macro2::Literal::usize_unsuffixed(place.next().unwrap_or_default());
            quote!(__genkit::take(&mut __input, #place))
        }
    });
    let mut arguments = Group::new(Delimiter::Parenthesis, quote!(#(#arguments),*));
    // Report a future that is not `Send` at the function's name.
    arguments.set_span(span);
    let derived = matches!(reading, ArgumentDecoding::Derived)
        .then(|| quote!(let __input: __Input = __genkit::take(&mut __input, 0);));
    let takes = !action.params.iter().all(FnParam::is_injected);
    let given = if takes { quote!(mut __input) } else { quote!(_) };
    let finish = convert_result(action);
    let types: Vec<_> = injected_params(action, names).map(|(_, _, name)| name).collect();
    if types.is_empty() {
        let calling = quote_spanned!(span=> __genkit::calling);
        let made = quote!(#calling(#ident #arguments, #finish));
        return match (input, derived) {
            (Input::Fields(_), _) => quote!(|#given| #made),
            (_, None) => quote!(|_, #given| __genkit::Result::Ok(#made)),
            (_, Some(derived)) => quote!(|_, #given| { #derived __genkit::Result::Ok(#made) }),
        };
    }
    let borrowed = injected_params(action, names).map(|(i, param, name)| {
        let span = types::type_span(param.ty());
        let (injected, context) =
            (local_ident(&format!("__injected{i}"), span), local_ident("__context", span));
        let found = match param {
            FnParam::Extension(_) => quote_spanned!(span=> __genkit::extension::<#name>(#context)?),
            _ => quote_spanned!(span=> __genkit::Inject::<#name>::of().inject(#context)?),
        };
        quote_spanned!(span=> let #injected = #found;)
    });
    let mut body = Group::new(Delimiter::Brace, quote!(#ident #arguments.await));
    body.set_span(span);
    let future = quote_spanned!(span=> async move #body);
    let calling = quote_spanned!(span=> __genkit::Inject::<(#(#types,)*)>::of().calling);
    quote! {
        |__context, #given| {
            #(#borrowed)*
            #derived
            __genkit::Result::Ok(#calling(#future, #finish))
        }
    }
}

/// Generates the list of required state, which the registry checks before the first call. Also generates assertions
/// that each type can be injected. A failed assertion is reported at the type.
fn expand_requirements(action: &ValidAction, names: &TypeNames) -> Option<TokenStream> {
    let checks: Vec<_> = injected_params(action, names)
        .map(|(_, param, name)| {
            let (ty, name) = (param.ty(), type_names::with_span(name, param.ty()));
            quote_spanned!(types::type_span(ty)=> <#name as __genkit::Injectable>::check();)
        })
        .collect();
    // Extensions are looked up for each request, so the registry cannot check them.
    let is_state = |(_, param, _): &(_, &FnParam, _)| matches!(param, FnParam::Injected(_));
    let injected = injected_params(action, names).filter(is_state).map(|(_, _, name)| name);
    (!checks.is_empty()).then(|| {
        quote! {
            .needs(|| {
                #(#checks)*
                __genkit::vec![#(__genkit::Inject::<#injected>::of().requirement()),*]
            })
        }
    })
}

/// Generates the checks of the types that a retriever takes and returns. A failed check is reported at the type.
pub(super) fn expand_retriever_checks(action: &ValidAction) -> Option<TokenStream> {
    if action.kind != Kind::Retriever {
        return None;
    }
    let crate_path = &action.crate_path;
    let fields = action.params.iter().filter(|param| !param.is_injected()).map(FnParam::ty);
    let result = match &action.item.sig.output {
        ReturnType::Type(_, ty) => Some(&**ty),
        ReturnType::Default => None,
    };
    let checks =
        fields.chain(result).zip(["IsQuery", "IsCount", "IsDocumentList"]).map(|(ty, name)| {
            let (name, span) = (Ident::new(name, Span::call_site()), types::type_span(ty));
            quote_spanned!(span=> <#ty as #crate_path::retrieval::internal::#name>::check();)
        });
    Some(quote!(const _: fn() = || { #(#checks)* };))
}

/// Generates the conversion of the function's result to the result of its kind. A type that does not match is reported
/// at the type argument of the `Result`, if there is one.
fn convert_result(action: &ValidAction) -> TokenStream {
    let (value, error) = match &action.item.sig.output {
        ReturnType::Type(_, ty) => types::result_spans(ty),
        ReturnType::Default => (action.span(), action.span()),
    };
    if has_plain_output(action) {
        return quote_spanned!(value=> __genkit::IntoOutput::into_output);
    }
    // The code around the conversions has the macro's span, so that lints of the user's crate do not apply. Variables
    // are hygienic, and the user's tokens may come from another macro, so a variable is created and used with the same
    // span.
    let returned = Ident::new("__returned", value);
    let variable = Ident::new("__error", error);
    let error = quote_spanned!(error=> __genkit::IntoError::into_error(#variable));
    let success = match action.kind {
        Kind::Tool | Kind::Flow | Kind::Retriever => {
            let value =
                quote_spanned!(value=> __genkit::IntoOutput::into_output(#returned.value()));
            quote!(.and_then(|#returned| #value))
        }
        Kind::Prompt => {
            let value = quote_spanned!(value=> __genkit::IntoPrompt::into_prompt(#returned.0));
            quote!(.map(|#returned| #value))
        }
        Kind::Resource => {
            let value = quote_spanned!(value=> __genkit::IntoContents::into_contents(#returned.0));
            quote!(.map(|#returned| #value))
        }
    };
    quote!(|__value| __genkit::Returned(__value).split().map_err(|#variable| #error) #success)
}

/// Generates the schema of the result, for kinds whose callers see one.
fn output_schema(action: &ValidAction) -> Option<TokenStream> {
    // The definition of a declared tool already has the schema, because the caller's response is validated against it.
    if !has_schema(action) || action.is_declared() {
        return None;
    }
    let ty = type_names::output_type(action);
    // Content has no value that a declared schema could describe. Report that at the type.
    let described = action.options.setting("output_schema").map(|_| {
        let place = match &action.item.sig.output {
            ReturnType::Type(_, ty) => types::result_spans(ty).0,
            ReturnType::Default => action.span(),
        };
        quote_spanned! {place=>
            __genkit::Describable::check(__genkit::Returns::<#ty>::new().success().described());
        }
    });
    if has_plain_output(action) && described.is_none() {
        return Some(quote!(<#ty as __genkit::IntoOutput>::schema));
    }
    let schema = quote!(__genkit::Returns::<#ty>::new().success().schema());
    Some(match described {
        Some(described) => quote!(|| { #described #schema }),
        None => quote!(|| #schema),
    })
}

/// Returns a variable that is hygienic for this macro, with errors reported at `span`.
fn local_ident(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::call_site().located_at(span))
}
