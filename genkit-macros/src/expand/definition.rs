//! The definition: the static data that the registry reads.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, Path, ReturnType};

use crate::options::{self, OptionTarget};
use crate::parse::{
    AppRight, ArgCompletion, FnParam, RetrySetting, SchemaSource, Setting, TaskStart, ToolChoice,
    ToolSource,
};
use crate::types;
use crate::validate::ValidAction;

pub(super) fn expand_definition(
    action: &ValidAction,
    (constructor, function): &(Ident, TokenStream),
) -> TokenStream {
    let ValidAction { kind, item, name, description, uri, .. } = action;
    let ident = &item.sig.ident;
    let (function_trait, definition) = (kind.function_trait(), kind.definition_type());
    // The location of this call becomes the location of the definition.
    let about = quote_spanned!(action.span()=> __genkit::StaticInfo::new(#name, #description));
    let info = option_calls(action, OptionTarget::Info);
    let own = option_calls(action, OptionTarget::Definition);
    let uri = uri.as_ref().map(|uri| quote!(#uri,));
    let completers: Vec<_> = action
        .params
        .iter()
        .filter_map(FnParam::field)
        .filter_map(|field| {
            let (key, complete) = (&field.key, field.complete.as_ref()?);
            Some(quote!((#key, #complete)))
        })
        .collect();
    let run = run_options(action);
    let (declared, response) = match &item.sig.output {
        ReturnType::Type(_, ty) if action.is_declared() => {
            let schema = SchemaSource::Type(ty.as_ref().clone());
            let has_own = action.options.setting("output_schema").is_some();
            let schema = (!has_own).then(|| quote!(.output_schema(#schema)));
            (
                quote!(#schema.declared()),
                quote!(impl __genkit::DeclaredFn for #ident { type Output = #ty; }),
            )
        }
        _ => Default::default(),
    };
    let completers = (!completers.is_empty()).then(|| quote!(.completers(&[#(#completers),*])));
    quote! {
        impl __genkit::#function_trait for #ident {
            const DEFINITION: &'static __genkit::#definition = &__genkit::#definition::#constructor(
                #uri
                #about #info,
                #function
            ) #own #run #completers #declared;
        }
        #response
    }
}

/// Generates the builder calls for one target: `.title("..").tags(&[..])`.
fn option_calls(action: &ValidAction, target: OptionTarget) -> TokenStream {
    options::options_for(action.kind)
        .filter(|spec| spec.target == target)
        .filter_map(|spec| action.options.setting(spec.key).map(|setting| (spec.key, setting)))
        .map(|(key, setting)| {
            let method = format_ident!("{key}");
            quote!(.#method(#setting))
        })
        .collect()
}

/// Generates the options of a prompt run: `.options(|| PromptOptions::default().with_model(".."))`.
fn run_options(action: &ValidAction) -> Option<TokenStream> {
    let calls: Vec<_> = options::options_for(action.kind)
        .filter(|spec| spec.target == OptionTarget::Run)
        .filter_map(|spec| action.options.setting(spec.key).map(|setting| (spec.key, setting)))
        .map(|(key, setting)| match (key, setting) {
            ("config", Setting::Json(object)) => {
                quote!(.with_config(__genkit::into_config(__genkit::serde_json::json!(#object))))
            }
            ("output", Setting::Schema(schema)) => {
                let schema = expand_schema(schema);
                quote!(.with_output_schema(#schema))
            }
            (key, setting) => {
                let method = format_ident!("with_{key}");
                quote!(.#method(#setting))
            }
        })
        .collect();
    (!calls.is_empty())
        .then(|| quote!(.options(|| <__genkit::PromptOptions as ::core::default::Default>::default() #(#calls)*)))
}

/// Generates the schema of the model's output. A type without a schema is reported at the type.
fn expand_schema(source: &SchemaSource) -> TokenStream {
    match source {
        SchemaSource::Type(ty) => {
            quote_spanned!(types::type_span(ty)=> <#ty as __genkit::SchemaType>::read_schema())
        }
        SchemaSource::Json(object) => quote!(__genkit::serde_json::json!(#object)),
        SchemaSource::Call(call) => {
            quote_spanned!(call.span()=> __genkit::SchemaValue::into_schema(#call))
        }
    }
}

/// Expands to the argument of a builder method.
impl ToTokens for Setting {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Text(text) => quote!(#text),
            Self::Flag(yes) => quote!(#yes),
            Self::Duration(milliseconds) => {
                let milliseconds = Literal::u64_unsuffixed(*milliseconds);
                quote!(__genkit::Duration::from_millis(#milliseconds))
            }
            Self::Task(start) => match start {
                TaskStart::Default => quote!(__genkit::ToolTask::new()),
                TaskStart::After(milliseconds) => {
                    let milliseconds = Literal::u64_unsuffixed(*milliseconds);
                    let after = quote!(__genkit::Duration::from_millis(#milliseconds));
                    quote!(__genkit::ToolTask::new().after(#after))
                }
                TaskStart::Now => quote!(__genkit::ToolTask::new().now()),
                TaskStart::Always => quote!(__genkit::ToolTask::new().now().required()),
            },
            Self::Retry(settings) => quote!(__genkit::ToolRetry::new() #(#settings)*),
            Self::Size(bytes) => Literal::u64_unsuffixed(*bytes).into_token_stream(),
            Self::Texts(texts) => quote!(&[#(#texts),*]),
            Self::Json(object) => quote!(|| __genkit::serde_json::json!(#object)),
            Self::Path(path) => quote!(#path),
            Self::Schema(source) => source.to_token_stream(),
            Self::Function(function) => {
                quote_spanned!(function.span()=> <#function as __genkit::ResourceFn>::DEFINITION)
            }
            Self::App(rights) => quote!(|| __genkit::AppPage::new() #(#rights)*),
            Self::Number(number) => Literal::u64_unsuffixed(*number).into_token_stream(),
            Self::Tools(tools) => quote!([#(#tools),*]),
            Self::ToolChoice(ToolChoice::Mode(mode)) => quote!(__genkit::ToolChoice::#mode),
            Self::ToolChoice(ToolChoice::Function(function)) => {
                let tool = function_tool(function);
                quote!(__genkit::ToolChoice::tool(#tool.name()))
            }
        });
    }
}

/// Expands to a call to a method of `ToolRetry`.
impl ToTokens for RetrySetting {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Number(method, number) => {
                let number = Literal::u32_unsuffixed(*number);
                quote!(.#method(#number))
            }
            Self::Duration(method, milliseconds) => {
                let time = Setting::Duration(*milliseconds);
                quote!(.#method(#time))
            }
        });
    }
}

/// Expands to a call to a method of `AppPage`.
impl ToTokens for AppRight {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Origins(method, origins) => {
                let method = format_ident!("{method}");
                quote!(.#method([#(#origins),*]))
            }
            Self::Permissions(names) => quote!(#(.permission(#names))*),
            Self::PrefersBorder(yes) => quote!(.prefers_border(#yes)),
            Self::Domain(domain) => quote!(.domain(#domain)),
        });
    }
}

/// Expands to a tool of a prompt. A function that is not a tool is reported at its path.
impl ToTokens for ToolSource {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Function(function) => {
                let tool = function_tool(function);
                quote!(__genkit::PromptTool::Value(#tool))
            }
            Self::Name(name) => {
                quote!(<__genkit::PromptTool as ::core::convert::From<&str>>::from(#name))
            }
        });
    }
}

fn function_tool(function: &Path) -> TokenStream {
    quote_spanned!(function.span()=> __genkit::Tool::of::<#function>())
}

/// Expands to the schema that an option declares, as an `OutputSchema`. A type without a schema is reported at the
/// type.
impl ToTokens for SchemaSource {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Type(ty) => {
                let schema =
                    quote_spanned!(types::type_span(ty)=> <#ty as __genkit::SchemaType>::schema);
                quote!(__genkit::OutputSchema::Type(#schema))
            }
            Self::Json(object) => {
                quote!(__genkit::OutputSchema::Written(|| __genkit::serde_json::json!(#object)))
            }
            Self::Call(call) => {
                let schema =
                    quote_spanned!(call.span()=> __genkit::SchemaValue::into_schema(#call));
                quote!(__genkit::OutputSchema::Written(|| #schema))
            }
        });
    }
}

/// Expands to the suggestions for one argument, as a `Completer` expression.
impl ToTokens for ArgCompletion {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Function(function) => {
                let call = quote_spanned!(function.span()=> __genkit::Completes::complete);
                quote!(|request| #call(#function, request))
            }
            Self::List(list) => quote!(|request| __genkit::suggest_values(&request, &[#(#list),*])),
        });
    }
}
