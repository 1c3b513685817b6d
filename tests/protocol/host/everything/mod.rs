//! All features of `server-everything`, on its standard streams and over HTTP.

mod elicitation;
mod environment;
mod prompts;
mod resources;
mod tells;
mod tools;

use genkit::mcp::host::{McpHost, ServerConfig};

use super::mark::Mark;
use super::web::Web;
use super::{Told, as_a_model_sees, calling, node, until};
use crate::clients::Transport;

const TRANSPORTS: [Transport; 2] = [Transport::Stdio, Transport::Http];

/// The server, for one test.
struct Everything {
    mark: Mark,
    web: Option<Web>,
}

impl Everything {
    fn start(test: &str, transport: Transport) -> Self {
        let mark = Mark::new(&format!("everything-{test}"));
        Self { mark, web: (transport == Transport::Http).then(Web::start) }
    }

    fn config(&self, raw: bool) -> ServerConfig {
        match &self.web {
            Some(web) => ServerConfig::http(web.url()).raw(raw).into(),
            None => node("server-everything", &self.mark).arg("stdio").raw(raw).into(),
        }
    }

    /// Returns a host of this server alone, as `e`.
    async fn host(&self) -> McpHost {
        let host = McpHost::builder().server("e", self.config(false)).build().unwrap();
        host.client("e").unwrap().ready().await.unwrap();
        host
    }

    async fn end(&self, host: McpHost) {
        match self.web {
            Some(_) => host.close().await,
            None => self.mark.close(host).await,
        }
    }
}
