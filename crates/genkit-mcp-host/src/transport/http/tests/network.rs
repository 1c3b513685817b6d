//! Tests of certificates and proxies.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig as TlsConfig};

use super::fake::{Answer, Fake, mcp};
use super::{connector, fault, list, open};
use crate::config::{HttpTransport, ServerConfig};
use crate::transport::http::Connector;
use crate::transport::oauth::OAuth;
use crate::transport::oauth::tests::access::authorization_server;

/// A private certificate authority, and a certificate that it issued to all parties.
struct Company {
    root: String,
    certificate: CertificateDer<'static>,
    root_der: CertificateDer<'static>,
    key: KeyPair,
    pem: String,
}

fn company() -> Company {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = ["localhost", "mcp.example.test", "auth.example.test"].map(str::to_owned);
    let params = CertificateParams::new(names).unwrap();
    let issued = params.signed_by(&key, &authority).unwrap();
    Company {
        root: authority.pem(),
        certificate: issued.der().clone(),
        root_der: authority.der().clone(),
        pem: format!("{}{}", issued.pem(), key.serialize_pem()),
        key,
    }
}

/// Starts a TLS server that requires a client certificate of the company, in front of `fake`; returns its port.
async fn start_tls(company: &Company, fake: &Fake) -> u16 {
    genkit_http_client::internal::net::install_crypto();
    let mut roots = RootCertStore::empty();
    roots.add(company.root_der.clone()).unwrap();
    let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap();
    let key = PrivateKeyDer::try_from(company.key.serialize_der()).unwrap();
    let config = TlsConfig::builder()
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![company.certificate.clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let behind = fake.origin.trim_start_matches("http://").to_owned();
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = socket.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = socket.accept().await {
            let (acceptor, behind) = (acceptor.clone(), behind.clone());
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await.ok()?;
                let mut behind = TcpStream::connect(behind).await.ok()?;
                copy_bidirectional(&mut stream, &mut behind).await.ok()
            });
        }
    });
    port
}

/// Starts a proxy for `CONNECT`; returns its port and the number of tunnels with the right password.
async fn start_proxy() -> (u16, Arc<AtomicUsize>) {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = socket.local_addr().unwrap().port();
    let tunnels = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tunnels);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = socket.accept().await {
            let counted = Arc::clone(&counted);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.ok()?);
                }
                let head = String::from_utf8(head).ok()?;
                let target = head.strip_prefix("CONNECT ")?.split(' ').next()?.to_owned();
                // `ada:secret`
                if head.to_ascii_lowercase().contains("proxy-authorization: basic ywrhonnly3jlda==")
                {
                    counted.fetch_add(1, Ordering::SeqCst);
                }
                // Names that only the company's network resolves.
                let (host, port) = target.rsplit_once(':')?;
                let host = if host.ends_with(".example.test") { "127.0.0.1" } else { host };
                let mut behind = TcpStream::connect(format!("{host}:{port}")).await.ok()?;
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
                copy_bidirectional(&mut stream, &mut behind).await.ok()
            });
        }
    });
    (port, tunnels)
}

#[tokio::test]
async fn server_of_a_company_is_reached_with_its_certificates_and_through_its_proxy() {
    let company = company();
    let fake = Fake::start(mcp).await;
    let port = start_tls(&company, &fake).await;
    let (proxy, tunnels) = start_proxy().await;
    let url = format!("https://localhost:{port}/mcp");
    let with = |root: bool, own: bool| {
        let mut server = ServerConfig::http(&url);
        if root {
            server = server.root_certificate(&company.root);
        }
        if own { server.client_certificate(&company.pem) } else { server }
    };
    for (root, own) in [(false, false), (true, false), (false, true)] {
        assert!(open(&connector(&with(root, own))).await.is_err(), "{root} {own}");
    }
    list(&open(&connector(&with(true, true))).await.unwrap()).await.unwrap();
    assert_eq!(tunnels.load(Ordering::SeqCst), 0);
    let server = with(true, true).proxy(format!("http://ada:secret@127.0.0.1:{proxy}"));
    list(&open(&connector(&server)).await.unwrap()).await.unwrap();
    assert!(tunnels.load(Ordering::SeqCst) > 0);
    assert!(!format!("{server:?}").contains("secret"));
}

/// Converts the URLs in metadata to `https`.
fn encrypted(answer: Answer) -> Answer {
    if answer.status != 200 {
        return answer;
    }
    let text = answer.value().to_string().replace("http://", "https://");
    Answer::json(&serde_json::from_str(&text).unwrap())
}

