//! Tests of quotas: guarantees that hold for all clients, regardless of the behavior of one of
//! them.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::FutureExt as _;

use super::book::QuestionGuard;
use super::*;
use crate::error::Error as E;

const PLACES: usize = 1024;

fn limits() -> QuotaLimits {
    QuotaLimits {
        places: PLACES,
        per_second: None,
        sessions: bound::MAX_SESSIONS,
        session_questions: bound::MAX_SESSION_QUESTIONS,
    }
}

fn quotas() -> Quotas {
    Quotas::new(&limits())
}

fn address(number: u32) -> ClientKey {
    ClientKey::Address(std::net::Ipv4Addr::from(number).into())
}

fn session_of(quotas: &Quotas, key: ClientKey) -> Arc<SessionQuota> {
    quotas.client(key).open_session().expect("a session").0
}

/// Takes slots until none is left for the session.
fn places(session: &Arc<SessionQuota>, upstream: Option<&str>) -> Vec<SlotGuard> {
    std::iter::from_fn(|| session.take_slot(upstream).ok()).collect()
}

#[test]
fn single_client_of_a_pipe_has_all_slots() {
    let quotas = quotas();
    let alone = session_of(&quotas, ClientKey::stream(None));
    let all = places(&alone, None);
    assert_eq!(all.len(), PLACES);
    assert!(matches!(alone.take_slot(None), Err(E::TooManyRunning(PLACES))));
    drop(all);
    assert!(alone.take_slot(None).is_ok(), "all slots were released");
}

#[test]
fn greedy_session_leaves_slots_for_other_sessions() {
    let quotas = quotas();
    let greedy = session_of(&quotas, address(1));
    let taken = places(&greedy, None);
    assert_eq!(taken.len(), 342, "a third: the rest is left to its client and to all others");
    assert!(matches!(greedy.take_slot(None), Err(E::TooManyClientRequests(342))));
    let same_address = session_of(&quotas, address(1));
    assert!(same_address.take_slot(None).is_ok(), "another session of the address");
    let without = quotas.client(address(1)).open_sessionless("honest");
    assert!(without.take_slot(None).is_ok(), "a request without a session at the address");
    let stranger = session_of(&quotas, address(2));
    assert!(stranger.take_slot(None).is_ok(), "another address");
    drop(taken);
    assert_eq!(places(&stranger, None).len(), 342, "released slots are available again");
}

#[test]
fn address_with_many_sessions_leaves_half_of_the_places() {
    let quotas = quotas();
    let sessions: Vec<_> = (0..100).map(|_| session_of(&quotas, address(1))).collect();
    let taken: Vec<_> = sessions.iter().flat_map(|session| places(session, None)).collect();
    assert_eq!(taken.len(), PLACES / 2);
    assert!(session_of(&quotas, address(2)).take_slot(None).is_ok());
}

#[test]
fn indistinguishable_clients_share_by_session() {
    let quotas = quotas();
    let greedy = session_of(&quotas, ClientKey::Unknown);
    assert_eq!(places(&greedy, None).len(), PLACES / 2);
    let (_greedy, stranger) = (places(&greedy, None), session_of(&quotas, ClientKey::Unknown));
    assert!(stranger.take_slot(None).is_ok());
}

#[test]
fn server_behind_that_hangs_leaves_places_for_the_others() {
    let quotas = quotas();
    let alone = session_of(&quotas, ClientKey::stream(None));
    let _hanging = places(&alone, Some("silent"));
    let refused = alone.take_slot(Some("silent"));
    assert!(matches!(refused, Err(E::UpstreamBusy { server, held: 512 }) if server == "silent"));
    assert!(alone.take_slot(Some("other")).is_ok() && alone.take_slot(None).is_ok());
}

#[tokio::test]
async fn call_that_waits_for_the_user_holds_no_slot() {
    let quotas = Quotas::new(&QuotaLimits { places: 2, ..limits() });
    let alone = session_of(&quotas, ClientKey::stream(None));
    let asking = alone.take_slot(None).expect("a place");
    let (first, second) = (asking.while_waiting(), asking.while_waiting());
    assert_eq!(places(&alone, None).len(), 2);
    first.resume().await;
    assert_eq!(places(&alone, None).len(), 2, "the other question is still open");
    second.resume().await;
    assert_eq!(places(&alone, None).len(), 1);
    drop(asking);
    assert_eq!(places(&alone, None).len(), 2);
}

