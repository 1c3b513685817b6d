//! The choice of operations that become tools.

use genkit::{Error, Result};
use genkit_core::internal::suggest::nearest_name;

use crate::builder::OpenApi;
use crate::document::escape_text;
use crate::operation::{LeftOut, Operation};

/// Returns the chosen operations. Removes operations from `left_out` that were not chosen.
pub(crate) fn choose_operations<'d>(
    all: &[Operation<'d>],
    from: &OpenApi,
    left_out: &mut Vec<LeftOut>,
) -> Result<Vec<Operation<'d>>> {
    for name in from.only.iter().chain(&from.without) {
        let is_left_out = left_out.iter().any(|left| &left.operation == name);
        if !is_left_out && !all.iter().any(|operation| operation.matches_name(name)) {
            let ids = all.iter().filter_map(Operation::id);
            return Err(unknown("operation", name, ids));
        }
    }
    for tag in &from.tags {
        if !all.iter().any(|operation| operation.tags().any(|it| it == tag)) {
            return Err(unknown("tag", tag, all.iter().flat_map(Operation::tags)));
        }
    }
    for method in &from.methods {
        if !["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"]
            .iter()
            .any(|it| it.eq_ignore_ascii_case(method))
        {
            return Err(Error::invalid_argument(format!(
                "`{}` is not a supported method; expected GET, HEAD, PUT, POST, PATCH or DELETE",
                escape_text(method)
            )));
        }
    }
    if !(from.only.is_empty()
        && from.tags.is_empty()
        && from.methods.is_empty()
        && from.filters.is_empty())
    {
        left_out.retain(|left| from.only.contains(&left.operation));
    }
    Ok(all.iter().filter(|operation| is_wanted(operation, from)).copied().collect())
}

fn is_wanted(operation: &Operation<'_>, from: &OpenApi) -> bool {
    let is_any = |names: &[String]| names.iter().any(|name| operation.matches_name(name));
    (from.only.is_empty() || is_any(&from.only))
        && !is_any(&from.without)
        && (from.tags.is_empty()
            || operation.tags().any(|tag| from.tags.iter().any(|it| it == tag)))
        && (from.methods.is_empty()
            || from.methods.iter().any(|it| it.eq_ignore_ascii_case(operation.method())))
        && from.filters.iter().all(|choose| choose(operation))
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let hint = match nearest_name(name, known) {
        Some(known) => format!("; did you mean `{}`?", escape_text(known)),
        None if what == "operation" => {
            "; name an operation by its `operationId`, or as `GET /pets/{id}`".to_owned()
        }
        None => String::new(),
    };
    Error::invalid_argument(format!(
        "the OpenAPI document has no {what} `{}`{hint}",
        escape_text(name)
    ))
}
