//! Rejects calls of JSONata functions that no time limit can stop: they create text of arbitrary size in a single step,
//! or run code that was not checked.

use jsonata_core::ast::AstNode;
use serde_json::Value;

use super::error::Error as E;

/// The maximum width of `$pad`. Default is 10,000.
const MAX_WIDTH: u32 = 10_000;

/// Checks that an expression can be limited.
///
/// # Errors
/// If it calls `$eval`, or `$pad` with a width that is not a literal number up to [`MAX_WIDTH`].
pub(super) fn check(tree: &AstNode) -> Result<(), E> {
    // In JSON, all kinds of nodes have the same form.
    let tree = serde_json::to_value(tree).map_err(|why| E::Failed(why.to_string()))?;
    let mut open = vec![(&tree, false)];
    while let Some((node, is_piped)) = open.pop() {
        match node {
            Value::Array(nodes) => open.extend(nodes.iter().map(|node| (node, false))),
            Value::Object(members) => {
                if let Some(name) = members.get("Variable") {
                    refuse_function(name == "eval" || name == "pad", name)?;
                }
                if let Some(call) = members.get("Function") {
                    let args = call["args"].as_array().map(Vec::as_slice).unwrap_or_default();
                    let width = args.get(usize::from(!is_piped));
                    let name = &call["name"];
                    refuse_function(
                        name == "eval" || name == "pad" && !width.is_none_or(is_narrow),
                        name,
                    )?;
                }
                let piped = members.get("op").filter(|op| *op == "ChainPipe");
                let piped = piped.and_then(|_| members.get("rhs"));
                open.extend(members.values().map(|member| {
                    (member, piped.is_some_and(|piped| std::ptr::eq(piped, member)))
                }));
            }
            _ => {}
        }
    }
    Ok(())
}

fn refuse_function(yes: bool, name: &Value) -> Result<(), E> {
    let name = name.as_str().unwrap_or_default();
    if yes { Err(E::Unbounded(format!("${name}"))) } else { Ok(()) }
}

/// Returns whether a width is a small literal number, with or without a sign.
fn is_narrow(width: &Value) -> bool {
    let number = width.get("Number").or_else(|| width["Unary"]["operand"].get("Number"));
    number.and_then(Value::as_f64).is_some_and(|number| number.abs() <= f64::from(MAX_WIDTH))
}

#[cfg(test)]
mod tests {
    use jsonata_core::parser;

    use super::*;

    #[test]
    fn a_width_is_a_small_number_of_the_expression() {
        let checked = |expression: &str| check(&parser::parse(expression).unwrap());
        for bounded in [
            "$pad(a, 10)",
            "$pad('a', -10000, '-')",
            "'a' ~> $pad(5)",
            "a.b[$pad(c, 3) = 'x  ']",
            "pad > 1e9",
            "{'eval': $uppercase(a)}",
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
        ] {
            assert!(checked(unbounded).is_err(), "{unbounded}");
        }
    }
}
