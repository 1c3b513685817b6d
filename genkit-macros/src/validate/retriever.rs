//! Rules for `#[retriever]` only: it takes a query and a number of documents.

use syn::ReturnType;

use crate::error::Errors;
use crate::parse::{FnParam, InputField, Item};
use crate::types;

const SIGNATURE: &str =
    "write `query: Document, k: usize`, after the parameters injected by reference";

/// Returns the remedy for a parameter with the wrong name, which may be intended as state.
fn signature_help(field: &InputField) -> String {
    let taken = types::format_type(&field.ty);
    if matches!(&*taken, "Document" | "usize") {
        return SIGNATURE.to_owned();
    }
    format!(
        "write `query: Document, k: usize`; to inject `{taken}`, take it by reference: `&{taken}`"
    )
}

pub(super) fn check_parameters(item: &Item, params: &[FnParam], errors: &mut Errors) {
    let mut expected = ["query", "k"].into_iter();
    for param in params.iter().filter(|param| !param.is_injected()) {
        let field = param.field();
        let Some(name) = expected.next() else {
            let what = "a retriever takes only a query and a number of documents";
            errors.add_at(param.ty(), what, "take state by reference, such as `&Store`");
            return;
        };
        let what = format!("this parameter of a retriever must be named `{name}`");
        match field {
            // A name with a leading `_` is reported elsewhere.
            Some(field) if field.name.to_string().trim_start_matches('_') == name => {}
            Some(field) => return errors.add_at(&field.name, what, signature_help(field)),
            None => return errors.add_at(param.ty(), what, SIGNATURE),
        }
    }
    if let Some(name) = expected.next() {
        let what = format!("a retriever needs the parameter `{name}`");
        errors.add_at(&item.sig.ident, what, SIGNATURE);
    } else if matches!(item.sig.output, ReturnType::Default) {
        let what = "a retriever must return documents";
        errors.add_at(&item.sig.ident, what, "write `-> Vec<Document>`, or a `Result` of it");
    }
}
