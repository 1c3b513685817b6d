//! Tests of connections that are reused or closed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use hyper_util::client::proxy::matcher::Matcher;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use super::*;
use genkit_http_client::internal::net::pool::POOL_IDLE;
use genkit_http_client::internal::net::root_cause;

/// The action of the test server for one request.
#[derive(Clone, Copy)]
enum Reply {
    Send(&'static str),
    /// Sends this response, and then closes the connection.
    Last(&'static str),
}

const WHOLE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nx: y\r\n\r\n";

/// A server that responds to each request with `reply`, which receives the numbers of the connection and the request.
struct Server {
    address: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

impl Server {
    fn new(reply: fn(usize, usize) -> Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (connections, requests) = (Arc::default(), Arc::default());
        let server = Self { address, connections, requests };
        let (connections, requests) = (server.connections.clone(), server.requests.clone());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let nth = connections.fetch_add(1, Ordering::SeqCst);
                let requests = Arc::clone(&requests);
                std::thread::spawn(move || serve(connection.unwrap(), nth, &requests, reply));
            }
        });
        server
    }

    fn origin(&self) -> Arc<Origin> {
        let uri = format!("http://{}", self.address).parse().unwrap();
        Arc::new(Origin::new(uri, None))
    }

    fn seen(&self) -> [usize; 2] {
        [self.connections.load(Ordering::SeqCst), self.requests.load(Ordering::SeqCst)]
    }
}

