//! What the name of a property tells of what it takes.

use super::label::Label;
use super::shape::Shape;

/// Names of properties that take whole phrases.
const PROSE: &str = "body command comment content description expression input instruction instructions \
    item keyword keywords message note phrase prompt q query question reason search \
    sentence task term terms text title todo";

/// Names of properties that tell what came out.
const OUTCOME: &str = "answer conclusion explanation output reply response result summary";

/// Names of properties for the beginning and the end of something.
const FROM: &str = "departure from origin sender source start";
const TO: &str = "arrival currency dest destination lang language receiver recipient target to";

/// Whether a property takes whole phrases.
pub(super) fn is_prose(label: &Label) -> bool {
    label.is_one_of(PROSE)
}

/// Whether a property tells what came out: in a form the message does not know it.
pub(super) fn is_outcome(label: &Label) -> bool {
    label.is_one_of(OUTCOME)
}

/// The prepositions before what a property takes, if its name tells.
pub(super) fn prepositions(label: &Label) -> &'static [&'static str] {
    match () {
        () if label.is_one_of(FROM) => &["from"],
        () if label.is_one_of(TO) => &["to", "into"],
        () => &[],
    }
}

/// The form that a text must have, by its format or, where it has none, its name.
pub(super) fn form_of<'s>(shape: &Shape<'s>, label: &Label) -> Option<&'s str> {
    match shape.text("format") {
        Some(
            form @ ("email" | "uri" | "url" | "date" | "time" | "date-time" | "uuid" | "ipv4"
            | "ipv6"),
        ) => Some(form),
        Some(_) => None,
        None if label.is_one_of("email") => Some("email"),
        None if label.is_one_of("url uri") => Some("uri"),
        None => None,
    }
}
