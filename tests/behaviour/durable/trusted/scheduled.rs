//! Runs that workers start at the times of a schedule.

use genkit::durable::Cron;
use genkit::{ErrorKind, Genkit, Registry, flow, flows};
use serde_json::json;

use super::super::stored::Temp;

/// Reports.
#[flow]
async fn report() {}

fn process(temp: &Temp) -> Genkit {
    let genkit = Genkit::builder().registry(Registry::new().add(flows![report]));
    genkit.durable(temp.sqlite()).build().unwrap()
}

#[tokio::test]
async fn invalid_schedules_are_errors_of_the_worker() {
    let temp = Temp::new("unscheduled");
    let genkit = process(&temp);
    let schedule = |name: &str, cron: &str, flow: &str| {
        let worker = genkit.work().until(std::future::ready(()));
        worker.schedule_flow(name, cron, flow, json!({})).run()
    };
    schedule("nightly", "0 3 * * *", "report").await.unwrap();
    for (name, cron, flow, kind) in [
        ("nightly", "0 25 * * *", "report", ErrorKind::InvalidArgument),
        ("nightly", "0 3 30 2 *", "report", ErrorKind::InvalidArgument),
        ("no name", "0 3 * * *", "report", ErrorKind::InvalidArgument),
        ("nightly", "0 3 * * *", "unknown", ErrorKind::NotFound),
    ] {
        assert_eq!(schedule(name, cron, flow).await.unwrap_err().kind(), kind, "{name} {cron}");
    }
    let elsewhere = Cron::new("0 3 * * *").time_zone("Europe/Nowhere");
    let worker = genkit.work().schedule_flow("nightly", elsewhere, "report", json!({}));
    assert_eq!(worker.await.unwrap_err().kind(), ErrorKind::InvalidArgument);
}