fn serve(
    stream: TcpStream,
    connection: usize,
    requests: &AtomicUsize,
    reply: fn(usize, usize) -> Reply,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    for nth in 0.. {
        let mut left = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(length) = line.strip_prefix("content-length: ") {
                left = length.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        reader.read_exact(&mut vec![0; left]).unwrap();
        requests.fetch_add(1, Ordering::SeqCst);
        match reply(connection, nth) {
            Reply::Send(text) => writer.write_all(text.as_bytes()).unwrap(),
            Reply::Last(text) => return writer.write_all(text.as_bytes()).unwrap(),
        }
    }
}

async fn send_request(origin: &Arc<Origin>) -> Result<DirectResponse, String> {
    let mut headers = HeaderMap::new();
    headers.insert("host", "models.example".parse().unwrap());
    let sent = post_direct(origin, "/v1?a=b".parse().unwrap(), headers, b"{}".to_vec()).await;
    sent.map_err(|error| match error {
        SendError::Connect(error) => format!("connect: {}", root_cause(&*error)),
        SendError::Closed(error) => format!("closed: {}", root_cause(&*error)),
    })
}

async fn read(mut body: DirectBody) -> Result<String, String> {
    let mut text = Vec::new();
    while let Some(piece) = body.next().await.map_err(|error| root_cause(&*error))? {
        text.extend_from_slice(&piece);
    }
    Ok(String::from_utf8(text).unwrap())
}

async fn ask(origin: &Arc<Origin>) -> Result<String, String> {
    read(send_request(origin).await?.body).await
}

/// Waits until `is_done` returns `true`. Panics after 10 seconds.
async fn until(is_done: impl Fn() -> bool) {
    for _ in 0..2000 {
        if is_done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the condition was not met in time");
}

#[tokio::test]
async fn connection_is_used_again() {
    let server = Server::new(|_, nth| Reply::Send(if nth % 2 == 0 { WHOLE } else { CHUNKED }));
    let origin = server.origin();
    for _ in 0..6 {
        assert_eq!(ask(&origin).await.unwrap(), "hello");
        assert_eq!(origin.idle_count(), 1);
    }
    assert_eq!(server.seen(), [1, 6]);
}

#[tokio::test]
async fn concurrent_calls_use_separate_connections() {
    let server = Server::new(|_, _| Reply::Send(WHOLE));
    let origin = server.origin();
    let begun = [send_request(&origin).await.unwrap(), send_request(&origin).await.unwrap()];
    assert_eq!(begun.each_ref().map(|response| response.body.announced_length()), [Some(5); 2]);
    for response in begun {
        assert_eq!(read(response.body).await.unwrap(), "hello");
    }
    assert_eq!((server.seen(), origin.idle_count()), ([2, 2], 2));
}

#[tokio::test]
async fn connection_with_an_unread_body_is_closed() {
    let server = Server::new(|_, _| Reply::Send(WHOLE));
    let origin = server.origin();
    drop(send_request(&origin).await.unwrap());
    assert_eq!(origin.idle_count(), 0);
    assert_eq!(ask(&origin).await.unwrap(), "hello");
    assert_eq!(server.seen(), [2, 2]);
}

#[tokio::test]
async fn connection_that_the_server_closed_is_replaced() {
    // The server closed the connection while it was idle, so nothing was sent and the call is made only once.
    let server = Server::new(|_, _| Reply::Last(WHOLE));
    let origin = server.origin();
    for calls in 1..=3 {
        assert_eq!(ask(&origin).await.unwrap(), "hello");
        until(|| origin.take_idle().is_none()).await;
        assert_eq!(server.seen(), [calls, calls]);
    }
}

#[tokio::test]
async fn server_that_ends_its_connections_is_believed() {
    const CLOSE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
    const TO_THE_END: &str = "HTTP/1.1 200 OK\r\n\r\nok";
    let server =
        Server::new(|nth, _| if nth == 0 { Reply::Send(CLOSE) } else { Reply::Last(TO_THE_END) });
    let origin = server.origin();
    for calls in 1..=2 {
        assert_eq!(ask(&origin).await.unwrap(), "ok");
        assert_eq!((server.seen(), origin.idle_count()), ([calls, calls], 0));
    }
}

#[tokio::test]
async fn sent_request_is_not_retried() {
    let server = Server::new(|_, nth| if nth == 0 { Reply::Send(WHOLE) } else { Reply::Last("") });
    let origin = server.origin();
    assert_eq!(ask(&origin).await.unwrap(), "hello");
    let error = ask(&origin).await.unwrap_err();
    assert!(error.starts_with("closed: "), "{error}");
    assert_eq!((server.seen(), origin.idle_count()), ([1, 2], 0));
}

#[tokio::test]
async fn answer_that_is_cut_off_is_an_error() {
    for cut in [
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nl",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhel\r\n",
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]).unwrap();
            stream.write_all(cut.as_bytes()).unwrap();
        });
        let origin = Arc::new(Origin::new(uri, None));
        let error = ask(&origin).await.unwrap_err();
        assert!(!error.is_empty(), "{cut:?}");
        assert_eq!(origin.idle_count(), 0, "{cut:?}");
    }
}

#[tokio::test]
async fn unsolicited_bytes_close_the_connection() {
    let server = Server::new(|nth, _| match nth {
        0 => Reply::Send(concat!(
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"
        )),
        _ => Reply::Send(WHOLE),
    });
    let origin = server.origin();
    assert_eq!(ask(&origin).await.unwrap(), "ok");
    assert_eq!(ask(&origin).await.unwrap(), "hello");
    assert_eq!(server.seen(), [2, 2]);
}

#[tokio::test]
async fn refused_connection_is_an_error() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let origin = Arc::new(Origin::new(format!("http://{free}").parse().unwrap(), None));
    let error = ask(&origin).await.unwrap_err();
    assert!(error.starts_with("connect: ") && error.contains("refused"), "{error}");
}

#[tokio::test]
async fn every_address_of_a_name_is_tried() {
    // `localhost` may resolve to `::1` first, where no server listens.
    let server = Server::new(|_, _| Reply::Send(WHOLE));
    let port = server.address.rsplit(':').next().unwrap();
    let uri = format!("http://localhost:{port}").parse().unwrap();
    assert_eq!(ask(&Arc::new(Origin::new(uri, None))).await.unwrap(), "hello");
}

