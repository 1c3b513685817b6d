use super::connection::{HEAD_SECONDS, IDLE_SECONDS, UNREAD_SECONDS};
use super::*;

fn address(last: u8) -> IpAddr {
    IpAddr::from([127, 0, 0, last])
}

fn numbers(table: &ConnectionTable) -> Vec<u64> {
    let mut numbers: Vec<u64> = lock(&table.open).connections.keys().copied().collect();
    numbers.sort_unstable();
    numbers
}

fn pass(table: &ConnectionTable, seconds: u32) {
    (0..seconds).for_each(|_| table.tick());
}

#[test]
fn silent_connections_of_one_client_do_not_block_another() {
    let table = ConnectionTable::with_limit(16);
    let silent: Vec<_> = (0..40).map(|_| table.admit(address(1))).collect();
    assert!(silent.iter().all(Option::is_some), "newer connections replace older ones");
    assert_eq!(lock(&table.open).of_clients[&address(1)], 8);
    let other = table.admit(address(2)).expect("room");
    assert!(numbers(&table).contains(&other.connection.number()));
}

#[test]
fn silent_connections_are_evicted_first_in_order_of_silence() {
    let table = ConnectionTable::with_limit(8);
    let spoken = table.admit(address(1)).expect("room");
    spoken.connection.record_head();
    spoken.connection.record_request();
    spoken.connection.record_response();
    pass(&table, 5);
    let older = table.admit(address(1)).expect("room");
    pass(&table, 1);
    let newer = table.admit(address(1)).expect("room");
    let asks = table.admit(address(1)).expect("room");
    asks.connection.record_request();
    let next = table.admit(address(1)).expect("room");
    let left = [&spoken, &newer, &asks, &next].map(|it| it.connection.number());
    assert_eq!(numbers(&table), left, "{} went", older.connection.number());
}

#[test]
fn connection_with_a_running_request_is_never_evicted() {
    let table = ConnectionTable::with_limit(4);
    let busy: Vec<_> = (0..2).map(|_| table.admit(address(1)).expect("room")).collect();
    busy.iter().for_each(|it| it.connection.record_request());
    assert!(
        table.admit(address(1)).is_none(),
        "half of all connections handle requests of this client"
    );
    let _others: Vec<_> = (2..4).map(|last| table.admit(address(last)).expect("room")).collect();
    assert!(table.admit(address(9)).is_some(), "the others only wait");
    assert!(busy.iter().all(|it| numbers(&table).contains(&it.connection.number())));
}

#[test]
fn greediest_client_makes_room() {
    let table = ConnectionTable::with_limit(8);
    let honest: Vec<_> = (2..6).map(|last| table.admit(address(last)).expect("room")).collect();
    pass(&table, 3);
    let greedy: Vec<_> = (0..4).map(|_| table.admit(address(1)).expect("room")).collect();
    let stranger = table.admit(address(9)).expect("room");
    for kept in honest.iter().chain([&stranger]) {
        assert!(
            numbers(&table).contains(&kept.connection.number()),
            "{}",
            kept.connection.number()
        );
    }
    assert!(!numbers(&table).contains(&greedy[0].connection.number()));
}

#[test]
fn each_phase_has_its_own_limit() {
    let table = ConnectionTable::with_limit(8);
    let open = table.admit(address(1)).expect("room");
    let connection = &open.connection;
    let overdue_after = |seconds: u32| {
        let now = table.clock.load(Ordering::Relaxed);
        assert!(!connection.is_overdue(now + seconds), "{:?}", connection.phase());
        assert!(connection.is_overdue(now + seconds + 1), "{:?}", connection.phase());
    };
    overdue_after(HEAD_SECONDS);
    connection.record_bytes();
    overdue_after(HEAD_SECONDS);
    connection.record_response();
    overdue_after(IDLE_SECONDS);
    connection.record_bytes();
    overdue_after(HEAD_SECONDS);
    connection.record_request();
    assert!(!connection.is_overdue(u32::MAX), "requests have their own time limits");
    connection.set_reading(false);
    overdue_after(UNREAD_SECONDS);
    connection.set_reading(true);
    assert!(!connection.is_overdue(u32::MAX));
}

#[test]
fn network_of_ipv6_is_one_client() {
    let of = |text: &str| client_for(text.parse().expect("an address"));
    assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
    assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
}

#[test]
fn connection_that_ended_leaves_nothing() {
    let table = ConnectionTable::with_limit(8);
    drop(table.admit(address(1)));
    let open = lock(&table.open);
    assert!(open.connections.is_empty() && open.of_clients.is_empty());
}
