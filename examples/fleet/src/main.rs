//! A fleet of three MCP server instances behind a small balancer, with two clients. One instance is killed.
//!
//! ```text
//! cargo run -p fleet                                   runs everything
//! cargo run -p fleet -- serve NAME FOLDER              one instance, with SEALING_KEYS set
//! cargo run -p fleet -- balance ADDRESS INSTANCE..     the balancer
//! ```

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod balancer;
mod clients;
mod instance;

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use genkit::{Error, ErrorContext as _, Result};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

const NAMES: [&str; 3] = ["north", "east", "south"];

const USAGE: &str = "usage: fleet [serve NAME FOLDER | balance ADDRESS INSTANCE..]";

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        [] => show().await,
        ["-h" | "--help"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["serve", name, folder] => instance::serve(name, Path::new(folder)).await,
        ["balance", address, ref instances @ ..] if !instances.is_empty() => {
            let listener = TcpListener::bind(address).await?;
            println!("{}", listener.local_addr()?);
            let mut addresses = Vec::new();
            for instance in instances {
                addresses.push(instance.parse::<SocketAddr>().context(USAGE)?);
            }
            Ok(balancer::balance(listener, addresses).await?)
        }
        _ => Err(Error::invalid_argument(USAGE)),
    }
}

/// A running instance, which is killed on drop.
struct Instance {
    name: &'static str,
    address: SocketAddr,
    child: Child,
}

impl Instance {
    async fn start(name: &'static str, folder: &Path) -> Result<Self> {
        // Read the key from your secrets. The default is only for this demonstration.
        let key = std::env::var("SEALING_KEYS").unwrap_or_else(|_| "5eed".repeat(16));
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(name)
            .arg(folder)
            .env("SEALING_KEYS", key)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).await?;
        }
        let address = line.trim().parse().context(format!("{name} did not print its address"))?;
        Ok(Self { name, address, child })
    }
}

async fn show() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("genkit-fleet-{}", std::process::id()));
    let shown = show_in(&folder).await;
    std::fs::remove_dir_all(&folder)?;
    shown
}

async fn show_in(folder: &Path) -> Result<()> {
    let mut fleet = Vec::new();
    for name in NAMES {
        fleet.push(Instance::start(name, folder).await?);
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    tokio::spawn(balancer::balance(listener, fleet.iter().map(|it| it.address).collect()));
    println!("balancer at {url}, in front of {}", NAMES.join(", "));
    let clients = clients::Clients::connect(&url).await?;
    clients.show_who_answers().await?;
    let load = clients.load();
    if let Some(mut gone) = fleet.pop() {
        tokio::time::sleep(clients::LOAD / 4).await;
        // Send SIGKILL, without a graceful shutdown.
        gone.child.kill().await?;
        println!("killed {}, under load", gone.name);
    }
    load.await?;
    clients.show_who_is_left().await?;
    clients.close().await;
    Ok(())
}