#[tokio::test]
async fn idle_connections_are_bounded() {
    let server = Server::new(|_, _| Reply::Send(WHOLE));
    let origin = server.origin();
    let mut begun = Vec::new();
    for _ in 0..=origin::MAX_IDLE {
        begun.push(send_request(&origin).await.unwrap());
    }
    for response in begun {
        read(response.body).await.unwrap();
    }
    assert_eq!(origin.idle_count(), origin::MAX_IDLE);
}

#[tokio::test]
async fn idle_connections_are_closed_in_time() {
    let server = Server::new(|_, _| Reply::Send(WHOLE));
    let origin = server.origin();
    ask(&origin).await.unwrap();
    tokio::time::pause();
    tokio::time::advance(POOL_IDLE - Duration::from_secs(1)).await;
    tokio::task::yield_now().await;
    assert_eq!(origin.idle_count(), 1);
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::task::yield_now().await;
    assert_eq!(origin.idle_count(), 0);
    tokio::time::resume();
    ask(&origin).await.unwrap();
    assert_eq!((server.seen(), origin.idle_count()), ([2, 2], 1));
}

#[test]
fn runtime_takes_its_connections_with_it() {
    let server = Server::new(|_, _| Reply::Send(WHOLE));
    let origin = server.origin();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(ask(&origin)).unwrap(), "hello");
    assert_eq!(origin.idle_count(), 1);
    drop(runtime);
    assert_eq!(origin.idle_count(), 0);
}

#[tokio::test]
async fn server_is_found_once_for_a_runtime() {
    let direct = |text: &str| match find_route(&text.parse().unwrap()).unwrap() {
        OriginRoute::Direct(origin) => origin,
        OriginRoute::Proxied(_) => panic!("nothing on this machine is reached through a proxy"),
    };
    let first = direct("http://127.0.0.1:7001/v1?key=a");
    assert!(Arc::ptr_eq(&first, &direct("http://127.0.0.1:7001/v2")));
    assert!(!Arc::ptr_eq(&first, &direct("http://127.0.0.1:7002/v1")));
    let elsewhere = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { direct("http://127.0.0.1:7001") })
    });
    assert!(!Arc::ptr_eq(&first, &elsewhere.join().unwrap()));
}

#[test]
fn proxy_is_for_others_alone() {
    let matcher = Matcher::builder().all("http://127.0.0.1:1").no("inside.example").build();
    for (url, proxied) in [
        ("https://models.example/v1", true),
        ("http://models.example/v1", true),
        ("http://inside.example", false),
        ("http://localhost:11434", false),
        ("http://127.0.0.1:8080", false),
    ] {
        assert_eq!(origins::is_proxied(&url.parse().unwrap(), &matcher), proxied, "{url}");
    }
}

fn der(text: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

/// Starts a TLS server that responds to one call after another, and returns its address.
fn tls_server() -> Uri {
    genkit_http_client::internal::net::install_crypto();
    let chain = vec![CertificateDer::from(der(CERTIFICATE))];
    let key = PrivateKeyDer::Pkcs8(der(KEY).into());
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key);
    let mut config = config.unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let tls = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(tls, stream.unwrap());
            std::thread::spawn(move || {
                while stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {
                    let _ = stream.write_all(WHOLE.as_bytes());
                }
            });
        }
    });
    uri.parse().unwrap()
}

fn trusting(roots: &[&str]) -> Option<Arc<ClientConfig>> {
    genkit_http_client::internal::net::install_crypto();
    let mut store = RootCertStore::empty();
    for root in roots {
        store.add(CertificateDer::from(der(root))).unwrap();
    }
    let mut config = ClientConfig::builder().with_root_certificates(store).with_no_client_auth();
    config.alpn_protocols = tls::alpn_protocols();
    Some(Arc::new(config))
}

