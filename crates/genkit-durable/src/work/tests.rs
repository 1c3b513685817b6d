use super::cron::Cron;
use super::rules::Admission;
use super::*;

mod deleted;
mod interrupted;
mod retried;
mod stores;
mod suspended;

#[tokio::test]
async fn runs_continue_during_store_query() {
    let (done, is_done) = tokio::sync::oneshot::channel();
    let mut running = FuturesUnordered::new();
    running.push(async move {
        tokio::task::yield_now().await;
        done.send("due").unwrap();
        "a run"
    });
    let mut ended = Vec::new();
    let answer = await_while_running(is_done, &mut running, &mut ended).await;
    assert_eq!((answer.unwrap(), ended.as_slice()), ("due", ["a run"].as_slice()));
}

/// 2020-11-27T18:30:00Z, a Friday.
const FRIDAY: u64 = 1_606_501_800_000;

fn next_times(cron: &str, count: usize) -> Vec<String> {
    let cron = Cron::parse(cron).expect("a cron expression");
    let next = std::iter::successors(cron.next_after(FRIDAY), |time| cron.next_after(*time));
    let text = |time| genkit_core::internal::time::format_iso8601(time)[..16].to_owned();
    next.take(count).map(text).collect()
}

#[tokio::test]
async fn each_time_of_a_schedule_starts_one_run() {
    /// Reports.
    #[genkit::flow]
    async fn report() {}

    let registry = genkit::Registry::new().add(genkit::flows![report]);
    let genkit = genkit::Genkit::builder().registry(registry);
    let genkit = genkit.durable(crate::memory::MemoryRuns::default()).build().expect("a program");
    let worker = || {
        let worker = Worker::of_instance(&genkit).poll(Duration::from_millis(1));
        let input = serde_json::json!({});
        let mut worker = worker.schedule_flow("weekly", "31 18 * * 5", "report", input);
        worker.schedules[0].since_ms = FRIDAY;
        worker
    };
    let store = run_store(&genkit).expect("a store");
    let filter = genkit_core::RunFilter::new().tag("schedule:weekly");
    // A machine that was suspended after it had looked at the clock starts one run, and continues with the next time.
    let until = async {
        while store.list(&filter).await.expect("it lists").is_empty() {
            tokio::task::yield_now().await;
        }
    };
    let both = async { tokio::join!(worker().run(), worker().run()) };
    tokio::select! {
        _ = both => {}
        () = until => {}
    }
    worker().until(std::future::ready(())).run().await.expect("it stops");
    let listed = store.list(&filter).await.expect("it lists");
    let ids: Vec<_> = listed.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, ["weekly-2020-11-27T18.31"]);
}

#[test]
fn cron_finds_the_next_times() {
    let table: [(&str, &[&str]); 9] = [
        ("* * * * *", &["2020-11-27T18:31", "2020-11-27T18:32"]),
        ("30 18 * * *", &["2020-11-28T18:30", "2020-11-29T18:30"]),
        ("0 3 * * *", &["2020-11-28T03:00", "2020-11-29T03:00"]),
        ("*/20 9-10 * * 1-5", &["2020-11-30T09:00", "2020-11-30T09:20"]),
        ("15,45 0 1 */6 *", &["2021-01-01T00:15", "2021-01-01T00:45", "2021-07-01T00:15"]),
        ("0 0 29 2 *", &["2024-02-29T00:00", "2028-02-29T00:00"]),
        ("0 0 * * 7", &["2020-11-29T00:00", "2020-12-06T00:00"]),
        // If both days are restricted, one of them must match.
        ("0 0 1 * 6", &["2020-11-28T00:00", "2020-12-01T00:00", "2020-12-05T00:00"]),
        ("0 0 30 2 *", &[]),
    ];
    for (cron, times) in table {
        assert_eq!(next_times(cron, times.len().max(1)), times, "{cron}");
    }
}

#[test]
fn invalid_cron_expressions_are_errors() {
    for wrong in [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "a * * * *",
        "1, * * * *",
        "-1 * * * *",
        "@daily",
        "99999999999999999999 * * * *",
    ] {
        let error = Cron::parse(wrong).expect_err(wrong);
        assert!(error.to_string().contains("is not a valid schedule"), "{error}");
    }
}

#[test]
fn run_with_the_same_tag_twice_takes_one_slot() {
    let options = crate::DurableOptions::new().tag("mail").tag("mail");
    let state = crate::flow_state::FlowState::new("mail", serde_json::json!({}));
    let body = crate::record::RunBody::Flow(Box::new(state));
    let record = crate::record::Record { kept: options.kept, ..crate::record::Record::new(body) };
    let mut rules = WorkRules::default();
    rules.set_limit("mail".to_owned(), 1);
    rules.set_rate("mail".to_owned(), 2, Duration::from_secs(3600));
    for _ in 0..2 {
        let admission = rules.admit(&record);
        assert!(matches!(admission, Admission::Yes(permits) if permits.len() == 1));
    }
    assert!(matches!(rules.admit(&record), Admission::NotFor(_)), "the rate counts it once");
}

/// Works on the runs until `done` is ready.
async fn work_until<T>(genkit: &genkit::Genkit, done: impl Future<Output = T>) -> T {
    let work = genkit.work().poll(Duration::from_millis(2)).run();
    let done = tokio::time::timeout(Duration::from_secs(60), done);
    tokio::select! {
        done = done => done.expect("it happens"),
        _ = work => unreachable!("it works until it is dropped"),
    }
}

/// Waits until this number of runs is suspended, and no other run has work.
async fn all_suspended(genkit: &genkit::Genkit, runs: usize) -> Vec<genkit_core::RunEntry> {
    let working = genkit_core::RunFilter::new().status(genkit_core::RunStatus::Working);
    let store = run_store(genkit).expect("a store");
    loop {
        let listed = store.list(&working).await.expect("it lists");
        let mut free = 0;
        for run in listed.iter().filter(|run| run.wake_at_ms.is_some()) {
            let ttl = Duration::from_millis(1);
            let leased = store.lease(&run.id, "test", ttl).await.expect("it leases");
            free += usize::from(leased.is_some());
            store.release(&run.id, "test").await.expect("it releases");
        }
        if listed.len() == runs && free == runs {
            return listed;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn has_ended(genkit: &genkit::Genkit, run: &str) {
    let (store, id) = (run_store(genkit).expect("a store"), RunId::new(run).expect("an id"));
    while !store.peek(&id).await.expect("it reads").expect("a run").status.is_over() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
