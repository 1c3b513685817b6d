//! Rules for `#[tool]` only: hints must not contradict each other, and options for the body are rejected if there is no
//! body.

use syn::ReturnType;

use crate::error::Errors;
use crate::parse::{FnParam, Item, Options};
use crate::types;

/// Rejects the second of two hints that cannot both be true.
pub(super) fn check_hints(options: &Options, errors: &mut Errors) {
    let mut hints = options.flags().filter(|key| *key == "read_only" || *key == "destructive");
    if let (Some(first), Some(second)) = (hints.next(), hints.next()) {
        errors.add_at(
            second,
            format_args!(
                "a tool cannot be both `{first}` and `{second}`: a tool that changes nothing cannot destroy anything"
            ),
            "keep the one that is true",
        );
    }
}

/// Rejects retries of a tool whose calls are never repeated.
pub(super) fn check_retry(options: &Options, errors: &mut Errors) {
    let mut flags = options.flags();
    if let (Some(retry), true) = (options.key("retry"), flags.any(|flag| flag == "at_most_once")) {
        errors.add_at(
            retry,
            "`retry` contradicts `at_most_once`: such a call is never repeated automatically",
            "keep the one that you mean",
        );
    }
}

/// Checks a declared tool, whose result comes from the caller of `generate`.
pub(super) fn check_declared(
    item: &Item,
    options: &Options,
    params: &[FnParam],
    errors: &mut Errors,
) {
    const WITHOUT_CODE: &str = "a declared tool has no code";
    for param in params.iter().filter(|param| param.is_injected()) {
        errors.add_at(
            param.ty(),
            format_args!("nothing can be injected here: {WITHOUT_CODE}"),
            "remove the parameter, or write a body instead of the `;`",
        );
    }
    for key in ["at_most_once", "retry", "task", "timeout"] {
        if let Some(written) = options.key(key) {
            errors.add_at(
                written,
                format_args!("`{key}` has no effect: {WITHOUT_CODE} that could run"),
                "remove it, or write a body instead of the `;`",
            );
        }
    }
    match &item.sig.output {
        ReturnType::Default => errors.add_at(
            &item.sig.ident,
            "a declared tool needs a return type: its result comes from the caller of `generate`",
            format_args!(
                "write `async fn {}(..) -> T;`, with the type of the response",
                item.sig.ident
            ),
        ),
        ReturnType::Type(_, ty) => {
            if let Some(value) = types::result_value(ty) {
                let value = types::format_type(value);
                errors.add_at(
                    ty,
                    "a declared tool returns a value: the caller of `generate` responds or declines",
                    format_args!("write `-> {value}`"),
                );
            }
        }
    }
}
