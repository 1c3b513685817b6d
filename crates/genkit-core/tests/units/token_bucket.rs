use genkit_core::internal::sync::TokenBucket;
use std::time::Duration;
use std::time::Instant;

#[test]
fn bucket_allows_its_rate_per_second() {
    let start = Instant::now();
    let mut bucket = TokenBucket::full(3, start);
    for _ in 0..3 {
        assert_eq!(bucket.take_token(start), Ok(()));
    }
    assert_eq!(bucket.take_token(start), Err(3));
    assert_eq!(bucket.take_token(start + Duration::from_millis(200)), Err(3));
    assert_eq!(bucket.take_token(start + Duration::from_millis(400)), Ok(()));
    let mut long_after = 0;
    while bucket.take_token(start + Duration::from_secs(60)).is_ok() {
        long_after += 1;
    }
    assert_eq!(long_after, 3, "unused tokens do not accumulate");
}

#[test]
fn backward_clock_adds_no_tokens() {
    let start = Instant::now();
    let mut bucket = TokenBucket::full(1, start + Duration::from_secs(1));
    assert_eq!(bucket.take_token(start), Ok(()));
    assert_eq!(bucket.take_token(start), Err(1));
}
