//! Which tool is called with what.

use serde_json::json;

use super::{add, ask, notes, request, shown, tool, weather};
use crate::model::offline::answer;
use crate::model::{ToolChoice, ToolDefinition};

/// Each prompt and what comes of it: calls, or the beginning of the answer.
fn check(tools: &[ToolDefinition], cases: &[(&str, &str)]) {
    for (prompt, wanted) in cases {
        let found = ask(prompt, tools);
        let same = if wanted.ends_with('…') {
            found.starts_with(wanted.trim_end_matches('…'))
        } else {
            found == *wanted
        };
        assert!(same, "{prompt}\nwanted {wanted}\nfound  {found}");
    }
}

#[test]
fn weather_in_cities() {
    check(
        &[weather(), add()],
        &[
            ("What is the weather in Baltimore?", r#"get_weather {"city":"Baltimore"}"#),
            ("what's the weather in paris", r#"get_weather {"city":"paris"}"#),
            ("weather in san francisco tomorrow", r#"get_weather {"city":"san francisco"}"#),
            ("How is New York City's weather today?", r#"get_weather {"city":"New York City"}"#),
            ("Weather for San Francisco, CA please", r#"get_weather {"city":"San Francisco, CA"}"#),
            ("Get the weather in 'l’Île d’Yeu'.", r#"get_weather {"city":"l’Île d’Yeu"}"#),
            ("Weather, city: Rio, unit: celsius", r#"get_weather {"city":"Rio","unit":"celsius"}"#),
            ("get baltimore weather", r#"get_weather {"city":"baltimore"}"#),
            ("WHAT IS THE WEATHER IN PARIS", r#"get_weather {"city":"PARIS"}"#),
            (
                "Is the weather in Celsius nice in Rome?",
                r#"get_weather {"city":"Rome","unit":"celsius"}"#,
            ),
            (
                "What's the weather in Paris and in London, in fahrenheit?",
                "get_weather {\"city\":\"Paris\",\"unit\":\"fahrenheit\"}\n\
             get_weather {\"city\":\"London\",\"unit\":\"fahrenheit\"}",
            ),
            (
                "Weather in Paris, London and Paris",
                "get_weather {\"city\":\"Paris\"}\nget_weather {\"city\":\"London\"}",
            ),
            ("Wie ist das Wetter in Baltimore?", "I am genkit's offline model…"),
            ("Hello, what can you do?", "I am genkit's offline model…"),
            ("", "I am genkit's offline model…"),
            (
                "What is the weather today?",
                "`get_weather` needs `city`, and I do not find it in the message (The city). I am \
             genkit's offline model, and fill arguments by words alone.",
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
            ("add two and three", r#"add {"a":2,"b":3}"#),
            ("Add 2", "`add` needs `b`, and I do not find it in the message. I am…"),
            ("Add 2.5 and 1", "`add` needs `b`…"),
        ],
    );
}

#[test]
fn notes_of_words() {
    check(
        &notes(),
        &[
            ("Add a note to buy milk", r#"add_note {"text":"buy milk"}"#),
            ("Add a note: call Bob at 10:30!", r#"add_note {"text":"call Bob at 10:30"}"#),
            (
                "Please add the note \"buy milk\", tags home, urgent",
                r#"add_note {"text":"buy milk","tags":["home","urgent"]}"#,
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
        json!({
            "to": {"type": "string", "format": "email"}, "subject": text, "body": text,
            "urgent": {"type": "boolean"}, "on": {"type": "string", "format": "date"},
        }),
        json!(["to", "subject", "body"]),
    );
    let fly = tool(
        "book_flight",
        "Books a flight.",
        json!({
            "origin": text, "destination": text, "seats": {"type": "integer", "default": 1},
            "seat_class": {"oneOf": [{"const": "first_class"}, {"const": "economy", "title": "cheap"}]},
        }),
        json!(["origin", "destination", "seats"]),
    );
    let mean = tool(
        "mean",
        "Computes the mean.",
        json!({"values": {"type": "array", "items": {"type": "number"}, "maxItems": 3}}),
        json!(["values"]),
    );
    let trip = tool(
        "plan_trip",
        "Plans a trip.",
        json!({
            "cities": {"type": "array", "items": text},
            "budget": {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]},
            "shape": {"oneOf": [
                {"type": "object", "properties": {"kind": {"const": "round"}, "stops": {"type": "integer"}}, "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "single"}}, "required": ["kind"]},
            ]},
        }),
        json!(["cities", "shape"]),
    );
    check(
        &[mail, fly, mean, trip],
        &[
            (
                "Email bob@example.com with the subject 'Hi' and body 'See you', urgent, on 2025-03-04.",
                r#"send_email {"to":"bob@example.com","subject":"Hi","body":"See you","urgent":true,"on":"2025-03-04"}"#,
            ),
            (
                "Send a not urgent email to a@b.org, subject: Milk, body: Buy it",
                r#"send_email {"to":"a@b.org","subject":"Milk","body":"Buy it","urgent":false}"#,
            ),
            ("Send an email to Bob saying 'Hi'", "`send_email` needs `to`…"),
            (
                "Book a flight to Rio de Janeiro from Paris, first class, 2 seats",
                r#"book_flight {"origin":"Paris","destination":"Rio de Janeiro","seats":2,"seat_class":"first_class"}"#,
            ),
            (
                "book a cheap flight from paris to london",
                r#"book_flight {"origin":"paris","destination":"london","seats":1,"seat_class":"economy"}"#,
            ),
            ("What's the mean of 1, 2.5 and 4, or 5?", r#"mean {"values":[1,2.5,4]}"#),
            (
                "Plan a single trip to Paris, London and Rome",
                r#"plan_trip {"cities":["Paris","London","Rome"],"shape":{"kind":"single"}}"#,
            ),
            (
                "Plan a round trip with 2 stops and a budget amount of 50 to Oslo",
                r#"plan_trip {"cities":["Oslo"],"budget":{"amount":50},"shape":{"kind":"round","stops":2}}"#,
            ),
        ],
    );
}

#[test]
fn words_by_their_place() {
    let text = json!({"type": "string"});
    let pizza = tool(
        "order_pizza",
        "Orders a pizza.",
        json!({
            "size": {"enum": ["small", "large"]},
            "toppings": {"type": "array", "items": text, "minItems": 1},
        }),
        json!(["size", "toppings"]),
    );
    let translate = tool(
        "translate",
        "Tells a text in another language.",
        json!({"text": text, "language": text}),
        json!(["text", "language"]),
    );
    let greet = tool("greet", "Says hello.", json!({"name": text}), json!(["name"]));
    let look = tool("lookup_word", "", json!({"word": text}), json!([]));
    check(
        &[pizza, translate, greet, look],
        &[
            (
                "Order a large pizza with mushrooms, olives and ham",
                r#"order_pizza {"size":"large","toppings":["mushrooms","olives","ham"]}"#,
            ),
            (
                "one small pizza with cheese, please",
                r#"order_pizza {"size":"small","toppings":["cheese"]}"#,
            ),
            (
                "order a pizza with cheese",
                "`order_pizza` needs `size`, and I do not find it in the message (one of: small, large). I am…",
            ),
            ("Order a large pizza", "`order_pizza` needs `toppings`…"),
            (
                "Translate 'good morning' into French",
                r#"translate {"text":"good morning","language":"French"}"#,
            ),
            ("translate \"hello\" to german", r#"translate {"text":"hello","language":"german"}"#),
            ("Tell me a joke", "I am genkit's offline model…"),
            ("Please greet bob", r#"greet {"name":"bob"}"#),
            ("Greet Bob and Alice", "greet {\"name\":\"Bob\"}\ngreet {\"name\":\"Alice\"}"),
            ("lookup the word 'cat'", r#"lookup_word {"word":"cat"}"#),
            ("lookup a word", "lookup_word {}"),
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
}