#[tokio::test]
async fn server_must_prove_who_it_is() {
    let uri = tls_server();
    let origin = Arc::new(Origin::new(uri.clone(), trusting(&[ROOT])));
    for _ in 0..2 {
        assert_eq!(ask(&origin).await.unwrap(), "hello");
        assert_eq!(origin.idle_count(), 1);
    }
    let unknown = Arc::new(Origin::new(uri.clone(), trusting(&[])));
    let error = ask(&unknown).await.unwrap_err();
    assert!(error.starts_with("connect: ") && error.contains("UnknownIssuer"), "{error}");
    // The certificate is valid only for the IP address.
    let named = uri.to_string().replace("127.0.0.1", "localhost").parse().unwrap();
    let error = ask(&Arc::new(Origin::new(named, trusting(&[ROOT])))).await.unwrap_err();
    assert!(error.starts_with("connect: ") && error.contains("not valid for name"), "{error}");
}

// A test CA and a server certificate for 127.0.0.1, which expire in a hundred years.
/// The certificate of the CA.
const ROOT: &str = concat!(
    "MIIBhTCCASugAwIBAgIUZHAV9XYUi0qudmEg0ZELj9HF/DcwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMZ2Vua2l0IHRlc3Rz",
    "MCAXDTI2MTEyMzE4MzM1NFoYDzIxMjYxMDMwMTgzMzU0WjAXMRUwEwYDVQQDDAxnZW5raXQgdGVzdHMwWTATBgcqhkjOPQIB",
    "BggqhkjOPQMBBwNCAATwWuvW+Ez3F68bUbh3eovRz6/5H7SD5pIrV7TsskogPxRkZaE0GaZTh/4CuPi6KM5AJrJCjKcWUGcX",
    "CuRRiMY+o1MwUTAdBgNVHQ4EFgQUi+rKjBZ2flUIoCTtSvOYQEhpkMcwHwYDVR0jBBgwFoAUi+rKjBZ2flUIoCTtSvOYQEhp",
    "kMcwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA+cQ87AmV8lz326qsF2hfY2aGlwQjO1SG40Yn5b9CERMC",
    "IH1SxkEu6MLYvwwc4uPSI38ERPSnkaLgZoI9dNTqToq4",
);

/// The certificate of the server.
const CERTIFICATE: &str = concat!(
    "MIIBozCCAUigAwIBAgIUaOMWT8jZ2qrZj1oUPCbf9Fx3hiAwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMZ2Vua2l0IHRlc3Rz",
    "MCAXDTI2MTEyMzE4MzM1NVoYDzIxMjYxMDMwMTgzMzU1WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggq",
    "hkjOPQMBBwNCAARmybIQYCaP7A3jRP2HJtsztdRfkuGp9AYOUnpxKVzlOhEYEr1TW4rBkoKH0mt8lC3UeXDlJVyK9fzi2PdA",
    "Y0LHo3MwcTAPBgNVHREECDAGhwR/AAABMAkGA1UdEwQCMAAwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFHsQfpqo",
    "iQHwSe+pAzFeuYJO5qR3MB8GA1UdIwQYMBaAFIvqyowWdn5VCKAk7UrzmEBIaZDHMAoGCCqGSM49BAMCA0kAMEYCIQDUPxbi",
    "hU++aLjQD5QID3oizFmFKPKnmvJFDxDCjnMHHgIhAJRWDGPa9a4YiNfwaTCfTz6eFv1edfjowQxgzWpPG7hI",
);

/// The private key of the server.
const KEY: &str = concat!(
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkA3/BEM7X7tyS2qxjCsb2UxcYrkQCgLSzN1HjhgdZFmhRANC",
    "AARmybIQYCaP7A3jRP2HJtsztdRfkuGp9AYOUnpxKVzlOhEYEr1TW4rBkoKH0mt8lC3UeXDlJVyK9fzi2PdAY0LH",
);
