//! Runs a case through the public API.

use genkit::model::{GenerateChunk, ModelInfo};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Answer, Generate, GenerateResponse, Genkit, Interrupt, Part, Registry, Tool};
use serde_json::{Map, Value};

use super::case::{Answering, Case};
use super::observe::{Calls, Ended, Watched, observed};
use super::tools::{OfProgram, OfRun, resource, tool};

/// The observations of a case.
pub struct Seen {
    pub first: Map<String, Value>,
    pub resumed: Option<Map<String, Value>>,
}

/// A case as a program.
struct Program<'a> {
    case: &'a Case,
    genkit: Genkit,
    model: Watched,
    tools: Vec<Tool>,
    calls: Calls,
}

pub async fn run(case: &Case) -> Result<Seen, String> {
    let program = Program::new(case)?;
    let options = case.input.clone();
    let mut asked = program.genkit.generate_with(options);
    if let Some(system) = &case.system {
        asked = asked.system(system);
    }
    match &case.prompt {
        Some(Value::String(text)) => asked = asked.prompt(text),
        Some(parts) => {
            let parts: Vec<Part> = serde_json::from_value(parts.clone())
                .map_err(|e| format!("the prompt does not read: {e}"))?;
            asked = asked.prompt(parts);
        }
        None => {}
    }
    let (ended, chunks) = program.watch(asked).await;
    let first = observed(&ended, &chunks, &program.model, &program.calls);
    let mut seen = Seen { first, resumed: None };
    if !case.resume.is_empty() {
        let response = ended.map_err(|error| format!("there is nothing to resume: {error}"))?;
        let response = stored(&response);
        let open = response.interrupts();
        if open.len() != case.resume.len() {
            return Err(format!("{} interrupts are open", open.len()));
        }
        let pairs = open.iter().zip(&case.resume);
        let answers: Vec<Answer> = pairs.map(|(open, given)| answer(open, given)).collect();
        let parts: Vec<&Part> = answers.iter().map(Answer::part).collect();
        let parts = serde_json::json!(parts);
        let (ended, chunks) =
            program.watch(program.genkit.resume_with_answers(response, answers)).await;
        let mut resumed = observed(&ended, &chunks, &program.model, &program.calls);
        resumed.insert("answers".to_owned(), parts);
        seen.resumed = Some(resumed);
    }
    Ok(seen)
}

impl<'a> Program<'a> {
    fn new(case: &'a Case) -> Result<Self, String> {
        let calls = Calls::default();
        let script = case.model.iter().flat_map(|said| {
            let scripted = || Scripted::chunks(said.chunks.clone(), said.response());
            std::iter::repeat_with(scripted).take(said.times.unwrap_or(1))
        });
        // Genkit's test models declare only tools, and their requests are not checked.
        let mut info = ModelInfo::default();
        info.supports.clone_from(&case.supports);
        let model = Watched::new(ScriptedModel::new(script).with_info(info));
        let registered = case.tools.iter().filter(|tool| tool.registered);
        let resources = case.resources.iter().filter(|resource| !resource.given);
        let registry = Registry::new()
            .add(registered.map(|acting| tool(acting, &calls)))
            .add(resources.map(resource));
        let mut builder = Genkit::builder().registry(registry).default_model(model.clone());
        if let Some(state) = &case.state {
            builder = builder.state(OfProgram(state.clone()));
        }
        let genkit = builder.build().map_err(|e| format!("the registry is not sound: {e}"))?;
        let given = case.tools.iter().filter(|tool| !tool.registered);
        let tools = given.map(|acting| tool(acting, &calls)).collect();
        Ok(Self { case, genkit, model, tools, calls })
    }

    /// Runs the request with the parts of the case that are not data.
    async fn watch(&self, run: Generate) -> (Ended, Vec<GenerateChunk>) {
        let mut run = run.tools(&self.tools);
        run = run.resources(self.case.resources.iter().filter(|r| r.given).map(resource));
        for around in &self.case.middleware {
            run = run.middleware(around.clone());
        }
        if let Some(value) = &self.case.context {
            run = run.extension(OfRun(value.clone()));
        }
        if self.case.strict {
            run = run.fail_on_max_turns(true);
        }
        if !self.case.stream {
            return (run.await, Vec::new());
        }
        let mut stream = run.stream();
        let mut chunks = Vec::new();
        while let Some(chunk) = stream.next().await {
            match chunk {
                Ok(chunk) => chunks.push(chunk),
                Err(error) => return (Err(error), chunks),
            }
        }
        (stream.response().await, chunks)
    }
}

fn answer(open: &Interrupt, given: &Answering) -> Answer {
    match (&given.respond, &given.restart, &given.input) {
        (Some(output), None, None) => open.respond(output.clone()),
        (None, Some(metadata), None) => open.restart(metadata.clone()),
        (None, Some(metadata), Some(input)) => open.restart_with(metadata.clone(), input.clone()),
        _ => panic!("an answer is `respond`, or `restart` with or without `input`"),
    }
}

/// Returns the response after a round trip through JSON, as if in another process.
fn stored(response: &GenerateResponse) -> GenerateResponse {
    let json = serde_json::to_string(response).expect("a response is data");
    serde_json::from_str(&json).expect("and comes back")
}
