//! The example `support`: agents whose process is killed during turns, in sub-agents and during background tasks.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::program::Heard;
use crate::{packages, program, server};

/// More than 5 seconds, the time for which a dead process keeps its lease.
const PATIENCE: Duration = Duration::from_secs(120);

/// The lifetimes of the killed processes, in milliseconds. A tool takes 500, and each process after the first one waits
/// for the lease of the one before it.
const LIVES: [u64; 3] = [200, 5300, 5600];

/// A customer: the folder with the session.
struct Customer(PathBuf);

impl Customer {
    fn new(name: &str) -> Self {
        Self(packages::scratch(name))
    }

    fn support(&self, message: &[&str]) -> Command {
        let mut command = Command::new(server::example("support"));
        command.current_dir(&self.0).args(message).env_remove("MODEL");
        command
    }

    /// Sends a message, and returns what the program prints.
    fn send(&self, message: &[&str]) -> String {
        let ran = program::run(&mut self.support(message), PATIENCE).unwrap();
        assert_eq!(ran.code, Some(0), "{}", ran.story());
        ran.stdout
    }

    /// Sends a message several times, and kills each of the processes.
    fn send_and_kill(&self, message: &[&str]) {
        for life in LIVES {
            let mut support = self.support(message);
            let mut support = support.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(life));
            support.kill().unwrap(); // SIGKILL
            support.wait().unwrap();
        }
    }
}

#[test]
fn sub_agent_and_its_approval_survive_kills() {
    let customer = Customer::new("support-approval");
    let refund = ["billing", "refund", "order", "7"];
    customer.send_and_kill(&refund);
    let asked = customer.send(&refund);
    assert!(asked.contains("Allow `refund` to run with {\"order\":7}?"), "{asked}");
    let said = customer.send(&["yes"]);
    assert!(said.contains("Order 7 was refunded."), "{said}");
}

#[test]
fn work_in_the_background_survives_kills() {
    let customer = Customer::new("support-background");
    let track = ["delegate_to_shipping", "track", "order", "7"];
    customer.send_and_kill(&track);
    let said = customer.send(&track);
    assert!(said.contains("taskId"), "{said}");
}

/// The program with its page, killed on drop.
struct Web(Child);

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn page_of_the_chat_talks_to_the_agent() {
    let customer = Customer::new("support-web");
    let mut program = customer.support(&["--web"]);
    let program = program.env("PORT", "0").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut web = Web(program.spawn().unwrap());
    let told = Heard::listen(web.0.stdout.take().unwrap());
    let since = Instant::now();
    while !told.so_far().ends_with('\n') {
        assert!(since.elapsed() < PATIENCE, "the program does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let address = told.so_far().trim().to_owned();
    let page = ureq::get(&address).call().unwrap().body_mut().read_to_string().unwrap();
    assert!(page.contains("<html"), "{page}");
    let message = json!({"id": "1", "role": "user", "content": "billing refund order 7"});
    let body = json!({
        "threadId": "customer", "runId": "1", "messages": [message], "tools": [], "context": [],
        "state": {}, "forwardedProps": {"locale": "en"},
    });
    let request = ureq::post(format!("{address}/agui")).content_type("application/json");
    let request = request.header("accept", "text/event-stream");
    let events = request.send(body.to_string()).unwrap().body_mut().read_to_string().unwrap();
    assert!(events.contains("Allow `refund` to run"), "{events}");
}
