//! JSON objects, checked before they reach `json!`, whose errors would expose its internals.

use syn::parse::{ParseStream, Parser as _};
use syn::{Error, Expr, LitStr, Token, braced, bracketed, token};

/// Checks that `object` is a JSON object, and reports the position of the first error. Values may be expressions.
pub(super) fn check_object(object: proc_macro2::TokenStream) -> Result<(), Error> {
    check_value.parse2(object)
}

fn check_value(input: ParseStream) -> Result<(), Error> {
    if input.peek(token::Brace) {
        let content;
        braced!(content in input);
        check_list(&content, check_member)
    } else if input.peek(token::Bracket) {
        let content;
        bracketed!(content in input);
        check_list(&content, check_value)
    } else {
        let ends = input.is_empty() || input.peek(Token![,]);
        input
            .parse::<Expr>()
            .map(drop)
            .map_err(|error| if ends { missing_error(input, "a value") } else { error })
    }
}

fn check_list(
    input: ParseStream,
    item: impl Fn(ParseStream) -> Result<(), Error>,
) -> Result<(), Error> {
    while !input.is_empty() {
        item(input)?;
        if !input.is_empty() && input.parse::<Token![,]>().is_err() {
            return Err(missing_error(input, "a `,`"));
        }
    }
    Ok(())
}

fn check_member(input: ParseStream) -> Result<(), Error> {
    input.parse::<LitStr>().map_err(|_| missing_error(input, "a name in quotes"))?;
    input.parse::<Token![:]>().map_err(|_| missing_error(input, "a `:`"))?;
    check_value(input)
}

fn missing_error(input: ParseStream, what: &str) -> Error {
    input
        .error(format!("{what} is missing in this JSON\nhelp: write a member as `\"name\": value`"))
}

#[cfg(test)]
mod tests {
    fn message(text: &str) -> String {
        let tokens = text.parse().expect("tokens");
        super::check_object(tokens).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn objects_of_any_depth() {
        for right in [
            "{}",
            r#"{ "a": 1, }"#,
            r#"{ "a": [], "b": [1, -1.5, null, true], "c": { "d": NAME, "e": f(1, 2) } }"#,
        ] {
            assert_eq!(message(right), "", "{right}");
        }
    }

    #[test]
    fn missing_value_is_named() {
        assert!(message(r#"{ "a" = 1 }"#).starts_with("a `:` is missing"));
        assert!(message("{ a: 1 }").starts_with("a name in quotes is missing"));
        assert!(message(r#"{ "a": 1 "b": 2 }"#).starts_with("a `,` is missing"));
        assert!(message(r#"{ "a": , }"#).contains("a value is missing"));
        assert!(message(r#"{ "a": [1 2] }"#).contains("a `,` is missing"));
    }
}
