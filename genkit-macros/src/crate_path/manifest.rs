//! The part of `Cargo.toml` that determines the name of a dependency.
//!
//! A TOML crate with its dependencies would take most of this crate's build time. Cargo has already accepted the
//! manifest, so nothing here reports an error.

/// The values of a manifest with their full keys. Arrays are omitted.
pub(crate) struct Manifest {
    values: Vec<(Vec<String>, String)>,
}

impl Manifest {
    pub(crate) fn parse(text: &str) -> Self {
        let mut reader = TomlReader { rest: text, values: Vec::new(), tables: Vec::new() };
        // Everything after unreadable text is treated as absent.
        while reader.read_line().is_some() {}
        Self { values: reader.values }
    }

    pub(crate) fn package_name(&self) -> Option<&str> {
        self.get(&["package", "name"])
    }

    pub(crate) fn is_workspace(&self) -> bool {
        self.values.iter().any(|(key, _)| key.first().is_some_and(|table| table == "workspace"))
    }

    /// Returns the value of `package.workspace = "../root"`.
    pub(crate) fn workspace_folder(&self) -> Option<&str> {
        self.get(&["package", "workspace"])
    }

    /// Returns the name under which this manifest depends on `package`.
    pub(crate) fn dependency_name(
        &self,
        package: &str,
        workspace: impl FnOnce() -> Option<Self>,
    ) -> Option<String> {
        let root = std::cell::LazyCell::new(workspace);
        let mut fallback = None;
        for table in ["dependencies", "dev-dependencies"] {
            for (key, _) in &self.values {
                let Some(at) = key.iter().position(|part| part == table) else { continue };
                let in_place = at == 0 || key.first().is_some_and(|first| first == "target");
                let Some(name) = key.get(at + 1).filter(|_| in_place) else { continue };
                let field = |field: &str| {
                    let mut full = key[..at + 2].to_vec();
                    full.push(field.to_owned());
                    self.values
                        .iter()
                        .find(|(key, _)| *key == full)
                        .map(|(_, value)| value.as_str())
                };
                let inherited = || {
                    let key = ["workspace", "dependencies", name, "package"];
                    let root = if self.is_workspace() { Some(self) } else { root.as_ref() };
                    root.and_then(|root| root.get(&key))
                };
                let real = match field("package") {
                    Some(real) => real,
                    None if field("workspace") == Some("true") => inherited().unwrap_or(name),
                    None => name,
                };
                if real == package {
                    // If a manifest has both, the plain name takes precedence.
                    if name == package {
                        return Some(name.clone());
                    }
                    fallback.get_or_insert_with(|| name.clone());
                }
            }
        }
        fallback
    }

    fn get(&self, path: &[&str]) -> Option<&str> {
        self.values.iter().find(|(key, _)| key == path).map(|(_, value)| value.as_str())
    }
}

/// A TOML reader that consumes `rest` from the front. Its methods return `None` at the end of the text or at invalid
/// TOML.
struct TomlReader<'a> {
    rest: &'a str,
    values: Vec<(Vec<String>, String)>,
    tables: Vec<String>,
}

