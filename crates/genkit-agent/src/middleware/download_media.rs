//! Media downloads: replaces the URL of media with its content.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::NextModel;
use super::chain::impl_model_middleware;
use genkit_core::Part;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::ChunkSink;
use genkit_model::internal::download;

/// The maximum size of a file. Default is 20 MiB; large models accept this size in one request.
const MAX_BYTES: usize = 20 * 1024 * 1024;

/// The timeout of a download. Default is 30 seconds.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Middleware that downloads the media of a request; created by [`download_media()`].
#[derive(Clone, Debug)]
pub struct DownloadMedia {
    max_bytes: usize,
    timeout: Duration,
}

/// Creates middleware that downloads media, for models that do not accept URLs. Media at `http:` and `https:` URLs is
/// fetched and sent as a `data:` URL. The history keeps the original URL.
///
/// ```
/// use genkit::Part;
/// use genkit::middleware::download_media;
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let run = genkit::generate(Part::media("http://127.0.0.1:9/cat.png", "image/png"))
///     .model(ScriptedModel::text("A cat."))
///     .middleware(download_media().max_bytes(5_000_000));
/// let error = run.await.unwrap_err(); // no server listens on this port
/// assert!(error.to_string().contains("127.0.0.1"), "{error}");
/// # }
/// ```
///
/// A file can be up to 20 MiB in size, and a download can take up to 30 seconds. Redirects are not followed. The author
/// of a message decides which URLs this program fetches, including URLs in an internal network, so use this middleware
/// only for trusted messages.
pub fn download_media() -> DownloadMedia {
    DownloadMedia { max_bytes: MAX_BYTES, timeout: TIMEOUT }
}

impl DownloadMedia {
    /// Sets the maximum size of a file, in bytes. Default is 20 MiB.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the timeout of each download. Default is 30 seconds.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    async fn fetch_media(&self, part: &mut Part) -> Result<()> {
        let Part::Media { media, .. } = part else { return Ok(()) };
        let (sent, bytes) = download(&media.url, self.max_bytes, self.timeout).await?;
        let kind = media.content_type.take().or(sent).ok_or(E::UnknownMediaType)?;
        media.url = format!("data:{kind};base64,{}", STANDARD.encode(bytes));
        media.content_type = Some(kind);
        Ok(())
    }
}

fn is_remote(part: &Part) -> bool {
    matches!(part, Part::Media { media, .. }
        if media.url.starts_with("http://") || media.url.starts_with("https://"))
}

impl DownloadMedia {
    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        if !request.messages.iter().flat_map(|message| &message.content).any(is_remote) {
            return next.run(request, chunks).await;
        }
        let mut request = request.clone();
        let parts = request.messages.iter_mut().flat_map(|message| &mut message.content);
        for part in parts.filter(|part| is_remote(part)) {
            self.fetch_media(part).await?;
        }
        next.run(&request, chunks).await
    }
}

impl_model_middleware!(DownloadMedia);
