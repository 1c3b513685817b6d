//! The call, from JSON to JSON, and what is known of the function before it.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Ident, ReturnType};

use super::type_names::TypeNames;
use crate::kind::Kind;
use crate::parse::FnParam;
use crate::types;
use crate::validate::ValidAction;

pub(super) fn function(action: &ValidAction, names: &TypeNames) -> TokenStream {
    let ident = &action.item.sig.ident;
    let output = action.kind.output();
    let input = input(action, names);
    let requirements = requirements(action, names);
    let (schema_function, output_schema) = output_schema(action);
    let call = call(action, names, &input);
    quote! {
        #schema_function
        impl __genkit::ActionFn for #ident {
            type Output = __genkit::#output;
            fn call(
                __context: &__genkit::Context,
                __arguments: __genkit::Arguments,
            ) -> __genkit::BoxFuture<'_, __genkit::Result<__genkit::#output>> {
                #call
            }
            fn input_schema() -> __genkit::Value {
                __genkit::TypedInput::<#input>::new().schema()
            }
            #requirements
            #output_schema
        }
    }
}

/// The type of everything that the caller gives.
fn input(action: &ValidAction, names: &TypeNames) -> TokenStream {
    for (param, name) in action.params.iter().zip(&names.params) {
        match param {
            FnParam::Field(_) => return quote!(__Input),
            FnParam::Input(_) => return name.clone(),
            FnParam::Injected(_) | FnParam::Extension(_) => {}
        }
    }
    quote!(__genkit::NoInput)
}

/// Injected parameters: place, the parameter, and what its type is called.
fn injected<'a>(
    action: &'a ValidAction,
    names: &'a TypeNames,
) -> impl Iterator<Item = (usize, &'a FnParam, &'a TokenStream)> {
    let params = action.params.iter().zip(&names.params).enumerate();
    params.filter_map(|(i, (param, name))| param.is_injected().then_some((i, param, name)))
}

