//! The method names of each era, and the error for an unknown method.

use rmcp::model::{ErrorCode, ErrorData};

use crate::session::Era;
use genkit_core::internal::suggest::nearest_name;
use genkit_schema::internal::truncate::excerpt;

/// The maximum length of a method name in an error, in characters.
const SHOWN: usize = 100;

/// All methods of both eras. A request for any other method is rejected as an unknown method.
const KNOWN: [&str; 21] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "completion/complete",
    "logging/setLevel",
    "skills/list",
    "skills/get",
    "resources/directory/read",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// The methods that protocol 2026-07-28 removed.
const REMOVED: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// The methods that protocol 2026-07-28 added.
const NEW: [&str; 4] = ["subscriptions/listen", "tasks/get", "tasks/update", "tasks/cancel"];

/// Returns whether a method exists in an era.
pub(super) fn is_known(method: &str, era: Era) -> bool {
    let is_other = match era {
        Era::Modern => REMOVED.contains(&method),
        Era::Legacy => NEW.contains(&method),
    };
    !is_other && KNOWN.contains(&method)
}

/// Returns the error for a method that does not exist in an era, with a suggestion of the nearest name.
pub(crate) fn unknown_method(method: &str, era: Era) -> ErrorData {
    // A name from a client can be arbitrarily long, so the message contains only its start.
    let method = excerpt(method, SHOWN);
    let mut others = KNOWN.into_iter().filter(|known| is_known(known, era) && *known != method);
    let why = match era {
        Era::Modern if REMOVED.contains(&&*method) => ": removed in protocol 2026-07-28".to_owned(),
        Era::Legacy if NEW.contains(&&*method) => {
            ": added in protocol 2026-07-28, but this client uses an older version".to_owned()
        }
        _ => match nearest_name(&method, others.by_ref()) {
            Some(other) => format!(". Did you mean `{other}`?"),
            None => String::new(),
        },
    };
    not_found(&method, &why)
}

/// Returns the error for a method that this server does not support, with the reason.
pub(crate) fn undeclared_method(method: &str, why: &str) -> ErrorData {
    not_found(method, &format!(": {why}"))
}

fn not_found(method: &str, why: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method `{method}`{why}"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn method_that_is_not_there_is_named_with_the_nearest_one() {
        for (method, era, expected) in [
            ("foo/bar", Era::Legacy, "unknown method `foo/bar`"),
            ("", Era::Modern, "unknown method ``"),
            ("tools/cal", Era::Modern, "unknown method `tools/cal`. Did you mean `tools/call`?"),
            ("pong", Era::Legacy, "unknown method `pong`. Did you mean `ping`?"),
            // Methods of the other era are not suggested.
            ("pong", Era::Modern, "unknown method `pong`"),
            ("ping", Era::Modern, "unknown method `ping`: removed in protocol 2026-07-28"),
            (
                "tasks/get",
                Era::Legacy,
                "unknown method `tasks/get`: added in protocol 2026-07-28, but this client uses an older version",
            ),
        ] {
            let error = unknown_method(method, era);
            assert_eq!((&*error.message, error.code), (expected, ErrorCode::METHOD_NOT_FOUND));
        }
        let long = unknown_method(&"ä".repeat(1_000_000), Era::Modern);
        assert!(long.message.chars().count() < 200, "{}", long.message.len());
    }
}
