//! The callback of a browser authorization, received on a local port.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use crate::error::Error;

/// The time limit for the browser to send its request. Default is 10 seconds.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum size of a request head, in bytes. Default is 16 KiB.
const MAX_HEAD: usize = 16 * 1024;

/// A listener on a local port for the browser redirect of an authorization (RFC 8252).
///
/// ```
/// use genkit_oauth_client::CallbackListener;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), genkit_oauth_client::Error> {
/// let listener = CallbackListener::bind(None, None).await?;
/// // The redirect URI for the authorization request, which the user opens in a browser.
/// assert!(listener.uri().starts_with("http://127.0.0.1:"));
/// let callback = listener.wait_for_callback("the state of the request");
/// # drop(callback);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CallbackListener {
    socket: TcpListener,
    uri: Url,
}

impl CallbackListener {
    /// The default redirect URI.
    ///
    /// ```
    /// assert_eq!(genkit_oauth_client::CallbackListener::DEFAULT_URI, "http://127.0.0.1/callback");
    /// ```
    pub const DEFAULT_URI: &str = "http://127.0.0.1/callback";

    /// Listens at `uri`, by default [`DEFAULT_URI`](Self::DEFAULT_URI). If the URI has no port, listens on `preferred`
    /// or else on any free port.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use genkit_oauth_client::{CallbackListener, Error};
    ///
    /// let listening = CallbackListener::bind(Some("no address"), None).await;
    /// assert!(matches!(listening, Err(Error::InvalidRedirectUri(_))));
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `uri` is not a URL, or if its port is in use.
    pub async fn bind(uri: Option<&str>, preferred: Option<u16>) -> Result<Self, Error> {
        let mut uri = Url::parse(uri.unwrap_or(Self::DEFAULT_URI))
            .map_err(|fault| Error::InvalidRedirectUri(fault.to_string()))?;
        // A host name is assumed to refer to this machine.
        let host = uri.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let host = host.parse().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let preferred = match (uri.port(), preferred) {
            (None, Some(port)) => TcpListener::bind((host, port)).await.ok(),
            _ => None,
        };
        let at = SocketAddr::from((host, uri.port().unwrap_or(0)));
        let failed = |fault| Error::Callback { at, fault };
        let socket = match preferred {
            Some(socket) => socket,
            None => TcpListener::bind(at).await.map_err(failed)?,
        };
        let port = socket.local_addr().map_err(failed)?.port();
        // Fails only for a URL that cannot have a port, such as `file:`.
        let _ = uri.set_port(Some(port));
        Ok(Self { socket, uri })
    }

    /// Returns the redirect URI, to which the authorization server redirects the browser.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), genkit_oauth_client::Error> {
    /// use genkit_oauth_client::CallbackListener;
    ///
    /// let listener = CallbackListener::bind(Some("http://localhost/back"), None).await?;
    /// assert!(listener.uri().ends_with("/back"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn uri(&self) -> &str {
        self.uri.as_str()
    }

    /// Waits for a redirect with the right `state`, and returns its complete URL.
    ///
    /// ```
    /// use tokio::io::AsyncWriteExt as _;
    /// use tokio::net::TcpStream;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let listener = genkit_oauth_client::CallbackListener::bind(None, None).await?;
    /// let at = listener.uri().trim_start_matches("http://").trim_end_matches("/callback");
    /// let mut browser = TcpStream::connect(at).await?;
    /// browser.write_all(b"GET /callback?code=a&state=s HTTP/1.1\r\n\r\n").await?;
    ///
    /// assert!(listener.wait_for_callback("s").await.ends_with("/callback?code=a&state=s"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn wait_for_callback(self, state: &str) -> String {
        let mut browsers = JoinSet::new();
        loop {
            // A browser may open connections that it never uses; they must not block the others.
            tokio::select! {
                accepted = self.socket.accept() => match accepted {
                    Ok((stream, _)) => {
                        let (uri, state) = (self.uri.clone(), state.to_owned());
                        browsers.spawn(async move { answer_request(stream, &uri, &state).await });
                    }
                    // Usually the connection was closed immediately; the delay is for persistent errors.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
                // The pattern also matches other requests: a mismatch would disable this branch until the next connection.
                Some(done) = browsers.join_next() => if let Ok(Some(callback)) = done {
                    return callback;
                },
            }
        }
    }
}

/// Reads one request and responds to it; returns its URL if it is the callback.
async fn answer_request(mut stream: TcpStream, uri: &Url, state: &str) -> Option<String> {
    let head = tokio::time::timeout(HEAD_TIMEOUT, read_head(&mut stream)).await.ok()??;
    let path = head.strip_prefix("GET ")?.split(' ').next()?;
    let target = uri.join(path).ok().filter(|target| target.path() == uri.path());
    let (page, callback) = match target {
        None => (render_page("404 Not Found", "Page not found."), None),
        Some(target) => {
            let of = |name: &str| target.query_pairs().find(|(key, _)| key == name);
            if of("state").is_none_or(|(_, found)| found != state) {
                let text = "This response does not match the pending sign-in. Return to the program and sign in again.";
                (render_page("400 Bad Request", text), None)
            } else if of("error").is_some() {
                let text = "Access was not granted. You can close this window.";
                (render_page("200 OK", text), Some(target.to_string()))
            } else {
                let text =
                    "Access was granted. You can close this window and return to the program.";
                (render_page("200 OK", text), Some(target.to_string()))
            }
        }
    };
    let _ = stream.write_all(page.as_bytes()).await;
    let _ = stream.shutdown().await;
    callback
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut piece = [0; 2048];
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(&piece[..count]);
        if head.len() > MAX_HEAD {
            return None;
        }
    }
    String::from_utf8(head).ok()
}

fn render_page(status: &str, text: &str) -> String {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Authorization</title>\
         <body style=\"font-family:sans-serif;margin:4em\"><p>{text}</p></body></html>"
    );
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
