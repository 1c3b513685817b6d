use super::rules::Admission;
use super::*;

mod cron;
mod deleted;
mod interrupted;
mod retried;
mod stores;
mod suspended;
mod unreadable;

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

#[tokio::test]
async fn each_time_of_a_schedule_starts_one_run() {
    /// Reports.
    #[genkit::flow]
    async fn report() {}

    let registry = genkit::Registry::new().add(genkit::flows![report]);
    let genkit = genkit::Genkit::builder().registry(registry);
    let genkit = genkit.durable(crate::memory::MemoryRuns::default()).build().expect("a program");
    let worker = || {
        let worker = Worker::for_instance(&genkit).poll(Duration::from_millis(1));
        let input = serde_json::json!({});
        let mut worker = worker.schedule_flow("weekly", "31 18 * * 5", "report", input);
        worker.schedules[0].since_ms = FRIDAY;
        worker
    };
    let store = run_store(&genkit).expect("a store");
    let filter = genkit_core::RunFilter::new().tag("schedule:weekly");
    // A machine that was suspended after it read the clock starts one run, and continues with the next time.
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

#[test]
fn slots_of_tags_with_a_prefix_are_dropped_with_their_runs() {
    let admit = |rules: &WorkRules, tags: &[&str]| {
        let options = tags.iter().fold(crate::DurableOptions::new(), |it, tag| it.tag(*tag));
        let state = crate::flow_state::FlowState::new("mail", serde_json::json!({}));
        let body = crate::record::RunBody::Flow(Box::new(state));
        let new = crate::record::Record::new(body);
        rules.admit(&crate::record::Record { kept: options.kept, ..new })
    };
    let mut rules = WorkRules::default();
    rules.set_limit_per_tag("customer:".to_owned(), 1);
    rules.set_limit_per_tag("customer:vip-".to_owned(), 2);
    let held = admit(&rules, &["customer:1", "customer:1", "other"]);
    assert!(matches!(&held, Admission::Yes(permits) if permits.len() == 1));
    assert!(matches!(admit(&rules, &["customer:1"]), Admission::Full(tag) if tag == "customer:1"));
    assert_eq!((rules.free_slots("customer:1"), rules.free_slots("customer:2")), (0, 1));
    // The longest prefix decides.
    let first = admit(&rules, &["customer:vip-1"]);
    assert!(matches!(&first, Admission::Yes(_)));
    assert!(matches!(admit(&rules, &["customer:vip-1"]), Admission::Yes(_)));
    assert_eq!((rules.free_slots("customer:vip-1"), rules.free_slots("other")), (1, usize::MAX));
    // A run that needs two slots takes neither while it waits.
    assert!(matches!(admit(&rules, &["customer:0", "customer:1"]), Admission::Full(_)));
    assert_eq!(rules.free_slots("customer:0"), 1);
    drop((held, first));
    for customer in 0..1000 {
        assert!(matches!(admit(&rules, &[&format!("customer:{customer}")]), Admission::Yes(_)));
    }
    let slots = genkit_core::internal::sync::lock(&rules.tags).len();
    assert!(slots <= 1, "only tags of runs that are performed have slots");
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
