//! Tests of DPoP-bound tokens, with every proof verified according to RFC 9449.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
};
use serde_json::{Value, json};

use super::access::{InMemory, authorization_server, metadata_address, origin, visit};
use crate::config::{HttpTransport, ServerConfig};
use crate::transport::http::tests::fake::{Answer, Fake, Request, mcp};
use crate::transport::http::tests::{connector, fault, list, open};
use crate::transport::oauth::OAuth;

/// The tokens that the servers have issued, and the proofs that they have received.
#[derive(Default)]
struct World {
    /// The key that a token is bound to.
    tokens: HashMap<String, Value>,
    /// The key that the refresh token is bound to.
    refreshes: Option<Value>,
    seen: HashSet<String>,
    /// The number of accepted requests. The MCP server changes its nonce after every third request.
    used: usize,
    wrong: Vec<String>,
}

impl World {
    /// Verifies a proof, and returns its key and nonce.
    fn verified(&mut self, request: &Request, token: Option<&str>) -> Option<(Value, Value)> {
        let proof = request.header("dpop")?;
        let (text, signature) = proof.rsplit_once('.')?;
        let (header, claims) = text.split_once('.')?;
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
        let header: Value = serde_json::from_slice(&decoded(header)).unwrap();
        let claims: Value = serde_json::from_slice(&decoded(claims)).unwrap();
        let of = |name: &str| decoded(header["jwk"][name].as_str().unwrap());
        let point = [vec![4], of("x"), of("y")].concat();
        let signed = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
            .verify(text.as_bytes(), &decoded(signature));
        let hash = token.map(|token| URL_SAFE_NO_PAD.encode(digest(&SHA256, token.as_bytes())));
        let path = request.path.split('?').next().unwrap();
        let right = signed.is_ok()
            && header["typ"] == "dpop+jwt"
            && claims["htm"] == request.method.as_str()
            && claims["htu"] == format!("{}{path}", origin(request))
            && claims["ath"] == json!(hash)
            && self.seen.insert(claims["jti"].to_string());
        if !right {
            self.wrong.push(format!("{header} {claims} {request:?}"));
        }
        right.then(|| (header["jwk"].clone(), claims["nonce"].clone()))
    }

    fn token(&mut self, request: &Request) -> Answer {
        let refused = |error: &str| {
            Answer::status(400)
                .header("Content-Type", "application/json")
                .body(json!({ "error": error }).to_string())
        };
        let Some((key, nonce)) = self.verified(request, None) else {
            return refused("invalid_dpop_proof");
        };
        if nonce != "of-issuer" {
            return refused("use_dpop_nonce").header("DPoP-Nonce", "of-issuer");
        }
        let refreshed = request.param("grant_type").as_deref() == Some("refresh_token");
        if refreshed && self.refreshes.as_ref() != Some(&key) {
            return refused("invalid_grant");
        }
        self.refreshes = Some(key.clone());
        let token = format!("token-{}", self.tokens.len());
        self.tokens.insert(token.clone(), key);
        Answer::json(&json!({
            "access_token": token, "token_type": "DPoP", "refresh_token": "r", "expires_in": 3600,
        }))
    }

    fn mcp(&mut self, request: &Request) -> Answer {
        let at = metadata_address(request);
        let refused = |error: &str| {
            let header = format!("DPoP {error}resource_metadata=\"{at}\"");
            Answer::status(401).header("WWW-Authenticate", header)
        };
        let sent = request.header("authorization").map(str::to_owned);
        let Some(sent) = sent else { return refused("") };
        let Some(token) = sent.strip_prefix("DPoP ") else {
            self.wrong.push(format!("another scheme: {sent}"));
            return refused("");
        };
        let Some((key, nonce)) = self.verified(request, Some(token)) else {
            return refused("error=\"invalid_dpop_proof\", ");
        };
        if self.tokens.get(token) != Some(&key) {
            return refused("error=\"invalid_token\", ");
        }
        if nonce != format!("nonce-{}", self.used / 3) {
            let nonce = format!("nonce-{}", self.used / 3);
            return refused("error=\"use_dpop_nonce\", ").header("DPoP-Nonce", nonce);
        }
        self.used += 1;
        mcp(request)
    }
}

