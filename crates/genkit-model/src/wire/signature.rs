//! Thought signatures, which are sent back only to the provider that created them.

use serde_json::{Map, Value};

use genkit_core::Part;

/// The metadata key that holds the signature of a part. Genkit uses this key for every provider.
pub const SIGNATURE: &str = "thoughtSignature";

/// The metadata key that names the provider of the signature. Providers reject each other's
/// signatures.
pub const SIGNED_BY: &str = "signedBy";

/// The signer name of Gemini, for all APIs through which its models are called.
pub const GEMINI: &str = "gemini";

/// A placeholder that Gemini accepts instead of a signature, for a call that another model made.
pub const SKIP_VALIDATION: &str = "skip_thought_signature_validator";

/// Returns whether the Gemini model with this name rejects tool calls without a signature. This
/// applies to Gemini 3 and later, and to names without a version number, which refer to the latest
/// version.
pub fn checks_calls(model: &str) -> bool {
    model.contains("gemini") && !["gemini-1", "gemini-2"].iter().any(|old| model.contains(old))
}

/// Adds a signature by `provider` to the metadata.
pub fn add_signature(metadata: &mut Map<String, Value>, signature: Value, provider: &str) {
    metadata.insert(SIGNATURE.to_owned(), signature);
    metadata.insert(SIGNED_BY.to_owned(), provider.into());
}

/// Returns the signature of a part if it is from `provider`. A signature without a recorded signer
/// is accepted, because other Genkit implementations do not record it.
pub fn find_signature<'a>(part: &'a Part, provider: &str) -> Option<&'a Value> {
    let signature = part.metadata().get(SIGNATURE).filter(|it| !it.is_null())?;
    (!is_foreign(part, provider)).then_some(signature)
}

/// Returns whether the part was signed by a provider other than `provider`.
pub fn is_foreign(part: &Part, provider: &str) -> bool {
    part.metadata().get(SIGNED_BY).is_some_and(|by| by.as_str() != Some(provider))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_only_found_for_its_provider() {
        let mut part = Part::reasoning("hm");
        assert!(find_signature(&part, GEMINI).is_none() && !is_foreign(&part, GEMINI));
        add_signature(part.metadata_mut(), "s".into(), GEMINI);
        assert_eq!(find_signature(&part, GEMINI).unwrap(), "s");
        assert!(find_signature(&part, "anthropic").is_none() && is_foreign(&part, "anthropic"));
        assert!(checks_calls("gemini-3-pro-preview") && checks_calls("gemini-flash-latest"));
        assert!(!checks_calls("google/gemini-2.5-pro") && !checks_calls("gemma-3-27b-it"));
        let untold = Part::reasoning("hm").with_metadata(SIGNATURE, "s");
        assert_eq!(find_signature(&untold, "anthropic").unwrap(), "s");
    }
}
