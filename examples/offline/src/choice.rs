//! The model of a program that does not specify one.

use genkit::model::ModelRef;

use crate::{NAME, Offline};

/// Returns the named model, otherwise the model in `GENKIT_MODEL`, otherwise a model with an API key in the
/// environment, otherwise [`Offline`]. `does` describes the behavior of the offline model, for the message on standard
/// error.
pub fn model(named: Option<String>, does: &str) -> ModelRef {
    let name = choose(named, |name| std::env::var(name).ok());
    if name != NAME {
        eprintln!("(model: {name})");
        return name.into();
    }
    eprintln!(
        "(model: {name}, which {does}; set GEMINI_API_KEY or OPENAI_API_KEY to use a real model)"
    );
    Offline.into()
}

fn choose(named: Option<String>, env: impl Fn(&str) -> Option<String>) -> String {
    let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
    let has = |name: &str| set(name).is_some();
    named.or_else(|| set("GENKIT_MODEL")).unwrap_or_else(|| {
        if has("GEMINI_API_KEY") || has("GOOGLE_API_KEY") {
            "gemini/gemini-2.5-flash".to_owned()
        } else if has("OPENAI_API_KEY") {
            "openai/gpt-4o-mini".to_owned()
        } else {
            NAME.to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_wins_then_the_environment() {
        for (named, set, wanted) in [
            (Some("a/b"), "GENKIT_MODEL GEMINI_API_KEY", "a/b"),
            (None, "GENKIT_MODEL GEMINI_API_KEY", "x"),
            (None, "GEMINI_API_KEY OPENAI_API_KEY", "gemini/gemini-2.5-flash"),
            (None, "GOOGLE_API_KEY", "gemini/gemini-2.5-flash"),
            (None, "OPENAI_API_KEY", "openai/gpt-4o-mini"),
            (None, "", "offline"),
        ] {
            let env = |name: &str| set.split(' ').any(|set| set == name).then(|| "x".to_owned());
            assert_eq!(choose(named.map(str::to_owned), env), wanted);
        }
        assert_eq!(choose(None, |_| Some(" ".to_owned())), "offline", "blank is not set");
    }
}
