//! Selection of tools and their arguments.

use genkit::serde_json::json;

use super::{add, ask, notes, request, shown, tool, weather};
use crate::answer;
use genkit::model::{ToolChoice, ToolDefinition};

/// Checks each prompt against the expected calls, or against a prefix of the expected response.
fn check(tools: &[ToolDefinition], cases: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (prompt, wanted) in cases {
        let found = ask(prompt, tools);
        let same = match wanted.strip_suffix('…') {
            Some(start) => found.starts_with(start),
            None => found == *wanted,
        };
        if !same {
            wrong += &format!("\n{prompt}\nwanted {wanted}\nfound  {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn names_quotes_and_plain_words() {
    check(
        &[weather(), add()],
        &[
            ("What is the weather in Baltimore?", r#"get_weather {"city":"Baltimore"}"#),
            ("what's the weather in paris", r#"get_weather {"city":"paris"}"#),
            ("weather in san francisco tomorrow", r#"get_weather {"city":"san francisco"}"#),
            ("How is New York City's weather today?", r#"get_weather {"city":"New York City"}"#),
            ("Weather for Rio de Janeiro please", r#"get_weather {"city":"Rio de Janeiro"}"#),
            ("Get the weather in 'l’Île d’Yeu'.", r#"get_weather {"city":"l’Île d’Yeu"}"#),
            ("Weather, city: Rio, unit: celsius", r#"get_weather {"city":"Rio","unit":"celsius"}"#),
            ("WHAT IS THE WEATHER IN PARIS", r#"get_weather {"city":"PARIS"}"#),
            (
                "Is the weather in Celsius nice in Rome?",
                r#"get_weather {"city":"Rome","unit":"celsius"}"#,
            ),
            ("Wie ist das Wetter in Baltimore?", "I am genkit's offline model…"),
            ("Hello, what can you do?", "I am genkit's offline model…"),
            ("", "I am genkit's offline model…"),
            (
                "What is the weather today?",
                "`get_weather` needs `city` (The city. Any language.), which the message does not \
                 contain. I am genkit's offline model and only match words.",
            ),
        ],
    );
}

#[test]
fn numbers_in_order() {
    check(
        &[weather(), add()],
        &[
            ("What is 2 plus 40?", r#"add {"a":2,"b":40}"#),
            ("Add 2 and 40", r#"add {"a":2,"b":40}"#),
            ("2+40", r#"add {"a":2,"b":40}"#),
            ("the sum of -2 and 1,000", r#"add {"a":-2,"b":1000}"#),
            ("add b=3, a=4", r#"add {"a":4,"b":3}"#),
            ("Add 2", "`add` needs `b` (not described), which…"),
            ("Add 2.5 and 1", "`add` needs `b`…"),
        ],
    );
}

#[test]
fn phrases_behind_the_words_of_a_tool() {
    check(
        &notes(),
        &[
            ("Add a note to buy milk", r#"add_note {"text":"buy milk"}"#),
            ("Add a note: call Bob at 10:30!", r#"add_note {"text":"call Bob at 10:30"}"#),
            (
                "Please add the note \"buy milk\" with the tags 'home'",
                r#"add_note {"text":"buy milk","tags":["home"]}"#,
            ),
            ("List my notes", "list_notes {}"),
            ("What notes do I have?", "list_notes {}"),
            ("Search my notes for milk", r#"search_notes {"query":"milk"}"#),
            ("Find notes about milk", r#"search_notes {"query":"milk"}"#),
            ("delete note 3", r#"delete_note {"id":3}"#),
            ("delete note 0", "`delete_note` needs `id`…"),
        ],
    );
}

#[test]
fn arguments_by_their_schema() {
    let text = json!({"type": "string"});
    let mail = tool(
        "send_email",
        "Sends an email.",
        json!({"to": text, "subject": text, "body": text, "urgent": {"type": "boolean"}}),
        json!(["to", "subject", "body"]),
    );
    let fly = tool(
        "book_flight",
        "Books a flight.",
        json!({
            "destination": text, "seats": {"type": "integer", "default": 1},
            "seat_class": {"oneOf": [{"const": "first_class"}, {"const": "economy"}]},
            "meal": {"type": "object", "properties": {"kind": text}, "required": ["kind"]},
        }),
        json!(["destination", "seats", "meal"]),
    );
    let mean = tool(
        "mean",
        "Computes the mean.",
        json!({"values": {"type": "array", "items": {"type": "number", "maximum": 9}}}),
        json!(["values"]),
    );
    let pizza = tool(
        "order_pizza",
        "Orders a pizza.",
        json!({"size": {"enum": ["small", "large"]}, "to": {"type": "array", "items": text}}),
        json!(["size", "to"]),
    );
    let look = tool("lookup_word", "", json!({"word": text}), json!([]));
    check(
        &[mail, fly, mean, pizza, look],
        &[
            (
                "Send an urgent email to Bob with the subject 'Hi' and body 'See you'",
                r#"send_email {"to":"Bob","subject":"Hi","body":"See you","urgent":true}"#,
            ),
            (
                "Send an email, to: Ada Lovelace, subject: Milk, body: Buy it",
                r#"send_email {"to":"Ada Lovelace","subject":"Milk","body":"Buy it"}"#,
            ),
            (
                "Book a flight to Rio de Janeiro, first class, 2 seats, kind: vegan",
                r#"book_flight {"destination":"Rio de Janeiro","seats":2,"seat_class":"first_class","meal":{"kind":"vegan"}}"#,
            ),
            ("Book an economy flight to Oslo", "`book_flight` needs `meal.kind`…"),
            ("What's the mean of 1, 2.5 and 4, or 15?", r#"mean {"values":[1,2.5,4]}"#),
            (
                "Order a large pizza for Bob and Alice",
                r#"order_pizza {"size":"large","to":["Bob","Alice"]}"#,
            ),
            (
                "order a pizza for 'me'",
                "`order_pizza` needs `size` (not described, `small`, `large`), which…",
            ),
            ("lookup the word 'cat'", r#"lookup_word {"word":"cat"}"#),
            ("lookup a word", "lookup_word {}"),
            ("Tell me a joke", "I am genkit's offline model…"),
        ],
    );
}

#[test]
fn arguments_are_found_by_position() {
    let text = json!({"type": "string"});
    let translate = tool(
        "translate",
        "Tells a text in another language.",
        json!({"text": text, "language": text}),
        json!(["text", "language"]),
    );
    let greet = tool("greet", "Says hello.", json!({"name": text}), json!(["name"]));
    check(
        &[translate, greet],
        &[
            (
                "Translate 'good morning' into French",
                r#"translate {"text":"good morning","language":"French"}"#,
            ),
            ("Please greet bob", r#"greet {"name":"bob"}"#),
            ("Greet Bob", r#"greet {"name":"Bob"}"#),
        ],
    );
}

#[test]
fn quoted_words_name_no_tool() {
    let found = ask("Add a note \"weather in Paris\"", &[weather(), notes().remove(0)]);
    assert_eq!(found, r#"add_note {"text":"weather in Paris"}"#);
}

#[test]
fn tool_choice_is_obeyed() {
    let mut none = request("weather in Rome", &[weather()]);
    none.tool_choice = Some(ToolChoice::None);
    assert!(!shown(&answer(&none)).contains("get_weather"));
    let mut required = request("Bonjour Rome", &[add(), weather()]);
    required.tool_choice = Some(ToolChoice::Required);
    assert_eq!(shown(&answer(&required)), r#"get_weather {"city":"Rome"}"#);
    required.tools.truncate(1);
    assert!(shown(&answer(&required)).starts_with("`add` needs `a`"));
    let mut one = request("weather in Rome, 2 and 3", &[weather(), add()]);
    one.tool_choice = Some(ToolChoice::tool("add"));
    assert_eq!(shown(&answer(&one)), r#"add {"a":2,"b":3}"#);
}
