//! The values of options: each reader returns the value, or the reason why it is invalid.

use proc_macro2::TokenTree;
use quote::{ToTokens as _, quote};
use syn::{Expr, Ident, Lit, LitStr, Path, Type};

use super::app::{self, AppRight};
use super::meta::{MetaEntry, MetaValue};
use super::retry::{self, RetrySetting};
use super::tools::{self, ToolChoice, ToolSource};
use super::{formats, json};
use crate::error::Errors;
use crate::literal::{as_literal, string_literal};
use crate::options::{OptionForm, OptionSpec};

/// A parsed value: the argument of a builder method of the definition.
pub(crate) enum Setting {
    Text(LitStr),
    Flag(bool),
    /// Milliseconds.
    Duration(u64),
    Task(TaskStart),
    Retry(Vec<RetrySetting>),
    /// Bytes.
    Size(u64),
    Texts(Vec<LitStr>),
    Json(TokenTree),
    Path(Path),
    Schema(SchemaSource),
    Number(u64),
    Tools(Vec<ToolSource>),
    ToolChoice(ToolChoice),
    /// A function with `#[resource]`.
    Function(Path),
    App(Vec<AppRight>),
}

/// The condition under which a call becomes a task.
pub(crate) enum TaskStart {
    /// After the library's default time.
    Default,
    /// After this many milliseconds.
    After(u64),
    Now,
    /// Always as a task; clients without task support are rejected.
    Always,
}

/// The source of a schema.
pub(crate) enum SchemaSource {
    Type(Type),
    Json(TokenTree),
    Call(Expr),
}

/// Parses the value of the option `spec`.
pub(super) fn parse_value(
    spec: &OptionSpec,
    entry: &MetaEntry,
    errors: &mut Errors,
) -> Option<Setting> {
    let MetaEntry { key, value } = entry;
    if let (OptionForm::Json | OptionForm::Schema, MetaValue::Braces(object)) = (spec.form, value) {
        // Its errors have their own spans.
        let checked =
            json::check_object(object.to_token_stream()).map_err(|error| errors.add(error));
        let object = checked.ok().map(|()| object.clone())?;
        return Some(match spec.form {
            OptionForm::Json => Setting::Json(object),
            _ => Setting::Schema(SchemaSource::Json(object)),
        });
    }
    let expected = || Err(format!("`{key}` takes {}", spec.form.describe_value()));
    match parse_setting(spec.form, key, value).unwrap_or_else(expected) {
        Ok(setting) => {
            if let Setting::Texts(texts) = &setting {
                check_texts(spec.form, key, texts, errors);
            }
            Some(setting)
        }
        Err(what) => {
            report_invalid(entry, what, spec.example, errors);
            None
        }
    }
}

