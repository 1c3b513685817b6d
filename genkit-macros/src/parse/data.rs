//! The attributes of serde and schemars on a parameter as data: its names and its schema, if no derive is needed to
//! interpret them.

use syn::{Attribute, Expr, ExprLit, ExprPath, Lit, LitStr, Meta};

use super::meta::{self, MetaEntry, MetaValue};
use crate::error::Errors;
use crate::literal::string_literal;

/// The attributes of one parameter.
#[derive(Default)]
pub(crate) struct FieldData {
    /// The lines of the doc comment, as schemars reads them.
    pub(crate) doc: Option<String>,
    pub(crate) title: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) examples: Vec<Expr>,
    pub(crate) bounds: Vec<Bound>,
    pub(crate) format: Option<&'static str>,
    pub(crate) default: Option<SerdeDefault>,
}

/// A keyword of the schema for one JSON type.
pub(crate) struct Bound {
    pub(crate) of: &'static str,
    pub(crate) keyword: &'static str,
    pub(crate) value: Expr,
}

/// The value that serde uses if the caller passes none.
pub(crate) enum SerdeDefault {
    OfType,
    Function(ExprPath),
}

/// Returns the attributes as data, or `None` if one of them must be interpreted or rejected by a derive.
pub(super) fn parse_data(attrs: &[Attribute]) -> Option<FieldData> {
    let mut data = FieldData { doc: doc_comment(attrs)?, ..FieldData::default() };
    let mut entries = Vec::new();
    for attr in attrs.iter().filter(|attr| !attr.path().is_ident("doc")) {
        let serde = attr.path().is_ident("serde");
        let Meta::List(list) = &attr.meta else { return None };
        if !serde && !attr.path().is_ident("schemars") {
            return None;
        }
        let mut errors = Errors::default();
        let read = meta::parse_entries(list.tokens.clone(), &mut errors);
        if !errors.is_empty() {
            return None;
        }
        entries.extend(read.into_iter().map(|entry| (serde, entry)));
    }
    let repeated = entries.iter().enumerate().any(|(i, (serde, entry))| {
        let name = entry.name();
        let may_be = matches!(name.as_str(), "alias" | "example");
        !may_be && entries[..i].iter().any(|(other, e)| serde == other && e.name() == name)
    });
    if repeated {
        return None;
    }
    for (serde, entry) in &entries {
        match serde {
            true => data.read_serde(entry)?,
            false => data.read_schemars(entry)?,
        }
    }
    // schemars applies them in this order.
    data.bounds
        .sort_by_key(|bound| ORDER.iter().position(|(_, keyword)| *keyword == bound.keyword));
    Some(data)
}

/// The keywords of bounds, with the JSON types that they apply to.
const ORDER: [(&str, &str); 7] = [
    ("string", "minLength"),
    ("string", "maxLength"),
    ("array", "minItems"),
    ("array", "maxItems"),
    ("number", "minimum"),
    ("number", "maximum"),
    ("string", "pattern"),
];

/// Returns the doc comment, if there is one. The outer `None` means that it is computed.
fn doc_comment(attrs: &[Attribute]) -> Option<Option<String>> {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        // `#[doc(hidden)]` has no text.
        let Meta::NameValue(meta) = &attr.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &meta.value else { return None };
        let line = line.value();
        lines.push(line.strip_prefix(' ').unwrap_or(&line).to_owned());
    }
    Some((!lines.is_empty()).then(|| lines.join("\n")))
}

impl FieldData {
    fn read_serde(&mut self, entry: &MetaEntry) -> Option<()> {
        match (entry.name().as_str(), &entry.value) {
            // Handled together with the field's names.
            ("rename" | "alias", MetaValue::Expr(value)) => string_literal(value).map(|_| ()),
            ("default", MetaValue::Flag) => {
                self.default = Some(SerdeDefault::OfType);
                Some(())
            }
            ("default", MetaValue::Expr(value)) => {
                self.default = Some(SerdeDefault::Function(string_literal(value)?.parse().ok()?));
                Some(())
            }
            _ => None,
        }
    }

    fn read_schemars(&mut self, entry: &MetaEntry) -> Option<()> {
        match (entry.name().as_str(), &entry.value) {
            ("title", MetaValue::Expr(value)) => self.title = Some(string_literal(value)?),
            ("description", MetaValue::Expr(value)) => {
                self.description = Some(string_literal(value)?);
            }
            // schemars may interpret a string as the name of a function, so leave it to the derive.
            ("example", MetaValue::Expr(value)) if string_literal(value).is_none() => {
                self.examples.push(value.clone());
            }
            ("range", MetaValue::List(list)) => self.read_range(list, &ORDER[4..6])?,
            ("length", MetaValue::List(list)) => {
                self.read_range(list, &ORDER[..2])?;
                self.read_range(list, &ORDER[2..4])?;
            }
            ("pattern", MetaValue::List(list)) => match &list[..] {
                [pattern] => self.read_pattern(pattern)?,
                _ => return None,
            },
            ("regex", MetaValue::List(list)) => match &list[..] {
                [only] => match split_assignment(only)? {
                    ("pattern", pattern) => self.read_pattern(pattern)?,
                    _ => return None,
                },
                _ => return None,
            },
            (name, MetaValue::Flag) if self.format.is_none() => {
                self.format = Some(match name {
                    "email" => "email",
                    "url" => "uri",
                    "ip" => "ip",
                    "ipv4" => "ipv4",
                    "ipv6" => "ipv6",
                    _ => return None,
                });
            }
            _ => return None,
        }
        Some(())
    }

    /// Reads `min = 1, max = 5` or `equal = 3`.
    fn read_range(
        &mut self,
        list: &[Expr],
        keywords: &[(&'static str, &'static str)],
    ) -> Option<()> {
        let mut ends = [None, None];
        for item in list {
            let (name, value) = split_assignment(item)?;
            let places: &[usize] = match name {
                "min" => &[0],
                "max" => &[1],
                "equal" => &[0, 1],
                _ => return None,
            };
            // schemars parses bounds that are written as strings.
            if string_literal(value).is_some() || places.iter().any(|place| ends[*place].is_some())
            {
                return None;
            }
            for place in places {
                ends[*place] = Some(value.clone());
            }
        }
        for ((of, keyword), value) in keywords.iter().zip(ends) {
            self.bounds.extend(value.map(|value| Bound { of, keyword, value }));
        }
        Some(())
    }

    fn read_pattern(&mut self, pattern: &Expr) -> Option<()> {
        let (of, keyword) = ORDER[6];
        let twice = self.bounds.iter().any(|bound| bound.keyword == keyword);
        (!twice && string_literal(pattern).is_some())
            .then(|| self.bounds.push(Bound { of, keyword, value: pattern.clone() }))
    }
}

/// Splits `name = value`.
fn split_assignment(item: &Expr) -> Option<(&'static str, &Expr)> {
    let Expr::Assign(assign) = item else { return None };
    let Expr::Path(path) = &*assign.left else { return None };
    let name = ["min", "max", "equal", "pattern"].into_iter().find(|name| path.path.is_ident(name));
    Some((name?, &assign.right))
}
