//! Starts the functions of requests, with the middleware around them.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, ErrorData, GetPromptRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceRequestParams, RequestId,
};
use serde_json::Value;

use super::call::CallWork;
use super::middleware_call::MiddlewareCall;
use super::{Action, Call, Engine, Reply, message, responses};
use crate::audit::Audit;
use crate::caller::Request;
use crate::error::Error as E;
use crate::handler::{MethodReply, Methods, completion};
use crate::lists::{ListKind, Lists};
use crate::session::{Era, OpenRequest};
use crate::tasks as task;
use crate::tasks::TaskCall;

/// The maximum size of the entry of a skill, in bytes: enough for 512 files with their URIs and
/// digests.
const MAX_ENTRY: usize = 1024 * 1024;

/// Computes a result about a URI from the lists that the caller can read.
type ReadLists = Box<dyn FnOnce(&RequestId, &Methods<'_>, &Lists, &str) -> Result<Reply, E> + Send>;

impl Engine {
    pub(super) fn list_items(
        &self,
        kind: ListKind,
        cursor: Option<String>,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let shared = &self.shared;
        let page_of = cursor.as_deref().unwrap_or_default();
        let around =
            MiddlewareCall::new(shared, kind.method_name(), page_of, || Value::Null, &request);
        if let Err(error) = request.quota.count_request() {
            return Err(request.record_refusal(kind.method_name(), "", error));
        }
        let era = request.era;
        let page = move |engine: &Engine, request: &Request| {
            let lists = engine.shared.lists_for(&engine.shared.caller_for_head(&request.head));
            let lists = lists.for_client(&request.client);
            let lists = engine.shared.searched_lists(lists, &request.client);
            lists.encoded_page(kind, era, cursor.as_deref(), &engine.shared.settings.pages)
        };
        if around.is_none() && self.shared.has_all_hosts() {
            return Ok(Action::Reply(message::encoded_reply(&request.id, &page(self, &request)?)));
        }
        self.start_call(0, around, request, move |engine, request| async move {
            engine.shared.wait_for_hosts().await;
            let page = page(&engine, &request)?;
            Ok(message::encoded_reply(&request.id, &page))
        })
    }

    pub(super) fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let era = request.era;
        let given = || params.arguments.clone().map_or(Value::Null, Value::Object);
        let around = MiddlewareCall::new(&self.shared, "tools/call", &params.name, given, &request);
        let function = identify_function("tools/call", &params.name);
        self.start_call(function, around, request, move |engine, request| async move {
            let (id, methods) = (request.id.clone(), Methods::with_hosts(&engine.shared).await);
            let reply =
                methods.call_tool(params, request).map_err(|error| era.adapt_error(error))?;
            era.tool_reply(&id, reply.await.map_err(|error| era.adapt_error(error))?)
        })
    }

    pub(super) fn answer_task(
        &self,
        task: TaskCall,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let function = identify_function(task.method(), "");
        self.start_call(function, None, request, move |engine, request| async move {
            Ok(task::answer(&engine.shared, task, &request).await?.into_reply(&request.id))
        })
    }

    pub(super) fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let (era, limit, name) = (request.era, self.max_output(), params.name.clone());
        let given = || params.arguments.clone().map_or(Value::Null, Value::Object);
        let around =
            MiddlewareCall::new(&self.shared, "prompts/get", &params.name, given, &request);
        let function = identify_function("prompts/get", &params.name);
        self.start_call(function, around, request, move |engine, request| async move {
            let (id, methods) = (request.id.clone(), Methods::with_hosts(&engine.shared).await);
            let reply =
                methods.get_prompt(params, request).map_err(|error| era.adapt_error(error))?;
            match reply.await.map_err(|error| era.adapt_error(error))? {
                MethodReply::InputRequired(required) => era.input_required(&id, &required),
                MethodReply::Complete(result) => {
                    Ok(responses::write_result(&id, &result, &name, limit))
                }
            }
        })
    }

    pub(super) fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let shared = &self.shared;
        let (era, limit, uri) = (request.era, shared.max_read(&params.uri), params.uri.clone());
        let around =
            MiddlewareCall::new(shared, "resources/read", &params.uri, || Value::Null, &request);
        let function = identify_function("resources/read", &params.uri);
        self.start_call(function, around, request, move |engine, request| async move {
            let (id, methods) = (request.id.clone(), Methods::with_hosts(&engine.shared).await);
            let reply =
                methods.read_resource(params, request).map_err(|error| era.adapt_error(error))?;
            match reply.await.map_err(|error| era.adapt_error(error))? {
                MethodReply::InputRequired(required) => era.input_required(&id, &required),
                MethodReply::Complete(result) => {
                    Ok(responses::write_result(&id, &result, &uri, limit))
                }
            }
        })
    }

    pub(super) fn get_skill(&self, uri: String, request: Request) -> Result<Action, ErrorData> {
        let (era, limit) = (request.era, self.max_entry());
        let read = move |id: &RequestId, methods: &Methods<'_>, lists: &Lists, uri: &str| {
            let mut skill = methods.get_skill(lists, uri)?;
            skill.result_type = skill.result_type.filter(|_| era == Era::Modern);
            Ok(responses::write_result(id, &skill, uri, limit))
        };
        self.read_skills("skills/get", uri, request, Box::new(read))
    }

    pub(super) fn read_directory(
        &self,
        params: ReadResourceDirectoryRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let (era, limit) = (request.era, self.max_entry());
        let ReadResourceDirectoryRequestParams { uri, cursor, .. } = params;
        let read = move |id: &RequestId, methods: &Methods<'_>, lists: &Lists, uri: &str| {
            let mut children = methods.read_directory(lists, uri, cursor.as_deref())?;
            children.result_type = children.result_type.filter(|_| era == Era::Modern);
            Ok(responses::write_result(id, &children, uri, limit))
        };
        self.read_skills("resources/directory/read", uri, request, Box::new(read))
    }

    /// Runs `read` on the lists that the caller can read.
    fn read_skills(
        &self,
        method: &'static str,
        uri: String,
        request: Request,
        read: ReadLists,
    ) -> Result<Action, ErrorData> {
        let shared = &self.shared;
        let around = MiddlewareCall::new(shared, method, &uri, || Value::Null, &request);
        let function = identify_function(method, &uri);
        self.start_call(function, around, request, move |engine, request| async move {
            let methods = Methods::with_hosts(&engine.shared).await;
            let lists = engine.shared.lists_for(&engine.shared.caller_for_head(&request.head));
            Ok(run_audited(method, &uri, &request, || read(&request.id, &methods, &lists, &uri))?)
        })
    }

    pub(super) fn complete_argument(
        &self,
        params: CompleteRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let (era, limit, name) = (request.era, self.max_output(), params.argument.name.clone());
        let shared = &self.shared;
        let none = || Value::Null;
        let around = MiddlewareCall::new(shared, "completion/complete", &name, none, &request);
        let function = identify_function("completion/complete", &params.argument.name);
        self.start_call(function, around, request, move |engine, request| async move {
            let id = request.id.clone();
            let found = completion::complete_argument(&engine.shared, params, request).await;
            let mut found = found.map_err(|error| era.adapt_error(error))?;
            found.result_type = found.result_type.filter(|_| era == Era::Modern);
            Ok(responses::write_result(&id, &found, &name, limit))
        })
    }

    /// Returns the maximum size of the entry of a skill, in bytes.
    fn max_entry(&self) -> usize {
        self.max_output().max(MAX_ENTRY)
    }

    /// Returns the maximum size of a result in bytes, for items without their own limit.
    fn max_output(&self) -> usize {
        self.shared.settings.max_output
    }

    /// Starts the function of a request, inside the middleware `around` it. `function` identifies it in
    /// [`SlowFunctions`](super::SlowFunctions).
    fn start_call<F>(
        &self,
        function: u64,
        around: Option<MiddlewareCall>,
        request: Request,
        work: impl FnOnce(Engine, Request) -> F,
    ) -> Result<Action, ErrorData>
    where
        F: Future<Output = Result<Reply, ErrorData>> + Send + 'static,
    {
        let open = OpenRequest::new(&request.session, &request.id, &request.cancel)?;
        // Box the future where it is created, and do not move it again: a question can keep it alive
        // for minutes, and a future that takes another future by value reserves space for it twice.
        let mut work: CallWork = Box::pin(work(self.clone(), request));
        if let Some(around) = around {
            work = Box::pin(around.run_inside(open.id().clone(), work));
        }
        Ok(Action::Run(Call::new(function, open, work)))
    }
}

/// Returns a number that identifies a function by the name that the client sent.
fn identify_function(method: &str, name: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((method, name))
}

/// Performs the work of a request synchronously, and records it in the audit log.
pub(super) fn run_audited<T>(
    method: &'static str,
    name: &str,
    request: &Request,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let audit = Audit::start_record(method, name, request.request_source(), None);
    match request.quota.count_request().and_then(|()| work()) {
        Ok(done) => {
            audit.record_outcome("ok", None);
            Ok(done)
        }
        Err(error) => {
            audit.record_refusal(&error);
            Err(error)
        }
    }
}
