//! Tests of errors that are found without data.

use genkit_dotprompt::{Environment, PromptFile};
use serde_json::json;

fn environment(partials: &[(&str, &str)]) -> Environment {
    let builder =
        Environment::builder().helper("shout", |call| Ok(json!(call.text(0)?.to_uppercase())));
    let add = |builder: genkit_dotprompt::EnvironmentBuilder, (name, source): &(&str, &str)| {
        builder.partial(name, source).unwrap()
    };
    partials.iter().fold(builder.unwrap(), add).build()
}

fn check(environment: &Environment, source: &str) -> Vec<String> {
    let prompt = PromptFile::parse("p", source).unwrap();
    environment.check(&prompt).iter().map(ToString::to_string).collect()
}

#[test]
fn every_error_has_its_position() {
    let environment = environment(&[("known", "{{> none}}\n{{whisper a}}"), ("x/y", "")]);
    let errors = check(&environment, "{{> known}}{{> x/z}}\n{{#if never}}{{shuot a}}{{/if}}");
    assert_eq!(
        errors,
        [
            "p:1:12: unknown partial `x/z`, expected one of `known`, `x/y`; did you mean `x/y`?",
            "p:2:16: unknown helper `shuot`, expected one of `each`, `history`, `if`, `ifEquals`, `json`, `log`, `lookup`, \
             `media`, `role`, `section`, `shout`, `unless`, `unlessEquals`, `with`; did you mean `shout`?",
            "known:1:1: unknown partial `none`, expected one of `known`, `x/y`",
            "known:2:3: unknown helper `whisper`, expected one of `each`, `history`, `if`, `ifEquals`, `json`, `log`, \
             `lookup`, `media`, `role`, `section`, `shout`, `unless`, `unlessEquals`, `with`; to add a helper, call \
             `.template_helper(\"whisper\", ..)`",
        ]
    );
}

#[test]
fn optional_variable_is_not_an_error() {
    let environment = environment(&[("layout", "{{> nav}}{{> @partial-block}}")]);
    for source in [
        "{{#> none}}fallback{{/none}}",
        "{{> (lookup this \"name\")}}",
        "{{#*inline \"nav\"}}{{/inline}}{{> layout}}",
        "{{#> layout}}{{#*inline \"nav\"}}{{/inline}}{{/layout}}",
        "{{shout a}}{{#shout a}}{{/shout}}{{json (shout a)}}",
    ] {
        assert_eq!(check(&environment, source), [""; 0], "{source}");
    }
    let resolved = Environment::builder().partial_resolver(|_| None).build();
    assert_eq!(check(&resolved, "{{> any}}"), [""; 0]);
}

const SCHEMA: &str = "---\ninput:\n  schema: {city: string, days?: integer, who: {name: string}, list(array): {x: string}}\n  default: {days: 2}\n---\n";

#[test]
fn unknown_variables_where_the_schema_is_closed() {
    let unknown = |template: &str| {
        let errors = check(&environment(&[]), &format!("{SCHEMA}{template}"));
        errors.len()
    };
    for template in [
        "{{ctiy}}",
        "{{this.ctiy}}",
        "{{#if ctiy}}{{/if}}",
        "{{#unless a}}{{/unless}}",
        "{{#if city}}{{ctiy}}{{/if}}",
        "{{#if city}}{{else}}{{ctiy}}{{/if}}",
        "{{#each ctiy}}{{/each}}",
        "{{#each list}}{{else}}{{ctiy}}{{/each}}",
        "{{#each list}}{{@root.ctiy}}{{/each}}",
        "{{json ctiy}}",
        "{{json (lookup ctiy \"x\")}}",
        "{{media url=ctiy}}",
        "{{> (lookup ctiy \"x\")}}",
        "{{shout ctiy}}",
        "{{who.nmae}}",
        "{{#shout city}}{{ctiy}}{{/shout}}",
    ] {
        assert_eq!(unknown(template), 1, "{template}");
    }
    for template in [
        "{{city}}{{days}}{{who.name}}{{@auth.x}}{{@root.city}}",
        "{{#each list}}{{x}}{{y}}{{../z}}{{/each}}",
        "{{#with who}}{{x}}{{/with}}",
        "{{#who}}{{x}}{{/who}}",
        "{{#each list as |ctiy|}}{{ctiy}}{{/each}}",
        "{{list.length}}{{list.[0].x}}",
        "{{#*inline \"a\"}}{{x}}{{/inline}}",
        "{{#> none}}{{x}}{{/none}}",
        "{{shout}}",
    ] {
        assert_eq!(unknown(template), 0, "{template}");
    }
}

