//! Media downloads: media by its address becomes media with its bytes.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Middleware, NextModel};
use genkit_core::BoxFuture;
use genkit_core::Part;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::ChunkSink;
use genkit_model::internal::download;

/// How large a file may be. Default is 20 MiB, what large models take in one request.
const MAX_BYTES: usize = 20 * 1024 * 1024;

/// How long a file may take. Default is 30 seconds.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Download of the media that a request names, as middleware: see [`download_media()`].
#[derive(Clone, Debug)]
pub struct DownloadMedia {
    max_bytes: usize,
    timeout: Duration,
}

/// Media download, for models that take no addresses: media at `http:` and `https:` addresses is
/// fetched and sent as `data:`. The history keeps the address.
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
/// let error = run.await.unwrap_err(); // nothing listens there
/// assert!(error.to_string().contains("127.0.0.1"), "{error}");
/// # }
/// ```
///
/// A file has at most 20 MiB and takes at most 30 seconds; redirects are not followed. Whoever
/// writes the messages chooses what this program fetches, also within its own network: use it for
/// messages that you trust.
pub fn download_media() -> DownloadMedia {
    DownloadMedia { max_bytes: MAX_BYTES, timeout: TIMEOUT }
}

impl DownloadMedia {
    /// Size limit: how large a file may be, in bytes. Default is 20 MiB.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Timeout: how long a file may take. Default is 30 seconds.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    async fn fetch(&self, part: &mut Part) -> Result<()> {
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

impl Middleware for DownloadMedia {
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            if !request.messages.iter().flat_map(|message| &message.content).any(is_remote) {
                return next.run(request, chunks).await;
            }
            let mut request = request.clone();
            let parts = request.messages.iter_mut().flat_map(|message| &mut message.content);
            for part in parts.filter(|part| is_remote(part)) {
                self.fetch(part).await?;
            }
            next.run(&request, chunks).await
        })
    }
}