#[tokio::test]
async fn answered_function_waits_for_its_turn_and_goes_before_newcomers() {
    let quotas = Quotas::new(&QuotaLimits { places: 1, ..limits() });
    let alone = session_of(&quotas, ClientKey::stream(None));
    let asking = alone.take_slot(None).expect("a place");
    let paused = asking.while_waiting();
    let other = alone.take_slot(None).expect("the released slot");
    let resumed = tokio::spawn(paused.resume());
    tokio::task::yield_now().await;
    assert!(!resumed.is_finished());
    drop(other);
    assert!(alone.take_slot(None).is_err(), "the slot belongs to the answered function");
    resumed.await.expect("a slot in its turn");
    drop(asking);
    assert!(alone.take_slot(None).is_ok());
}

#[tokio::test]
async fn function_that_is_given_up_while_it_waits_for_its_turn_keeps_nothing() {
    let quotas = Quotas::new(&QuotaLimits { places: 1, ..limits() });
    let alone = session_of(&quotas, ClientKey::stream(None));
    let asking = alone.take_slot(None).expect("a place");
    let paused = asking.while_waiting();
    let other = alone.take_slot(None).expect("the released slot");
    let resumed = tokio::spawn(paused.resume());
    tokio::task::yield_now().await;
    resumed.abort();
    assert!(resumed.await.is_err());
    drop((asking, other));
    assert!(alone.take_slot(None).is_ok());
}

#[tokio::test]
async fn answers_that_come_at_once_do_not_give_one_client_all_places() {
    let quotas = Quotas::new(&QuotaLimits { places: 16, ..limits() });
    let mut asking = Vec::new();
    for _ in 0..8 {
        let session = session_of(&quotas, address(1));
        for _ in 0..8 {
            let place = session.take_slot(None).expect("a place");
            asking.push((place.while_waiting(), place));
        }
    }
    let (paused, asked): (Vec<_>, Vec<_>) = asking.into_iter().unzip();
    let all: Vec<_> = paused.into_iter().map(|paused| tokio::spawn(paused.resume())).collect();
    tokio::task::yield_now().await;
    assert!(session_of(&quotas, address(2)).take_slot(None).is_ok());
    drop(asked);
    for resumed in all {
        resumed.await.expect("a slot in its turn");
    }
}

#[test]
fn each_session_is_limited_to_eight_open_questions() {
    let quotas = quotas();
    let open = |session: &Arc<SessionQuota>| -> Vec<_> {
        std::iter::from_fn(|| session.open_question().ok()).collect()
    };
    let sessions: Vec<_> = (0..138).map(|_| session_of(&quotas, address(1))).collect();
    let asked: Vec<_> = sessions.iter().map(open).collect();
    assert!(asked.iter().all(|open| open.len() == 8));
    assert!(matches!(sessions[0].open_question(), Err(E::TooManyClientQuestions(8))));
    assert!(
        session_of(&quotas, address(1)).open_question().is_ok(),
        "1,104 are open at its address"
    );
    assert!(session_of(&quotas, address(2)).open_question().is_ok());
}

#[tokio::test]
async fn old_question_is_evicted_for_questions_of_other_clients() {
    let quotas = quotas();
    let mut sessions: Vec<_> = (0..256).map(|_| session_of(&quotas, address(1))).collect();
    let mut asked: Vec<_> = sessions
        .iter()
        .flat_map(|session| (0..8).map(|_| session.open_question().expect("in bounds")))
        .collect();
    assert_eq!(asked.len(), bound::MAX_QUESTIONS / 2, "the share of one address");
    assert!(matches!(sessions[0].open_question(), Err(E::TooManyClientQuestions(_))));
    let honest = session_of(&quotas, address(1));
    let question =
        honest.open_question().expect("the oldest question of the greedy client is ended");
    let given_way = |it: &QuestionGuard| it.wait_for_eviction().now_or_never().is_some();
    assert!(given_way(&asked[0]) && !given_way(&asked[8]) && !given_way(&question));
    asked.drain(..8);
    assert!(sessions.remove(0).open_question().is_ok(), "an ended question was counted once");
    drop((asked, question, honest));
    let again = session_of(&quotas, address(1));
    assert_eq!(
        std::iter::from_fn(|| again.open_question().ok()).take(9).collect::<Vec<_>>().len(),
        8
    );
    assert_eq!(quotas.book.count_left(Kind::Question), bound::MAX_QUESTIONS);
}

