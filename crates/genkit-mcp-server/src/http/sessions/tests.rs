use super::*;
use crate::engine::Outward as _;
use crate::http::streams::EventStream;
use crate::quota::{ClientKey, QuotaLimits};

const NOBODY: Owner = Owner(None);

fn quotas(sessions: usize) -> Quotas {
    Quotas::new(&QuotaLimits { places: 8, per_second: None, sessions, session_questions: 8 })
}

fn client(quotas: &Quotas, last: u8) -> Arc<ClientQuota> {
    quotas.client(ClientKey::address([127, 0, 0, last].into()))
}

fn table() -> Arc<SessionTable> {
    SessionTable::new(CancellationToken::new(), None)
}

fn try_open(
    table: &Arc<SessionTable>,
    quotas: &Quotas,
    client: &Arc<ClientQuota>,
    owner: Owner,
) -> Option<SessionId> {
    let (quota, counted) = table.make_room(quotas, client)?;
    let id = SessionId::new();
    table.open_session(id, owner, Arc::new(Session::new(quota, Some(counted))))?;
    Some(id)
}

async fn pass(milliseconds: u64) {
    tokio::time::advance(Duration::from_millis(milliseconds)).await;
}

#[tokio::test(start_paused = true)]
async fn session_is_its_owners_alone() {
    let (table, quotas) = (table(), quotas(10));
    let (ada, grace) = (Owner::for_principal(Some("ada")), Owner::for_principal(Some("grace")));
    let id = try_open(&table, &quotas, &client(&quotas, 1), ada).expect("a session");
    assert!(table.find_session(id, &ada).is_some());
    for other in [grace, NOBODY] {
        assert!(table.find_session(id, &other).is_none() && table.has_session(id));
    }
    let open = try_open(&table, &quotas, &client(&quotas, 1), NOBODY).expect("a session");
    assert!(table.find_session(open, &ada).is_none(), "the session has no owner");
}

#[tokio::test(start_paused = true)]
async fn longest_idle_of_the_client_with_the_most_makes_room() {
    let (table, quotas) = (table(), quotas(6));
    let (greedy, other) = (client(&quotas, 1), client(&quotas, 2));
    let mut of_greedy = Vec::new();
    for _ in 0..6 {
        of_greedy.push(try_open(&table, &quotas, &greedy, NOBODY).expect("a session"));
        pass(10).await;
    }
    let used = table.find_session(of_greedy[0], &NOBODY).expect("open");
    drop(used);
    pass(10).await;
    let newcomer = try_open(&table, &quotas, &other, NOBODY).expect("a session");
    assert!(table.has_session(newcomer) && table.has_session(of_greedy[0]));
    assert!(!table.has_session(of_greedy[1]), "the session with the longest idle time");
    // If the greedy client opens another session, it loses an older one.
    let more = try_open(&table, &quotas, &greedy, NOBODY).expect("a session");
    assert!(
        table.has_session(newcomer) && table.has_session(more) && !table.has_session(of_greedy[2])
    );
}

#[tokio::test(start_paused = true)]
async fn session_that_was_never_ready_is_evicted_first() {
    let (table, quotas) = (table(), quotas(3));
    let greedy = client(&quotas, 1);
    let ready = try_open(&table, &quotas, &greedy, NOBODY).expect("a session");
    table.find_session(ready, &NOBODY).expect("open").mark_ready();
    for _ in 0..10 {
        pass(10).await;
        assert!(try_open(&table, &quotas, &greedy, NOBODY).is_some());
    }
    assert!(table.has_session(ready));
}

#[tokio::test(start_paused = true)]
async fn session_in_use_does_not_go() {
    let (table, quotas) = (table(), quotas(2));
    let greedy = client(&quotas, 1);
    let ids: Vec<_> =
        (0..2).map(|_| try_open(&table, &quotas, &greedy, NOBODY).expect("a session")).collect();
    let in_use: Vec<_> = ids.iter().filter_map(|id| table.find_session(*id, &NOBODY)).collect();
    assert!(try_open(&table, &quotas, &greedy, NOBODY).is_none());
    assert!(try_open(&table, &quotas, &client(&quotas, 2), NOBODY).is_none());
    pass(3_600_000).await;
    table.end_idle();
    assert!(ids.iter().all(|id| table.has_session(*id)));
    drop(in_use);
    assert!(try_open(&table, &quotas, &client(&quotas, 2), NOBODY).is_some());
}

#[tokio::test(start_paused = true)]
async fn idle_session_ends_and_gives_its_place_back() {
    let (table, quotas) = (table(), quotas(2));
    let one = client(&quotas, 1);
    let id = try_open(&table, &quotas, &one, NOBODY).expect("a session");
    pass(299_000).await;
    table.end_idle();
    let used = table.find_session(id, &NOBODY).expect("open");
    drop(used);
    pass(299_000).await;
    table.end_idle();
    assert!(table.has_session(id), "the session was used");
    pass(2_000).await;
    table.end_idle();
    assert!(!table.has_session(id));
    assert_eq!(Arc::strong_count(&one), 2, "only the map and this test refer to the client");
}

