//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub mod action {
    pub use crate::action::{APP_EXTENSION, APP_MIME_TYPE};
    pub use crate::action::{
        ContentsBody, CustomAction, Earlier, Error, Linked, MAX_URI_BYTES, ToolOutput, UriTemplate,
        approval_text, expansion, failure_for_model, resource_for_span, without_schema,
    };
    pub use crate::action::{LoadedPrompts, StaticPromptFiles, embedded_prompts, load_prompts_in};
    pub use genkit_uri_template::is_origin;
}
pub use crate::bound_registry::{BoundRegistry, BoundRegistryBuilder, OnStart};
pub mod bounded_json {
    pub use genkit_schema::internal::bounded_json::*;
}
pub mod blocking {
    pub use crate::blocking::run_blocking;
}
pub mod context {
    pub use crate::context::{
        Caller, CallerAnswer, Capability, ContextParts, ExternalOperation, Journal, MCP_TASK,
        Outcome, PendingWaits, Question, QuestionChannel, QuestionKind, Recording, Rounds, RunWait,
        SuspendedRuns, TypeMap, drive_function, run_within, supervise_run, unanswerable_error,
    };
}
pub use genkit_schema::internal::{check_finite, to_finite_value};
pub mod fair_share {
    pub use genkit_untrusted::fair_share::*;
}
pub mod disclosure {
    pub use crate::disclosure::for_callers;
}
pub mod environment {
    pub use crate::environment::is_development;
}
pub mod error {
    pub use crate::error::*;
}
pub mod future {
    pub use crate::future::{AwaitOrRun, Awaited, box_in_place};
}
pub mod generate {
    pub use crate::generate::{
        AroundCall, CallOutcome, InvocationParts, LinkedRunner, Resumption, Tally, ToolCall,
        ToolInvocation, ToolOutcome, ToolRunner,
    };
    pub mod error {
        pub use crate::generate::error::Error;
    }
    pub mod format {
        pub use crate::generate::format::*;
    }
    pub mod interrupt {
        pub use crate::generate::interrupt::*;
    }
}
pub mod glob {
    pub use crate::glob::*;
}
pub mod message {
    pub use crate::message::cache_breakpoint;
}
pub mod model {
    pub use crate::model::*;
}
pub mod names {
    pub use crate::names::name_table::NameTable;
    pub use crate::names::{Names, safe_name};
}
pub mod redact {
    pub use genkit_untrusted::redact::*;
    pub use genkit_untrusted::secret::{
        Secret, is_secret_name, redact_secrets, redact_secrets_in_json, secret_parts,
    };
}
pub mod registry {
    pub use crate::registry::WeakRegistry;
    pub use crate::registry::{ChangeSet, RegistryChange, Watcher, verify_tool};
}
pub mod run_options {
    pub use crate::run_options::*;
}
pub mod run_store {
    pub use crate::run_store::{now_ms, short_hash};
}
pub mod seal {
    pub use genkit_untrusted::seal::{MIN_KEY, Seal, SealError};
}
#[cfg(feature = "signal")]
pub mod shutdown {
    pub use crate::shutdown::{cancel_at_shutdown, wait_for_signal};
}
pub mod skill {
    pub use crate::skill::*;
}
pub mod status {
    pub use crate::status::*;
}
pub mod suggest {
    pub use crate::names::suggest::*;
}
pub mod sync {
    pub use crate::sync::{TokenBucket, lock, read, write};
}
pub mod telemetry {
    pub use crate::telemetry::*;
}
pub mod template {
    pub use crate::template::{Error, Templates};
}
pub mod time {
    pub use crate::time::{civil_date, format_iso8601, now_ms};
}
pub mod trace {
    pub use crate::trace::*;
}
pub mod visible {
    pub use genkit_untrusted::visible::*;
}
pub mod warnings {
    pub use genkit_untrusted::warnings::*;
}
