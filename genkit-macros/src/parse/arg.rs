//! `#[arg]`: a parameter taken by value, which is a field of the input.

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, Ident, LitStr, Meta, Type};

use super::common_mistakes;
use super::data::{self, FieldData};
use super::meta::{self, MetaEntry, MetaValue};
use crate::error::Errors;
use crate::kind::Kind;
use crate::literal::string_literal;
use crate::options::{self, arg};
use crate::suggest::{find_nearest, list_words};

/// A parameter taken by value.
pub(crate) struct InputField {
    pub(crate) name: Ident,
    /// The name that callers use: the parameter's name, or the one set by `#[serde(rename)]`.
    pub(crate) key: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) ty: Type,
    /// Doc comments, `#[serde]` and `#[schemars]`.
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) default: Option<ArgDefault>,
    pub(crate) complete: Option<ArgCompletion>,
    pub(crate) flatten: bool,
    /// Whether the value is not read from the caller's input.
    pub(crate) skip: bool,
    /// Whether the user names functions that deserialize or describe the value, so that its type needs no traits.
    pub(crate) custom: bool,
    /// The attributes as data. `None` means that only a derive can interpret them.
    pub(crate) data: Option<FieldData>,
}

/// The value if the caller passes none.
pub(crate) enum ArgDefault {
    /// `#[arg(default)]`
    OfType(Span),
    /// `#[arg(default = value)]`
    Value(Expr),
}

/// Suggestions while a user types.
pub(crate) enum ArgCompletion {
    Function(Expr),
    List(Vec<LitStr>),
}

impl InputField {
    /// Parses the attributes of one parameter.
    pub(crate) fn new(
        kind: Kind,
        name: Ident,
        ty: Type,
        attrs: Vec<Attribute>,
        errors: &mut Errors,
    ) -> Self {
        let mut field = Self {
            key: name.unraw().to_string(),
            name,
            aliases: Vec::new(),
            ty,
            attrs: Vec::new(),
            default: None,
            complete: None,
            flatten: false,
            skip: false,
            custom: false,
            data: None,
        };
        let mut serde_default = false;
        let mut seen = Vec::new();
        for attr in attrs {
            if attr.path().is_ident("arg") {
                for entry in parse_arg_entries(&attr, errors) {
                    field.parse_option(kind, &entry, &mut seen, errors);
                }
                continue;
            }
            if let Meta::List(list) = &attr.meta {
                let serde = attr.path().is_ident("serde");
                // The derives report errors in these attributes.
                for entry in meta::parse_entries(list.tokens.clone(), &mut Errors::default()) {
                    serde_default |= serde && entry.name() == "default";
                    field.record_derived(serde, &entry);
                }
            }
            field.attrs.push(attr);
        }
        if serde_default && let Some(default) = &field.default {
            let place = match default {
                ArgDefault::OfType(span) => *span,
                ArgDefault::Value(value) => syn::spanned::Spanned::span(value),
            };
            let what = "duplicate default: both `#[arg]` and `#[serde]` set it";
            errors.add_at_span(place, what, "keep one of them");
            field.default = None;
        }
        field.data = data::parse_data(&field.attrs);
        if field.key.starts_with('_') {
            errors.add_at(
                &field.name,
                format_args!(
                    "the argument `{}` has a reserved name: names with a \
                     leading `_` are reserved for protocols",
                    field.key
                ),
                format_args!(
                    "call it `{0}` and write `let _ = {0};` in the body, or rename it for callers: \
                     `#[serde(rename = \"{0}\")]`",
                    field.key.trim_start_matches('_')
                ),
            );
        }
        field
    }

    /// Returns whether the caller may omit the argument, according to attributes that were parsed as data.
    pub(crate) fn has_default(&self) -> bool {
        self.default.is_some() || self.data.as_ref().is_some_and(|data| data.default.is_some())
    }

