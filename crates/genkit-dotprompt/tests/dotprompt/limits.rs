//! Tests of the limits of a rendering.

use genkit_dotprompt::{Data, Environment, Error, Limits, PromptFile, Rendered};
use serde_json::{Value, json};

fn render(environment: &Environment, template: &str, input: Value) -> Result<Rendered, Error> {
    let prompt = PromptFile::parse("p", template)?;
    environment.render(&prompt, &Data::from_input(input), &Default::default())
}

fn with_partials(partials: &[(&str, &str)], limits: Limits) -> Environment {
    let builder = Environment::builder().limits(limits);
    let add = |builder: genkit_dotprompt::EnvironmentBuilder, (name, source): &(&str, &str)| {
        builder.partial(name, source).unwrap()
    };
    partials.iter().fold(builder, add).build()
}

/// Returns a template that includes `{{> a}}` inside a number of nested blocks.
fn deep(blocks: usize) -> String {
    let open = "{{#each l}}".repeat(blocks);
    let close = "{{/each}}".repeat(blocks);
    format!("{open}{{{{> a}}}}{close}")
}

#[test]
fn endless_partials_end_on_a_small_stack() {
    for blocks in [0, 1, 3, 60] {
        let source = deep(blocks);
        let thread = std::thread::Builder::new().stack_size(1536 * 1024).spawn(move || {
            let environment = with_partials(&[("a", &source)], Limits::default());
            let mut list = json!([1]);
            for _ in 0..400 {
                list = json!([{"l": list}]);
            }
            let error = render(&environment, "{{> a}}", json!({"l": list})).map(|_| ());
            error.map_err(|error| error.to_string())
        });
        let result = thread.unwrap().join().expect("the stack is large enough");
        if blocks == 0 {
            let error = result.unwrap_err();
            assert!(error.contains("partials are nested more than 64 deep"), "{error}");
        }
    }
}

#[test]
fn recursion_over_data_is_legal() {
    let environment = with_partials(
        &[("node", "({{name}}{{#each children}}{{> node}}{{/each}})")],
        Limits::default(),
    );
    let mut tree = json!({"name": 0});
    for depth in 1..60 {
        tree = json!({"name": depth, "children": [tree]});
    }
    let rendered = render(&environment, "{{> node}}", tree).unwrap();
    assert!(rendered.messages[0].text().starts_with("(59(58(57"));
}

#[test]
fn partials_within_each_other_are_counted() {
    let tree = |depth| (0..depth).fold(json!([]), |list, _| json!([list]));
    let environment = with_partials(
        &[("a", "{{#each this}}{{> a}}{{/each}}.")],
        Limits::default().partial_depth(5),
    );
    assert!(render(&environment, "{{> a l}}", json!({"l": tree(4)})).is_ok());
    let error = render(&environment, "{{> a l}}", json!({"l": tree(5)})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a:1:15: partials are nested more than 5 deep; the innermost partial is `a`"
    );
}

#[test]
fn nested_loops_exceed_the_step_limit() {
    let template = "{{#each l}}{{#each @root.l}}{{#each @root.l}}{{/each}}{{/each}}{{/each}}";
    let input = json!({"l": vec![0; 10_000]});
    let error = render(&Environment::default(), template, input).unwrap_err();
    assert!(error.to_string().contains("more than 1000000 steps"), "{error}");
}

#[test]
fn limit_of_steps_is_exact() {
    let environment = |steps| with_partials(&[], Limits::default().steps(steps));
    // Each of the three items costs two steps, one for its text and one for the iteration; the block costs one.
    let run = |steps| render(&environment(steps), "{{#each l}}x{{/each}}", json!({"l": [1, 2, 3]}));
    assert!(run(7).is_ok());
    assert!(run(6).is_err());
}

/// Each tag in the list reads or copies at least 640 bytes of the data for each item.
#[test]
fn bytes_of_the_data_cost_steps() {
    let input = json!({
        "big": "x".repeat(640),
        "same": "x".repeat(640),
        "many": vec![0; 1000],
        "l": vec![0; 10],
    });
    let given = |steps| {
        let limits = Limits::default().steps(steps);
        let builder = Environment::builder().limits(limits).partial("row", "").unwrap();
        builder.helper("none", |_| Ok(Value::Null)).unwrap().build()
    };
    for tag in [
        "{{#if ../big.length}}{{/if}}",
        "{{#if @root.big.[9]}}{{/if}}",
        "{{#if (lookup ../big \"length\")}}{{/if}}",
        "{{#if (lookup ../big 9)}}{{/if}}",
        "{{#if (json ../big)}}{{/if}}",
        "{{#if (json ../many)}}{{/if}}",
        "{{#ifEquals ../big ../same}}{{/ifEquals}}",
        "{{#with ../big}}{{#with @root.same}}{{/with}}{{/with}}",
        "{{none ../big}}",
        "{{none a=../many}}",
        "{{> row .. a=1}}",
        "{{> row a=../many}}",
    ] {
        let template = format!("{{{{#each l}}}}{tag}{{{{/each}}}}");
        // Without the charge for bytes, each of the ten items costs two to five steps.
        let error = render(&given(100), &template, input.clone()).map(|_| ()).expect_err(tag);
        assert!(error.to_string().contains("more than 100 steps"), "{tag}: {error}");
        assert!(render(&given(100_000), &template, input.clone()).is_ok(), "{tag}");
        let small = json!({"big": "x", "same": "x", "many": [0], "l": vec![0; 10]});
        assert!(render(&given(100), &template, small).is_ok(), "{tag}");
    }
}

