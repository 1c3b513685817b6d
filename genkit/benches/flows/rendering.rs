//! Five messages, some with a loop or a condition.

use std::hint::black_box;

use genkit_dotprompt::{Data, Environment, Metadata, PromptFile};
use handlebars::{
    Context, Handlebars, Helper, Output, RenderContext, RenderErrorReason, no_escape,
};
use serde_json::{Value, json};

use super::table::Figure;
use super::time;

const CALLS: u32 = 20_000;

const MICROSECOND: f64 = 1e3;

const TEMPLATE: &str = r#"{{role "system"}}
You plan trips for {{company.name}}. Answer in {{language}}, in at most {{words}} words.
{{#if rules}}
Rules:
{{#each rules}}
- {{this}}
{{/each}}
{{/if}}
{{role "user"}}
I want to go to {{city}} for {{days}} days.
{{role "model"}}
What do you like?
{{role "user"}}
{{#each likes}}
{{@index}}. {{name}}: {{#if much}}a lot{{else}}a little{{/if}}
{{/each}}
{{role "user"}}
My budget is {{budget.amount}} {{budget.currency}}.
"#;

fn input() -> Value {
    json!({
        "company": {"name": "Example Travel"},
        "language": "English",
        "words": 200,
        "rules": ["Be kind.", "No flights.", "Name the prices."],
        "city": "Rome",
        "days": 3,
        "likes": [
            {"name": "museums", "much": true},
            {"name": "food", "much": true},
            {"name": "walks", "much": false},
        ],
        "budget": {"amount": 1200, "currency": "EUR"},
    })
}

/// Writes `{{role "x"}}` as a marker, because a text engine cannot produce messages.
fn role(
    helper: &Helper<'_>,
    _: &Handlebars<'_>,
    _: &Context,
    _: &mut RenderContext<'_, '_>,
    out: &mut dyn Output,
) -> Result<(), handlebars::RenderError> {
    let role = helper.param(0).and_then(|param| param.value().as_str());
    let role = role.ok_or(RenderErrorReason::ParamNotFoundForIndex("role", 0))?;
    out.write("<<<role:")?;
    out.write(role)?;
    out.write(">>>")?;
    Ok(())
}

/// Measures rendering. Genkit produces messages; the other engine produces one text with markers, which is less work.
pub(crate) fn five_messages(title: &str) -> Figure {
    let environment = Environment::default();
    let prompt = PromptFile::parse("bench", TEMPLATE).unwrap();
    let data = Data::from_input(input());
    let options = Metadata::default();
    let mut handlebars = Handlebars::new();
    handlebars.register_escape_fn(no_escape);
    handlebars.register_helper("role", Box::new(role));
    handlebars.register_template_string("bench", TEMPLATE).unwrap();
    let context = Context::from(input());
    let messages = environment.render(&prompt, &data, &options).unwrap().messages;
    let text = handlebars.render_with_context("bench", &context).unwrap();
    assert_eq!(messages.len(), 5);
    // The text is the same except for the separators of messages.
    let own: String = messages.iter().map(|message| message.text()).collect();
    let theirs: String =
        text.split("<<<role:").map(|part| part.split_once(">>>").map_or("", |p| p.1)).collect();
    assert_eq!(own, theirs);
    let theirs = move || {
        time::of_one(CALLS, || {
            black_box(handlebars.render_with_context("bench", black_box(&context))).unwrap();
        }) / MICROSECOND
    };
    let ours = move || {
        time::of_one(CALLS, || {
            black_box(environment.render(black_box(&prompt), &data, &options)).unwrap();
        }) / MICROSECOND
    };
    Figure {
        title: title.to_owned(),
        sides: vec![("the crate handlebars", Box::new(theirs)), ("ours", Box::new(ours))],
        budget: Some(0.5),
    }
}
