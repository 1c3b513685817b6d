use crate::chat::builder::OpenAiBuilder;
use crate::chat::provider::OpenAi;
use crate::wire::servers::KnownServer;
use genkit_core::ErrorKind;
use genkit_model::{Constrained, Provider as _};

#[test]
fn key_is_required_if_the_server_requires_one() {
    let error = OpenAi::builder().build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthenticated);
    assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
    let error = OpenAi::builder().base_url("https://api.groq.com/openai/v1").build().unwrap_err();
    assert!(error.to_string().contains("GROQ_API_KEY"), "{error}");
    assert!(OpenAi::builder().base_url("http://localhost:4000").build().is_ok());
    assert!(OpenAi::builder().header("Authorization", "Bearer x").build().is_ok());
}

#[test]
fn server_is_known_by_its_name_or_its_address() {
    let ollama = OpenAi::builder().base_url("http://127.0.0.1:11434/v1").build().unwrap();
    assert_eq!(ollama.name(), "ollama");
    assert_eq!(ollama.model("a/b").name(), "ollama/a/b");
    assert!(!ollama.model("m").info().supports.unwrap().tool_choice);
    let deepseek =
        OpenAi::builder().base_url("https://api.deepseek.com/v1").api_key("k").build().unwrap();
    assert_eq!(deepseek.model("m").info().supports.unwrap().constrained, Constrained::None);
    let moved =
        OpenAi::builder().name("mine").base_url("https://api.deepseek.com").api_key("k").build();
    let moved = moved.unwrap().model("m");
    assert_eq!(moved.name(), "mine/m");
    assert_eq!(moved.info().supports.unwrap().constrained, Constrained::None);
    let error = OpenAi::server("gorq").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("groq"), "{error}");
    assert!(
        KnownServer::find_named("openai").is_some() && KnownServer::find_named("gemini").is_none()
    );
}

#[test]
fn builder_settings_override_the_environment_in_any_order() {
    let environment = |name: &str| Some(format!("https://{}/", name.to_lowercase()));
    let given = |builder: OpenAiBuilder| {
        builder.api_key("mine").base_url("https://mine").organization("my-org")
    };
    for builder in [given(OpenAi::builder()).env(), given(OpenAi::builder().env())] {
        let settings = builder.common.with_env(environment).settings;
        assert_eq!(settings.key.as_deref(), Some("mine"));
        assert_eq!(settings.base_url.as_deref(), Some("https://mine"));
        let org = settings.headers.iter().filter(|(name, _)| name == "openai-organization");
        assert_eq!(org.map(|(_, value)| value.as_str()).collect::<Vec<_>>(), ["my-org"]);
    }
    let settings = OpenAi::builder().env().common.with_env(environment).settings;
    assert_eq!(settings.key.as_deref(), Some("https://openai_api_key/"));
    assert_eq!(settings.base_url.as_deref(), Some("https://openai_base_url/"));
    assert!(settings.has_header("openai-organization"));
}

#[test]
fn nothing_shows_the_key() {
    let builder = OpenAi::builder().api_key("sk-hidden").header("x-team-key", "hidden");
    assert!(!format!("{builder:?}").contains("hidden"));
    assert!(!format!("{:?}", builder.build().unwrap()).contains("hidden"));
}