#[test]
fn output_is_bounded_in_bytes_and_parts() {
    let environment = with_partials(&[], Limits::default().output_bytes(10).parts(4));
    let run = |template: &str| {
        let rendered = render(&environment, template, json!({"t": "12345", "m": {"a": 1}}));
        rendered.map_err(|error| error.to_string())
    };
    assert!(run("{{t}}{{t}}").is_ok());
    assert!(run("{{t}}{{t}}x").unwrap_err().contains("larger than 10 bytes"));
    assert!(run("{{media url=\"1234567890\"}}").is_ok());
    assert!(run("{{media url=\"12345678901\"}}").unwrap_err().contains("larger than 10 bytes"));
    assert!(run("{{json m indent=9}}").unwrap_err().contains("larger than 10 bytes"));
    // A message counts as much as a part.
    assert!(run("{{section \"a\"}}{{section \"b\"}}{{section \"c\"}}").is_ok());
    let error = run("{{section \"a\"}}{{section \"b\"}}{{section \"c\"}}{{section \"d\"}}");
    assert!(error.unwrap_err().contains("more than 4 messages and parts"));
}

#[test]
fn history_insertions_are_limited() {
    let prompt = |times: usize| PromptFile::parse("p", &"{{history}}".repeat(times)).unwrap();
    let data = Data {
        messages: vec![json!({"role": "user", "content": [{"text": "x"}]})],
        ..Data::default()
    };
    let render = |times| Environment::default().render(&prompt(times), &data, &Default::default());
    assert_eq!(render(16).unwrap().messages.len(), 16);
    assert!(render(17).unwrap_err().to_string().contains("more than 16 times"));
}

#[test]
fn template_is_bounded_where_it_is_read() {
    let parse = |source: &str| PromptFile::parse("p", source).map(|_| ());
    let blocks = |n: usize| "{{#if a}}".repeat(n) + &"{{/if}}".repeat(n);
    assert!(parse(&blocks(64)).is_ok());
    assert!(
        parse(&blocks(65)).unwrap_err().to_string().contains("blocks are nested more than 64 deep")
    );
    let calls = |n: usize| format!("{{{{lookup {}a{} 1}}}}", "(json ".repeat(n), ")".repeat(n));
    assert!(parse(&calls(16)).is_ok());
    assert!(
        parse(&calls(17))
            .unwrap_err()
            .to_string()
            .contains("subexpressions are nested more than 16 deep")
    );
    let large = "x".repeat(genkit_dotprompt::MAX_SOURCE_BYTES);
    assert!(parse(&large).is_ok());
    assert!(parse(&(large + "x")).unwrap_err().to_string().contains("larger than 1048576 bytes"));
}

#[test]
fn yaml_is_bounded() {
    let parse = |yaml: &str| {
        let file = PromptFile::parse("p", &format!("---\n{yaml}\n---\nx"));
        file.map(|_| ()).map_err(|error| error.to_string())
    };
    let nested = |n: usize| format!("a: {}{}", "[".repeat(n), "]".repeat(n));
    assert!(parse(&nested(63)).is_ok());
    assert!(
        parse(&nested(64))
            .unwrap_err()
            .starts_with("p:2:67: maps and lists are nested more than 64 deep")
    );
    // Aliases of aliases: a billion values in ten lines.
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..10 {
        let before = format!("*a{}", i - 1);
        laughs += &format!("a{i}: &a{i} [{}]\n", [before.as_str(); 10].join(", "));
    }
    assert!(parse(laughs.trim_end()).unwrap_err().contains("more than 50000 values"));
    assert!(parse("a: &a [*a]").is_err());
    let large = format!("a: {}", "x".repeat(genkit_dotprompt::MAX_FRONTMATTER_BYTES - 3));
    assert!(parse(&large).is_ok());
    assert!(parse(&(large + "x")).unwrap_err().contains("larger than 262144 bytes"));
}
