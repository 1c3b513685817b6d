use super::*;

#[test]
fn decreasing_progress_is_dropped() {
    let (request, mut signals) = OpenRequest::with_asker("t", false, None);
    for done in [1.0, 3.0, 2.0, f64::NAN, 3.0, 4.0] {
        request.forward_progress(Progress::new(done));
    }
    let mut seen = Vec::new();
    while let Ok(Signal::Progress(progress)) = signals.try_recv() {
        seen.push(progress.done);
    }
    assert_eq!(seen, [1.0, 3.0, 4.0]);
}

/// Records a call with this id, whose caller can be asked.
fn noted(in_flight: &InFlight, id: i64, asker: Option<QuestionChannel>) -> mpsc::Receiver<Signal> {
    let (request, signals) = OpenRequest::with_asker(&format!("call-{id}"), true, asker);
    let (id, request) = (RequestId::Number(id), Arc::new(request));
    let (token, is_own, given_up) = (None, false, None);
    lock(&in_flight.entries).push(InFlightEntry { id, token, request, is_own, given_up });
    signals
}

/// Returns the call that a question arriving now is assigned to.
async fn matched(in_flight: &InFlight) -> Option<String> {
    in_flight.match_question("s").await.map(|request| request.target.clone())
}

#[test]
fn string_id_matches_numeric_id() {
    let in_flight = InFlight::default();
    let _signals = noted(&in_flight, 7, None);
    assert!(in_flight.finish_request(&RequestId::String("7".into())).is_some());
    assert!(in_flight.finish_request(&RequestId::Number(7)).is_none());
}

#[tokio::test]
async fn request_is_over_when_its_cancellation_is_written() {
    let in_flight = InFlight::default();
    let signals = noted(&in_flight, 7, None);
    let request = in_flight.by_id(&RequestId::Number(7)).expect("in flight");
    let written = in_flight.give_up(&RequestId::Number(7)).expect("in flight");
    drop(signals);
    assert!(!request.finished.is_cancelled());
    drop(written);
    request.wait_until_over().await;
}

#[tokio::test(start_paused = true)]
async fn ambiguous_question_is_not_delivered() {
    let in_flight = InFlight::default();
    let (one, _other) = (noted(&in_flight, 1, None), noted(&in_flight, 2, None));
    assert_eq!(matched(&in_flight).await, None);
    // This holds even if the first call is given up, answered late, or fails while the question waits.
    drop(one);
    assert_eq!(matched(&in_flight).await, None, "the caller is gone");
    let _ = in_flight.give_up(&RequestId::Number(1));
    assert_eq!(matched(&in_flight).await, None, "the cancellation is written");
    let asking = matched(&in_flight);
    tokio::pin!(asking);
    assert!(futures_util::poll!(&mut asking).is_ready(), "no later event determines the call");
    let _ = in_flight.finish_request(&RequestId::Number(1));
    assert_eq!(matched(&in_flight).await.as_deref(), Some("call-2"), "the first call is answered");
}

#[tokio::test(start_paused = true)]
async fn call_that_was_given_up_makes_the_questions_of_later_ones_uncertain() {
    let (first, second) = (Some(QuestionChannel::new()), Some(QuestionChannel::new()));
    for (asker, expected) in [(second, None), (None, None), (first, Some("call-2"))] {
        let in_flight = InFlight::default();
        drop(noted(&in_flight, 1, first));
        let _ = in_flight.give_up(&RequestId::Number(1));
        let _signals = noted(&in_flight, 2, asker);
        assert_eq!(matched(&in_flight).await.as_deref(), expected);
        // A response, however late, shows that the server has finished the call.
        let _ = in_flight.finish_request(&RequestId::Number(1));
        assert_eq!(matched(&in_flight).await.as_deref(), Some("call-2"));
    }
}

#[tokio::test(start_paused = true)]
async fn question_is_not_matched_to_a_later_call() {
    let in_flight = InFlight::default();
    let run = Some(QuestionChannel::new());
    let (_one, _two) = (noted(&in_flight, 1, run), noted(&in_flight, 2, run));
    let asking = matched(&in_flight);
    tokio::pin!(asking);
    assert!(futures_util::poll!(&mut asking).is_pending(), "either of two calls");
    let _third = noted(&in_flight, 3, None);
    let _ = in_flight.finish_request(&RequestId::Number(1));
    assert_eq!(asking.await.as_deref(), Some("call-2"));
}

#[tokio::test(start_paused = true)]
async fn interrupted_run_repeats_its_question_with_a_new_call() {
    let in_flight = InFlight::default();
    let signals = noted(&in_flight, 1, Some(QuestionChannel::for_run()));
    let request = in_flight.by_id(&RequestId::Number(1)).unwrap();
    let asked = ElicitRequest::testing("s", "?");
    let (answer, ()) = tokio::join!(request.ask_caller(asked), async { drop(signals) });
    assert!(answer.is_none());
    let _ = in_flight.give_up(&RequestId::Number(1));
    let _again = noted(&in_flight, 2, Some(QuestionChannel::for_run()));
    assert_eq!(matched(&in_flight).await.as_deref(), Some("call-2"));
}

#[test]
fn remembered_cancelled_calls_are_limited() {
    let in_flight = InFlight::default();
    for id in 0..1000 {
        drop(noted(&in_flight, id, None));
        let _ = in_flight.give_up(&RequestId::Number(id));
    }
    assert_eq!(lock(&in_flight.entries).len(), MAX_ABANDONED);
}
