//! A cache of the tool arguments that clients must repeat in headers. It is cleared when the lists of the server change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::rules::{HeaderParameter, header_parameters};
use crate::lists::Lists;
use crate::session::Era;
use crate::state::SharedState;
use genkit_core::internal::sync::lock;

/// The cached arguments, by the name of the tool. An entry is added when a tool is first called.
#[derive(Default)]
pub(super) struct ParameterCache(Mutex<CachedParameters>);

#[derive(Default)]
struct CachedParameters {
    of: Option<Arc<Lists>>,
    tools: HashMap<String, Arc<[HeaderParameter]>>,
}

impl ParameterCache {
    pub(super) fn for_tool(&self, shared: &SharedState, name: &str) -> Arc<[HeaderParameter]> {
        let lists = shared.all_lists();
        let mut known = lock(&self.0);
        if !known.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, &lists)) {
            *known = CachedParameters { of: Some(Arc::clone(&lists)), tools: HashMap::new() };
        }
        if let Some(found) = known.tools.get(name) {
            return Arc::clone(found);
        }
        let tools = lists.tools(Era::Modern);
        let Ok(place) = tools.binary_search_by(|tool| tool.name.as_ref().cmp(name)) else {
            return Arc::default();
        };
        let found: Arc<[HeaderParameter]> = header_parameters(&tools[place].input_schema).into();
        known.tools.insert(name.to_owned(), Arc::clone(&found));
        found
    }
}
