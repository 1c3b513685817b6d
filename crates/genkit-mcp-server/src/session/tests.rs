//! Tests of notifications: recipients, frequency, and independence of slow subscribers.

use std::time::Duration;

use futures_util::FutureExt as _;
use rmcp::model::SubscriptionFilter;

use super::*;
use crate::quota::{ClientKey, MAX_SESSION_QUESTIONS, MAX_SESSIONS, QuotaLimits, Quotas};
use genkit_core::Registry;
use genkit_core::internal::action::MAX_URI_BYTES;
use genkit_core::internal::registry::RegistryChange;

fn session() -> Arc<Session> {
    let quotas = Quotas::new(&QuotaLimits {
        places: 1,
        per_second: None,
        sessions: MAX_SESSIONS,
        session_questions: MAX_SESSION_QUESTIONS,
    });
    let (quota, counted) = quotas.client(ClientKey::stream(None)).open_session().expect("room");
    Arc::new(Session::new(quota, Some(counted)))
}

fn filter(uris: &[&str]) -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = Some(true);
    filter.resource_subscriptions = Some(uris.iter().map(|uri| (*uri).to_owned()).collect());
    filter
}

fn listen(session: &Session, uris: &[&str]) -> Interest {
    Interest::Listen(ListenFilter::new(&filter(uris), session.quota()).expect("in bounds"))
}

/// Returns the changes that a subscriber has been notified of.
fn take_changes(subscription: &mut Subscription) -> Vec<RegistryChange> {
    std::iter::from_fn(|| subscription.next().now_or_never()).collect()
}

async fn after_the_quiet_time() {
    tokio::time::sleep(Duration::from_millis(150)).await;
}

fn updated(uri: &str) -> RegistryChange {
    RegistryChange::ResourceUpdated(uri.into())
}

#[tokio::test(start_paused = true)]
async fn batched_changes_send_one_notification() {
    let (notifier, registry, session) = (Notifier::default(), Registry::new(), session());
    session.subscribe("note://1").expect("in bounds");
    let mut subscription =
        notifier.subscribe(Interest::Session(Arc::downgrade(&session)), &registry);
    tokio::task::yield_now().await;
    for _ in 0..20 {
        registry.list_changed(RegistryChange::Tools);
        registry.resource_updated("note://1");
        registry.resource_updated("note://2");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    after_the_quiet_time().await;
    assert_eq!(take_changes(&mut subscription), [RegistryChange::Tools, updated("note://1")]);
    after_the_quiet_time().await;
    assert_eq!(take_changes(&mut subscription), []);
    registry.resource_updated("note://1");
    after_the_quiet_time().await;
    assert_eq!(
        take_changes(&mut subscription),
        [updated("note://1")],
        "a later change is reported again"
    );
}

#[tokio::test(start_paused = true)]
async fn continuous_changes_notify_once_per_second() {
    let (notifier, registry, session) = (Notifier::default(), Registry::new(), session());
    let mut subscription =
        notifier.subscribe(Interest::Session(Arc::downgrade(&session)), &registry);
    tokio::task::yield_now().await;
    let mut count = 0;
    for _ in 0..250 {
        registry.list_changed(RegistryChange::Tools);
        tokio::time::sleep(Duration::from_millis(20)).await;
        count += take_changes(&mut subscription).len();
    }
    assert!((4..=5).contains(&count), "{count} in five seconds");
}

#[tokio::test(start_paused = true)]
async fn subscriber_that_never_reads_blocks_no_other_subscriber() {
    let (notifier, registry, session) = (Notifier::default(), Registry::new(), session());
    let mut silent = notifier.subscribe(listen(&session, &["note://1"]), &registry);
    let mut reading = notifier.subscribe(listen(&session, &["note://1"]), &registry);
    for _ in 0..1_000 {
        registry.list_changed(RegistryChange::Tools);
        registry.resource_updated("note://1");
        after_the_quiet_time().await;
        assert_eq!(take_changes(&mut reading), [RegistryChange::Tools, updated("note://1")]);
    }
    assert_eq!(take_changes(&mut silent), [RegistryChange::Tools, updated("note://1")]);
}

#[tokio::test(start_paused = true)]
async fn end_of_one_stream_is_the_end_of_no_other() {
    let (notifier, registry, session) = (Notifier::default(), Registry::new(), session());
    let mut stays = notifier.subscribe(listen(&session, &[]), &registry);
    for _ in 0..100 {
        drop(notifier.subscribe(listen(&session, &[]), &registry));
    }
    registry.list_changed(RegistryChange::Tools);
    registry.list_changed(RegistryChange::Prompts);
    after_the_quiet_time().await;
    assert_eq!(take_changes(&mut stays), [RegistryChange::Tools], "only of what it requested");
}

#[tokio::test(start_paused = true)]
async fn excess_updates_become_one_update_of_everything() {
    let (notifier, registry, session) = (Notifier::default(), Registry::new(), session());
    let mut subscription =
        notifier.subscribe(listen(&session, &["note://x", "note://y"]), &registry);
    tokio::task::yield_now().await;
    for number in 0..5_000 {
        registry.resource_updated(format!("note://{number}"));
    }
    after_the_quiet_time().await;
    assert_eq!(take_changes(&mut subscription), [updated("note://x"), updated("note://y")]);
}

#[test]
fn client_is_ready_once() {
    let session = session();
    assert!(session.set_initialized());
    assert!(!session.set_initialized());
}

#[test]
fn memory_of_subscriptions_is_bounded() {
    let session = session();
    let long = "x".repeat(MAX_URI_BYTES);
    assert!(matches!(session.subscribe(&format!("{long}x")), Err(E::LongUri(MAX_URI_BYTES))));
    let mut kept = 0;
    while session.subscribe(&format!("{kept:08}{}", &long[8..])).is_ok() {
        kept += 1;
    }
    assert_eq!(kept, 127, "1 MiB in entries of 8 KiB each plus overhead");
    for again in 0..kept {
        let uri = format!("{again:08}{}", &long[8..]);
        session.subscribe(&uri).expect("already subscribed");
        session.unsubscribe(&uri);
        session.unsubscribe(&uri);
    }
    let small: usize = (0..20_000).filter(|n| session.subscribe(&format!("{n}")).is_ok()).count();
    assert_eq!(small, MAX_SUBSCRIPTIONS);
}

#[test]
fn stream_asks_for_as_much_as_a_session_may_keep() {
    let session = session();
    let long = "x".repeat(MAX_URI_BYTES + 1);
    let refused = ListenFilter::new(&filter(&[&long]), session.quota());
    assert!(matches!(refused, Err(E::LongUri(_))));
    let many: Vec<String> = (0..MAX_SUBSCRIPTIONS + 1).map(|n| n.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let refused = ListenFilter::new(&filter(&many), session.quota());
    assert!(matches!(refused, Err(E::TooManySubscriptions(_))));
    let open: Vec<_> =
        std::iter::from_fn(|| ListenFilter::new(&filter(&[]), session.quota()).ok()).collect();
    assert_eq!(open.len(), 16, "rejected streams do not count");
}