#[tokio::test(start_paused = true)]
async fn session_is_idle_from_the_end_of_its_last_use() {
    let (table, quotas) = (table(), quotas(2));
    let id = try_open(&table, &quotas, &client(&quotas, 1), NOBODY).expect("a session");
    let stream = table.find_session(id, &NOBODY).expect("open");
    pass(3_600_000).await;
    drop(stream);
    pass(299_000).await;
    table.end_idle();
    assert!(table.has_session(id), "a stream was open until now");
    pass(2_000).await;
    table.end_idle();
    assert!(!table.has_session(id));
}

/// Returns the stream of a call with an open question, which outlives its connection, and its
/// reader.
fn asking(used: &SessionInUse) -> (Arc<EventStream>, u64) {
    let stream = Arc::new(EventStream::default());
    used.keep_stream(&stream, 0);
    stream.count_waiting(true);
    let reader = stream.read_from(0);
    (stream, reader)
}

#[tokio::test(start_paused = true)]
async fn question_that_was_left_ends_with_its_idle_session() {
    let (table, quotas) = (table(), quotas(2));
    let id = try_open(&table, &quotas, &client(&quotas, 1), NOBODY).expect("a session");
    let call = table.find_session(id, &NOBODY).expect("open");
    let (stream, reader) = asking(&call);
    pass(599_000).await;
    table.end_idle();
    assert!(table.has_session(id), "the stream has a reader");
    assert!(stream.remove_reader(reader));
    pass(299_000).await;
    table.end_idle();
    assert!(table.has_session(id) && !call.has_ended(), "the client can still answer");
    drop(table.find_session(id, &NOBODY).expect("the client sends a request"));
    pass(299_000).await;
    table.end_idle();
    assert!(table.has_session(id));
    pass(2_000).await;
    table.end_idle();
    assert!(!table.has_session(id) && call.has_ended());
}

#[tokio::test(start_paused = true)]
async fn running_function_keeps_its_session_alive() {
    let (table, quotas) = (table(), quotas(2));
    let id = try_open(&table, &quotas, &client(&quotas, 1), NOBODY).expect("a session");
    let (call, other) = (table.find_session(id, &NOBODY), table.find_session(id, &NOBODY));
    let (call, other) = (call.expect("open"), other.expect("open"));
    let (stream, reader) = asking(&call);
    let (unanswered, its_reader) = asking(&other);
    assert!(stream.remove_reader(reader) && unanswered.remove_reader(its_reader));
    stream.count_waiting(false);
    pass(3_600_000).await;
    table.end_idle();
    assert!(table.has_session(id), "one question was answered");
    // The client resumes the other stream.
    drop(call);
    let reader = unanswered.read_from(0);
    pass(3_600_000).await;
    table.end_idle();
    assert!(table.has_session(id), "the stream has a reader");
    assert!(unanswered.remove_reader(reader));
    pass(301_000).await;
    table.end_idle();
    assert!(!table.has_session(id));
}

#[tokio::test(start_paused = true)]
async fn ended_session_is_not_found() {
    let (table, quotas) = (table(), quotas(2));
    let id = try_open(&table, &quotas, &client(&quotas, 1), NOBODY).expect("a session");
    let used = table.find_session(id, &NOBODY).expect("open");
    table.end_session(id);
    assert!(used.has_ended());
    assert!(table.find_session(id, &NOBODY).is_none());
}

#[test]
fn id_has_one_spelling() {
    let id = SessionId::new();
    let text = id.to_string();
    assert_eq!(text.parse(), Ok(id));
    for other in [text.to_uppercase(), text.replace('-', ""), format!("{{{text}}}"), String::new()]
    {
        assert_eq!(other.parse::<SessionId>(), Err(()), "{other}");
    }
}

#[cfg(feature = "durable")]
#[tokio::test]
async fn client_with_the_most_stored_sessions_loses_its_oldest() {
    use crate::http::session_store::{
        MemorySessions, RunSessions, SessionStore as _, StoredSession,
    };

    let mut sessions = RunSessions::new(genkit_durable::internal::MemoryRuns::default());
    sessions.known = (MemorySessions::new(), 4);
    let stored = r#"{"protocolVersion":"2025-11-25","capabilities":{},"level":"info","subscriptions":[],"ready":true}"#;
    let session = serde_json::from_str::<StoredSession>(stored).expect("a session");
    for id in ["ada", "eve1", "eve2", "eve3", "eve4", "eve1", "eve5"] {
        let opened_by = Some(ClientKey::Principal(id[..3].to_owned()));
        let session = StoredSession { opened_by, ..session.clone() };
        sessions.save(id, session).await.expect("it is stored");
    }
    for (id, is_there) in
        [("ada", true), ("eve1", true), ("eve2", false), ("eve3", false), ("eve5", true)]
    {
        let found = sessions.load(id).await.expect("the store can be read");
        assert_eq!(found.is_some(), is_there, "{id}");
    }
}
