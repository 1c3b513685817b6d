//! Runs step by step: starting a run, and resuming it in another process.

use std::sync::Arc;

use tokio::time::Instant;

use super::builder::Generate;
use super::prepare::{create_cancel_token, find_tools, prepare_run};
use super::run::{Driver, Run, RunEnv, RunNames, RunState};
use crate::instance::Instance;
use genkit_core::Result;
use genkit_core::internal::context::QuestionChannel;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::redact::remove_account_settings;
use genkit_model::{ChunkSink, Model, ModelRef};

impl Generate {
    /// Starts the run and returns a [`Run`], whose steps the program performs one by one.
    ///
    /// ```
    /// use genkit::generate::NextStep;
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let mut run = genkit::generate("hi").model(ScriptedModel::text("hello")).start().await?;
    /// assert!(matches!(run.next(), NextStep::Model(_)));
    /// assert_eq!(run.finish().await?.text(), "hello"); // performs all remaining steps
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns any error that a run can return before its first response.
    pub async fn start(self) -> Result<Run> {
        let rendered = self.render_prompt().await?;
        let (code, middleware) = (unnamed_code(&rendered), rendered.options.middleware.clone());
        let is_named = rendered.model.as_ref().is_none_or(|model| !model.is_value());
        let (driver, request) = prepare_run(rendered, ChunkSink::none()).await?;
        let names = collect_names(&driver.env, is_named, code, middleware);
        Ok(driver.into_steps(request, names))
    }

    /// Resumes a run from its state, with the code that this request supplies: an approval policy, validators,
    /// middleware, tools and a model that are not in the registry. Everything else is looked up by the names in the
    /// state. Messages and settings in the state take precedence over this request.
    ///
    /// ```
    /// use genkit::generate::{Run, RunState};
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let ask = genkit::generate("hi").model(ScriptedModel::text("hello"));
    /// let state: RunState = ask.clone().start().await?.state();
    ///
    /// // The model is a value, which another process cannot look up by name.
    /// assert!(Run::resume(&genkit::Genkit::default(), state.clone()).await.is_err());
    /// assert_eq!(ask.resume_run(state).await?.finish().await?.text(), "hello");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if something that the run needs is neither set on the request nor found by name;
    /// the error lists everything that is missing.
    pub async fn resume_run(mut self, mut state: RunState) -> Result<Run> {
        let missing = self.missing_names(&state);
        if !missing.is_empty() {
            return Err(E::CannotResume(missing).into());
        }
        state.apply_to(&mut self.settings);
        let models = &self.genkit.runs.models;
        let named = || ModelRef::from(state.names.model.as_str());
        let model = models.find(&self.model.clone().unwrap_or_else(named))?;
        if self.tools.is_empty() {
            self.tools = state.names.tools.iter().map(|name| name.as_str().into()).collect();
        }
        if self.options.middleware.is_empty() {
            self.options.middleware = state.names.middleware.clone();
        }
        for (key, value) in self.options.config.take().unwrap_or_default() {
            // Account settings such as API keys are never stored.
            state.config_mut().entry(key).or_insert(value);
        }
        let tools = find_tools(&mut self).await?;
        let Self { genkit, settings, cancel, .. } = self;
        let (cancel, started, asker) =
            (create_cancel_token(cancel), Instant::now(), QuestionChannel::for_run());
        let (name, budget) = (state.names.step.clone(), Arc::new(state.restore_budget()));
        let sink = ChunkSink::none();
        let env =
            RunEnv { genkit, settings, name, model, tools, budget, sink, cancel, started, asker };
        let driver = Driver::new(env, state.turn_rules(), None);
        let tools = driver.tools();
        Ok(Run::restore(driver, tools, state))
    }

    /// Returns the same run for another instance, with the registry, models and middleware of that instance.
    #[doc(hidden)]
    pub fn with_instance(mut self, genkit: &Instance) -> Self {
        let inherited = self.genkit.runs.middleware.len().min(self.settings.middleware.len());
        let own = self.settings.middleware.split_off(inherited);
        self.settings.middleware = genkit.runs.middleware.iter().cloned().chain(own).collect();
        self.genkit = genkit.clone();
        self
    }