#[test]
fn one_client_cannot_take_all_streams_nor_all_memory() {
    let quotas = quotas();
    let session = session_of(&quotas, ClientKey::stream(None));
    let streams: Vec<_> = std::iter::from_fn(|| session.open_stream().ok()).collect();
    assert_eq!(streams.len(), bound::MAX_SESSION_STREAMS);
    let greedy = quotas.client(address(1)).open_sessionless("");
    let _streams: Vec<_> = std::iter::from_fn(|| greedy.open_stream().ok()).collect();
    assert!(session_of(&quotas, address(2)).open_stream().is_ok());
    assert!(session_of(&quotas, address(1)).open_stream().is_ok());

    let stateless = quotas.client(address(3)).open_sessionless("");
    let _kept = stateless.count_bytes(bound::MAX_SESSION_BYTES - 1).expect("1 MiB");
    assert!(stateless.count_bytes(2).is_err(), "even without a session");
    let mut kept = session.count_bytes(bound::MAX_SESSION_BYTES - 1).expect("1 MiB");
    assert!(kept.grow_by(2).is_err());
    kept.shrink_by(10);
    assert!(kept.grow_by(2).is_ok());
}

#[test]
fn client_with_the_most_sessions_is_chosen_for_eviction() {
    let quotas = Quotas::new(&QuotaLimits { sessions: 10, ..limits() });
    let (many, few) = (quotas.client(address(1)), quotas.client(address(2)));
    let mut open: Vec<_> = (0..9).map(|_| many.open_session().expect("a session")).collect();
    assert!(quotas.client_to_evict_for(&few, Kind::Session).is_none());
    let one = few.open_session();
    assert!(one.is_some() && few.open_session().is_none());
    let gives_way = quotas.client_to_evict_for(&few, Kind::Session).expect("all are taken");
    assert!(Arc::ptr_eq(&gives_way, &many));
    open.pop();
    assert!(few.open_session().is_some());
    let of_many = quotas.client_to_evict_for(&many, Kind::Session);
    let _again = many.open_session();
    assert!(of_many.is_none());
    let of_many = quotas.client_to_evict_for(&many, Kind::Session).expect("all are taken");
    assert!(Arc::ptr_eq(&of_many, &many), "its own session, not that of the client with one");
}

#[test]
fn many_other_clients_do_not_reset_a_rate_limit() {
    let quotas = Quotas::new(&QuotaLimits { per_second: Some(3), ..limits() });
    let start = Instant::now();
    let at = |number: u32| start + Duration::from_micros(number.into());
    for number in 0..=20_000 {
        let client = quotas.client_at(address(7), at(number));
        assert_eq!(client.count_request_at(start).is_ok(), number < 3, "{number}");
        quotas.client_at(address(1_000 + number), at(number));
    }
    assert!(lock(&quotas.clients).len() <= MAX_IDLE_CLIENTS);
}

#[test]
fn client_that_holds_something_is_not_forgotten() {
    let quotas = quotas();
    let session = session_of(&quotas, address(7));
    let before = places(&session, None).len();
    let _taken = places(&session, None);
    for number in 0..30_000 {
        quotas.client(address(1_000 + number));
    }
    let same = quotas.client(address(7));
    assert!(Arc::ptr_eq(&same, session.client()));
    assert_eq!(before, 342);
}

#[test]
fn programs_at_one_address_do_not_all_have_the_same_share() {
    let quotas = quotas();
    let client = quotas.client(address(1));
    let greedy = client.open_sessionless("greedy");
    let _taken = places(&greedy, None);
    let served =
        (0..64).filter(|n| client.open_sessionless(&format!("{n}")).take_slot(None).is_ok());
    assert!(served.count() > 32);
    let keys: HashSet<_> = (0..3).map(|_| client.key().clone()).collect();
    assert_eq!(keys.len(), 1);
}
