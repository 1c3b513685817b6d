//! Guards for JSONata functions that a time limit cannot stop, because they create a string or a list in a single step.
//! A guard is a function that wraps an argument: it fails if the value is too large, and otherwise returns the value.

use std::collections::HashSet;

use jsonata_core::ast::AstNode;
use jsonata_core::evaluator::{Evaluator, EvaluatorError};
use jsonata_core::value::JValue;
use serde_json::{Value, json};

use super::error::Error as E;

/// The maximum width of `$pad`. Default is 10,000.
const MAX_WIDTH: u32 = 10_000;

/// The maximum size of a value that becomes text, and of a list that is joined, in bytes. Default is 1 MiB.
const MAX_TEXT: usize = 1024 * 1024;

/// The maximum size of a string that is searched by `$replace`, `$match`, `$contains` or `$split` with a pattern, in
/// bytes. Default is 64 KiB.
const MAX_SEARCHED: usize = 64 * 1024;

/// The maximum number of items that `$distinct` compares with each other. Default is 2,000.
const MAX_COMPARED: usize = 2000;

/// The maximum size of a value that is compared with `=`, `!=` or `in`, in bytes, with 8 bytes for each number. Default
/// is 16 MiB. Shared parts of a value are compared, and count, each time.
const MAX_EQUAL: usize = 16 * 1024 * 1024;

/// The maximum size of a replacement, a separator or a picture, in bytes. Default is 1,000.
const MAX_PIECE: usize = 1000;

/// The maximum number that `$formatInteger` formats, because a Roman numeral has a letter per thousand. Default is 1
/// billion.
const MAX_INTEGER: f64 = 1e9;

/// A check of an argument.
#[derive(Clone, Copy)]
enum Guard {
    Text,
    Searched,
    Piece,
    Integer,
    Compared,
    Equal,
}

impl Guard {
    const ALL: [Self; 6] =
        [Self::Text, Self::Searched, Self::Piece, Self::Integer, Self::Compared, Self::Equal];

    /// Returns the name of the guard's function, which an expression cannot contain.
    fn name(self) -> &'static str {
        match self {
            Self::Text => "genkit:text",
            Self::Searched => "genkit:searched",
            Self::Piece => "genkit:piece",
            Self::Integer => "genkit:integer",
            Self::Compared => "genkit:compared",
            Self::Equal => "genkit:equal",
        }
    }

    fn is_small(self, value: &JValue) -> bool {
        match (self, value) {
            (Self::Integer, JValue::Number(number)) => number.abs() <= MAX_INTEGER,
            (Self::Compared, JValue::Array(items)) => {
                items.len() <= MAX_COMPARED && is_within(value, MAX_TEXT)
            }
            (Self::Integer | Self::Text | Self::Compared, _) => is_within(value, MAX_TEXT),
            (Self::Searched, _) => is_within(value, MAX_SEARCHED),
            (Self::Piece, _) => is_within(value, MAX_PIECE),
            (Self::Equal, _) => is_within(value, MAX_EQUAL),
        }
    }

    /// Wraps an argument in a call to the guard.
    fn around(self, argument: Value) -> Value {
        let is_small =
            ["Boolean", "Regex", "Lambda"].iter().any(|kind| argument.get(kind).is_some());
        if is_small || argument == "Null" {
            return argument;
        }
        json!({ "Function": { "name": self.name(), "args": [argument], "is_builtin": true } })
    }
}

