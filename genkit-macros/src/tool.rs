//! What `#[tool]` has of its own.

use syn::Ident;

use crate::error::Errors;
use crate::options::{ICONS, Options, Sets, Spec};
use crate::values::{Form, Setting};

pub(crate) const OPTIONS: &[Spec] = &[
    ICONS,
    hint("read_only", "Says that it changes nothing."),
    hint("destructive", "Says that it may destroy something."),
    hint("idempotent", "Says that calling it twice is calling it once."),
    hint("open_world", "Says that it reaches out of this program: the web, another system."),
    hint("needs_approval", "Asks the user before each call."),
    Spec {
        key: "timeout",
        form: Form::Duration,
        sets: Sets::Definition,
        example: "timeout = \"30s\"",
        about: "How long a call may take: `ms`, `s`, `m` or `h`.",
    },
    Spec {
        key: "max_output",
        form: Form::Size,
        sets: Sets::Definition,
        example: "max_output = \"64KiB\"",
        about: "How much text a call may give before it is cut, with a mark: bytes, or `B`, \
                `KiB` or `MiB`.",
    },
];

const fn hint(key: &'static str, about: &'static str) -> Spec {
    Spec { key, form: Form::Flag, sets: Sets::Definition, example: key, about }
}

/// Refuses hints that contradict each other.
pub(crate) fn check(
    before: &Options,
    key: &str,
    setting: &Setting,
    place: &Ident,
    errors: &mut Errors,
) {
    let other = match (key, setting) {
        ("destructive", Setting::Flag(true)) => "read_only",
        ("read_only", Setting::Flag(true)) => "destructive",
        _ => return,
    };
    if before.is_on(other) {
        errors.at(
            place,
            format_args!(
                "a tool cannot be both `{other}` and `{key}`: what changes nothing destroys nothing"
            ),
            "keep the one that is true",
        );
    }
}
