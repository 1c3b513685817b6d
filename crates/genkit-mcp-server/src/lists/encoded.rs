//! JSON pages of lists. The first page, which every client requests, is serialized once per version of the registry.

use std::sync::OnceLock;

use bytes::Bytes;
use rmcp::model::CacheScope;
use serde::Serialize;

use super::Lists;
use super::pagination::{PageSettings, take_page};
use crate::error::Error as E;
use crate::session::Era;

/// A kind of list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Tools,
    Prompts,
    Resources,
    Templates,
    Skills,
}

impl ListKind {
    /// Returns the method that requests this list.
    pub(crate) fn method_name(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
            Self::Skills => "skills/list",
        }
    }
}

/// The first page of each list, in each era.
#[derive(Default)]
pub(super) struct FirstPages([[OnceLock<Bytes>; 2]; 5]);

impl Lists {
    /// Returns the result of a list request as JSON.
    pub(crate) fn encoded_page(
        &self,
        kind: ListKind,
        era: Era,
        cursor: Option<&str>,
        settings: &PageSettings,
    ) -> Result<Bytes, E> {
        if cursor.is_some() {
            return self.encode_page(kind, era, cursor, settings);
        }
        let slot = &self.first_pages.0[kind as usize][era as usize];
        if let Some(page) = slot.get() {
            return Ok(page.clone());
        }
        let page = self.encode_page(kind, era, None, settings)?;
        Ok(slot.get_or_init(|| page).clone())
    }

    fn encode_page(
        &self,
        kind: ListKind,
        era: Era,
        cursor: Option<&str>,
        settings: &PageSettings,
    ) -> Result<Bytes, E> {
        let size = settings.size;
        let out = Out { era, settings, scope: self.cache_scope() };
        match kind {
            ListKind::Tools => {
                let (items, next) = take_page(self.tools(era), |tool| &tool.name, cursor, size)?;
                out.write("tools", items, next)
            }
            ListKind::Prompts => {
                let (items, next) = take_page(&self.prompts, |prompt| &prompt.name, cursor, size)?;
                out.write("prompts", items, next)
            }
            ListKind::Resources => {
                let (items, next) =
                    take_page(&self.resources, |resource| &resource.uri, cursor, size)?;
                out.write("resources", items, next)
            }
            ListKind::Templates => {
                let (items, next) = take_page(&self.templates, |t| &t.uri_template, cursor, size)?;
                out.write("resourceTemplates", items, next)
            }
            ListKind::Skills => {
                let (items, next) = take_page(&self.skills, |skill| &skill.uri, cursor, size)?;
                out.write("skills", items, next)
            }
        }
    }
}

struct Out<'a> {
    era: Era,
    settings: &'a PageSettings,
    scope: CacheScope,
}

impl Out<'_> {
    fn write<T: Serialize>(
        &self,
        name: &str,
        items: &[T],
        next: Option<String>,
    ) -> Result<Bytes, E> {
        use serde::Serializer as _;
        use serde::ser::SerializeMap as _;

        let mut out = Vec::new();
        let mut serializer = serde_json::Serializer::new(&mut out);
        let written = (|| {
            let mut map = serializer.serialize_map(None)?;
            if self.era == Era::Modern {
                map.serialize_entry("resultType", "complete")?;
            }
            if let Some(next) = next {
                map.serialize_entry("nextCursor", &next)?;
            }
            map.serialize_entry(name, items)?;
            map.serialize_entry("ttlMs", &self.settings.cache_ms())?;
            map.serialize_entry("cacheScope", &self.scope)?;
            map.end()
        })();
        written.map_err(E::Unwritable)?;
        Ok(out.into())
    }
}