/// Returns whether a value has at most `limit` bytes as text. The value is not converted to text, because shared parts
/// can make the text too large for memory.
fn is_within(value: &JValue, limit: usize) -> bool {
    let (mut size, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        size += match value {
            JValue::String(text) => text.len(),
            JValue::Array(items) => items.len(),
            JValue::Object(members) => members.keys().map(|name| name.len() + 8).sum(),
            _ => 8,
        };
        if size > limit {
            return false;
        }
        match value {
            JValue::Array(items) => open.extend(items.iter()),
            JValue::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    true
}

/// Returns the guards for a function's arguments, and the number of arguments below which JSONata passes the context as
/// the first argument.
fn find_guards(function: &str) -> Option<(&'static [Guard], usize)> {
    use Guard::{Compared, Integer, Piece, Searched, Text};
    Some(match function {
        "string" | "encodeUrl" | "encodeUrlComponent" | "base64encode" => (&[Text], 1),
        "join" => (&[Text, Piece], 0),
        "split" => (&[Text, Piece], 2),
        "match" | "contains" => (&[Searched], 2),
        "distinct" => (&[Compared], 1),
        "replace" => (&[Searched, Piece, Piece], 3),
        "formatNumber" => (&[Text, Piece], 2),
        "formatInteger" => (&[Integer, Piece], 2),
        _ => return None,
    })
}

/// Registers the functions of the guards.
pub(super) fn register(evaluator: &mut Evaluator) -> Result<(), EvaluatorError> {
    for guard in Guard::ALL {
        evaluator.register_fn(guard.name(), move |args: &[JValue]| match args {
            [value] if guard.is_small(value) => Ok(value.clone()),
            _ => Err(EvaluatorError::EvaluationError(format!(
                "a value is too large for a function ({})",
                guard.name()
            ))),
        })?;
    }
    Ok(())
}

/// Returns the expression with guards around the arguments of functions.
///
/// # Errors
/// Returns an error if the expression calls `$eval`, or `$pad` or `$fromMillis` with a width that
/// is not a small literal, passes a guarded function that needs several arguments as a value, or declares a variable
/// with the name of a guarded function.
pub(super) fn guard_expression(tree: &AstNode) -> Result<AstNode, E> {
    let failed = |why: serde_json::Error| E::Failed(why.to_string());
    // As JSON, all kinds of nodes can be traversed in the same way.
    let tree = serde_json::to_value(tree).map_err(failed)?;
    let mut declared = HashSet::new();
    find_declared(&tree, &mut declared);
    if let Some(name) = declared.into_iter().find(|name| is_special(name)) {
        return Err(E::Unbounded(format!("${name}")));
    }
    serde_json::from_value(guard_node(tree, false)?).map_err(failed)
}

fn is_special(function: &str) -> bool {
    ["eval", "pad", "fromMillis"].contains(&function) || find_guards(function).is_some()
}

/// Finds the variables and parameters that an expression declares.
fn find_declared<'a>(node: &'a Value, declared: &mut HashSet<&'a str>) {
    match node {
        Value::Array(nodes) => nodes.iter().for_each(|node| find_declared(node, declared)),
        Value::Object(members) => {
            let is_binding =
                |op: &Value| op == "ColonEqual" || op == "FocusBind" || op == "IndexBind";
            if members.get("op").is_some_and(is_binding) {
                declared.extend(members.get("lhs").and_then(|lhs| lhs["Variable"].as_str()));
                declared.extend(members.get("rhs").and_then(|rhs| rhs["Variable"].as_str()));
            }
            for names in ["params", "focus", "index_var", "Index"] {
                match members.get(names) {
                    Some(Value::Array(names)) => {
                        declared.extend(names.iter().filter_map(Value::as_str));
                    }
                    Some(Value::String(name)) => drop(declared.insert(name)),
                    _ => {}
                }
            }
            members.values().for_each(|node| find_declared(node, declared));
        }
        _ => {}
    }
}

/// Adds the guards to a node. `is_piped` is set if its first argument is on the left of `~>`.
fn guard_node(node: Value, is_piped: bool) -> Result<Value, E> {
    match node {
        Value::Array(nodes) => nodes.into_iter().map(|node| guard_node(node, false)).collect(),
        Value::Object(mut members) => {
            match members.get("Variable").and_then(Value::as_str) {
                Some(name) if takes_one_text(name) => return Ok(wrap_in_lambda(name)),
                Some(name) if is_special(name) => return Err(E::Unbounded(format!("${name}"))),
                _ => {}
            }
            if let Some(call) = members.get_mut("Function") {
                return Ok(json!({ "Function": guard_call(call.take(), is_piped)? }));
            }
            let operator = members.get("op").and_then(Value::as_str).map(str::to_owned);
            let is_pipe = operator.as_deref() == Some("ChainPipe");
            let piped_to = members.get("rhs").filter(|_| is_pipe);
            let piped_to = piped_to.and_then(|rhs| rhs["Function"]["name"].as_str());
            let guard = piped_to.and_then(find_guards).map(|(guards, _)| guards[0]);
            let around = match operator.as_deref() {
                Some("Concatenate") => Some(Guard::Text),
                // A comparison with a literal takes one step.
                Some("Equal" | "NotEqual" | "In")
                    if !["lhs", "rhs"]
                        .iter()
                        .any(|side| members.get(*side).is_some_and(is_literal)) =>
                {
                    Some(Guard::Equal)
                }
                _ => None,
            };
            let mut all = serde_json::Map::new();
            for (name, member) in members {
                let mut member = guard_node(member, is_pipe && name == "rhs")?;
                let guard = match name.as_str() {
                    "lhs" => around.or(guard),
                    "rhs" => around,
                    _ => None,
                };
                if let Some(guard) = guard.filter(|_| member.get("String").is_none()) {
                    member = guard.around(member);
                }
                all.insert(name, member);
            }
            Ok(all.into())
        }
        other => Ok(other),
    }
}

fn guard_call(mut call: Value, is_piped: bool) -> Result<Value, E> {
    let name = call["name"].as_str().unwrap_or_default().to_owned();
    let Value::Array(mut args) = call["args"].take() else { return Ok(call) };
    let first = usize::from(is_piped);
    let is_bounded = match name.as_str() {
        "eval" => false,
        "pad" => args.get(1 - first).is_none_or(is_narrow),
        "fromMillis" => args.iter().skip(1 - first).all(is_short_picture),
        _ => find_guards(&name).is_none() || !args.iter().any(|arg| arg == "Placeholder"),
    };
    if !is_bounded {
        return Err(E::Unbounded(format!("${name}")));
    }
    if let Some((mut guards, least)) = find_guards(&name) {
        let separator = if args.len() + first < least { 0 } else { 1 - first };
        let is_literal = args.get(separator).is_some_and(|arg| arg.get("String").is_some());
        // A pattern is searched from each position of the text.
        if name == "split" && !is_literal {
            guards = &[Guard::Searched, Guard::Piece];
        }
        if args.len() + first < least {
            args.insert(0, json!({ "Variable": "" }));
        }
        for (arg, guard) in args.iter_mut().zip(&guards[first..]) {
            *arg = guard.around(guard_node(arg.take(), false)?);
        }
        for arg in args.iter_mut().skip(guards.len() - first) {
            *arg = guard_node(arg.take(), false)?;
        }
        call["args"] = args.into();
    } else {
        call["args"] = guard_node(args.into(), false)?;
    }
    Ok(call)
}

/// Returns whether a function can be called with one argument, a string or a list of strings.
fn takes_one_text(function: &str) -> bool {
    find_guards(function).is_some_and(|(guards, least)| {
        matches!(guards[0], Guard::Text | Guard::Compared) && least < 2
    })
}

/// Returns `function($value) { $string($value) }`, for a use such as `$map(list, $string)`.
fn wrap_in_lambda(name: &str) -> Value {
    let guard = find_guards(name).map_or(Guard::Text, |(guards, _)| guards[0]);
    let argument = guard.around(json!({ "Variable": "genkit:value" }));
    json!({ "Lambda": {
        "params": ["genkit:value"],
        "body": { "Function": { "name": name, "args": [argument], "is_builtin": true } },
        "signature": null,
        "thunk": false,
    } })
}

fn is_literal(node: &Value) -> bool {
    ["String", "Number", "Boolean"].iter().any(|kind| node.get(kind).is_some()) || node == "Null"
}

/// Returns whether a width is a small literal number, with or without a sign.
fn is_narrow(width: &Value) -> bool {
    let number = width.get("Number").or_else(|| width["Unary"]["operand"].get("Number"));
    number.and_then(Value::as_f64).is_some_and(|number| number.abs() <= f64::from(MAX_WIDTH))
}

/// Returns whether a picture or a time zone is a literal without large widths.
fn is_short_picture(picture: &Value) -> bool {
    let Some(text) = picture.get("String").and_then(Value::as_str) else { return false };
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    text.len() <= MAX_PIECE && numbers.all(|digits| digits.len() <= 4)
}

#[cfg(test)]
mod tests {
    use jsonata_core::parser;

    use super::*;

    #[test]
    fn unbounded_widths_are_rejected() {
        let checked = |expression: &str| guard_expression(&parser::parse(expression).unwrap());
        for bounded in [
            "$pad(a, 10)",
            "$pad('a', -10000, '-')",
            "'a' ~> $pad(5)",
            "a.b[$pad(c, 3) = 'x  ']",
            "pad > 1e9",
            "{'eval': $uppercase(a)}",
            "$fromMillis(a, '[Y0001]-[M01]')",
            "a ~> $fromMillis('[Y]', '+0100')",
            "$map(a, $string)",
        ] {
            assert!(checked(bounded).is_ok(), "{bounded}");
        }
        for unbounded in [
            "$pad('a', 100000000)",
            "$pad('a', -100000000)",
            "$pad('a', n)",
            "$pad('a', 5 * 20000000)",
            "'a' ~> $pad(100000000)",
            "'a' ~> $pad(n, 5)",
            "($p := $pad; $p('a', 100000000))",
            "($p := $pad(?, 100000000); $p('a'))",
            "($p := $pad('a', ?); $p(100000000))",
            "$map([100000000], $pad('a', ?))",
            "a[$pad(b, 100000000) = 'x']",
            "{'a': function($x) { $pad($x, 100000000) }('a')}",
            "$eval('1')",
            "'1' ~> $eval",
            "$fromMillis(a, '[Y,*-100000000]')",
            "a ~> $fromMillis(picture)",
            "($r := $replace; $r('a', 'a', 'b'))",
            "$replace(?, 'a', 'b')",
            "($string := function($x) { $x }; $string(a))",
            "function($replace) { $replace }",
        ] {
            assert!(checked(unbounded).is_err(), "{unbounded}");
        }
    }
}
