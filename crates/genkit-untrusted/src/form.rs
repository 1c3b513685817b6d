//! Form fields that ask for secrets, which MCP forbids. Redaction has its own, wider list in [`secret`](super::secret).

use serde_json::Value;

/// The last words of the names of fields that ask for a secret, in the singular. Two words are also read as one:
/// `api_key`, `passCode`.
const SECRETS: [&str; 24] = [
    "accesskey",
    "apikey",
    "credential",
    "cvc",
    "cvv",
    "cvv2",
    "decryptionkey",
    "encryptionkey",
    "otp",
    "otpcode",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "pin",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "signingkey",
    "sshkey",
    "token",
    "totp",
    "totpcode",
];

/// The words before `pin` in the names of such fields. Other pins are, for example, on maps and boards.
const PINS: [&str; 8] = ["account", "card", "confirm", "current", "new", "old", "sim", "user"];

/// The words before `tokens` in the names of such fields. Other tokens are counted, or are parts of a text.
const TOKENS: [&str; 6] = ["access", "api", "auth", "bearer", "refresh", "session"];

/// Words that start a qualifier in a name or a title. In `Password of the server`, only `Password` is checked.
const PREPOSITIONS: [&str; 8] = ["at", "for", "from", "in", "of", "on", "to", "with"];

/// Last words that are ignored, because the field still asks for the secret itself.
const REPEATED: [&str; 4] = ["again", "confirm", "confirmation", "repeat"];

/// Returns the first field of a form that asks for a secret, by its name, its title or its format. Choices between
/// known values, booleans and counts are not secrets.
pub fn secret_field(schema: &Value) -> Option<&str> {
    let fields = schema.get("properties")?.as_object()?;
    fields.iter().find(|(name, field)| is_secret_field(name, field)).map(|(name, _)| name.as_str())
}

fn is_secret_field(name: &str, field: &Value) -> bool {
    let has_type = |wanted: &str| match &field["type"] {
        Value::Array(types) => types.iter().any(|kind| kind == wanted),
        kind => kind == wanted,
    };
    let is_choice = ["enum", "oneOf", "const"].iter().any(|key| field.get(key).is_some());
    if is_choice || has_type("boolean") {
        return false;
    }
    let is_count =
        |name: &str| name.ends_with(['s', 'S']) && (has_type("integer") || has_type("number"));
    let texts = [Some(name), field["title"].as_str()].into_iter().flatten();
    field["format"] == "password"
        || texts.into_iter().any(|text| asks_for_secret(text) && !is_count(text.trim()))
}

/// Returns whether a form field with this name, in any case style, or this title asks for a secret, that is, whether
/// the text ends with a word for a secret. Prefers false negatives, because a form with such a field is rejected.
pub fn asks_for_secret(name: &str) -> bool {
    let words = split_words(name);
    // The first word is never a preposition: `to_password` is the password of the receiver.
    let end = words.iter().skip(1).position(|word| PREPOSITIONS.contains(&word.as_str()));
    let mut words = &words[..end.map_or(words.len(), |at| at + 1)];
    while let [first @ .., last] = words
        && REPEATED.contains(&last.as_str())
    {
        words = first;
    }
    let [before @ .., last] = words else { return false };
    let before = before.last().map_or("", String::as_str);
    match last.as_str() {
        "pin" | "pins" => before.is_empty() || PINS.contains(&before),
        "tokens" => before.is_empty() || TOKENS.contains(&before),
        _ if words.iter().any(|word| word == "public") => false,
        last => is_secret(last) || is_secret(&format!("{before}{last}")),
    }
}

fn is_secret(word: &str) -> bool {
    SECRETS.contains(&word) || word.strip_suffix('s').is_some_and(|one| SECRETS.contains(&one))
}

/// Returns the words of a name in lower case. `apiKey` has two words, `APIKEY` one.
fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut is_start, mut was_lower) = (true, false);
    for letter in name.chars() {
        let is_letter = letter.is_alphanumeric();
        if is_letter {
            if is_start || (letter.is_uppercase() && was_lower) {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(letter.to_lowercase());
            }
            was_lower = !letter.is_uppercase();
        }
        is_start = !is_letter;
    }
    words
}
