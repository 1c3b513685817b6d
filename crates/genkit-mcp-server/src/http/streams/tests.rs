use std::sync::Arc;
use std::task::Waker;

use super::*;

fn message(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn read(stream: &EventStream, reader: u64) -> Read {
    stream.poll_read(reader, &Context::from_waker(Waker::noop()))
}

fn event(text: &str) -> Read {
    Read::Event(message(text))
}

#[test]
fn messages_are_read_in_order_until_the_end() {
    let stream = EventStream::default();
    let reader = stream.read_from(0);
    assert_eq!(read(&stream, reader), Read::Nothing);
    assert_eq!(stream.try_send(&message("{1}")), SendOutcome::Ended(true));
    stream.finish_stream(Some(&message("{2}")));
    assert_eq!(read(&stream, reader), event("data: {1}\n\n"));
    assert_eq!(read(&stream, reader), event("data: {2}\n\n"));
    assert_eq!(read(&stream, reader), Read::End);
    assert_eq!(
        stream.try_send(&message("{3}")),
        SendOutcome::Ended(false),
        "the stream has no reader"
    );
}

#[test]
fn early_messages_receive_event_ids() {
    let stream = EventStream::default();
    assert_eq!(stream.try_send(&message("{1}")), SendOutcome::Ended(true));
    stream.make_resumable(7);
    let reader = stream.read_from(0);
    assert_eq!(read(&stream, reader), event("id: 7-1\ndata: {1}\n\n"));
}

#[test]
fn reconnecting_client_receives_missed_events() {
    let stream = EventStream::with_number(7);
    let first = stream.read_from(0);
    for text in ["{1}", "{2}"] {
        assert_eq!(stream.try_send(&message(text)), SendOutcome::Ended(true));
    }
    assert_eq!(read(&stream, first), event("id: 7-1\ndata: {1}\n\n"));
    assert!(stream.remove_reader(first));
    stream.finish_stream(Some(&message("{3}")));
    for (from, expected) in [(1, "{2}"), (0, "{1}"), (2, "{3}")] {
        let again = stream.read_from(from);
        assert_eq!(
            read(&stream, again),
            event(&format!("id: 7-{}\ndata: {expected}\n\n", from + 1))
        );
    }
    let nothing_missed = stream.read_from(3);
    assert_eq!(read(&stream, nothing_missed), Read::End);
}

#[test]
fn last_one_who_came_reads() {
    let stream = EventStream::with_number(1);
    let first = stream.read_from(0);
    let second = stream.read_from(0);
    stream.finish_stream(Some(&message("{}")));
    assert_eq!(read(&stream, first), Read::Displaced);
    assert!(!stream.remove_reader(first), "not the current reader");
    assert_eq!(read(&stream, second), event("id: 1-1\ndata: {}\n\n"));
}

#[test]
fn sender_waits_if_the_buffer_is_full() {
    let stream = EventStream::default();
    let reader = stream.read_from(0);
    let large = message(&"x".repeat(UNREAD_BYTES));
    assert_eq!(stream.try_send(&large), SendOutcome::Ended(true), "one message always fits");
    assert_eq!(stream.try_send(&message("{}")), SendOutcome::Full);
    assert!(matches!(read(&stream, reader), Read::Event(_)));
    assert_eq!(stream.try_send(&message("{}")), SendOutcome::Ended(true));
    assert_eq!(read(&stream, reader), event("data: {}\n\n"));
}

#[test]
fn unresumable_stream_buffers_nothing() {
    let stream = EventStream::default();
    let reader = stream.read_from(0);
    assert_eq!(stream.try_send(&message("{}")), SendOutcome::Ended(true));
    assert!(stream.remove_reader(reader));
    assert_eq!(stream.try_send(&message("{}")), SendOutcome::Ended(false));
    assert_eq!(stream.kept_bytes(), 0);
}

#[test]
fn replay_buffer_is_bounded() {
    let stream = EventStream::with_number(1);
    let reader = stream.read_from(0);
    stream.remove_reader(reader);
    for _ in 0..10_000 {
        assert_eq!(
            stream.try_send(&message("{\"progress\":1}")),
            SendOutcome::Ended(true),
            "sending never waits"
        );
    }
    assert!(stream.state().events.len() <= KEPT_EVENTS);
    let large = message(&"x".repeat(10 * KEPT_BYTES));
    stream.finish_stream(Some(&large));
    assert_eq!(stream.state().events.len(), 1, "the response is kept");
    let again = stream.read_from(5);
    assert!(matches!(read(&stream, again), Read::Event(_)));
    assert_eq!(read(&stream, again), Read::End);
}

#[test]
fn finished_streams_are_forgotten_by_number_bytes_and_time() {
    let mut kept = RetainedStreams::default();
    let finished = |length: usize| {
        let stream = Arc::new(EventStream::default());
        stream.finish_stream(Some(&message(&"x".repeat(length))));
        stream
    };
    let running = Arc::new(EventStream::default());
    let first = kept.keep_stream(&running, 0);
    let numbers: Vec<u64> = (0..20).map(|_| kept.keep_stream(&finished(10), 0)).collect();
    kept.forget_excess(0);
    assert!(kept.find(first).is_some(), "running streams are kept");
    assert!(kept.find(numbers[0]).is_none() && kept.find(numbers[19]).is_some());
    let large = [kept.keep_stream(&finished(200_000), 0), kept.keep_stream(&finished(200_000), 0)];
    kept.forget_excess(0);
    assert!(kept.find(large[0]).is_none() && kept.find(large[1]).is_some());
    kept.forget_excess(60_001);
    assert!(kept.find(large[1]).is_none());
    running.finish_stream(None);
    kept.forget_excess(100_000);
    assert!(kept.find(first).is_some());
    kept.forget_excess(160_001);
    assert!(kept.is_empty());
}

#[tokio::test]
async fn blocked_sender_continues_after_a_read_or_disconnect() {
    for leaves in [false, true] {
        let stream = Arc::new(EventStream::default());
        let reader = stream.read_from(0);
        assert!(stream.send_line(message(&"x".repeat(UNREAD_BYTES))).await);
        let waiting = tokio::spawn({
            let stream = Arc::clone(&stream);
            async move { stream.send_line(message("{}")).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        if leaves {
            stream.remove_reader(reader);
        } else {
            assert!(matches!(read(&stream, reader), Read::Event(_)));
        }
        assert_eq!(waiting.await.expect("no panic"), !leaves);
    }
}
