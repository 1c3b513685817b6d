//! Checks of a run's output: its schema or type, then the validators of the program.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use genkit_core::BoxFuture;
use genkit_core::Format;
use genkit_core::internal::error::BoxError;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::format::{ModelOutput, OutputMismatch};
use genkit_core::{Error, Result};
use genkit_core::{FinishReason, OutputConfig};
use genkit_schema::internal::placed;
use genkit_schema::internal::truncate::truncate;

/// The number of retries of a run with `.extract()` or `.validate(..)`. Default is 1.
const OUTPUT_RETRIES: usize = 1;

/// The maximum length of a reason sent to the model, in bytes. Default is 4 KiB.
const MAX_REASON: usize = 4096;

type Validator =
    Arc<dyn Fn(&Value) -> BoxFuture<'static, Result<(), OutputRejection>> + Send + Sync>;

/// The rejection of a response.
enum OutputRejection {
    /// The reason is sent to the model.
    ToModel(String),
    /// The run ends with this error.
    Fatal(Error),
}

/// Reads a response as the requested type.
type ParseResponse = fn(&ModelOutput<'_>) -> Result<Value, OutputMismatch>;

/// The output checks of a run.
#[derive(Clone, Default)]
pub(crate) struct OutputChecks {
    retries: Option<usize>,
    /// Parses the response as the output type. `None` means that no type is set; the response is then checked against
    /// the schema.
    reads: Option<ParseResponse>,
    validators: Vec<Validator>,
}

impl OutputChecks {
    pub(crate) fn set_retries(&mut self, times: usize) {
        self.retries = Some(times);
    }

    /// Returns whether the output is checked by code rather than only by a schema.
    pub(crate) fn is_code(&self) -> bool {
        self.reads.is_some() || !self.validators.is_empty()
    }

    /// Requires the response to parse as a `T`.
    pub(crate) fn set_type<T: DeserializeOwned>(&mut self) {
        self.reads = Some(|answer| answer.read::<T>().map(|(_, value)| value));
    }

    pub(crate) fn add<T, E>(&mut self, check: impl Fn(&T) -> Result<(), E> + Send + Sync + 'static)
    where
        T: DeserializeOwned,
        E: Into<BoxError>,
    {
        self.validators.push(Arc::new(move |value| {
            let read = placed::read::<T>(value)
                .map_err(|misfit| OutputRejection::ToModel(misfit.to_string()));
            let checked = read.and_then(|value| check(&value).map_err(OutputRejection::from_error));
            Box::pin(std::future::ready(checked))
        }));
    }

    pub(crate) fn add_async<T, Fut, E>(&mut self, check: impl Fn(T) -> Fut + Send + Sync + 'static)
    where
        T: DeserializeOwned,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.validators.push(Arc::new(move |value| {
            let checking = placed::read::<T>(value).map(&check);
            Box::pin(async move {
                checking
                    .map_err(|misfit| OutputRejection::ToModel(misfit.to_string()))?
                    .await
                    .map_err(OutputRejection::from_error)
            })
        }));
    }

    /// Returns the number of retries, or `None` if the output is not checked.
    ///
    /// # Errors
    /// Returns an error if the schema is invalid.
    pub(crate) fn allowed_retries(&self, output: &OutputConfig) -> Result<Option<usize>> {
        let is_asked = self.reads.is_some() || !self.validators.is_empty();
        let retries = self.retries.unwrap_or(if is_asked { OUTPUT_RETRIES } else { 0 });
        if !is_asked && (retries == 0 || !is_shaped(output)) {
            return Ok(None);
        }
        if let (None, Some(schema)) = (self.reads, &output.schema) {
            schema.whole_bounds()?;
        }
        Ok(Some(retries))
    }

    /// Checks a response. If it is rejected, returns the reason for the model.
    ///
    /// # Errors
    /// Returns the fatal error of a validator, which ends the run.
    pub(crate) async fn check_response(
        &self,
        answer: ModelOutput<'_>,
    ) -> Result<Result<(), String>> {
        match self.run_checks(answer).await {
            Ok(()) => Ok(Ok(())),
            Err(OutputRejection::ToModel(why)) => Ok(Err(truncate(&why, MAX_REASON).to_owned())),
            Err(OutputRejection::Fatal(error)) => Err(error),
        }
    }

    async fn run_checks(&self, answer: ModelOutput<'_>) -> Result<(), OutputRejection> {
        if answer.finish_reason == Some(FinishReason::Length)
            && answer.output.is_some_and(is_shaped)
        {
            return Err(OutputRejection::ToModel(E::OutputCutOff.to_string()));
        }
        let reads = self.reads.unwrap_or(|answer| answer.checked_value());
        let value =
            reads(&answer).map_err(|misfit| OutputRejection::ToModel(misfit.explanation()))?;
        for validator in &self.validators {
            validator(&value).await?;
        }
        Ok(())
    }
}

/// Returns whether structured output is requested.
fn is_shaped(output: &OutputConfig) -> bool {
    output.format.as_deref().is_some_and(|format| format != Format::Text.as_str())
}

impl OutputRejection {
    fn from_error(error: impl Into<BoxError>) -> Self {
        let error = Error::from_failure(error);
        match error.is_fatal() {
            true => Self::Fatal(error),
            false => Self::ToModel(error.text_for_models()),
        }
    }
}
