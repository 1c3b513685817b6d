//! Generates `signatures.rs`: random signatures, the same in each run.

use std::fmt::Write as _;

use genkit_tests::fuzz::Rng;

const SIGNATURES: usize = 60;

/// A type of a parameter.
struct Ty {
    text: &'static str,
    /// JSON that is valid for it.
    samples: &'static str,
    /// Attributes that describe it.
    attributes: &'static [&'static str],
}

const fn ty(text: &'static str, samples: &'static str, attributes: &'static [&'static str]) -> Ty {
    Ty { text, samples, attributes }
}

const NUMBER: &[&str] = &[
    "#[schemars(range(min = 1, max = 9))]",
    "#[schemars(range(max = 100))]",
    "#[schemars(range(min = 0))]",
    "#[serde(default)]",
    "#[arg(default)]",
    "#[arg(default = 3)]",
];
const TEXT: &[&str] = &[
    "#[schemars(length(min = 1, max = 5))]",
    "#[schemars(length(equal = 2))]",
    "#[schemars(pattern(\"^[a-z]*$\"))]",
    "#[schemars(regex(pattern = \"^a\"), length(max = 9))]",
    "#[schemars(email)]",
    "#[serde(default)]",
    "#[arg(default)]",
    "#[arg(default = \"oslo\")]",
    "#[schemars(example = &\"a b\", example = 5)]",
];
const LIST: &[&str] = &[
    "#[schemars(length(min = 1, max = 3))]",
    "#[serde(default)]",
    "#[arg(default)]",
    "#[arg(default = vec![])]",
];
const OPTION: &[&str] = &["#[serde(default)]", "#[arg(default)]", "#[arg(default = None)]"];
const ANY: &[&str] = &["#[arg(default)]"];

const TYPES: &[Ty] = &[
    ty(
        "i64",
        "5 0 -3",
        &[
            "#[serde(default = \"types::seven\")]",
            "#[schemars(range(min = -5, max = 9))]",
            "#[arg(default)]",
        ],
    ),
    ty("u8", "5 0 255", NUMBER),
    ty("f64", "5 0.5", &["#[schemars(range(min = 0.5))]", "#[arg(default = 1.5)]"]),
    ty("bool", "true false", &["#[arg(default = true)]", "#[serde(default)]"]),
    ty("char", "\"a\"", &["#[arg(default = 'x')]"]),
    ty("String", "\"a\" \"ab\" \"5\" \"\"", TEXT),
    ty(
        "Option<u8>",
        "5 null 0",
        &["#[schemars(range(min = 1))]", "#[arg(default = Some(4))]", "#[serde(default)]"],
    ),
    ty(
        "Option<String>",
        "\"a\" null",
        &["#[schemars(length(max = 3))]", "#[arg(default = Some(String::new()))]"],
    ),
    ty("Vec<String>", "[\"a\"] [] [\"a\",\"b\"]", LIST),
    ty("Vec<Option<i64>>", "[1,null] []", LIST),
    ty("serde_json::Value", "{\"a\":1} [1] 5 null", ANY),
    ty("types::Ages", "{\"a\":1} {}", ANY),
    ty("(i64, String)", "[1,\"a\"]", ANY),
    ty("[u8; 2]", "[1,2]", ANY),
    ty("types::Item", "{\"name\":\"a\"} {\"name\":\"b\",\"length\":3,\"kind\":\"big\"}", ANY),
    ty("types::deep::Item", "{\"depth\":3}", ANY),
    ty("Option<types::Item>", "{\"name\":\"a\",\"size\":1} null", OPTION),
    ty("Vec<types::Item>", "[{\"name\":\"a\"}] []", LIST),
    ty(
        "types::Kind",
        "\"big\" \"small\"",
        &["#[arg(default)]", "#[arg(default = types::Kind::Small)]"],
    ),
    ty("Option<types::Kind>", "\"big\" null", OPTION),
    ty("types::Tree", "{\"name\":\"a\"} {\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}", &[]),
    ty("Option<types::Tree>", "{\"name\":\"a\"} null", OPTION),
    ty("types::Way", "{\"by\":\"Foot\"} {\"by\":\"Train\",\"item\":{\"name\":\"a\"}}", &[]),
    ty("types::Either", "5 {\"name\":\"a\"}", &[]),
    ty("types::Id", "5", ANY),
    ty("Box<Option<u8>>", "5 null", &[]),
    ty("()", "null", &[]),
];