/// Starts an MCP server and its authorization server with TLS and client certificates; returns their ports.
async fn start_authorized(company: &Company) -> (u16, u16, Fake) {
    let authority = Fake::start(|request| match request.path.split('?').next().unwrap() {
        "/token" => Answer::json(&json!({"access_token": "t", "token_type": "Bearer"})),
        _ => encrypted(authorization_server(request, &["client_secret_basic"])),
    })
    .await;
    let authority_port = start_tls(company, &authority).await;
    let server = Fake::start(move |request| {
        let origin = format!("https://{}", request.header("host").unwrap());
        if request.path.starts_with("/.well-known/oauth-protected-resource") {
            let authority = format!("https://auth.example.test:{authority_port}");
            let named = json!([authority]);
            let resource = format!("{origin}/mcp");
            return Answer::json(&json!({"resource": resource, "authorization_servers": named}));
        }
        if request.header("authorization") == Some("Bearer t") {
            return mcp(request);
        }
        let metadata = format!("{origin}/.well-known/oauth-protected-resource/mcp");
        let challenge = format!("Bearer resource_metadata=\"{metadata}\", scope=\"read\"");
        Answer::status(401).header("WWW-Authenticate", challenge)
    })
    .await;
    (start_tls(company, &server).await, authority_port, authority)
}

#[tokio::test]
async fn authorization_server_of_a_company_is_reached_like_its_server() {
    let company = company();
    let (port, authority_port, authority) = start_authorized(&company).await;
    let (proxy, _) = start_proxy().await;
    let program = || OAuth::client_credentials("me", "secret");
    let user = || {
        OAuth::new().client_id("me").on_authorize(|url| async move {
            let url = reqwest::Url::parse(&url).unwrap();
            let param = |name: &str| url.query_pairs().find(|it| it.0 == name).unwrap().1;
            Ok(format!("{}?code=c&state={}", param("redirect_uri"), param("state")))
        })
    };
    let server = |oauth: OAuth| {
        ServerConfig::http(format!("https://mcp.example.test:{port}/mcp"))
            .root_certificate(&company.root)
            .client_certificate(&company.pem)
            .proxy(format!("http://ada:secret@127.0.0.1:{proxy}"))
            .oauth(oauth.issuer(format!("https://auth.example.test:{authority_port}")))
    };
    for oauth in [program(), user()] {
        // The certificate for the server is not sent to another origin.
        let fault = fault(server(oauth.clone())).await;
        assert!(authority.seen(|_| true).is_empty(), "{fault:?}");
    }
    for oauth in [program(), user()] {
        let connector = connector(&server(oauth.client_certificate(&company.pem)));
        list(&open(&connector).await.unwrap()).await.unwrap();
    }
    assert_eq!(authority.seen(|request| request.path == "/token").len(), 2);
}

#[tokio::test]
async fn authorization_of_a_server_at_its_own_origin_uses_its_certificate() {
    let company = company();
    let fake = Fake::start(|request| match request.path.as_str() {
        "/token" => Answer::json(&json!({"access_token": "t", "token_type": "Bearer"})),
        "/mcp" if request.header("authorization").is_some() => mcp(request),
        "/mcp" => Answer::status(401).header("WWW-Authenticate", "Bearer scope=\"read\""),
        _ => encrypted(authorization_server(request, &["client_secret_basic"])),
    })
    .await;
    let port = start_tls(&company, &fake).await;
    let server = ServerConfig::http(format!("https://localhost:{port}/mcp"))
        .root_certificate(&company.root)
        .client_certificate(&company.pem)
        .oauth(OAuth::client_credentials("me", "secret"));
    list(&open(&connector(&server)).await.unwrap()).await.unwrap();
    assert_eq!(fake.seen(|request| request.path == "/token").len(), 1);
}

#[tokio::test]
async fn invalid_certificate_or_proxy_is_an_error_without_secrets() {
    let error = |server: HttpTransport| {
        let made = Connector::new(
            "docs",
            &server.endpoint,
            tokio::sync::watch::Sender::default(),
            server.endpoint.build_redactor(),
        );
        made.err().expect("an invalid setting").to_string()
    };
    let server = || ServerConfig::http("https://example.com/mcp");
    for (server, expected) in [
        (server().root_certificate("SECRET"), "`.root_certificate(..)` has no certificate in PEM"),
        (server().client_certificate("SECRET"), "`.client_certificate(..)` is not a certificate"),
        (
            server().oauth(OAuth::new().client_certificate("SECRET")),
            "`OAuth::client_certificate(..)` is not a certificate",
        ),
        (server().proxy("SECRET"), "`.proxy(..)` is not a proxy URL"),
        (server().proxy("socks5://SECRET"), "`.proxy(..)` is not a proxy URL"),
    ] {
        let error = error(server);
        assert!(error.contains("server `docs`: ") && error.contains(expected), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
    }
}
