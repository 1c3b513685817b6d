use crate::responses::provider::OpenAiResponses;
use genkit_core::ErrorKind;
use genkit_model::Provider as _;

#[test]
fn key_is_required_if_the_server_requires_one() {
    let error = OpenAiResponses::builder().build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthenticated);
    assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
    assert!(error.to_string().contains("OpenAiResponses::builder().env()"), "{error}");
    assert!(OpenAiResponses::builder().base_url("http://localhost:4000").build().is_ok());
}

#[test]
fn models_are_called_after_the_provider() {
    let given = OpenAiResponses::builder().api_key("k");
    assert_eq!(given.clone().build().unwrap().model("o3").name(), "openai-responses/o3");
    let xai = given.clone().base_url("https://api.x.ai/v1").build().unwrap();
    assert_eq!((xai.name(), xai.settings.server.as_str()), ("openai-responses", "xai"));
    assert!(!xai.settings.deviations.strict_tools && !xai.settings.is_openai());
    let moved = given.clone().base_url("http://localhost:4000/v1").build().unwrap();
    assert!(moved.settings.is_openai());
    let azure = given.base_url("https://me.openai.azure.com/openai/v1").name("azure").build();
    assert_eq!(azure.unwrap().settings.server, "azure");
}

#[test]
fn builder_settings_override_the_environment() {
    let environment = |name: &str| Some(format!("https://{}/", name.to_lowercase()));
    let builder = OpenAiResponses::builder().api_key("mine").organization("my-org").env();
    let settings = builder.common.with_env(environment).settings;
    assert_eq!(settings.key.as_deref(), Some("mine"));
    assert_eq!(settings.base_url.as_deref(), Some("https://openai_base_url/"));
    assert_eq!(settings.headers[0].1, "my-org");
}

#[test]
fn nothing_shows_the_key() {
    let builder = OpenAiResponses::builder().api_key("sk-hidden").header("x-team-key", "hidden");
    assert!(!format!("{builder:?}").contains("hidden"));
    assert!(!format!("{:?}", builder.build().unwrap()).contains("hidden"));
}