/// The body: reads the input, borrows what is injected, calls, and converts what came back.
fn call(action: &ValidAction, names: &TypeNames, input: &TokenStream) -> TokenStream {
    let ident = &action.item.sig.ident;
    let injected_types = injected(action, names).map(|(_, _, name)| name);
    let borrowed = injected(action, names).map(|(i, param, name)| {
        let span = types::place(param.ty());
        let (injected, context) =
            (local(&format!("__injected{i}"), span), local("__context", span));
        let found = match param {
            FnParam::Extension(_) => quote_spanned!(span=> __genkit::extension::<#name>(#context)?),
            _ => quote_spanned!(span=> __genkit::Inject::<#name>::of().inject(#context)?),
        };
        quote_spanned!(span=> let #injected = #found;)
    });
    let arguments = action.params.iter().enumerate().map(|(i, param)| match param {
        FnParam::Injected(_) | FnParam::Extension(_) => {
            let injected = format_ident!("__injected{i}");
            quote!(&#injected)
        }
        FnParam::Input(_) => quote!(__input),
        FnParam::Field(field) => {
            let name = &field.name;
            quote!(__input.#name)
        }
    });
    let pattern = if action.params.iter().all(FnParam::is_injected) {
        quote!(__genkit::NoInput {})
    } else {
        quote!(__input)
    };
    // Once the arguments are known to fit, and before anything happens.
    let approved = action
        .options
        .is_on("needs_approval")
        .then(|| quote!(__genkit::approved(__context).await?;));
    let (returned, fails, result) = result(action);
    let mut body = Group::new(
        Delimiter::Brace,
        quote! {
            let #pattern = __genkit::TypedInput::<#input>::new().read(__arguments)?;
            #(#borrowed)*
            #approved
            let #returned = __genkit::Returned(#ident(#(#arguments),*).await) #fails;
            #result
        },
    );
    // A future that is not `Send` is reported at the function's name.
    body.set_span(action.span());
    quote_spanned! {action.span()=>
        __genkit::Inject::<(#(#injected_types,)*)>::of().calling(async move #body)
    }
}

/// Required state: what is injected, for the registry to check before the first call. That it can be injected at all
/// is asserted here, at the type.
fn requirements(action: &ValidAction, names: &TypeNames) -> Option<TokenStream> {
    let checks: Vec<_> = injected(action, names)
        .map(|(_, param, name)| {
            let ty = param.ty();
            let span = types::place(ty);
            let name = match types::is_word(ty) {
                true => name.clone(),
                false => Ident::new(&name.to_string(), span).into_token_stream(),
            };
            quote_spanned!(span=> <#name as __genkit::Injectable>::check();)
        })
        .collect();
    // A value of the request is there or not for each call.
    let is_state = |(_, param, _): &(_, &FnParam, _)| matches!(param, FnParam::Injected(_));
    let injected = injected(action, names).filter(is_state).map(|(_, _, name)| name);
    (!checks.is_empty()).then(|| {
        quote! {
            fn requirements() -> __genkit::Vec<__genkit::Requirement> {
                #(#checks)*
                __genkit::vec![#(__genkit::Inject::<#injected>::of().requirement()),*]
            }
        }
    })
}

/// The result: from what the function returned to what its kind gives. A type that does not fit is reported
/// at the type: in a `Result` of two or of one, where they usually are.
fn result(action: &ValidAction) -> (Ident, TokenStream, TokenStream) {
    let (value, error) = match &action.item.sig.output {
        ReturnType::Type(_, ty) => types::result_places(ty),
        ReturnType::Default => (action.span(), action.span()),
    };
    // What is around the conversions is at our place, for the lints of the user's crate.
    // Variables are hygienic, and the user's tokens may come from another macro: a variable is
    // made and used at one place.
    let returned = Ident::new("__returned", value);
    let variable = Ident::new("__error", error);
    let error = quote_spanned!(error=> __genkit::IntoError::into_error(#variable));
    let fails = quote!(.split().map_err(|#variable| #error)?);
    let result = match action.kind {
        Kind::Tool | Kind::Flow => {
            quote_spanned!(value=> __genkit::IntoOutput::into_output(#returned.value()))
        }
        Kind::Prompt => {
            let value = quote_spanned!(value=> __genkit::IntoPrompt::into_prompt(#returned.0));
            quote!(__genkit::Result::Ok(#value))
        }
        Kind::Resource => {
            let value = quote_spanned!(value=> __genkit::IntoContents::into_contents(#returned.0));
            quote!(__genkit::Result::Ok(#value))
        }
    };
    (returned, fails, result)
}

/// The schema of the result, for kinds whose callers see one. A type with arguments is named in
/// a function at the function's place, for the reason given at [`TypeNames`].
fn output_schema(action: &ValidAction) -> (Option<TokenStream>, Option<TokenStream>) {
    if !matches!(action.kind, Kind::Tool | Kind::Flow) {
        return (None, None);
    }
    let (ty, is_word) = match &action.item.sig.output {
        ReturnType::Type(_, ty) => (ty.to_token_stream(), types::is_word(ty)),
        ReturnType::Default => (quote!(()), true),
    };
    let value = quote!(__genkit::Option<__genkit::Value>);
    // Content has no value that a declared schema could describe: reported at the type.
    let described = action.options.setting("output_schema").map(|_| {
        let place = match &action.item.sig.output {
            ReturnType::Type(_, ty) => types::result_places(ty).0,
            ReturnType::Default => action.span(),
        };
        quote_spanned! {place=>
            __genkit::Describable::check(__genkit::Returns::<#ty>::new().success().described());
        }
    });
    let schema = quote!(#described __genkit::Returns::<#ty>::new().success().schema());
    if is_word {
        return (None, Some(quote!(fn output_schema() -> #value { #schema })));
    }
    let name = Ident::new("__output_schema", action.span());
    (
        Some(quote!(fn #name() -> #value { #schema })),
        Some(quote!(fn output_schema() -> #value { __output_schema() })),
    )
}

/// A variable of ours shown at `span`.
fn local(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::call_site().located_at(span))
}