    /// Returns whether `name` is the field's name or one of its aliases.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.key == name || self.aliases.iter().any(|alias| alias == name)
    }

    fn parse_option(
        &mut self,
        kind: Kind,
        entry: &MetaEntry,
        seen: &mut Vec<String>,
        errors: &mut Errors,
    ) {
        let MetaEntry { key, value } = entry;
        if let MetaValue::String(text) = value {
            let help = format!("write a doc comment above the argument: `/// {}`", text.value());
            return errors.add_at(text, "unexpected string", help);
        }
        let name = entry.name();
        if !arg::OPTIONS.iter().any(|spec| spec.key == name) {
            return report_unknown(kind, key, &name, errors);
        }
        if seen.contains(&name) {
            errors.add_at(key, format_args!("duplicate option `{name}`"), "keep one of them");
            return;
        }
        seen.push(name.clone());
        match (name.as_str(), value) {
            ("default", MetaValue::Flag) => self.default = Some(ArgDefault::OfType(key.span())),
            ("default", MetaValue::Expr(value)) => {
                self.default = Some(ArgDefault::Value(value.clone()))
            }
            ("default", _) => errors.add_at(
                key,
                "`default` takes an expression",
                "write `default`, or `default = value`",
            ),
            ("extension", _) => errors.add_at(
                key,
                "`extension` is only for parameters taken by reference",
                format_args!("write `{}: &T` with the type of the request extension", self.name),
            ),
            (_, _) if !matches!(kind, Kind::Prompt | Kind::Resource) => errors.add_at(
                key,
                format_args!(
                    "the arguments of a {} cannot be completed: clients request suggestions only \
                     in prompts and resource templates",
                    kind.noun()
                ),
                "remove it; an `enum` argument lists its values in the schema",
            ),
            (_, MetaValue::Expr(value)) => self.complete = parse_completion(value, errors),
            (_, _) => errors.add_at(
                key,
                "`complete` takes a function or a list of strings",
                "write `complete = suggest_city`, or `complete = [\"a\", \"b\"]`",
            ),
        }
    }

    /// Records the relevant parts of an entry of `#[serde]` or `#[schemars]`.
    fn record_derived(&mut self, serde: bool, entry: &MetaEntry) {
        let value = match &entry.value {
            MetaValue::Expr(expr) => string_literal(expr),
            MetaValue::List(list) => list.iter().find_map(for_deserializing),
            _ => None,
        };
        match (entry.name().as_str(), value) {
            ("rename", Some(text)) if serde => self.key = text.value(),
            ("alias", Some(text)) if serde => self.aliases.push(text.value()),
            ("flatten", _) if serde => self.flatten = true,
            ("skip" | "skip_deserializing", _) => self.skip = true,
            ("with" | "deserialize_with", _) => self.custom = true,
            _ => {}
        }
    }
}

/// Returns the name in `rename(deserialize = "name")`.
fn for_deserializing(item: &Expr) -> Option<LitStr> {
    let Expr::Assign(assign) = item else { return None };
    match &*assign.left {
        Expr::Path(path) if path.path.is_ident("deserialize") => string_literal(&assign.right),
        _ => None,
    }
}

/// Returns the entries of one `#[arg(..)]`.
fn parse_arg_entries(attr: &Attribute, errors: &mut Errors) -> Vec<MetaEntry> {
    match &attr.meta {
        Meta::List(list) if !list.tokens.is_empty() => {
            meta::parse_entries(list.tokens.clone(), errors)
        }
        _ => {
            let what = "`#[arg]` without options has no effect";
            errors.add_at(
                attr,
                what,
                "write `#[arg(default)]` or `#[arg(default = value)]`, or remove it",
            );
            Vec::new()
        }
    }
}

fn parse_completion(value: &Expr, errors: &mut Errors) -> Option<ArgCompletion> {
    let list = match value {
        Expr::Path(_) => return Some(ArgCompletion::Function(value.clone())),
        Expr::Array(array) => array.elems.iter().map(string_literal).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    if let Some(list) = list.filter(|list| !list.is_empty()) {
        return Some(ArgCompletion::List(list));
    }
    errors.add_at(
        value,
        "`complete` takes the name of a function or a list of strings",
        "write `complete = suggest_city`, or `complete = [\"a\", \"b\"]`",
    );
    None
}

fn report_unknown(kind: Kind, key: &Ident, name: &str, errors: &mut Errors) {
    let keys = || arg::OPTIONS.iter().map(|spec| spec.key);
    let legal = format!("`#[arg]` takes {}", list_words(keys()));
    let what = format!("`#[arg]` has no option `{name}`");
    if let Some(help) = common_mistakes::translate_arg_option(name) {
        errors.add_at(key, what, help);
    } else if options::options_for(kind).any(|spec| spec.key == name) {
        let what = format!("{what}: it is an option of the whole function");
        errors.add_at(
            key,
            what,
            format_args!(
                "move it to {}, or use `#[serde(..)]` and `#[schemars(..)]` on the parameter",
                kind.attribute()
            ),
        );
    } else if let Some(near) = find_nearest(name, keys()) {
        errors.add_at(key, what, format_args!("did you mean `{near}`? {legal}"));
    } else {
        errors.add_at(
            key,
            what,
            format_args!("{legal}; put options of `serde` and `schemars` in their own attributes"),
        );
    }
}