async fn start() -> (Fake, Arc<Mutex<World>>) {
    let world = Arc::new(Mutex::new(World::default()));
    let state = Arc::clone(&world);
    let fake = Fake::start(move |request| match request.path.split('?').next().unwrap() {
        "/authorize" => {
            let (state, back) = (request.param("state"), request.param("redirect_uri"));
            let back = format!("{}?code=c&state={}", back.unwrap(), state.unwrap());
            Answer::status(302).header("Location", back)
        }
        "/token" => state.lock().unwrap().token(request),
        "/mcp" => state.lock().unwrap().mcp(request),
        _ => authorization_server(request, &["none"]),
    })
    .await;
    (fake, world)
}

/// Returns settings with a user who grants access.
fn person() -> OAuth {
    OAuth::new().on_authorize(|url| async move { Ok(visit(&url).await) })
}

fn server(fake: &Fake, oauth: OAuth) -> HttpTransport {
    ServerConfig::http(fake.url()).oauth(oauth)
}

fn asked(fake: &Fake, path: &str) -> usize {
    fake.seen(|request| request.path.split('?').next() == Some(path)).len()
}

fn pem() -> String {
    let (curve, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let der = STANDARD.encode(EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap());
    format!("-----BEGIN PRIVATE KEY-----\n{der}\n-----END PRIVATE KEY-----\n")
}

#[tokio::test]
async fn each_request_has_its_own_dpop_proof_and_server_nonce() {
    for oauth in [person(), OAuth::client_credentials("me", "its-secret")] {
        let (fake, world) = start().await;
        let client = open(&connector(&server(&fake, oauth.dpop(true)))).await.unwrap();
        for _ in 0..5 {
            let (one, two) = tokio::join!(list(&client), list(&client));
            one.unwrap();
            two.unwrap();
        }
        client.cancel().await.unwrap();
        let world = world.lock().unwrap();
        assert_eq!(world.wrong, [""; 0]);
        assert!(world.used > 10, "the nonce has changed meanwhile: {}", world.used);
        assert_eq!((world.tokens.len(), asked(&fake, "/token")), (1, 2), "once without a nonce");
        let with = |method: &str| {
            fake.seen(|it| it.method == method && it.path == "/mcp" && it.header("dpop").is_some())
        };
        for method in ["POST", "GET", "DELETE"] {
            assert!(!with(method).is_empty(), "{method}");
        }
    }
}

#[tokio::test]
async fn access_is_renewed_by_the_key_and_kept_with_a_key_that_stays() {
    let (fake, world) = start().await;
    let store = Arc::new(InMemory::default());
    let key = pem();
    let oauth = || person().credentials(Arc::clone(&store)).dpop_key(&key);
    open(&connector(&server(&fake, oauth()))).await.unwrap();
    assert_eq!(asked(&fake, "/authorize"), 1);
    // The next run still has the token.
    let client = open(&connector(&server(&fake, oauth()))).await.unwrap();
    assert_eq!((asked(&fake, "/authorize"), world.lock().unwrap().tokens.len()), (1, 1));
    // A token that the server no longer accepts is renewed.
    world.lock().unwrap().tokens.clear();
    world.lock().unwrap().tokens.insert("other".to_owned(), Value::Null);
    list(&client).await.unwrap();
    assert_eq!((asked(&fake, "/authorize"), world.lock().unwrap().tokens.len()), (1, 2));
    // Tokens that are bound to another key are useless, so the user is asked.
    let other = person().credentials(Arc::clone(&store)).dpop_key(pem());
    open(&connector(&server(&fake, other))).await.unwrap();
    assert_eq!(asked(&fake, "/authorize"), 2);
    assert_eq!(world.lock().unwrap().wrong, [""; 0]);
}

#[tokio::test]
async fn token_that_is_not_bound_is_neither_taken_nor_sent() {
    for oauth in [person(), OAuth::client_credentials("me", "its-secret")] {
        let fake = Fake::start(|request| match request.path.split('?').next().unwrap() {
            "/authorize" => {
                let (state, back) = (request.param("state"), request.param("redirect_uri"));
                let back = format!("{}?code=c&state={}", back.unwrap(), state.unwrap());
                Answer::status(302).header("Location", back)
            }
            "/token" => Answer::json(&json!({"access_token": "t", "token_type": "Bearer"})),
            "/mcp" => {
                let at = metadata_address(request);
                let header = format!("DPoP resource_metadata=\"{at}\"");
                Answer::status(401).header("WWW-Authenticate", header)
            }
            _ => authorization_server(request, &["none"]),
        })
        .await;
        let told = fault(server(&fake, oauth.clone().dpop(true))).await;
        assert!(told.error.to_string().contains("not bound to a key"), "{told:?}");
        assert!(
            fake.seen(|request| request.header("authorization") == Some("Bearer t")).is_empty()
        );
        // Without the setting, the error states what the server requires.
        let told = fault(server(&fake, oauth)).await;
        assert!(told.error.to_string().contains("set `.dpop(true)` on its `OAuth`"), "{told:?}");
    }
}

/// The metadata shows that the server cannot verify the proofs, so the user is not asked.
#[tokio::test]
async fn authorization_server_without_the_algorithm_is_rejected() {
    let fake = Fake::start(|request| match request.path.as_str() {
        "/mcp" => {
            let at = metadata_address(request);
            Answer::status(401)
                .header("WWW-Authenticate", format!("DPoP resource_metadata=\"{at}\""))
        }
        "/.well-known/oauth-authorization-server" => {
            let mut said = authorization_server(request, &["none"]).value();
            said["dpop_signing_alg_values_supported"] = json!(["EdDSA"]);
            Answer::json(&said)
        }
        _ => authorization_server(request, &["none"]),
    })
    .await;
    let told = fault(server(&fake, person().dpop(true))).await;
    assert!(told.error.to_string().contains("does not accept DPoP proofs"), "{told:?}");
    assert_eq!((asked(&fake, "/register"), asked(&fake, "/authorize")), (0, 0));
}

/// The server rejects every proof.
#[tokio::test]
async fn rejected_proof_does_not_start_a_new_sign_in() {
    for error in ["use_dpop_nonce", "invalid_dpop_proof"] {
        let count = Arc::new(AtomicUsize::new(0));
        let given = Arc::clone(&count);
        let fake = Fake::start(move |request| match request.path.as_str() {
            "/token" => {
                given.fetch_add(1, Ordering::Relaxed);
                Answer::json(&json!({"access_token": "t", "token_type": "dpop"}))
            }
            "/mcp" => {
                let at = metadata_address(request);
                let error = match request.header("authorization") {
                    Some(_) => format!("error=\"{error}\", "),
                    None => String::new(),
                };
                let header = format!("DPoP {error}resource_metadata=\"{at}\"");
                Answer::status(401)
                    .header("WWW-Authenticate", header)
                    .header("DPoP-Nonce", "another")
            }
            _ => authorization_server(request, &["client_secret_basic"]),
        })
        .await;
        let oauth = OAuth::client_credentials("me", "its-secret").dpop(true);
        let told = fault(server(&fake, oauth)).await;
        let text = told.error.to_string();
        assert!(text.contains("rejected the proof of `.dpop(..)`"), "{text}");
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert!(asked(&fake, "/mcp") < 6, "{}", asked(&fake, "/mcp"));
    }
}

/// At a different URL, the proof would be invalid.
#[tokio::test]
async fn redirect_is_not_followed_with_a_proof() {
    let (fake, _) = start().await;
    let to = fake.url();
    let moved = Fake::start(move |_| Answer::status(307).header("Location", to.clone())).await;
    let told = fault(server(&moved, person().dpop(true))).await;
    assert!(told.error.to_string().contains("the redirect was not followed"), "{told:?}");
    assert!(fake.seen(|_| true).is_empty());
}

#[tokio::test]
async fn unusable_or_temporary_dpop_key_is_a_settings_error() {
    let store = || Arc::new(InMemory::default());
    for (oauth, says) in [
        (person().dpop_key("hidden"), Some("not PEM text")),
        (person().dpop(true).credentials(store()), Some("a permanent key with `.dpop_key(..)`")),
        (person().dpop_key(pem()).credentials(store()), None),
        (person().dpop_key(pem()).dpop(true).credentials(store()), None),
        (person().dpop_key("hidden").dpop(false), None),
        (person().dpop(true), None),
    ] {
        let text = oauth.check_settings().and_then(|()| oauth.new_dpop().map(drop));
        let text = text.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(says.map_or(text.is_empty(), |says| text.contains(says)), "{text}");
        assert!(!format!("{text} {oauth:?}").contains("hidden"), "{text} {oauth:?}");
    }
}
