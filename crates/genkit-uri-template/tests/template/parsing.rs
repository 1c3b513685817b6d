//! Tests of templates that are accepted or rejected.

use std::cmp::Ordering;

use genkit_uri_template::{MAX_TEMPLATE_BYTES, MAX_VARIABLES};

use super::{refused, template};

#[test]
fn errors_are_reported_with_their_position() {
    for (text, offset, what) in [
        ("", 0, "an empty template"),
        ("a{", 1, "a `{`"),
        ("a{id", 1, "a `{`"),
        ("a}b", 1, "a `}`"),
        ("é}b", 2, "a `}`"),
        ("a{b{c}}", 3, "a `{`"),
        ("a{}", 1, "`{}`"),
        ("a{?}", 3, "a variable"),
        ("a{x,}", 4, "a variable"),
        ("a{,x}", 2, "the operator `,`"),
        ("a{=x}", 2, "the operator `=`"),
        ("a{*}", 2, "a variable"),
        ("a{x*y}", 3, "the character '*' in a name"),
        ("a{x y}", 3, "the character ' ' in a name"),
        ("a{x-y}", 3, "the character '-' in a name"),
        ("a{x.}", 3, "the character '.' in a name"),
        ("a{x..y}", 3, "the character '.' in a name"),
        ("a{é}", 2, "the character 'é' in a name"),
        ("a{x%4}", 3, "the character '%' in a name"),
        ("a{x:3}", 3, "the prefix `:3`"),
        ("a{x}/{x}", 6, "the variable `x`"),
        ("a b", 1, "the character ' '"),
        ("a<", 1, "the character '<'"),
        ("a%zz", 1, "a `%`"),
        ("a%", 1, "a `%`"),
        ("é\u{7}", 2, "the character '\\u{7}'"),
    ] {
        let error = refused(text);
        assert_eq!((error.offset(), error.what().as_str()), (offset, what), "{text}");
    }
}

#[test]
fn ambiguous_template_is_rejected() {
    for (text, offset) in [
        ("a{x}{y}", 4),
        ("a{x}{+y}", 4),
        ("a{x}{.y}", 4),
        ("a{+x}{/y}", 5),
        ("a{+x}{;y}", 5),
        ("a{/x*}{/y}", 6),
        ("a{+x,y}", 5),
        ("a{#x,y}", 5),
        ("a{.x,y}", 5),
        ("a{+x*}", 3),
        ("a{#x*}", 3),
        ("a{.x*}", 3),
        ("a{x*,y}", 5),
        ("a{/x*,y}", 6),
        ("a{?x}b", 5),
        ("a{?x}{y}", 5),
        ("a{?x}{?y}", 5),
        ("a?b{?x}", 3),
        ("a#b{?x}", 3),
        ("a#b{#x}", 3),
        ("a{&x}", 1),
        ("a?b={y}{&x}", 7),
        ("a{#x}b", 5),
        ("a{#x}{?y}", 5),
    ] {
        assert_eq!(refused(text).offset(), offset, "{text}: {}", refused(text));
    }
}

#[test]
fn error_messages_state_problem_cause_and_remedy() {
    let expected = "the prefix `:3` at byte 10 of the URI template: a truncated value cannot be read back \
                    from a URI; write `{id}`";
    assert_eq!(refused("note://{id:3}").to_string(), expected);
    let expected = "`{b}` right after `{a}` at byte 10 of the URI template: a URI does not show where the first value \
                    ends; put text between them, such as `/`";
    assert_eq!(refused("note://{a}{b}").to_string(), expected);
}

#[test]
fn unambiguous_template_is_accepted() {
    for (text, names) in [
        ("note://all", &[][..]),
        ("{id}", &["id"]),
        ("note://{id}", &["id"]),
        ("a/{x}{/y,z*}{;p,q*}{?r}{&s}{#t}", &["x", "y", "z", "p", "q", "r", "s", "t"]),
        ("a{/x}{/y}", &["x", "y"]),
        ("{+x}{?y}{#z}", &["x", "y", "z"]),
        ("a?b=c{&x}", &["x"]),
        ("a?b={x}", &["x"]),
        ("a{x.y}/{_}/{a1}/{%C3%A9}", &["x.y", "_", "a1", "%C3%A9"]),
        ("it's{.x}", &["x"]),
    ] {
        let template = template(text);
        assert_eq!(template.variables().collect::<Vec<_>>(), names, "{text}");
        assert_eq!(template.is_static(), names.is_empty(), "{text}");
        assert_eq!(template.to_string(), text);
    }
}

#[test]
fn limits_hold_one_below_and_one_above() {
    template(&"a".repeat(MAX_TEMPLATE_BYTES));
    assert_eq!(refused(&"a".repeat(MAX_TEMPLATE_BYTES + 1)).offset(), MAX_TEMPLATE_BYTES);
    let variables = |count: usize| (0..count).map(|n| format!("/{{v{n}}}")).collect::<String>();
    template(&variables(MAX_VARIABLES));
    assert_eq!(
        refused(&variables(MAX_VARIABLES + 1)).what(),
        format!("the variable `v{MAX_VARIABLES}`")
    );
}

#[test]
fn more_specific_is_greater() {
    let order = [
        "note://all",
        "note://{id}/text",
        "note://{id}",
        "note://{a}{/b}",
        "note://{+id}",
        "{+all}",
    ];
    for pair in order.windows(2) {
        let [more, less] = [pair[0], pair[1]].map(|text| template(text).specificity());
        assert_eq!(more.cmp(&less), Ordering::Greater, "{pair:?}");
    }
    let same = ["note://{a}", "note://{b}"].map(|text| template(text).specificity());
    assert_eq!(same[0], same[1]);
}

/// `messages.txt` contains pairs of lines: a template, and its message, indented.
#[test]
fn each_error_has_its_message() {
    let lines: Vec<&str> = include_str!("messages.txt").lines().collect();
    assert_eq!(lines.len(), 52);
    for pair in lines.chunks(2) {
        assert_eq!(refused(pair[0]).to_string(), pair[1].trim_start(), "{}", pair[0]);
    }
    let too_long = refused(&"a".repeat(3_000)).to_string();
    assert_eq!(
        too_long,
        "a template of 3000 bytes at byte 2048 of the URI template: it is too long; use at most 2048 bytes"
    );
    let many: String = (0..17).map(|n| format!("/{{v{n}}}")).collect();
    let too_many = refused(&many).to_string();
    assert_eq!(
        too_many,
        "the variable `v16` at byte 88 of the URI template: the template has too many variables; use at most 16 variables"
    );
}
