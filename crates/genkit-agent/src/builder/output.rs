//! Structured output of a run: schema, format, instructions, retries and validation.

use serde::de::DeserializeOwned;

use super::Generate;
use genkit_core::Format;
use genkit_core::internal::error::BoxError;
use genkit_core::{Instructions, OutputOptions};
use genkit_schema::Schema;

impl Generate {
    /// Requests structured output: JSON that matches a schema.
    pub fn output_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.output_options().json_schema = Some(schema.into());
        self
    }

    /// Sets the output format. Default is JSON if there is a schema, and text otherwise.
    pub fn format(mut self, format: Format) -> Self {
        self.output_options().format = Some(format.as_str().to_owned());
        self
    }

    /// Sets the output instructions: `true` to describe the output format in the prompt, `false` to omit the
    /// description, or custom instructions. Default is to add instructions only if the provider does not enforce the
    /// schema itself.
    pub fn output_instructions(mut self, instructions: impl Into<Instructions>) -> Self {
        self.output_options().instructions = Some(instructions.into());
        self
    }

    /// Sets whether the provider should enforce the schema (constrained output). Default is `true`, if the provider
    /// supports it.
    pub fn constrained(mut self, yes: bool) -> Self {
        self.output_options().constrained = Some(yes);
        self
    }

    /// Sets the number of output retries: how many times the model can correct a response that
    /// does not match its schema or that [`validate`](Self::validate) rejects. Default is 1 with
    /// [`extract`](Self::extract) and `validate`; otherwise it is 0, and the output is checked
    /// only by [`GenerateResponse::output`](genkit_core::GenerateResponse::output).
    ///
    /// Each attempt counts toward the usage and is kept in the history, followed by the reason for the retry. If the
    /// last retry fails, the error reports the reason and holds the partial response. A response that was cut off at
    /// the token limit is not retried, because it would be cut off again.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let schema = json!({"type": "object", "properties": {"minutes": {"type": "integer", "minimum": 1}}});
    /// let model = ScriptedModel::texts([r#"{"minutes": 0}"#, r#"{"minutes": 20}"#]);
    /// let run = genkit::generate("How long does soup take?").output_schema(schema).output_retries(1);
    /// let response = run.model(model).await?;
    /// assert_eq!(response.output_value()?["minutes"], 20);
    /// assert!(response.messages()[2].text().contains("`minutes`: 0 is less than the minimum of 1"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn output_retries(mut self, times: usize) -> Self {
        self.settings.output.set_retries(times);
        self
    }

    /// Adds an output validator, which checks the parsed value of a response. The text of its error is sent back to the
    /// model, up to [`output_retries`](Self::output_retries) times; a [fatal](genkit_core::Error::into_fatal) error ends the
    /// run. Each call to this method adds a validator.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Trip { from: u32, until: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::texts([r#"{"from": 9, "until": 5}"#, r#"{"from": 5, "until": 9}"#]);
    /// let run = genkit::generate("When?").output::<Trip>().model(model);
    /// let run = run.validate(|trip: &Trip| match trip.from <= trip.until {
    ///     true => Ok(()),
    ///     false => Err("it ends before it begins"),
    /// });
    /// assert_eq!(run.await?.output::<Trip>()?.until, 9);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The argument of `check` can also be a `&serde_json::Value`. For an asynchronous check, see
    /// [`validate_async`](Self::validate_async).
    pub fn validate<T, E>(
        mut self,
        check: impl Fn(&T) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self
    where
        T: DeserializeOwned,
        E: Into<BoxError>,
    {
        self.settings.output.add(check);
        self
    }

    /// Adds an asynchronous output validator, which takes ownership of the value. Otherwise the
    /// same as [`validate`](Self::validate).
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    ///
    /// async fn is_free(name: &str) -> bool { name != "ada" }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let run = genkit::generate("A name for my account?").model(ScriptedModel::texts(["ada", "grace"]));
    /// let run = run.validate_async(|name: String| async move {
    ///     if is_free(&name).await { Ok(()) } else { Err(format!("`{name}` is taken")) }
    /// });
    /// assert_eq!(run.await?.text(), "grace");
    /// # Ok(())
    /// # }
    /// ```
    pub fn validate_async<T, Fut, E>(
        mut self,
        check: impl Fn(T) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        T: DeserializeOwned,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.settings.output.add_async(check);
        self
    }

    fn output_options(&mut self) -> &mut OutputOptions {
        self.options.output.get_or_insert_default()
    }
}
