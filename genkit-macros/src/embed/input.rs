//! The input of the macro: `prompts!("prompts")`, `prompts!(pub mod asks = "res/prompts", schemas(Recipe))`.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, LitStr, Path, Token, Visibility, parenthesized, token};

use super::names;
use crate::embed_folder::parse_after_library;
use crate::error::Errors;
use crate::suggest::{find_nearest, list_words};

/// The parsed input of `prompts!`.
pub(super) struct PromptsInput {
    /// The `$crate` of the library.
    pub(super) library: TokenStream,
    pub(super) attrs: Vec<Attribute>,
    /// The visibility of the module. `None` means `pub(crate)`.
    pub(super) vis: Option<Visibility>,
    /// The name of the module. Default is the name of the folder.
    pub(super) module: Ident,
    pub(super) folder: LitStr,
    /// Types of the program that files use as schemas.
    pub(super) schemas: Vec<Path>,
}

const OPTIONS: [&str; 1] = ["schemas"];
const USAGE: &str = "write `prompts!(\"prompts\")`, `prompts!(pub mod asks = \"res/prompts\")`, \
                     or `prompts![haiku, letter]` for `#[prompt]` functions";

impl PromptsInput {
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Option<Self> {
        parse_after_library(tokens, errors, parse_form)
    }
}

fn parse_form(
    input: ParseStream,
    library: TokenStream,
    errors: &mut Errors,
) -> syn::Result<Option<PromptsInput>> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    let module = match input.parse::<Option<Token![mod]>>()? {
        Some(_) => {
            let module = input.call(Ident::parse_any)?;
            if input.parse::<Token![=]>().is_err() {
                let what = "the folder is missing";
                errors.add_at(&module, what, format_args!("write `mod {module} = \"folder\"`"));
                return Ok(None);
            }
            Some(module)
        }
        None => None,
    };
    let Ok(folder) = input.parse::<LitStr>() else {
        errors.add_at_span(
            input.span(),
            "expected the path of a folder of `.prompt` files as a string",
            USAGE,
        );
        return Ok(None);
    };
    if let (Visibility::Public(_) | Visibility::Restricted(_), None) = (&vis, &module) {
        let what = "a visibility must be followed by `mod`";
        errors.add_at(&vis, what, "write `pub mod prompts = \"prompts\"`");
    }
    let schemas = parse_options(input, errors)?;
    let value = folder.value();
    let last = value.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let named = names::to_snake_case(last);
    if module.is_none() && named.is_empty() {
        let what = format!("the folder `{value}` does not have a name that is valid for a module");
        errors.add_at(&folder, what, format_args!("write `mod prompts = \"{value}\"`"));
    }
    let module = module.unwrap_or_else(|| names::make_ident(&named, folder.span()));
    let vis = Some(vis).filter(|vis| !matches!(vis, Visibility::Inherited));
    Ok(Some(PromptsInput { library, attrs, vis, module, folder, schemas }))
}

/// Parses the options: `, schemas(Recipe, crate::Place)`.
fn parse_options(input: ParseStream, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    let mut schemas: Vec<Path> = Vec::new();
    while !input.is_empty() {
        if input.parse::<Token![,]>().is_err() {
            let next = input.cursor().token_tree().map(|(tree, _)| tree);
            errors.add_at(next, "expected `,`", USAGE);
            return Ok(schemas);
        }
        if input.is_empty() {
            break;
        }
        let Ok(key) = input.call(Ident::parse_any) else {
            errors.add_at_span(input.span(), "expected an option of `prompts!`", USAGE);
            return Ok(schemas);
        };
        let takes = format!("`prompts!` takes {}", list_words(OPTIONS));
        if key != "schemas" {
            let what = format!("`prompts!` has no option `{key}`");
            match find_nearest(&key.to_string(), OPTIONS) {
                Some(near) => {
                    errors.add_at(&key, what, format_args!("did you mean `{near}`? {takes}"))
                }
                None => errors.add_at(&key, what, takes),
            }
            return Ok(schemas);
        }
        if !input.peek(token::Paren) {
            let what = "`schemas` takes types in parentheses";
            errors.add_at(&key, what, "write it like this: `schemas(Recipe, crate::Place)`");
            return Ok(schemas);
        }
        let content;
        parenthesized!(content in input);
        let types =
            Punctuated::<Path, Token![,]>::parse_terminated_with(&content, Path::parse_mod_style)?;
        for path in types {
            let name = schema_name(&path);
            if schemas.iter().any(|earlier| schema_name(earlier) == name) {
                let what = format!("`{name}` is listed twice in `schemas`");
                errors.add_at(
                    &path,
                    what,
                    "files refer to a type by the last segment of its path; keep one of them",
                );
                continue;
            }
            schemas.push(path);
        }
    }
    Ok(schemas)
}

/// Returns the name of a type in files: `Place` for `crate::city::Place`.
pub(super) fn schema_name(path: &Path) -> String {
    let last = path.segments.last();
    last.map(|last| last.ident.unraw().to_string())
        .unwrap_or_else(|| path.to_token_stream().to_string())
}
