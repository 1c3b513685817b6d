//! `${NAME}` in a file.

/// What knows the variables.
pub(crate) type Vars<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The text with every variable replaced: `${NAME}`, `${env:NAME}`, `${NAME:-default}`. As in
/// shells, the default is also for a variable that is empty. Anything else in braces stays, for it
/// may be meant for a shell.
pub(crate) fn expand(text: &str, vars: &Vars<'_>) -> Result<String, String> {
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
fn value(inner: &str, vars: &Vars<'_>) -> Result<Option<String>, String> {
    let inner = inner.strip_prefix("env:").unwrap_or(inner);
    if let Some((kind @ ("input" | "command" | "config"), name)) = inner.split_once(':') {
        let asked = format!("`${{{kind}:{name}}}` can only be found out by VS Code");
        return Err(format!("{asked}: use a variable of the environment, `${{NAME}}`"));
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
        (None, None) => Err(format!(
            "the variable `{name}` is not set: set it, or write `${{{name}:-default}}`"
        )),
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