    /// Describes the parts that `state` needs and that are neither set on the request nor found by
    /// name.
    fn missing_names(&self, state: &RunState) -> Vec<String> {
        let (names, genkit) = (&state.names, &self.genkit);
        let mut missing = Vec::new();
        let own = unnamed_code(self);
        let is_given = |code: &&String| match code.split_once(" `") {
            Some(("the model", _)) => self.model.is_some(),
            Some(("the tool", _)) => !self.tools.is_empty(),
            _ if *code == LIVE_TOOLS => !self.tools.is_empty(),
            _ => own.contains(*code),
        };
        missing.extend(names.code.iter().filter(|code| !is_given(code)).cloned());
        let is_told = |what: &str, missing: &[String]| missing.iter().any(|told| told == what);
        if self.model.is_none()
            && !is_told(&model_in_words(&names.model), &missing)
            && let Err(error) = genkit.runs.models.find(&ModelRef::from(names.model.as_str()))
        {
            missing.push(error.chain());
        }
        if self.tools.is_empty() {
            let unknown = names.tools.iter().filter(|name| genkit.registry.tool(name).is_none());
            for name in unknown.map(|name| tool_in_words(name)) {
                if !is_told(&name, &missing) {
                    missing.push(name);
                }
            }
        }
        if self.options.middleware.is_empty() {
            let found = names
                .middleware
                .iter()
                .map(|name| genkit.runs.named_middleware.find_by_reference(name));
            missing.extend(found.filter_map(|found| found.err()).map(|error| error.chain()));
        }
        missing
    }
}

impl Run {
    /// Resumes a run in any process with the same registry: model, tools and middleware are looked up by the names in
    /// `state`. See [`Run`].
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if anything that the run needs is not found by its name; the error lists everything
    /// that is missing, and no step is performed. If the run needs code, use
    /// [`Generate::resume_run`](crate::Generate::resume_run).
    pub async fn resume(genkit: &Instance, state: RunState) -> Result<Self> {
        genkit.generate(()).resume_run(state).await
    }
}

const LIVE_TOOLS: &str = "tools that may change, such as those of MCP servers";

fn model_in_words(name: &str) -> String {
    format!("the model `{name}`")
}

fn tool_in_words(name: &str) -> String {
    format!("the tool `{name}`")
}

/// Describes the parts of a request that are code or values of the program.
fn unnamed_code(generate: &Generate) -> Vec<String> {
    let (settings, genkit) = (&generate.settings, &generate.genkit);
    let mut config = generate.options.config.clone().unwrap_or_default();
    let before = config.len();
    remove_account_settings(&mut config);
    let is_code = [
        ("an approval policy (`.approval(..)`)", settings.approval.is_some()),
        ("turn hooks (`.before_turn(..)`)", !settings.before_turn.is_empty()),
        ("output validators (`.validate(..)`, `.extract()`)", settings.output.is_code()),
        ("extensions (`.extension(..)`)", !settings.values.is_empty()),
        ("state (`.state(..)`)", settings.has_own_state),
        (
            "middleware without a name (`.middleware(..)`)",
            settings.middleware.len() > genkit.runs.middleware.len(),
        ),
        ("a cancellation signal (`.cancel_on(..)`)", generate.cancel.is_some()),
        ("account settings of the model (`apiKey`, `baseUrl`)", config.len() < before),
    ];
    is_code.into_iter().filter(|(_, is)| *is).map(|(what, _)| what.to_owned()).collect()
}

/// Collects the names that a prepared run depends on.
fn collect_names(
    env: &RunEnv,
    is_named: bool,
    mut code: Vec<String>,
    middleware: Vec<serde_json::Value>,
) -> RunNames {
    let model = env.model.name().to_owned();
    let found = env.genkit.runs.models.find(&ModelRef::from(model.as_str()));
    // A provider may create a new value for each request, so a model given by name counts as the same.
    let is_same = |found: Arc<dyn Model>| is_named || Arc::ptr_eq(&found, &env.model);
    if !found.is_ok_and(is_same) {
        code.push(model_in_words(&model));
    }
    code.extend(env.tools.unregistered_names().iter().map(|name| tool_in_words(name)));
    if env.tools.is_live() {
        code.push(LIVE_TOOLS.to_owned());
    }
    RunNames { model, step: env.name.clone(), tools: env.tools.own_names(), middleware, code }
}