fn report_invalid(
    MetaEntry { key, value }: &MetaEntry,
    what: String,
    example: &str,
    errors: &mut Errors,
) {
    let help = format!("write it like this: `{example}`");
    match value {
        MetaValue::Expr(Expr::Macro(call)) if key == "description" => {
            let text = call.to_token_stream().to_string().replace(' ', "");
            let help = format!("write `#[doc = {text}]` above the function");
            errors.add_at(call, "`description` takes a string literal", help);
        }
        MetaValue::Expr(expr) => errors.add_at(expr, what, help),
        MetaValue::Type(ty) => errors.add_at(ty, what, help),
        MetaValue::Braces(tree) => errors.add_at(tree, what, help),
        MetaValue::List(list) if !list.is_empty() => errors.add_at(quote!(#(#list),*), what, help),
        MetaValue::List(_) | MetaValue::Flag | MetaValue::String(_) => {
            errors.add_at(key, what, help);
        }
    }
}

/// Parses a value, or returns the problem with it. Returns `None` if the value does not have the syntax of its option.
fn parse_setting(
    form: OptionForm,
    key: &Ident,
    value: &MetaValue,
) -> Option<Result<Setting, String>> {
    let expr = match (form, value) {
        (OptionForm::Flag, MetaValue::Flag) => return Some(Ok(Setting::Flag(true))),
        (OptionForm::Task, MetaValue::Flag) => return Some(Ok(Setting::Task(TaskStart::Default))),
        (OptionForm::Retry, MetaValue::Flag) => return Some(Ok(Setting::Retry(Vec::new()))),
        (OptionForm::Retry, MetaValue::List(list)) if !list.is_empty() => {
            return Some(retry::parse_retry(list).map(Setting::Retry));
        }
        (OptionForm::App, MetaValue::Flag) => return Some(Ok(Setting::App(Vec::new()))),
        (OptionForm::App, MetaValue::List(list)) => {
            return Some(app::parse_rights(list).map(Setting::App));
        }
        (OptionForm::Texts | OptionForm::Urls | OptionForm::Visibility, MetaValue::List(list)) => {
            let texts: Option<Vec<LitStr>> = list.iter().map(string_literal).collect();
            return texts.filter(|texts| !texts.is_empty()).map(Setting::Texts).map(Ok);
        }
        (OptionForm::Schema, MetaValue::Type(ty)) => {
            return Some(Ok(Setting::Schema(SchemaSource::Type(ty.clone()))));
        }
        (_, MetaValue::Expr(expr)) => expr,
        _ => return None,
    };
    match form {
        OptionForm::Flag => parse_flag(expr),
        OptionForm::Size => parse_size(expr),
        OptionForm::Text => parse_non_empty(key, expr, |text, _| Ok(Setting::Text(text))),
        OptionForm::Duration => parse_non_empty(key, expr, parse_duration),
        OptionForm::Task => parse_non_empty(key, expr, parse_task),
        OptionForm::Scopes => parse_non_empty(key, expr, parse_scopes),
        OptionForm::MimeType => parse_non_empty(key, expr, mime_type),
        OptionForm::Path => parse_non_empty(key, expr, parse_path),
        OptionForm::Schema => parse_schema(expr),
        OptionForm::Number => parse_number(key, expr),
        OptionForm::Tools => Some(tools::parse_tools(key, expr)?.map(Setting::Tools)),
        OptionForm::ToolChoice => Some(tools::parse_choice(expr)?.map(Setting::ToolChoice)),
        OptionForm::Function => Some(Ok(Setting::Function(tools::parse_path(expr)?))),
        OptionForm::Visibility => {
            let one = string_literal(expr)?;
            Some(Ok(Setting::Texts(vec![one])))
        }
        OptionForm::Texts
        | OptionForm::Urls
        | OptionForm::Json
        | OptionForm::App
        | OptionForm::Retry => None,
    }
}

/// Parses a type if possible, otherwise a call that returns the schema.
fn parse_schema(expr: &Expr) -> Option<Result<Setting, String>> {
    let source = match expr {
        Expr::Group(group) => return parse_schema(&group.expr),
        Expr::Lit(_) => return None,
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Macro(_) => SchemaSource::Call(expr.clone()),
        other => SchemaSource::Type(syn::parse2(other.to_token_stream()).ok()?),
    };
    Some(Ok(Setting::Schema(source)))
}

fn parse_number(key: &Ident, expr: &Expr) -> Option<Result<Setting, String>> {
    let Lit::Int(number) = as_literal(expr)? else { return None };
    if !number.suffix().is_empty() {
        return Some(Err(format!("`{number}` is not a whole number; `{key}` takes digits only")));
    }
    let read = number.base10_parse::<u32>().map(|number| Setting::Number(number.into()));
    Some(read.map_err(|_| format!("`{number}` is too large for `{key}`")))
}

fn parse_flag(expr: &Expr) -> Option<Result<Setting, String>> {
    match as_literal(expr) {
        Some(Lit::Bool(yes)) => Some(Ok(Setting::Flag(yes.value))),
        _ => None,
    }
}

fn parse_size(expr: &Expr) -> Option<Result<Setting, String>> {
    let bytes = match as_literal(expr)? {
        Lit::Int(number) if !number.suffix().is_empty() => Err(format!(
            "`{number}` is not a size; expected a number of bytes, or a size in quotes"
        )),
        Lit::Int(number) => match number.base10_parse() {
            Ok(bytes) if bytes > 0 => Ok(bytes),
            _ => Err(format!("`{number}` is not a number of bytes above 0")),
        },
        Lit::Str(text) => formats::parse_bytes(&text.value()).ok_or_else(|| {
            let text = text.value();
            format!(
                "`{text}` is not a size; expected a whole number above 0 with `B`, `KiB` or `MiB`"
            )
        }),
        _ => return None,
    };
    Some(bytes.map(Setting::Size))
}

/// Parses a string that is not empty, and passes it to `read`.
fn parse_non_empty(
    key: &Ident,
    expr: &Expr,
    read: impl FnOnce(LitStr, &str) -> Result<Setting, String>,
) -> Option<Result<Setting, String>> {
    let literal = string_literal(expr)?;
    let value = literal.value();
    if value.trim().is_empty() {
        return Some(Err(format!("`{key}` is empty")));
    }
    Some(read(literal, &value))
}

fn parse_duration(_: LitStr, value: &str) -> Result<Setting, String> {
    formats::parse_milliseconds(value).map(Setting::Duration).ok_or_else(|| {
        format!("`{value}` is not a duration; expected a whole number above 0 with `ms`, `s`, `m` or `h`")
    })
}

fn parse_task(_: LitStr, value: &str) -> Result<Setting, String> {
    let start = match value {
        "now" => Some(TaskStart::Now),
        "always" => Some(TaskStart::Always),
        other => formats::parse_milliseconds(other).map(TaskStart::After),
    };
    start.map(Setting::Task).ok_or_else(|| {
        format!(
            "`{value}` is not a valid value for `task`; expected `now`, `always`, or a whole number above 0 with `ms`, `s`, `m` or `h`"
        )
    })
}

fn mime_type(literal: LitStr, value: &str) -> Result<Setting, String> {
    if formats::is_mime_type(value) {
        Ok(Setting::Text(literal))
    } else {
        Err(format!("`{value}` is not a media type; expected a type, `/` and a subtype"))
    }
}

fn parse_scopes(literal: LitStr, value: &str) -> Result<Setting, String> {
    match value.split(' ').find(|scope| !formats::is_scope(scope)) {
        None => Ok(Setting::Text(literal)),
        Some(scope) => Err(format!(
            "`{scope}` is not a scope; expected printable ASCII without quotes and backslashes, with one space between scopes"
        )),
    }
}

fn parse_path(literal: LitStr, value: &str) -> Result<Setting, String> {
    let path = literal.parse_with(Path::parse_mod_style);
    path.map(Setting::Path).map_err(|_| format!("`{value}` is not a path"))
}

fn check_texts(form: OptionForm, key: &Ident, texts: &[LitStr], errors: &mut Errors) {
    for (i, item) in texts.iter().enumerate() {
        let value = item.value();
        if value.trim().is_empty() {
            errors.add_at(item, format_args!("`{key}` contains an empty string"), "remove it");
        } else if texts[..i].iter().any(|earlier| earlier.value() == value) {
            errors.add_at(item, format_args!("`{value}` is listed twice in `{key}`"), "remove it");
        } else if form == OptionForm::Visibility && !["model", "app"].contains(&&*value) {
            errors.add_at(
                item,
                format_args!(
                    "`{value}` is not a valid value for `{key}`; expected `model` or `app`"
                ),
                format_args!("write `{key}(\"app\")`"),
            );
        } else if form == OptionForm::Urls && !formats::is_url(&value) {
            errors.add_at(
                item,
                format_args!("`{value}` is not a URL that a client can show"),
                "begin it with `https://`, `http://` or `data:`",
            );
        }
    }
}
