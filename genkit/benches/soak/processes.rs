//! The processes under test, and their resources.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::process::Usage;

/// A server, and a proxy with two servers behind it.
pub(crate) struct Processes {
    server: Child,
    proxy: Child,
    serving: Serving,
    mark: String,
}

/// The addresses of the servers.
#[derive(Clone)]
pub(crate) struct Serving {
    pub(crate) server: SocketAddr,
    pub(crate) proxy: SocketAddr,
    /// An argument that identifies the servers behind the proxy.
    pub(crate) mark: String,
}

impl Processes {
    /// Starts the processes, with this lifetime of sessions and questions in seconds.
    pub(crate) fn start(lifetime: u64) -> Self {
        let mark = format!("soak-{}", std::process::id());
        let serving = Serving { server: free(), proxy: free(), mark: mark.clone() };
        let server = start(&["server", &serving.server.to_string(), &lifetime.to_string()]);
        let proxy = start(&["proxy", &serving.proxy.to_string(), &lifetime.to_string(), &mark]);
        let started = Instant::now();
        for address in [serving.server, serving.proxy] {
            while TcpStream::connect(address).is_err() {
                assert!(started.elapsed() < Duration::from_secs(20), "{address} does not listen");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        Self { server, proxy, serving, mark }
    }

    pub(crate) fn serving(&self) -> Serving {
        self.serving.clone()
    }

    /// Returns the resources of the server and the proxy.
    pub(crate) fn usage(&self) -> [Usage; 2] {
        [&self.server, &self.proxy].map(|child| Usage::of(child.id()))
    }

    pub(crate) fn behind(&self) -> usize {
        behind(&self.mark).len()
    }

    /// Stops all processes. Returns those that are still running.
    pub(crate) fn end(mut self) -> Vec<u32> {
        for child in [&mut self.proxy, &mut self.server] {
            let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
            let started = Instant::now();
            while matches!(child.try_wait(), Ok(None)) {
                if started.elapsed() > Duration::from_secs(20) {
                    println!("process {} does not exit", child.id());
                    let _ = child.kill();
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        let left = behind(&self.mark);
        for process in &left {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
        left
    }
}

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--serve").args(arguments).env("RUST_LOG", "off");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn free() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

/// Returns the servers behind the proxy.
pub(crate) fn behind(mark: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_behind = |id: &u32| {
        let line = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let words: Vec<&str> = line.split('\0').collect();
        words.contains(&"child") && words.contains(&mark)
    };
    ids.filter(is_behind).collect()
}
