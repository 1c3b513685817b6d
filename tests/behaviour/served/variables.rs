//! Environment variables that a server declares.

use std::path::Path;

use genkit::mcp::server::Variable;
use genkit::testing::Client;
use genkit::{ErrorKind, Genkit, Registry, tool, tools};
use serde_json::{Value, json};

/// Returns its argument.
#[tool]
async fn echo(text: String) -> String {
    text
}

async fn start(variables: Vec<Variable>) -> genkit::Result<Client> {
    let genkit = Genkit::builder().registry(Registry::new().add(tools![echo])).build().unwrap();
    let server = variables.into_iter().fold(genkit.serve_mcp(), |server, it| server.variable(it));
    Client::connect(server).await
}

#[tokio::test]
async fn all_missing_variables_are_one_error_before_the_first_client() {
    let variables = || {
        vec![
            Variable::new("GENKIT_TEST_UNSET_TOKEN", "Token of the notes").secret(),
            Variable::new("GENKIT_TEST_UNSET_URL", "Address of the notes"),
            Variable::new("GENKIT_TEST_UNSET_LEVEL", "Level").optional(),
            Variable::new("GENKIT_TEST_UNSET_FOLDER", "Folder").default_value("notes"),
            // Cargo sets it for tests.
            Variable::new("CARGO_MANIFEST_DIR", "A variable that is set"),
        ]
    };
    let error = start(variables()).await.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    assert_eq!(
        error.to_string(),
        "missing environment variables: `GENKIT_TEST_UNSET_TOKEN` (Token of the notes), `GENKIT_TEST_UNSET_URL` \
         (Address of the notes); set them before starting the server"
    );
    assert!(start(variables().split_off(2)).await.is_ok());
}

/// Runs `--install` with this server, and returns the variables in the entry.
async fn install(file: &str, variables: Vec<Variable>, given: &str) -> genkit::Result<Value> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let _ = std::fs::remove_file(&path);
    let genkit = Genkit::builder().registry(Registry::new().add(tools![echo])).build().unwrap();
    let server = variables.into_iter().fold(genkit.serve_mcp(), |server, it| server.variable(it));
    let cli = server.name("echo").cli();
    let config = path.to_str().unwrap();
    let line = ["echo", "--install", "cursor", "--config", config, "--env", given];
    let installed = cli.command_line(line).await;
    assert_eq!(path.exists(), installed.is_ok());
    installed?;
    let servers: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    Ok(servers["mcpServers"]["echo"]["env"].clone())
}

#[tokio::test]
async fn install_rejects_what_the_start_rejects() {
    const TOKEN: &str = "GENKIT_TEST_UNSET_TOKEN";
    let variables = || {
        vec![
            Variable::new(TOKEN, "Token of the notes").secret(),
            Variable::new("GENKIT_TEST_UNSET_LEVEL", "Level").optional(),
            Variable::new("CARGO_MANIFEST_DIR", "A variable that is set"),
        ]
    };
    let at_start = start(variables()).await.map(drop).unwrap_err();
    for given in ["OTHER=1", "GENKIT_TEST_UNSET_TOKEN="] {
        let error = install("rejected.json", variables(), given).await.unwrap_err();
        assert_eq!(error.to_string(), at_start.to_string(), "{given}");
        assert_eq!(error.kind(), at_start.kind());
    }
    let entry = install("accepted.json", variables(), "GENKIT_TEST_UNSET_TOKEN=t0p").await;
    let folder = env!("CARGO_MANIFEST_DIR");
    assert_eq!(entry.unwrap(), json!({ TOKEN: "t0p", "CARGO_MANIFEST_DIR": folder }));
}

#[tokio::test]
async fn name_that_no_shell_can_set_is_an_error() {
    for name in ["NOTES-TOKEN", "1ST", "", "A B", "A=B"] {
        let error = start(vec![Variable::new(name, "").optional()]).await.map(drop).unwrap_err();
        assert!(error.to_string().contains(&format!("`{name}` is not a valid")), "{error}");
    }
}
