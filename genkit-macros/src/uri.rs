//! What a macro says of a URI template.

use std::ops::Range;

use crate::uri_template;

/// A variable and its place in the template, in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) place: Range<usize>,
}

/// What is wrong, with the place, and how to mend it.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) what: String,
    pub(crate) help: String,
}

/// The variables of `template`, or what is wrong with it.
pub(crate) fn parse(template: &str) -> Result<Vec<Variable>, Vec<Problem>> {
    let mut problems: Vec<Problem> = scheme(template).into_iter().collect();
    match uri_template::variables(template) {
        Ok(variables) if problems.is_empty() => Ok(variables
            .into_iter()
            .map(|(name, at)| Variable { place: at..at + name.len(), name })
            .collect()),
        Ok(_) => Err(problems),
        Err(error) => {
            let end = template[error.offset.min(template.len())..].chars().next();
            let place = error.offset..error.offset + end.map_or(0, char::len_utf8);
            let what = match template {
                "" => "the URI template is empty".to_owned(),
                _ => format!("{} in the URI template", error.what),
            };
            problems.push(Problem {
                what: format!("{what}: {}{}", error.why, marked(template, &place)),
                help: error.remedy,
            });
            Err(problems)
        }
    }
}

/// An address begins with a scheme: clients tell the resources of servers apart by it.
fn scheme(template: &str) -> Option<Problem> {
    let end = template.find([':', '{', '/', '?', '#']).unwrap_or(template.len());
    let scheme = &template[..end];
    let is_scheme = template[end..].starts_with(':')
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if is_scheme || template.is_empty() {
        return None;
    }
    let end = if end == 0 { template.chars().next().map_or(0, char::len_utf8) } else { end };
    let rest = template.trim_start_matches(['/', ':']);
    Some(Problem {
        what: format!(
            "the URI template has no scheme: a URI begins with a name and `:`{}",
            marked(template, &(0..end))
        ),
        help: format!("for example `note://{rest}`"),
    })
}

/// The template on a line of its own, with `place` marked under it: a string literal has no
/// place inside itself that a macro could point to.
pub(crate) fn marked(template: &str, place: &Range<usize>) -> String {
    let parts = template.get(..place.start).zip(template.get(place.clone()));
    let Some((before, marked)) = parts.filter(|_| !template.is_empty()) else {
        return String::new();
    };
    let indent = " ".repeat(before.chars().count());
    let marks = "^".repeat(marked.chars().count().max(1));
    format!("\n    {template}\n    {indent}{marks}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_in_order() {
        let names = |template| -> Vec<String> {
            let variables = parse(template).unwrap_or_else(|p| panic!("{template}: {p:?}"));
            variables.into_iter().map(|variable| variable.name).collect()
        };
        assert_eq!(names("note://all"), [""; 0]);
        assert_eq!(names("note://{id}"), ["id"]);
        assert_eq!(names("file:///{+path}{?limit,page}"), ["path", "limit", "page"]);
        assert_eq!(names("a+b.c-d:x{/list*}"), ["list"]);
        let variables = parse("note://{a}/{+bc}").expect("it is a template");
        assert_eq!(variables[1], Variable { name: "bc".to_owned(), place: 13..15 });
    }

    #[test]
    fn a_scheme_is_needed() {
        for template in ["notes/all", "/{id}", "{id}", "1a:b", "ä:b", ":b", "a b:c"] {
            let problems = parse(template).err().unwrap_or_default();
            assert!(problems.iter().any(|p| p.what.contains("no scheme")), "{template}");
        }
        assert!(parse("a:b").is_ok());
    }

    #[test]
    fn any_text_is_read_to_its_end() {
        for template in ["", "{", "}", "{{{", "}}}", "{,", "ä{ö}", "{ä", "a:{b", "{+", "{*}", "{:}"]
        {
            assert!(parse(template).is_err(), "{template}");
        }
    }

    #[test]
    fn marks_are_under_the_place() {
        let text = "ä://{id}";
        let at = "ä://".len();
        assert_eq!(marked(text, &(at..at + 4)), "\n    ä://{id}\n        ^^^^");
        assert_eq!(marked("", &(0..0)), "");
    }
}
