//! Starts the functions of requests, with the middleware around them.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, ErrorData, GetPromptRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceRequestParams, RequestId,
};
use serde_json::Value;

use super::around::Surrounded;
use super::call::{CallWork, Written};
use super::{Action, Call, Engine, answers, message};
use crate::audit::Audit;
use crate::caller::Request;
use crate::error::Error as E;
use crate::handler::{MethodReply, Methods, completion};
use crate::lists::{ListKind, Lists};
use crate::session::{Era, OpenRequest};
#[cfg(feature = "durable")]
use crate::tasks as task;
#[cfg(feature = "durable")]
use crate::tasks::{TaskAnswer, TaskCall};

/// The maximum size of the entry of a skill, in bytes: enough for 512 files with their URIs and
/// digests.
const MAX_ENTRY: usize = 1024 * 1024;

/// Computes a result about a URI from the lists that the caller sees.
type ReadLists = Box<dyn FnOnce(&Methods<'_>, &Lists, &str) -> Result<Written, E> + Send>;

/// A request that runs a function.
pub(super) struct NewCall<'a> {
    id: &'a RequestId,
    method: &'a str,
    /// Identifies the function in [`SlowFunctions`](super::SlowFunctions).
    function: u64,
    /// The middleware around the function.
    around: Option<Surrounded>,
    engine: Engine,
}

impl<'a> NewCall<'a> {
    pub(super) fn new(id: &'a RequestId, method: &'a str, engine: Engine) -> Self {
        Self { id, method, function: 0, around: None, engine }
    }

    pub(super) fn list(
        mut self,
        kind: ListKind,
        cursor: Option<String>,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let shared = &self.engine.shared;
        let page_of = cursor.as_deref().unwrap_or_default();
        self.around = Surrounded::new(shared, kind.method(), page_of, || Value::Null, &request);
        if let Err(error) = request.quota.count_request() {
            return Err(request.refused(kind.method(), "", error));
        }
        let era = request.era;
        let page = move |engine: &Engine, request: &Request| {
            let lists = engine.shared.lists_of(&engine.shared.caller(&request.head));
            lists.encoded(kind, era, cursor.as_deref(), &engine.shared.settings)
        };
        if self.around.is_none() && self.engine.shared.has_all_hosts() {
            return Ok(Action::Reply(message::encoded(self.id, &page(&self.engine, &request)?)));
        }
        self.run(request, move |engine, request| async move {
            engine.shared.with_hosts().await;
            let page = page(&engine, &request)?;
            Ok(Box::new(move |id: &RequestId| message::encoded(id, &page)) as Written)
        })
    }

    pub(super) fn tool(
        mut self,
        params: CallToolRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let era = request.era;
        let given = || params.arguments.clone().map_or(Value::Null, Value::Object);
        self.around =
            Surrounded::new(&self.engine.shared, "tools/call", &params.name, given, &request);
        self.named(&params.name).run(request, move |engine, request| async move {
            let methods = Methods::ready(&engine.shared).await;
            let reply = methods.call_tool(params, request).map_err(|error| era.error(error))?;
            era.tool_reply(reply.await.map_err(|error| era.error(error))?)
        })
    }

    #[cfg(feature = "durable")]
    pub(super) fn task(self, task: TaskCall, request: Request) -> Result<Action, ErrorData> {
        self.named("").run(request, move |engine, request| async move {
            let answered = task::answer(&engine.shared, task, &request).await?;
            Ok(Box::new(move |id: &RequestId| match answered {
                TaskAnswer::Task(task) => message::result(id, &task),
                TaskAnswer::Done(done) => message::result(id, &done),
            }) as Written)
        })
    }

    pub(super) fn prompt(
        mut self,
        params: GetPromptRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let (era, limit, name) = (request.era, self.max_output(), params.name.clone());
        let given = || params.arguments.clone().map_or(Value::Null, Value::Object);
        self.around =
            Surrounded::new(&self.engine.shared, "prompts/get", &params.name, given, &request);
        self.named(&params.name).run(request, move |engine, request| async move {
            let methods = Methods::ready(&engine.shared).await;
            let reply = methods.get_prompt(params, request).map_err(|error| era.error(error))?;
            match reply.await.map_err(|error| era.error(error))? {
                MethodReply::InputRequired(required) => era.input_required(required),
                MethodReply::Complete(result) => Ok(answers::result(result, name, limit)),
            }
        })
    }

