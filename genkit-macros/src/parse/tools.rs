//! The tools of a prompt: functions by path, others by name.

use quote::ToTokens as _;
use syn::{Expr, Ident, LitStr, Path};

use crate::literal::string_literal;
use crate::suggest::find_nearest;

/// The tool choices that are written as strings, with their variants.
const MODES: [(&str, &str); 3] = [("auto", "Auto"), ("required", "Required"), ("none", "None")];

/// A tool that a prompt offers.
pub(crate) enum ToolSource {
    Function(Path),
    Name(LitStr),
}

/// A choice of tools.
pub(crate) enum ToolChoice {
    /// The variant with that name.
    Mode(Ident),
    Function(Path),
}

/// Parses a list such as `[get_weather, "remote/search"]`.
pub(super) fn parse_tools(key: &Ident, expr: &Expr) -> Option<Result<Vec<ToolSource>, String>> {
    let list = match expr {
        Expr::Group(group) => return parse_tools(key, &group.expr),
        Expr::Array(list) => &list.elems,
        _ => return None,
    };
    if list.is_empty() {
        return Some(Err(format!("`{key}` is empty")));
    }
    let mut tools: Vec<ToolSource> = Vec::new();
    for item in list {
        let tool = match (parse_path(item), string_literal(item)) {
            (Some(function), _) => ToolSource::Function(function),
            (None, Some(name)) if name.value().trim().is_empty() => {
                return Some(Err(format!("`{key}` contains an empty name")));
            }
            (None, Some(name)) => ToolSource::Name(name),
            (None, None) => return None,
        };
        if tools.iter().any(|earlier| earlier.is_same(&tool)) {
            return Some(Err(format!("`{}` is listed twice in `{key}`", tool.display_name())));
        }
        tools.push(tool);
    }
    Some(Ok(tools))
}

/// Parses a choice such as `"required"` or `get_weather`.
pub(super) fn parse_choice(expr: &Expr) -> Option<Result<ToolChoice, String>> {
    if let Some(function) = parse_path(expr) {
        return Some(Ok(ToolChoice::Function(function)));
    }
    let literal = string_literal(expr)?;
    let word = literal.value();
    if let Some((_, variant)) = MODES.iter().find(|(mode, _)| *mode == word) {
        let variant = Ident::new(variant, literal.span());
        return Some(Ok(ToolChoice::Mode(variant)));
    }
    let near = match find_nearest(&word, MODES.map(|(mode, _)| mode)) {
        Some(mode) => format!("did you mean `\"{mode}\"`?"),
        None => "write the name of a function without quotes".to_owned(),
    };
    Some(Err(format!("`{word}` is not a choice of tools; {near}")))
}

pub(super) fn parse_path(expr: &Expr) -> Option<Path> {
    match expr {
        Expr::Group(group) => parse_path(&group.expr),
        Expr::Path(path) if path.qself.is_none() && path.attrs.is_empty() => {
            Some(path.path.clone())
        }
        _ => None,
    }
}

/// Formats a path without spaces.
pub(crate) fn format_path(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

impl ToolSource {
    fn display_name(&self) -> String {
        match self {
            Self::Function(path) => format_path(path),
            Self::Name(name) => name.value(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.display_name() == other.display_name()
    }
}
