//! Variables in a file: `${NAME}`.

use crate::error::ErrorReason;

/// A function that returns the value of a variable by its name.
pub(crate) type Variables<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Kinds of variables that only VS Code can resolve.
const EDITOR: [&str; 3] = ["input", "command", "config"];

/// Expands all variables in a string: `${NAME}`, `${env:NAME}`, `{env:NAME}` (OpenCode),
/// `${NAME:-default}`. As in shells, the default also applies to an empty variable. Anything else
/// in braces is kept, because it may be meant for a shell.
pub(crate) fn expand_variables(
    text: &str,
    variables: &Variables<'_>,
) -> Result<String, ErrorReason> {
    let text = text.replace("${env:", "{env:").replace("{env:", "${env:");
    let mut expanded = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(start) = rest.find("${") {
        let (before, inner) = (&rest[..start], &rest[start + 2..]);
        expanded.push_str(before);
        let Some(end) = inner.find('}') else {
            rest = &rest[start..];
            break;
        };
        match variable_value(&inner[..end], variables)? {
            Some(value) => expanded.push_str(&value),
            None => expanded.push_str(&rest[start..start + end + 3]),
        }
        rest = &inner[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Returns the value of the text in braces, or `None` if it is not a variable.
fn variable_value(inner: &str, variables: &Variables<'_>) -> Result<Option<String>, ErrorReason> {
    let inner = inner.strip_prefix("env:").unwrap_or(inner);
    if inner.split_once(':').is_some_and(|(kind, _)| EDITOR.contains(&kind)) {
        return Err(ErrorReason::EditorVariable(inner.to_owned()));
    }
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    if !is_name(name) {
        return Ok(None);
    }
    match (variables(name), default) {
        (Some(value), None) => Ok(Some(value)),
        (Some(value), Some(_)) if !value.is_empty() => Ok(Some(value)),
        (_, Some(default)) => Ok(Some(default.to_owned())),
        (None, None) => Err(ErrorReason::UnsetVariable(name.to_owned())),
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |part: char| part.is_ascii_alphanumeric() || part == '_';
    // `${/}` is VS Code's name for the path separator.
    name == "/"
        || (name.chars().all(is_part)
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(name: &str) -> Option<String> {
        let known = [("HOME", "/home/me"), ("EMPTY", ""), ("workspaceFolder", "/srv")];
        known.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn variables_are_replaced() {
        for (text, expected) in [
            ("plain", "plain"),
            ("${HOME}/x", "/home/me/x"),
            ("${env:HOME}${HOME}", "/home/me/home/me"),
            ("Bearer {env:HOME}", "Bearer /home/me"),
            ("${NONE:-d}", "d"),
            ("${NONE:-}", ""),
            ("${EMPTY:-d}", "d"),
            ("${EMPTY}", ""),
            ("${HOME:-d}", "/home/me"),
            ("${env:NONE:-http://h:1}", "http://h:1"),
            ("ü${workspaceFolder}ü", "ü/srvü"),
            // Other forms may be meant for a shell.
            ("$HOME ${HOME ${} ${1} ${a[@]} ${#a} $${", "$HOME ${HOME ${} ${1} ${a[@]} ${#a} $${"),
            ("${HOME%%/*} ${x-y}", "${HOME%%/*} ${x-y}"),
        ] {
            assert_eq!(expand_variables(text, &variables).unwrap(), expected, "{text}");
        }
        assert!(
            expand_variables("a ${NONE}", &variables).unwrap_err().to_string().contains("`NONE`")
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_reader(text: String) {
            let _ = expand_variables(&text, &variables);
        }
    }
}