#[test]
fn variables_are_not_compared_with_an_open_schema() {
    for schema in ["{a: string, (*): any}", "{type: object, properties: {a: {}}}", "null", "any"] {
        let source = format!("---\ninput: {{schema: {schema}}}\n---\n{{{{b}}}}");
        assert_eq!(check(&environment(&[]), &source), [""; 0], "{schema}");
    }
}

#[test]
fn message_names_the_nearest() {
    assert_eq!(
        check(&environment(&[]), &format!("{SCHEMA}Go to {{{{ctiy}}}}")),
        [
            "p:6:7: unknown variable `ctiy`, expected one of `city`, `days`, `list`, `who`; did you mean `city`? (according to \
          `input.schema`)"
        ]
    );
}

#[test]
fn recursive_partials_are_reported() {
    let environment = environment(&[
        ("a", "x{{> b}}"),
        ("b", "{{> c}}"),
        ("c", "{{> b}}"),
        ("tree", "{{#each l}}{{> tree}}{{/each}}"),
        ("twice", "{{> leaf}}{{> leaf}}"),
        ("leaf", ""),
    ]);
    let errors = check(&environment, "{{> tree}}{{> twice}}\n{{> a}}");
    assert_eq!(errors, ["p:2:1: these partials include each other endlessly: `b` → `c` → `b`"]);
    assert_eq!(check(&environment, "{{> tree}}{{> twice}}{{#if x}}{{> a}}{{/if}}"), [""; 0]);
}

#[test]
fn unknown_schema_is_an_error() {
    let errors = check(&environment(&[]), "---\ninput:\n  schema:\n    city: strng\n---\n");
    assert!(errors[0].starts_with("p:4:5: unknown type or schema `strng`"), "{errors:?}");
    let errors = check(&environment(&[]), "---\ninput:\n  schema: Recipe\n---\n");
    let remedy = "; to use a Rust type, register it: `schemas(Recipe)` in `prompts!` or `.schema_of::<Recipe>()`";
    assert!(errors[0].ends_with(remedy), "{errors:?}");
}

#[test]
fn field_named_type_is_a_warning() {
    let warnings = |schema: &str| {
        let source = format!("---\noutput:\n  schema:\n    {schema}\n---\n");
        let prompt = PromptFile::parse("p", &source).unwrap();
        let warnings = environment(&[]).warnings(&prompt);
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let found = warnings("type: string\n    name: string");
    assert!(found[0].starts_with("p:5:5: this is read as JSON Schema"), "{found:?}");
    assert_eq!(warnings("type: object\n    properties: {name: {type: string}}"), [""; 0]);
    assert_eq!(warnings("type: string, the kind\n    name: string"), [""; 0]);
}

#[test]
fn frontmatter_that_would_go_to_the_model() {
    let found = |source| check(&environment(&[]), source).join("\n");
    let never = found("# mine\n---\nmodel: a/b\nHi");
    assert!(
        never.starts_with(
            "p:2:1: the frontmatter is read as part of the template: `---` is never closed"
        ),
        "{never}"
    );
    assert!(found("---\nmodel: a/b\n---").starts_with("p:3:1: "));
    assert!(found("\u{feff}---\nmodel: a/b\n---\nHi").contains("byte order mark"));
    assert_eq!(found("{{! }}\n---\nHi"), "");
    assert_eq!(found("---\nmodel: a/b\n---\nHi\n---\n"), "");
}
