//! What 100 tools cost to compile: ours against rmcp's macros and against bare derives.
//!
//! `cargo bench -p genkit --bench compiling` prints ratios measured in one run; nothing judges
//! them. Linux only, since processor time is read from `/proc`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for a person")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const TOOLS: usize = 100;
const ROUNDS: usize = 5;

/// One way of having a hundred tools.
struct Crate {
    name: &'static str,
    dependencies: String,
    source: fn(usize) -> String,
    /// What stands around all tools.
    around: (&'static str, &'static str),
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    let genkit = |features: &str| {
        format!(
            "genkit = {{ path = {:?}, features = [{features}] }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\nschemars = \"1\"",
            root.join("genkit")
        )
    };
    let crates = [
        Crate {
            name: "derives",
            dependencies: "serde = { version = \"1\", features = [\"derive\"] }\nschemars = \"1\"\nserde_json = \"1\"".into(),
            source: derives,
            around: ("", ""),
        },
        Crate {
            name: "genkit",
            dependencies: genkit("\"mcp-server\""),
            source: ours,
            around: ("", ""),
        },
        Crate {
            name: "rmcp",
            dependencies: "rmcp = { version = \"=3.9.0\", features = [\"transport-io\"] }\nserde = { version = \"1\", features = [\"derive\"] }\nschemars = \"1\"".into(),
            source: theirs,
            around: (
                "use rmcp::{handler::server::wrapper::Parameters, tool, tool_router};\n#[derive(Clone)]\npub struct All;\n",
                "",
            ),
        },
    ];
    let home = root.join("target/bench-compiling");
    println!(
        "{TOOLS} tools; processor seconds of a clean debug build, wall seconds after one tool changed (median of {ROUNDS})\n"
    );
    println!("{:<10}{:>12}{:>8}{:>12}{:>8}{:>12}{:>8}", "", "clean", "", "check", "", "build", "");
    let mut floor = None;
    for it in &crates {
        let measured = measure(&home, it);
        let floor = *floor.get_or_insert(measured);
        print!("{:<10}", it.name);
        for (figure, base) in measured.iter().zip(floor) {
            print!("{figure:>12.2}{:>7.2}x", figure / base);
        }
        println!();
    }
}

/// Clean build, check after a change, build after a change.
fn measure(home: &Path, it: &Crate) -> [f64; 3] {
    let folder = home.join(it.name);
    let target = folder.join("target");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"bench-{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\n{}\n[workspace]\n[profile.dev]\ndebug = \"line-tables-only\"\n",
        it.name, it.dependencies
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let main = folder.join("src/lib.rs");
    write(&main, it, 0);
    cargo(&folder, &target, &["fetch"]);
    let before = children_cpu();
    cargo(&folder, &target, &["build"]);
    let clean = children_cpu() - before;
    cargo(&folder, &target, &["check"]);
    let mut version = 0;
    let mut after_change = |command: &str| {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                version += 1;
                write(&main, it, version);
                let started = Instant::now();
                cargo(&folder, &target, &[command]);
                started.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    };
    [clean, after_change("check"), after_change("build")]
}

/// Writes all tools; the text of one says `version`.
fn write(path: &PathBuf, it: &Crate, version: usize) {
    let mut source = String::from("#![allow(dead_code)]\n");
    source.push_str(it.around.0);
    if it.name == "rmcp" {
        for n in 0..TOOLS {
            writeln!(source, "{}", derives(n)).unwrap();
        }
        source.push_str("#[tool_router]\nimpl All {\n");
    }
    for n in 0..TOOLS {
        writeln!(source, "{}", (it.source)(n)).unwrap();
    }
    if it.name == "rmcp" {
        source.push_str("}\n");
    }
    source.push_str(it.around.1);
    let changed = format!("number 50 version {version}");
    std::fs::write(path, source.replace("number 50", &changed)).unwrap();
}

fn derives(n: usize) -> String {
    format!(
        "/// Arguments of number {n}\n#[derive(serde::Deserialize, schemars::JsonSchema)]\npub struct Args{n} {{\n    /// The city.\n    pub city: String,\n    /// How many days.\n    pub days: u32,\n    /// The unit.\n    pub unit: Option<String>,\n}}"
    )
}

fn ours(n: usize) -> String {
    format!(
        "/// Tool number {n}.\n#[genkit::tool]\npub async fn tool_{n}(\n    /// The city.\n    city: String,\n    /// How many days.\n    days: u32,\n    /// The unit.\n    unit: Option<String>,\n) -> Result<String, String> {{\n    Ok(format!(\"{{city}} {{days}} {{unit:?}}\"))\n}}"
    )
}

fn theirs(n: usize) -> String {
    format!(
        "    /// Tool number {n}.\n    #[tool]\n    pub async fn tool_{n}(&self, Parameters(Args{n} {{ city, days, unit }}): Parameters<Args{n}>) -> Result<String, String> {{\n        Ok(format!(\"{{city}} {{days}} {{unit:?}}\"))\n    }}"
    )
}

fn cargo(folder: &Path, target: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).arg("--quiet").current_dir(folder).env("CARGO_TARGET_DIR", target);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Processor seconds of all children that ended: fields 16 and 17 of `/proc/self/stat`.
fn children_cpu() -> f64 {
    /// Linux has counted in hundredths for decades.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[13..15].iter().map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / TICKS
}
