//! Points in time: the current time, and formatting as ISO 8601 in UTC.

/// Returns the current time of this machine, in milliseconds since the Unix epoch.
pub fn now_ms() -> u64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Formats milliseconds since the Unix epoch as `2026-07-28T09:30:00.250Z`.
pub fn format_iso8601(ms: u64) -> String {
    let (seconds, milli) = (ms / 1000, ms % 1000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil_date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Returns the date of a day, counted from 1970-01-01. Years start in March here, so that a leap day is the last day of
/// its year (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil_date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::format_iso8601;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_785_231_000, "2026-07-28T09:30:00.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(format_iso8601(seconds * 1000), text);
        }
        for (ms, text) in [
            (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (1_795_215_866_360, "2026-11-20T23:04:26.360Z"),
        ] {
            assert_eq!(format_iso8601(ms), text);
        }
        assert_eq!(format_iso8601(1_785_231_000_250), "2026-07-28T09:30:00.250Z");
    }
}
