//! Variables in a file: `${NAME}`.

use super::error::Error;

/// What knows the variables.
pub(crate) type Variables<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Kinds of variables that VS Code finds out by itself.
const EDITOR: [&str; 3] = ["input", "command", "config"];

/// The text with every variable replaced: `${NAME}`, `${env:NAME}`, `${NAME:-default}`. As in
/// shells, the default is also for a variable that is empty. Anything else in braces stays, for it
/// may be meant for a shell.
pub(super) fn expand(text: &str, vars: &Variables<'_>) -> Result<String, Error> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, inner) = (&rest[..start], &rest[start + 2..]);
        expanded.push_str(before);
        let Some(end) = inner.find('}') else {
            rest = &rest[start..];
            break;
        };
        match value(&inner[..end], vars)? {
            Some(value) => expanded.push_str(&value),
            None => expanded.push_str(&rest[start..start + end + 3]),
        }
        rest = &inner[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// What stands for the text in braces; nothing if that is no variable.
fn value(inner: &str, vars: &Variables<'_>) -> Result<Option<String>, Error> {
    let inner = inner.strip_prefix("env:").unwrap_or(inner);
    if inner.split_once(':').is_some_and(|(kind, _)| EDITOR.contains(&kind)) {
        return Err(Error::EditorVariable(inner.to_owned()));
    }
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    if !is_name(name) {
        return Ok(None);
    }
    match (vars(name), default) {
        (Some(value), None) => Ok(Some(value)),
        (Some(value), Some(_)) if !value.is_empty() => Ok(Some(value)),
        (_, Some(default)) => Ok(Some(default.to_owned())),
        (None, None) => Err(Error::UnsetVariable(name.to_owned())),
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |part: char| part.is_ascii_alphanumeric() || part == '_';
    // `${/}` is VS Code's name for the separator of paths.
    name == "/"
        || (name.chars().all(is_part)
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty())
}
