//! Validation: the rules for a function as a whole. A function that passes them becomes a [`ValidAction`], the only
//! type that can be expanded.

mod name;
mod prompt;
mod resource;
mod retriever;
mod signature;
mod tool;
mod uri;

use proc_macro2::{Span, TokenStream};
use syn::{LitStr, Path};

use crate::error::Errors;
use crate::kind::Kind;
use crate::parse::{self, FnParam, Item, Options};
use crate::types;

/// A function without errors. Constructed only in this module.
pub(crate) struct ValidAction<'a> {
    pub(crate) kind: Kind,
    pub(crate) item: &'a Item,
    pub(crate) options: &'a Options,
    pub(crate) name: LitStr,
    pub(crate) description: TokenStream,
    /// The URI template of a resource.
    pub(crate) uri: Option<LitStr>,
    pub(crate) params: Vec<FnParam>,
    pub(crate) crate_path: Path,
    _validated: (),
}

/// Performs the checks that parsing did not. Returns an action even if there are errors; [`Errors::into_result`] then
/// discards it.
pub(crate) fn validate_action<'a>(
    kind: Kind,
    item: &'a Item,
    options: &'a Options,
    uri: Option<LitStr>,
    crate_path: Path,
    errors: &mut Errors,
) -> ValidAction<'a> {
    tool::check_hints(options, errors);
    tool::check_retry(options, errors);
    prompt::check_tool_choice(options, errors);
    signature::check_other_macros(kind, item, errors);
    signature::check_signature(kind, item, errors);
    let name = name::validate_name(kind, item, options, errors);
    let description = name::validate_description(kind, item, options, errors);
    let params = parse::parse_params(kind, &item.sig.inputs, errors);
    types::check_return_type(&item.sig.output, errors);
    if kind == Kind::Retriever {
        retriever::check_parameters(item, &params, errors);
    }
    if item.is_declared(kind) {
        tool::check_declared(item, options, &params, errors);
    }
    if let Some(uri) = &uri {
        resource::check_variables(uri, &params, errors);
        if options.setting("app").is_some() {
            resource::check_app(uri, options, errors);
        }
    }
    ValidAction { kind, item, options, name, description, uri, params, crate_path, _validated: () }
}

impl ValidAction<'_> {
    /// Returns whether the function is a tool without a body.
    pub(crate) fn is_declared(&self) -> bool {
        self.item.is_declared(self.kind)
    }

    /// Returns the span of the function's name, for generated code.
    pub(crate) fn span(&self) -> Span {
        self.item.sig.ident.span()
    }
}
