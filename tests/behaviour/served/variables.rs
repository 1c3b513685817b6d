//! Environment variables that a server declares.

use genkit::mcp::server::Variable;
use genkit::testing::Client;
use genkit::{ErrorKind, Genkit, Registry, tool, tools};

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

#[tokio::test]
async fn name_that_no_shell_can_set_is_an_error() {
    for name in ["NOTES-TOKEN", "1ST", "", "A B", "A=B"] {
        let error = start(vec![Variable::new(name, "").optional()]).await.map(drop).unwrap_err();
        assert!(error.to_string().contains(&format!("`{name}` is not a valid")), "{error}");
    }
}
