//! The names of methods: which there are in which era, and the error of one that is not there.

use genkit_did_you_mean::nearest;
use rmcp::model::{ErrorCode, ErrorData};

use crate::session::Era;
use genkit_schema::internal::truncate::excerpt;

/// How much of a name an error shows, in characters.
const SHOWN: usize = 100;

/// The methods whose parameters we know: malformed ones are the client's fault, not unknown.
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

/// Those of them that the 2026-07-28 protocol took away.
const REMOVED: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// Those of them that it brought.
const NEW: [&str; 4] = ["subscriptions/listen", "tasks/get", "tasks/update", "tasks/cancel"];

/// Whether an era has a method of this name.
pub(super) fn is_known(method: &str, era: Era) -> bool {
    let is_other = match era {
        Era::Modern => REMOVED.contains(&method),
        Era::Legacy => NEW.contains(&method),
    };
    !is_other && KNOWN.contains(&method)
}

/// The error of a method that an era does not have, with the nearest that it has.
pub(crate) fn unknown(method: &str, era: Era) -> ErrorData {
    // A name from outside may be as long as it likes; a message may not.
    let method = excerpt(method, SHOWN);
    let mut others = KNOWN.into_iter().filter(|known| is_known(known, era) && *known != method);
    let why = match era {
        Era::Modern if REMOVED.contains(&&*method) => {
            ": protocol 2026-07-28 took it away".to_owned()
        }
        Era::Legacy if NEW.contains(&&*method) => {
            ": it came with protocol 2026-07-28, and this client speaks an older one".to_owned()
        }
        _ => match nearest(&method, others.by_ref()) {
            Some(other) => format!(". Did you mean `{other}`?"),
            None => String::new(),
        },
    };
    not_found(&method, &why)
}

/// The error of a method that this server does not have, for a reason of its own.
pub(crate) fn undeclared(method: &str, why: &str) -> ErrorData {
    not_found(method, &format!(": {why}"))
}

fn not_found(method: &str, why: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method `{method}`{why}"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_is_not_there_is_named_with_the_nearest_one() {
        for (method, era, expected) in [
            ("foo/bar", Era::Legacy, "unknown method `foo/bar`"),
            ("", Era::Modern, "unknown method ``"),
            ("tools/cal", Era::Modern, "unknown method `tools/cal`. Did you mean `tools/call`?"),
            ("pong", Era::Legacy, "unknown method `pong`. Did you mean `ping`?"),
            // What the era does not have is no hint.
            ("pong", Era::Modern, "unknown method `pong`"),
            ("ping", Era::Modern, "unknown method `ping`: protocol 2026-07-28 took it away"),
            (
                "tasks/get",
                Era::Legacy,
                "unknown method `tasks/get`: it came with protocol 2026-07-28, and this client speaks an older one",
            ),
        ] {
            let error = unknown(method, era);
            assert_eq!((&*error.message, error.code), (expected, ErrorCode::METHOD_NOT_FOUND));
        }
        let long = unknown(&"ä".repeat(1_000_000), Era::Modern);
        assert!(long.message.chars().count() < 200, "{}", long.message.len());
    }
}
