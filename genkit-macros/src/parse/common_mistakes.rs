//! Spellings of other libraries (rmcp, rig, FastMCP, clap), and the equivalent spelling of this library.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Expr, Lit, Meta};

use crate::literal::as_literal;
use crate::suggest::find_nearest;

/// Returns the equivalent of an option of another library. `has_option` returns whether the macro has an
/// option.
pub(super) fn translate_option(name: &str, has_option: impl Fn(&str) -> bool) -> Option<String> {
    let plain = name.to_ascii_lowercase().replace('_', "");
    let option = match plain.trim_end_matches("hint") {
        "desc" | "about" | "longabout" | "help" | "doc" | "docs" | "summary" => {
            return Some("write a doc comment above the function: `/// What it does.`".to_owned());
        }
        "annotations" | "hints" => {
            return Some(
                "write the hints as options: `read_only`, `destructive = false`".to_owned(),
            );
        }
        "params" | "parameters" | "param" | "args" | "aggr" | "arguments" => {
            return Some(
                "describe each parameter with a doc comment above it: `/// The city.`".to_owned(),
            );
        }
        "required" => {
            return Some(
                "remove it; a parameter is optional if its type is `Option<T>`".to_owned(),
            );
        }
        "inputschema" | "argsschema" | "schema" => {
            return Some(
                "remove it; the schema comes from the parameters. A schema that is written by hand needs \
                 `Tool::builder(..).input_schema(..)`"
                    .to_owned(),
            );
        }
        "readonly" => "read_only",
        "destructive" => "destructive",
        "idempotent" => "idempotent",
        "openworld" => "open_world",
        "outputschema" | "returns" | "output" => "output_schema",
        "mime" | "mimetype" | "contenttype" => "mime_type",
        "approval" | "needsapproval" | "requiresapproval" | "confirm" => "needs_approval",
        "defer" | "deferred" | "deferloading" => "lazy",
        "scope" | "scopes" | "auth" | "permissions" | "requires" => "permit",
        "rename" | "id" => "name",
        "meta" => "metadata",
        "icon" => "icons",
        "tag" => "tags",
        "maxsize" | "maxresult" | "maxlength" => "max_output",
        "deadline" => "timeout",
        "toolchoice" => "tool_choice",
        "maxsteps" | "maxiterations" | "maxrounds" => "max_turns",
        _ => return None,
    };
    (option != name && has_option(option)).then(|| format!("write `{option}`"))
}

/// Returns the equivalent of a parameter option of another library.
pub(super) fn translate_arg_option(name: &str) -> Option<&'static str> {
    let plain = name.to_ascii_lowercase().replace('_', "");
    Some(match plain.as_str() {
        "description" | "desc" | "about" | "help" | "longhelp" | "doc" => {
            "write a doc comment above the argument: `/// The city.`"
        }
        "name" | "rename" | "id" => "write `#[serde(rename = \"..\")]`",
        "alias" => "write `#[serde(alias = \"..\")]`",
        "flatten" => "write `#[serde(flatten)]`",
        "skip" => "write `#[serde(skip)]`",
        "title" => "write `#[schemars(title = \"..\")]`",
        "example" | "examples" => "write `#[schemars(example = ..)]`",
        "min" | "max" | "minimum" | "maximum" | "ge" | "le" | "gt" | "lt" | "range" => {
            "write `#[schemars(range(min = 1, max = 10))]`"
        }
        "minlength" | "maxlength" | "length" | "minlen" | "maxlen" => {
            "write `#[schemars(length(min = 1, max = 10))]`"
        }
        "pattern" | "regex" => "write `#[schemars(regex(pattern = r\"^[a-z]+$\"))]`",
        "optional" | "nullable" => "remove it; an argument of type `Option<T>` is optional",
        "required" => {
            "remove it; an argument is required unless its type is `Option<T>` or it has a default"
        }
        "defaultvalue" | "defaultvaluet" | "defaultfactory" => "write `#[arg(default = ..)]`",
        "state" | "inject" | "context" | "depends" => {
            "take the parameter by reference instead: `db: &Db`"
        }
        "short" | "long" | "valuename" | "env" | "valueenum" | "valueparser" | "numargs" => {
            "remove it; arguments are passed as JSON, not on a command line"
        }
        _ => return None,
    })
}

/// Returns the replacement for a parameter attribute that is misspelled, or that only another library supports.
pub(super) fn translate_attribute(attr: &Attribute) -> Option<String> {
    let name = attr.path().get_ident()?.to_string();
    Some(match name.as_str() {
        "description" | "desc" | "about" | "help" => {
            let text = attribute_text(attr).unwrap_or_else(|| "The city.".to_owned());
            format!("write a doc comment: `/// {text}`")
        }
        "default" => match &attr.meta {
            Meta::NameValue(pair) => {
                format!("write `#[arg(default = {})]`", pair.value.to_token_stream())
            }
            _ => "write `#[arg(default)]`".to_owned(),
        },
        "rename" => "write `#[serde(rename = \"..\")]`".to_owned(),
        "optional" => "remove it; an argument of type `Option<T>` is optional".to_owned(),
        "tool" | "param" | "parameter" | "tool_param" | "field" | "required" | "argument" => {
            "remove it; an argument needs no attribute".to_owned()
        }
        "state" | "inject" | "context" | "extension" => {
            "remove it, and take the parameter by reference: `db: &Db`".to_owned()
        }
        other => {
            let near = find_nearest(other, ["arg", "input", "serde", "schemars"])?;
            format!("did you mean `#[{near}]`?")
        }
    })
}

/// Returns the string of `#[name = "text"]` or `#[name("text")]`.
fn attribute_text(attr: &Attribute) -> Option<String> {
    let literal: TokenStream = match &attr.meta {
        Meta::NameValue(pair) => pair.value.to_token_stream(),
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) => return None,
    };
    match as_literal(&syn::parse2::<Expr>(literal).ok()?)? {
        Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}