    pub(super) fn resource(
        mut self,
        params: ReadResourceRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let shared = &self.engine.shared;
        let (era, limit, uri) = (request.era, shared.max_read(&params.uri), params.uri.clone());
        self.around =
            Surrounded::new(shared, "resources/read", &params.uri, || Value::Null, &request);
        self.named(&params.uri).run(request, move |engine, request| async move {
            let methods = Methods::ready(&engine.shared).await;
            let reply = methods.read_resource(params, request).map_err(|error| era.error(error))?;
            match reply.await.map_err(|error| era.error(error))? {
                MethodReply::InputRequired(required) => era.input_required(required),
                MethodReply::Complete(result) => Ok(answers::result(result, uri, limit)),
            }
        })
    }

    pub(super) fn skill(self, uri: String, request: Request) -> Result<Action, ErrorData> {
        let (era, limit) = (request.era, self.max_entry());
        let read = move |methods: &Methods<'_>, lists: &Lists, uri: &str| {
            let mut skill = methods.get_skill(lists, uri)?;
            skill.result_type = skill.result_type.filter(|_| era == Era::Modern);
            Ok(answers::result(skill, uri.to_owned(), limit))
        };
        self.of_skills("skills/get", uri, request, Box::new(read))
    }

    pub(super) fn directory(
        self,
        params: ReadResourceDirectoryRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let (era, limit) = (request.era, self.max_entry());
        let ReadResourceDirectoryRequestParams { uri, cursor, .. } = params;
        let read = move |methods: &Methods<'_>, lists: &Lists, uri: &str| {
            let mut children = methods.read_directory(lists, uri, cursor.as_deref())?;
            children.result_type = children.result_type.filter(|_| era == Era::Modern);
            Ok(answers::result(children, uri.to_owned(), limit))
        };
        self.of_skills("resources/directory/read", uri, request, Box::new(read))
    }

    /// Runs `read` on the lists that the caller sees.
    fn of_skills(
        mut self,
        method: &'static str,
        uri: String,
        request: Request,
        read: ReadLists,
    ) -> Result<Action, ErrorData> {
        let shared = &self.engine.shared;
        self.around = Surrounded::new(shared, method, &uri, || Value::Null, &request);
        self.named(&uri).run(request, move |engine, request| async move {
            let methods = Methods::ready(&engine.shared).await;
            let lists = engine.shared.lists_of(&engine.shared.caller(&request.head));
            Ok(audited(method, &uri, &request, || read(&methods, &lists, &uri))?)
        })
    }

    pub(super) fn completion(
        mut self,
        params: CompleteRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let (era, limit, name) = (request.era, self.max_output(), params.argument.name.clone());
        let shared = &self.engine.shared;
        let none = || Value::Null;
        self.around = Surrounded::new(shared, "completion/complete", &name, none, &request);
        self.named(&params.argument.name).run(request, move |engine, request| async move {
            let found = completion::complete(&engine.shared, params, request).await;
            let mut found = found.map_err(|error| era.error(error))?;
            found.result_type = found.result_type.filter(|_| era == Era::Modern);
            Ok(answers::result(found, name, limit))
        })
    }

    /// The maximum size of the entry of a skill, in bytes.
    fn max_entry(&self) -> usize {
        self.max_output().max(MAX_ENTRY)
    }

    /// The maximum size of a result without its own limit, in bytes.
    fn max_output(&self) -> usize {
        self.engine.shared.settings.max_output
    }

    /// Identifies the function by the name that the client sent.
    fn named(self, name: &str) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        Self { function: hasher.hash_one((self.method, name)), ..self }
    }

    fn run<F>(
        self,
        request: Request,
        work: impl FnOnce(Engine, Request) -> F,
    ) -> Result<Action, ErrorData>
    where
        F: Future<Output = Result<Written, ErrorData>> + Send + 'static,
    {
        let cancel = request.cancel.clone();
        let open = OpenRequest::new(&request.session, self.id, &cancel)?;
        // Boxed where it is created and not moved again: a question can keep the future for
        // minutes, and a future that takes another one by value has space for it twice.
        let mut work: CallWork = Box::pin(work(self.engine, request));
        if let Some(around) = self.around {
            work = Box::pin(around.run(work));
        }
        Ok(Action::Run(Call::new(self.function, open, cancel, work)))
    }
}

/// Performs the work of a request immediately, and records it in the audit log.
pub(super) fn audited<T>(
    method: &'static str,
    name: &str,
    request: &Request,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let audit = Audit::begin(method, name, request.asking(), None);
    match request.quota.count_request().and_then(|()| work()) {
        Ok(done) => {
            audit.end("ok", None);
            Ok(done)
        }
        Err(error) => {
            audit.refuse(&error);
            Err(error)
        }
    }
}
