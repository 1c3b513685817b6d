//! Tests of form fields that ask for secrets.

use genkit_untrusted::form::{asks_for_secret, secret_field};
use serde_json::{Value, json};

#[test]
fn names_and_titles_of_secrets_are_found_in_any_case_style() {
    for name in [
        "password",
        "Password",
        "passWord",
        "new_password",
        "db-password",
        "passwords",
        "password_confirmation",
        "password_for_server",
        "confirmPassword",
        "repeat_password",
        "password_again",
        "passphrase",
        "passcode",
        "passCode",
        "user_pwd",
        "token",
        "tokens",
        "access_tokens",
        "accessToken",
        "refresh_token",
        "x.token",
        "secret",
        "clientSecret",
        "secrets",
        "credential",
        "aws_credentials",
        "api_key",
        "api_keys",
        "apiKey",
        "APIKEY",
        "API_KEY",
        "api-key",
        "private_key",
        "ssh_key",
        "signing_key",
        "encryptionKey",
        "pin",
        "PIN",
        "card_pin",
        "otp",
        "otp_code",
        "cvv",
        "Your API key",
        "Password of the database",
        "Token (from the settings page)",
    ] {
        assert!(asks_for_secret(name), "{name}");
    }
}

#[test]
fn ordinary_names_and_titles_are_not_secrets() {
    for name in [
        "",
        "name",
        "max_tokens",
        "maxTokens",
        "output_tokens",
        "token_count",
        "tokenCount",
        "token_type",
        "tokenizer",
        "tokenized",
        "password_hint",
        "password_length",
        "secretary",
        "has_secret_santa",
        "secret_name",
        "name_of_secret",
        "key",
        "keys",
        "sort_key",
        "primary_key",
        "public_key",
        "ssh_public_key",
        "public_ssh_key",
        "keyboard",
        "monkey",
        "spinner",
        "author",
        "authority",
        "pinned",
        "pin_code",
        "map_pin",
        "gpio_pin",
        "opinion",
        "passenger",
        "compass",
        "bypass",
        "hotpot",
        "laptop",
        "credentials_file",
        "accredited",
        "Number of tokens",
        "Expiry of the token",
        "Reason for the new password",
    ] {
        assert!(!asks_for_secret(name), "{name}");
    }
}

#[test]
fn schema_of_a_field_decides_with_its_name() {
    let form = |name: &str, field: Value| json!({"type": "object", "properties": {name: field}});
    for (name, field) in [
        ("password", json!({"type": "string"})),
        ("password", json!({"type": ["string", "null"]})),
        ("pin", json!({"type": "integer"})),
        ("value", json!({"type": "string", "title": "Your password"})),
        ("value", json!({"type": "string", "format": "password"})),
        ("tokens", json!({"type": "string"})),
        ("password", json!({})),
    ] {
        assert_eq!(secret_field(&form(name, field.clone())), Some(name), "{name}: {field}");
    }
    for (name, field) in [
        ("password", json!({"type": "boolean"})),
        ("token", json!({"type": ["boolean", "null"]})),
        ("tokens", json!({"type": "integer", "title": "Tokens"})),
        ("secret", json!({"type": "string", "enum": ["rotated", "kept"]})),
        ("token", json!({"oneOf": [{"const": "a", "title": "A"}]})),
        ("value", json!({"type": "string", "title": "Name of the secret"})),
        ("value", json!({"type": "string", "description": "Not your password."})),
        ("mail", json!({"type": "string", "format": "email"})),
    ] {
        assert_eq!(secret_field(&form(name, field.clone())), None, "{name}: {field}");
    }
    assert_eq!(secret_field(&json!({"type": "object"})), None);
    assert_eq!(secret_field(&json!({"properties": 1})), None);
}
