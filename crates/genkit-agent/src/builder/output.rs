//! Structured output of a run: its schema, its format, its instructions.

use serde::de::DeserializeOwned;

use super::Generate;
use genkit_core::Format;
use genkit_core::internal::error::BoxError;
use genkit_core::{Instructions, OutputOptions};
use genkit_schema::Schema;

impl Generate {
    /// Structured output: asks for JSON that fits a schema.
    pub fn output_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.output_options().json_schema = Some(schema.into());
        self
    }

    /// Output format of the answer. Default is JSON where there is a schema, else text.
    pub fn format(mut self, format: Format) -> Self {
        self.output_options().format = Some(format.as_str().to_owned());
        self
    }

    /// Output instructions: whether the prompt says what the output must look like: `true`,
    /// `false`, or a text of your own. Default is where the provider does not bind the output to
    /// the schema itself.
    pub fn output_instructions(mut self, instructions: impl Into<Instructions>) -> Self {
        self.output_options().instructions = Some(instructions.into());
        self
    }

    /// Constrained output: whether the provider is to bind it to the schema. Default is yes, where
    /// it can.
    pub fn constrained(mut self, yes: bool) -> Self {
        self.output_options().constrained = Some(yes);
        self
    }

    /// Output retries: how often an answer that does not fit its schema, or that [`validate`](Self::validate)
    /// refuses, goes back to the model with the reason. Default is 1 with
    /// [`extract`](Self::extract) and `validate`; else 0, and nothing is checked before
    /// [`GenerateResponse::output`](genkit_core::GenerateResponse::output).
    ///
    /// Each answer is counted in the usage, and stands in the history with the reason that follows it. When
    /// all retries are used up, the error says what was wrong and owns the response. An answer that was
    /// cut off at the limit of tokens is not asked for again: it would be cut off once more.
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

    /// Output validator: looks at the value of an answer before it goes out. The text of its error goes
    /// back to the model, [`output_retries`](Self::output_retries) times; a
    /// [fatal](genkit_core::Error::into_fatal) one ends the run. Called again, this is one more.
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
    /// The value may be a `&serde_json::Value`, too. For a check that awaits something see
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

    /// Output validator that awaits something: it gets the value itself. Else as
    /// [`validate`](Self::validate).
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
