//! URI templates (RFC 6570, as far as a template can also be matched against an address).

use std::ops::Range;

/// A variable and its place in the template, in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) place: Range<usize>,
}

/// What is wrong at one place.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) place: Range<usize>,
    pub(crate) what: String,
    pub(crate) help: String,
}

/// The variables of `template`, or everything that is wrong with it.
pub(crate) fn parse(template: &str) -> Result<Vec<Variable>, Vec<Problem>> {
    let mut reader = Reader { template, variables: Vec::new(), problems: Vec::new() };
    reader.read();
    if reader.problems.is_empty() { Ok(reader.variables) } else { Err(reader.problems) }
}

struct Reader<'a> {
    template: &'a str,
    variables: Vec<Variable>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn read(&mut self) {
        if self.template.trim().is_empty() {
            let help = "write an address: `note://all`, or with variables `note://{id}`";
            return self.problem(0..self.template.len(), "the template is empty", help);
        }
        self.scheme();
        let bytes = self.template.as_bytes();
        let mut at = 0;
        let mut after_expression = false;
        while at < bytes.len() {
            match bytes[at] {
                b'{' => {
                    let end = bytes[at + 1..].iter().position(|b| matches!(b, b'{' | b'}'));
                    let Some(end) = end.filter(|end| bytes[at + 1 + end] == b'}') else {
                        let to = at + 1 + end.unwrap_or(bytes.len() - at - 1);
                        self.problem(at..to, "this `{` is never closed", "close it with `}`");
                        at = to;
                        continue;
                    };
                    let end = at + 1 + end;
                    self.expression(at..end + 1, after_expression);
                    after_expression = true;
                    at = end + 1;
                    continue;
                }
                b'}' => self.problem(
                    at..at + 1,
                    "this `}` closes nothing",
                    "open a variable with `{`, or write `%7D` for the character",
                ),
                byte => self.literal(at, byte),
            }
            after_expression = false;
            at += 1;
        }
    }

    /// An address begins with a scheme, which clients use to tell servers' resources apart.
    fn scheme(&mut self) {
        let end = self.template.find([':', '{', '/', '?', '#']).unwrap_or(self.template.len());
        let scheme = &self.template[..end];
        let is_scheme = self.template[end..].starts_with(':')
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        if !is_scheme {
            let to = end.max(1).min(self.template.len());
            self.problem(
                0..to,
                "the template has no scheme: a URI begins with a name and `:`",
                format!("for example `note://{}`", self.template.trim_start_matches(['/', ':'])),
            );
        }
    }

    fn literal(&mut self, at: usize, byte: u8) {
        if byte <= b' ' || byte == 0x7f || b"\"<>\\^`|".contains(&byte) {
            self.problem(
                at..at + 1,
                "this character cannot stand in a URI",
                format!("write `%{byte:02X}` for it"),
            );
        }
    }

    /// One `{…}`, whose braces are at both ends of `whole`.
    fn expression(&mut self, whole: Range<usize>, adjacent: bool) {
        let inner = &self.template[whole.start + 1..whole.end - 1];
        let operator =
            inner.chars().next().filter(|c| c.is_ascii_punctuation() && !"_,%*:".contains(*c));
        if let Some(unknown) = operator.filter(|c| !"+#./;?&".contains(*c)) {
            return self.problem(
                whole.start + 1..whole.start + 2,
                &format!("`{unknown}` is no operator of URI templates"),
                "the operators are `+`, `#`, `.`, `/`, `;`, `?` and `&`; most variables need none",
            );
        }
        let names = if operator.is_some() { &inner[1..] } else { inner };
        if adjacent && operator.is_none_or(|c| c == '+') {
            self.problem(
                whole.clone(),
                "two variables touch: an address does not say where one ends",
                "put a literal between them: `{a}/{b}`",
            );
        }
        let mut at = whole.end - 1 - names.len();
        for name in names.split(',') {
            self.variable(at..at + name.len(), whole.clone());
            at += name.len() + 1;
        }
    }

    fn variable(&mut self, place: Range<usize>, whole: Range<usize>) {
        let written = &self.template[place.clone()];
        let name = written.strip_suffix('*').unwrap_or(written);
        if name.trim().is_empty() {
            let help = "name the argument that it fills: `{id}`";
            return self.problem(whole, "a variable without a name", help);
        }
        if let Some((name, _)) = name.split_once(':') {
            return self.problem(
                place,
                "a prefix variable gives only the first characters, and no argument can be made of \
                 them",
                format!("write `{{{name}}}`"),
            );
        }
        if !name.chars().all(is_name) || name.starts_with(|c: char| c.is_ascii_digit()) {
            return self.problem(
                place,
                &format!("`{name}` is no name of a variable"),
                "use letters, digits and `_`, as in the argument's name",
            );
        }
        if self.variables.iter().any(|variable| variable.name == name) {
            return self.problem(
                place,
                &format!("the variable `{name}` is there twice"),
                "give each its own name and argument",
            );
        }
        self.variables.push(Variable { name: name.to_owned(), place });
    }

    fn problem(&mut self, place: Range<usize>, what: &str, help: impl Into<String>) {
        self.problems.push(Problem { place, what: what.to_owned(), help: help.into() });
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The template on a line of its own, with `place` marked under it: a string literal has no
/// place inside itself that a macro could point to.
pub(crate) fn marked(template: &str, place: &Range<usize>) -> String {
    let width = |text: &str| text.chars().count();
    let before = " ".repeat(width(&template[..place.start]));
    let marks = "^".repeat(width(&template[place.clone()]).max(1));
    format!("\n    {template}\n    {before}{marks}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(template: &str) -> Vec<String> {
        let variables = parse(template).unwrap_or_else(|p| panic!("{template}: {p:?}"));
        variables.into_iter().map(|variable| variable.name).collect()
    }

    fn problems(template: &str) -> Vec<(String, String)> {
        let problems = parse(template).err().unwrap_or_default();
        problems.into_iter().map(|p| (template[p.place].to_owned(), p.what)).collect()
    }

    #[test]
    fn variables_in_order() {
        assert_eq!(names("note://all"), [""; 0]);
        assert_eq!(names("note://{id}"), ["id"]);
        assert_eq!(names("file:///{+path}{?limit,page}"), ["path", "limit", "page"]);
        assert_eq!(names("a+b.c-d:x{/list*}"), ["list"]);
    }

    #[test]
    fn every_problem_is_found_at_its_place() {
        let cases = [
            ("", "", "the template is empty"),
            ("note://{id", "{id", "this `{` is never closed"),
            ("note://{a{b}", "{a", "this `{` is never closed"),
            ("note://id}", "}", "this `}` closes nothing"),
            ("note://{}", "{}", "a variable without a name"),
            ("note://{a,}", "{a,}", "a variable without a name"),
            ("note://{a b}", "a b", "`a b` is no name of a variable"),
            ("note://{1a}", "1a", "`1a` is no name of a variable"),
            ("note://{!a}", "!", "`!` is no operator of URI templates"),
            ("note://{a}/{a}", "a", "the variable `a` is there twice"),
            ("note://{a}{b}", "{b}", "two variables touch: an address does not say where one ends"),
            ("note {a}", "note ", "the template has no scheme: a URI begins with a name and `:`"),
            ("/{a}", "/", "the template has no scheme: a URI begins with a name and `:`"),
            ("note://a b", " ", "this character cannot stand in a URI"),
        ];
        for (template, place, what) in cases {
            assert!(
                problems(template).contains(&(place.to_owned(), what.to_owned())),
                "{template}: {:?}",
                problems(template)
            );
        }
        assert!(problems("note://{v:3}")[0].1.starts_with("a prefix variable"));
    }

    #[test]
    fn several_problems_are_reported_together() {
        assert_eq!(problems("note/{}/{x:2}").len(), 3);
    }

    #[test]
    fn any_text_is_read_to_its_end() {
        for template in
            ["{", "}", "{{{", "}}}", "{,", "ä{ö}", "{ä", "a:{b", "{+", "{+}", "{*}", "{:}"]
        {
            let _ = parse(template);
        }
    }

    #[test]
    fn marks_are_under_the_place() {
        assert_eq!(
            marked("ä://{id}", &("ä://".len().."ä://{id}".len())),
            "\n    ä://{id}\n        ^^^^"
        );
    }
}
