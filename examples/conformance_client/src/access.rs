//! OAuth for the scenarios, without a user or a browser.

use genkit::mcp::host::{IdentityProvider, OAuth};
use genkit::{Error, ErrorKind, Result};

use crate::scenario::Scenario;

/// The client metadata URL of this program, for scenarios that support it.
const METADATA: &str = "https://conformance-test.local/client-metadata.json";

/// The redirect URI. No server listens there.
const REDIRECT: &str = "http://localhost:3000/callback";

pub(crate) fn oauth(scenario: &Scenario) -> Result<OAuth> {
    let of = |key: &str| scenario.text(key);
    let oauth = match scenario.name.as_str() {
        "auth/client-credentials-basic" => {
            OAuth::client_credentials(of("client_id")?, of("client_secret")?)
        }
        "auth/client-credentials-jwt" => OAuth::client_credentials_jwt(
            of("client_id")?,
            of("private_key_pem")?,
            of("signing_algorithm")?.parse()?,
        ),
        "auth/wif-jwt-bearer" => {
            let jwt = of("valid_jwt")?.to_owned();
            OAuth::jwt_bearer(of("client_id")?, move |_issuer| {
                let jwt = jwt.clone();
                async move { Ok(jwt) }
            })
        }
        "auth/enterprise-managed-authorization" => {
            let id_token = of("idp_id_token")?.to_owned();
            let (endpoint, known_as) = (of("idp_token_endpoint")?, of("idp_client_id")?);
            let provider = IdentityProvider::new(endpoint, known_as, move || {
                let id_token = id_token.clone();
                async move { Ok(id_token) }
            });
            OAuth::identity_assertion(of("client_id")?, provider)
                .client_secret(of("client_secret")?)
        }
        "auth/dpop" | "auth/dpop-nonce" => OAuth::new().client_metadata_url(METADATA).dpop(true),
        "auth/pre-registration" => OAuth::new()
            .client_id(of("client_id")?)
            .client_secret(of("client_secret")?)
            .issuer(of("issuer")?),
        _ => OAuth::new().client_metadata_url(METADATA),
    };
    Ok(oauth
        .client_name("conformance-client")
        .redirect_uri(REDIRECT)
        .on_authorize(visit_authorization_url))
}

/// Visits the authorization URL. The suite's server redirects immediately, and the `location` header is the result.
async fn visit_authorization_url(address: String) -> Result<String> {
    let visit = tokio::task::spawn_blocking(move || {
        let browser = ureq::Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .new_agent();
        browser.get(&address).call()
    });
    let failed = |text: String| Error::new(ErrorKind::Unavailable, text);
    let answer = visit.await.map_err(|fault| failed(fault.to_string()))?;
    let answer = answer.map_err(|fault| failed(fault.to_string()))?;
    let location = answer.headers().get("location").and_then(|text| text.to_str().ok());
    location
        .map(Into::into)
        .ok_or_else(|| failed("the authorization server did not redirect".to_owned()))
}
