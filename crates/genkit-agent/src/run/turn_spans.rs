//! The spans of a run in Genkit's form: `generate`, and one nested span for each later turn.

use serde_json::Value;

use super::env::RunEnv;
use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_core::internal::redact::without_account_settings;
use genkit_core::internal::trace;
use genkit_core::internal::trace::{NewSpan, OpenSpan, SpanKind, SpanOutcome};
use genkit_core::{GenerateOptions, GenerateResponse};

/// The name of the span of a run without a step name.
const GENERATE: &str = "generate";

/// Starts the span of a run, if spans are exported.
pub(crate) fn begin_span(options: &GenerateOptions) -> Option<OpenSpan> {
    let name = options.step_name.as_deref().unwrap_or(GENERATE);
    let input = || without_account_settings(options);
    trace::begin_span(&NewSpan { name, kind: SpanKind::Util, input: &input }, None)
}

/// Records the request in the span of the run, once it is known.
pub(super) fn note_request(env: &RunEnv, request: &ModelRequest) {
    trace::annotate_span("genkit:input", || trace::json_text(&request_json(env, request)));
}

/// The open spans of the turns of a run. The first turn uses the span of the run.
#[derive(Default)]
pub(super) struct TurnSpans {
    open: Vec<OpenSpan>,
    is_past_first: bool,
}

impl TurnSpans {
    /// Starts the span of another turn with `request`.
    pub(super) fn begin_turn(&mut self, env: &RunEnv, request: &ModelRequest) {
        if !std::mem::replace(&mut self.is_past_first, true) || !trace::is_on() {
            return;
        }
        let name = env.name.as_deref().unwrap_or(GENERATE);
        let input = || request_json(env, request);
        let span = NewSpan { name, kind: SpanKind::Util, input: &input };
        self.open.extend(trace::begin_span(&span, self.open.last()));
    }

    /// Runs `work` inside the span of the current turn.
    pub(super) fn run_inside<T>(&self, work: impl Future<Output = T>) -> impl Future<Output = T> {
        trace::run_inside(self.open.last(), work)
    }

    /// Ends the spans of all turns, the last one first.
    pub(super) fn end_all(self, ended: &mut Result<GenerateResponse>) {
        for turn in self.open.into_iter().rev() {
            turn.close(SpanOutcome::from_result(ended, trace::to_json));
        }
    }
}

fn request_json(env: &RunEnv, request: &ModelRequest) -> Value {
    let mut asked = without_account_settings(request);
    if let Value::Object(asked) = &mut asked {
        asked.insert("model".to_owned(), env.model.name().into());
    }
    asked
}
