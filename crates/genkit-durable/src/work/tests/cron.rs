//! Tests of the times of cron expressions.

use genkit_core::internal::time::format_iso8601;

use super::FRIDAY;
use crate::work::cron::Cron;

/// Returns the next times after `since`, a number of milliseconds since the Unix epoch, in UTC.
fn next_times(cron: &Cron, since: u64, count: usize) -> Vec<String> {
    let cron = cron.parse().expect("a cron expression");
    let next = std::iter::successors(cron.next_after(since), |time| cron.next_after(*time));
    next.take(count).map(|time| format_iso8601(time)[..16].to_owned()).collect()
}

#[test]
fn cron_finds_the_next_times() {
    let table: [(&str, &[&str]); 11] = [
        ("* * * * *", &["2020-11-27T18:31", "2020-11-27T18:32"]),
        ("30 18 * * *", &["2020-11-28T18:30", "2020-11-29T18:30"]),
        ("0 3 * * *", &["2020-11-28T03:00", "2020-11-29T03:00"]),
        ("*/20 9-10 * * 1-5", &["2020-11-30T09:00", "2020-11-30T09:20"]),
        ("*/20 9-10 * * mon-fri", &["2020-11-30T09:00", "2020-11-30T09:20"]),
        ("15,45 0 1 */6 *", &["2021-01-01T00:15", "2021-01-01T00:45", "2021-07-01T00:15"]),
        ("0 0 29 2 *", &["2024-02-29T00:00", "2028-02-29T00:00"]),
        ("0 0 L * *", &["2020-11-30T00:00", "2020-12-31T00:00"]),
        ("0 0 * * 7", &["2020-11-29T00:00", "2020-12-06T00:00"]),
        // If both days are restricted, one of them must match.
        ("0 0 1 * 6", &["2020-11-28T00:00", "2020-12-01T00:00", "2020-12-05T00:00"]),
        ("0 0 30 2 *", &[]),
    ];
    for (cron, times) in table {
        assert_eq!(next_times(&cron.into(), FRIDAY, times.len().max(1)), times, "{cron}");
    }
}

#[test]
fn time_zone_moves_the_times_and_follows_its_clock_changes() {
    /// 2026-03-28T12:00:00Z, before clocks in Berlin skip 02:00 to 03:00, which is 01:00 UTC.
    const SPRING: u64 = 1_774_699_200_000;
    /// 2026-10-24T12:00:00Z, before clocks in Berlin repeat 02:00 to 03:00, from 00:00 to 02:00 UTC.
    const AUTUMN: u64 = 1_792_843_200_000;
    let table: [(&str, u64, &[&str]); 6] = [
        ("0 3 * * *", FRIDAY, &["2020-11-28T02:00", "2020-11-29T02:00"]),
        // A time that is skipped: the run starts at the change.
        ("30 2 * * *", SPRING, &["2026-03-29T01:00", "2026-03-30T00:30"]),
        ("30 * 29 * *", SPRING + 43_200_000, &["2026-03-29T00:30", "2026-03-29T01:30"]),
        // A time that occurs twice: the run starts only at the first occurrence.
        ("30 2 * * *", AUTUMN, &["2026-10-25T00:30", "2026-10-26T01:30"]),
        // An interval continues during the change.
        (
            "*/30 2 * * *",
            AUTUMN,
            &["2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30"],
        ),
        ("0 * 25 10 *", AUTUMN + 43_200_000, &["2026-10-25T01:00", "2026-10-25T02:00"]),
    ];
    for (expression, since, times) in table {
        let cron = Cron::new(expression).time_zone("Europe/Berlin");
        assert_eq!(next_times(&cron, since, times.len()), times, "{expression}");
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
        "-1 * * * *",
        "@reboot",
        "99999999999999999999 * * * *",
    ] {
        let error = Cron::from(wrong).parse().err().expect(wrong);
        assert!(error.to_string().contains("is not a valid schedule"), "{error}");
    }
    let error = Cron::new("0 3 * * *").time_zone("Europe/Nowhere").parse().err();
    let error = error.expect("an unknown time zone").to_string();
    assert!(error.starts_with("`Europe/Nowhere` is not a known time zone"), "{error}");
}