const DOCS: &[&str] = &[
    "/// What it is.",
    "/// # A heading\n    ///\n    /// What it is,\n    ///     and more.",
    "/** A block\n    comment. */",
    "///",
    "#[schemars(title = \"Title\")]",
    "/// What it is.\n    #[schemars(description = \"Other\")]",
    "/// # A heading\n    #[schemars(title = \"Title\", description = \"Other\")]",
];

const NAMES: [&str; 6] = ["city", "days", "b", "unit", "r#type", "a"];

/// A parameter as source code, its names, and JSON that is valid for it.
struct Param {
    written: String,
    names: String,
    samples: String,
}

fn param(rng: &mut Rng, name: &str) -> Param {
    let ty = rng.pick(TYPES);
    let (mut written, mut names) = (String::new(), Vec::new());
    let bare = name.trim_start_matches("r#");
    let mut attribute = |text: &str| writeln!(written, "    {text}").unwrap();
    if rng.chance(40) {
        attribute(rng.pick::<&str>(DOCS));
    }
    match rng.below(10) {
        0 => {
            attribute(&format!("#[serde(rename = \"{bare}Of\")]"));
            names.push(format!("{bare}Of"));
        }
        1 => {
            attribute(&format!("#[serde(alias = \"A{bare}\", alias = \"{bare}2\")]"));
            names.extend([bare.to_owned(), format!("A{bare}"), format!("{bare}2")]);
        }
        2 => {
            attribute(&format!("#[serde(rename = \"{bare}-of\", alias = \"{bare}\")]"));
            names.extend([format!("{bare}-of"), bare.to_owned()]);
        }
        _ => names.push(bare.to_owned()),
    }
    if !ty.attributes.is_empty() && rng.chance(60) {
        attribute(rng.pick::<&str>(ty.attributes));
    }
    write!(written, "    {name}: {},", ty.text).unwrap();
    let samples: Vec<_> = ty.samples.split(' ').collect();
    Param { written, names: format!("&{names:?}"), samples: format!("&{samples:?}") }
}

pub(super) fn source() -> String {
    let mut rng = Rng::new(15);
    let (mut functions, mut pairs) = (String::new(), String::new());
    for n in 0..SIGNATURES {
        let (macro_name, kind, returned) = *rng.pick(&[
            ("tool", "Tool", "String"),
            ("tool", "Tool", "String"),
            ("flow", "Flow", "String"),
            ("prompt", "Prompt", "String"),
        ]);
        let count = 1 + rng.below(4);
        let mut names = NAMES.to_vec();
        let params: Vec<Param> = (0..count)
            .map(|_| {
                let name = names.remove(rng.below(names.len()));
                param(&mut rng, name)
            })
            .collect();
        let idents: Vec<_> =
            params.iter().map(|it| it.written.rsplit("    ").next().unwrap()).collect();
        let idents: Vec<_> = idents.iter().map(|it| it.split(": ").next().unwrap()).collect();
        let all = format!("({},)", idents.join(", "));
        for (prefix, says_nothing) in [("plain", ""), ("derived", "    #[validate(nested)]\n")] {
            writeln!(
                functions,
                "/// Takes what it takes.\n#[{macro_name}]\nasync fn {prefix}_{n}("
            )
            .unwrap();
            functions.push_str(says_nothing);
            for param in &params {
                writeln!(functions, "{}", param.written).unwrap();
            }
            writeln!(functions, ") -> {returned} {{\n    format!(\"read: {{:?}}\", {all})\n}}\n")
                .unwrap();
        }
        let params: Vec<_> =
            params.iter().map(|it| format!("({}, {})", it.names, it.samples)).collect();
        writeln!(
            pairs,
            "        Pair {{\n            plain: Subject::{kind}({kind}::of::<plain_{n}>()),\n            \
             derived: Subject::{kind}({kind}::of::<derived_{n}>()),\n            params: &[{}],\n        }},",
            params.join(", ")
        )
        .unwrap();
    }
    format!(
        "//! Written by `writer.rs`.\n\nuse genkit::{{Flow, Prompt, Tool, flow, prompt, tool}};\n\n\
         use super::{{Pair, Subject, types}};\n\n{functions}#[expect(clippy::too_many_lines, reason = \"a table of cases\")]\npub(super) fn pairs() -> Vec<Pair> {{\n    vec![\n{pairs}    ]\n}}\n"
    )
}
