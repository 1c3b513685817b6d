//! URI templates, with errors for compiler messages.

use std::ops::Range;

use genkit_uri_template::UriTemplate;

/// An error in a URI template: the problem with its position, and the remedy.
#[derive(Debug)]
pub(super) struct UriError {
    pub(super) what: String,
    pub(super) help: String,
}

/// Parses the template, or returns all errors in it.
pub(super) fn parse_uri(text: &str) -> Result<UriTemplate, Vec<UriError>> {
    let mut mistakes: Vec<UriError> = check_scheme(text).into_iter().collect();
    match UriTemplate::parse(text) {
        Ok(template) if mistakes.is_empty() => return Ok(template),
        Ok(_) => {}
        Err(error) => {
            let end = text[error.offset().min(text.len())..].chars().next();
            let place = error.offset()..error.offset() + end.map_or(0, char::len_utf8);
            let what = match text {
                "" => "the URI template is empty".to_owned(),
                _ => format!("{} in the URI template", error.what()),
            };
            mistakes.push(UriError {
                what: format!("{what}: {}{}", error.why(), mark_position(text, &place)),
                help: error.remedy(),
            });
        }
    }
    Err(mistakes)
}

/// Checks that the template begins with a scheme. Clients use it to distinguish the resources of different servers.
fn check_scheme(template: &str) -> Option<UriError> {
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
    Some(UriError {
        what: format!("the URI template has no scheme{}", mark_position(template, &(0..end))),
        help: format!("begin it with a scheme, for example `note://{rest}`"),
    })
}

/// Returns the template on a separate line with `place` marked under it. A macro cannot point to a position inside a
/// string literal.
pub(super) fn mark_position(template: &str, place: &Range<usize>) -> String {
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
            let template = parse_uri(template).unwrap_or_else(|p| panic!("{template}: {p:?}"));
            template.variables().map(str::to_owned).collect()
        };
        assert_eq!(names("note://all"), [""; 0]);
        assert_eq!(names("note://{id}"), ["id"]);
        assert_eq!(names("file:///{+path}{?limit,page}"), ["path", "limit", "page"]);
        assert_eq!(names("a+b.c-d:x{/list*}"), ["list"]);
        let template = parse_uri("note://{a}/{+bc}").expect("it is a template");
        assert_eq!(template.position("bc"), Some(13..15));
    }

    #[test]
    fn scheme_is_needed() {
        for template in ["notes/all", "/{id}", "{id}", "1a:b", "ä:b", ":b", "a b:c"] {
            let mistakes = parse_uri(template).err().unwrap_or_default();
            assert!(mistakes.iter().any(|p| p.what.contains("no scheme")), "{template}");
        }
        assert!(parse_uri("a:b").is_ok());
    }

    #[test]
    fn any_text_is_read_to_its_end() {
        for template in ["", "{", "}", "{{{", "}}}", "{,", "ä{ö}", "{ä", "a:{b", "{+", "{*}", "{:}"]
        {
            assert!(parse_uri(template).is_err(), "{template}");
        }
    }

    #[test]
    fn marks_are_under_the_place() {
        let text = "ä://{id}";
        let at = "ä://".len();
        assert_eq!(mark_position(text, &(at..at + 4)), "\n    ä://{id}\n        ^^^^");
        assert_eq!(mark_position("", &(0..0)), "");
    }
}