impl TomlReader<'_> {
    /// Reads a table header, or a key with its value.
    fn read_line(&mut self) -> Option<()> {
        self.skip_blanks(true);
        if self.eat_token("[") {
            let array = self.eat_token("[");
            self.tables = self.read_key()?;
            self.expect_token("]")?;
            if array { self.expect_token("]") } else { Some(()) }
        } else {
            let mut key = self.tables.clone();
            key.extend(self.read_key()?);
            self.expect_token("=")?;
            self.read_value(Some(key))
        }
    }

    /// Reads a key such as `a.b."c d"`.
    fn read_key(&mut self) -> Option<Vec<String>> {
        let mut parts = Vec::new();
        loop {
            self.skip_blanks(false);
            let part = match self.rest.chars().next()? {
                '"' | '\'' => self.read_string()?,
                _ => {
                    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                    self.read_until(|c| !is_bare(c))
                }
            };
            if part.is_empty() {
                return None;
            }
            parts.push(part);
            self.skip_blanks(false);
            if !self.eat_token(".") {
                return Some(parts);
            }
        }
    }

    /// Reads a value, and stores it under `key`. Values inside arrays have no key and are dropped.
    fn read_value(&mut self, key: Option<Vec<String>>) -> Option<()> {
        self.skip_blanks(false);
        let value = match self.rest.chars().next()? {
            '"' | '\'' => self.read_string()?,
            '[' => {
                self.expect_token("[")?;
                loop {
                    self.skip_blanks(true);
                    if self.eat_token("]") {
                        return Some(());
                    }
                    self.read_value(None)?;
                    self.skip_blanks(true);
                    self.eat_token(",");
                }
            }
            '{' => {
                self.expect_token("{")?;
                loop {
                    self.skip_blanks(true);
                    if self.eat_token("}") {
                        return Some(());
                    }
                    let inner = self.read_key()?;
                    self.expect_token("=")?;
                    self.read_value(key.clone().map(|mut key| {
                        key.extend(inner);
                        key
                    }))?;
                    self.skip_blanks(true);
                    self.eat_token(",");
                }
            }
            _ => self.read_until(|c| ",]}#\n".contains(c)).trim().to_owned(),
        };
        if value.is_empty() && !self.rest.starts_with(['\n', ',']) {
            return None;
        }
        self.values.extend(key.map(|key| (key, value)));
        Some(())
    }

    fn read_string(&mut self) -> Option<String> {
        let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| self.eat_token(quote))?;
        let escapes = quote.starts_with('"');
        let mut text = String::new();
        loop {
            if self.eat_token(quote) {
                return Some(text);
            }
            if escapes {
                self.eat_token("\\");
            }
            let mut chars = self.rest.chars();
            text.push(chars.next()?);
            self.rest = chars.as_str();
        }
    }

    /// Skips spaces, and with `lines` also newlines and comments.
    fn skip_blanks(&mut self, lines: bool) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t']);
            if !lines {
                return;
            }
            if self.rest.starts_with('#') {
                self.read_until(|c| c == '\n');
            }
            let next = self.rest.trim_start_matches(['\n', '\r']);
            if next.len() == self.rest.len() {
                return;
            }
            self.rest = next;
        }
    }

    fn read_until(&mut self, end: impl Fn(char) -> bool) -> String {
        let (before, after) = self.rest.split_at(self.rest.find(end).unwrap_or(self.rest.len()));
        self.rest = after;
        before.to_owned()
    }

    fn eat_token(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect_token(&mut self, token: &str) -> Option<()> {
        self.skip_blanks(false);
        self.eat_token(token).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(manifest: &str) -> Option<String> {
        Manifest::parse(manifest).dependency_name("genkit", || None)
    }

    #[test]
    fn every_way_to_write_a_dependency() {
        for (manifest, expected) in [
            ("[dependencies]\ngenkit = \"1\"", "genkit"),
            ("[dependencies]\ngenkit = { git = 'https://x/y' }", "genkit"),
            ("[dependencies]\ngk = { package = \"genkit\", features = [\"a\", \"b\"] }", "gk"),
            ("[dependencies]\ngk = { features = [ # why\n \"a\",\n], package = 'genkit' }", "gk"),
            ("[dependencies.gk]\nversion = \"1\" # the newest\npackage = \"genkit\"", "gk"),
            ("dependencies.gk.package = \"genkit\"", "gk"),
            ("[dependencies]\ngk.package = \"genkit\"", "gk"),
            ("[target.'cfg(unix)'.dependencies]\n\"gk\" = { package = \"genkit\" }", "gk"),
            ("[dev-dependencies]\ngk = { package = \"genkit\" }", "gk"),
            (
                "[dev-dependencies]\na = { package = \"genkit\" }\n[dependencies]\nb = { package = \"genkit\" }",
                "b",
            ),
            ("[dependencies]\ngk = { package = \"genkit\" }\ngenkit = \"1\"", "genkit"),
            (
                "[dependencies]\ngenkit = { package = \"other\" }\ngk = { package = \"genkit\" }",
                "gk",
            ),
            ("[[bin]]\nname = \"x\"\n\n[dependencies]\r\ngk = { package = \"genkit\" }\r\n", "gk"),
            (
                "[package]\ndescription = \"\"\"\n[dependencies]\n\\\"\"\"\"\n[dependencies]\ngenkit = \"1\"",
                "genkit",
            ),
        ] {
            assert_eq!(name(manifest).as_deref(), Some(expected), "{manifest}");
        }
    }

    #[test]
    fn unrelated_dependencies_are_ignored() {
        for manifest in [
            "",
            "[dependencies]\nserde = \"1\"",
            "[package.metadata.dependencies]\ngenkit = \"1\"",
            "[workspace.dependencies]\ngk = { package = \"genkit\" }",
            "[build-dependencies]\ngenkit = \"1\"",
            "= broken",
            "[dependencies\ngenkit = \"1\"",
        ] {
            assert_eq!(name(manifest), None, "{manifest}");
        }
    }

    #[test]
    fn workspace_dependency_is_resolved() {
        let member = Manifest::parse("[dependencies]\ngk.workspace = true");
        let root =
            || Some(Manifest::parse("[workspace.dependencies]\ngk = { package = \"genkit\" }"));
        assert_eq!(member.dependency_name("genkit", root).as_deref(), Some("gk"));
        assert_eq!(member.dependency_name("genkit", || None), None);
        let both = "[workspace.dependencies]\ngk = { package = \"genkit\" }\n[dependencies]\ngk = { workspace = true }";
        assert_eq!(name(both).as_deref(), Some("gk"));
    }

    #[test]
    fn reads_any_text_to_its_end() {
        for text in
            ["[", "a = [", "a = {", "a = \"", "a = '''", "a =", "\u{feff}", "a = [[{b=1}], 'x']\n#"]
        {
            let _ = Manifest::parse(text);
        }
        let read = Manifest::parse("[package]\nname = 'x'\nworkspace = \"../..\"\n");
        assert_eq!((read.package_name(), read.workspace_folder()), (Some("x"), Some("../..")));
    }
}
