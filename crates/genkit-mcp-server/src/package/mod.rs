//! The package of a server: the fields of its `Cargo.toml`, and the environment variables that it reads.

mod variable;

pub use variable::Variable;
pub(crate) use variable::check_variables;

use crate::McpServer;

/// The package of the program: the fields of its `Cargo.toml`, read by the macro [`package!`].
///
/// [`package!`]: https://docs.rs/genkit
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Package {
    /// `name`.
    pub name: String,
    /// `version`.
    pub version: String,
    /// `description`. This field and the following fields are empty if they are missing from `Cargo.toml`.
    pub description: String,
    /// `authors`, separated by colons.
    pub authors: String,
    /// `license`.
    pub license: String,
    /// `repository`.
    pub repository: String,
    /// `homepage`.
    pub homepage: String,
}

impl Package {
    /// Creates a package from its fields in the order of the struct.
    #[doc(hidden)]
    pub fn new(fields: [&str; 7]) -> Self {
        let [name, version, description, authors, license, repository, homepage] =
            fields.map(str::to_owned);
        Self { name, version, description, authors, license, repository, homepage }
    }
}

impl McpServer {
    /// Sets the name, version, description and website of the server to the `name`, `version`, `description` and
    /// `homepage` in `Cargo.toml`. `--bundle` and `--server-json` also use the authors, the license and the repository.
    ///
    /// ```
    /// let server = genkit::serve_mcp().package(genkit::package!());
    /// # let _ = server;
    /// ```
    pub fn package(mut self, package: Package) -> Self {
        let or_none = |text: &String| (!text.is_empty()).then(|| text.clone());
        self.settings.name.clone_from(&package.name);
        self.settings.version.clone_from(&package.version);
        self.settings.description = or_none(&package.description);
        self.settings.website = or_none(&package.homepage);
        self.settings.package = Some(package);
        self
    }

    /// Declares an environment variable that the program reads. The server does not start if a required variable is
    /// missing. `--help` lists the variables, `--install` passes their values to the server, and clients ask the
    /// users of a bundle for the values.
    ///
    /// ```
    /// use genkit::mcp::server::Variable;
    ///
    /// let token = Variable::new("NOTES_TOKEN", "Access token of the notes").secret();
    /// let server = genkit::serve_mcp().variable(token);
    /// # let _ = server;
    /// ```
    pub fn variable(mut self, variable: Variable) -> Self {
        self.settings.variables.push(variable);
        self
    }
}
