//! Tests that frames do not depend on how the bytes arrive.

use super::{
    frame::{Framer, LongLine},
    outline::{Id, Outline, Scanner},
};

const LIMIT: usize = 24;

fn take_frames(framer: &mut Framer, frames: &mut Vec<String>) {
    while let Some(frame) = framer.next_line() {
        frames.push(match frame {
            Ok(line) => String::from_utf8_lossy(line).into_owned(),
            Err(LongLine(outline, bytes)) => format!("{bytes} bytes: {outline:?}"),
        });
    }
}

fn frames<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let mut framer = Framer::new(limit);
    let mut frames = Vec::new();
    for mut piece in pieces {
        while !piece.is_empty() {
            let spare = framer.spare();
            let count = spare.len().min(piece.len());
            spare[..count].copy_from_slice(&piece[..count]);
            framer.mark_filled(count);
            take_frames(&mut framer, &mut frames);
            piece = &piece[count..];
        }
    }
    framer.finish();
    take_frames(&mut framer, &mut frames);
    frames
}

fn lines() -> Vec<u8> {
    let mut text = b"\xEF\xBB\xBF{\"a\":1}\r\n\n \r\nnot json\n".to_vec();
    text.extend(br#"{"id":7,"method":"too long"}"#);
    text.extend(b"\r\n\"\xC3\xBC\"\n\xFF\xFE\n");
    text.extend(br#"{"p":{"id":1,"s":"\"}{"},"id":"end"}"#);
    text.extend(b"\n{\"last\":true}");
    text
}

#[test]
fn every_line_is_found() {
    let request = Outline { id: Id::from_value(7.into()), method: true, ..Outline::default() };
    let last = Outline { id: Id::from_value("end".into()), ..Outline::default() };
    assert_eq!(
        frames(LIMIT, [&lines()[..]]),
        [
            r#"{"a":1}"#,
            "not json",
            &format!("29 bytes: {request:?}"),
            "\"\u{fc}\"",
            "\u{fffd}\u{fffd}",
            &format!("36 bytes: {last:?}"),
            r#"{"last":true}"#,
        ]
    );
}

#[test]
fn one_byte_at_a_time_gives_the_same() {
    let lines = lines();
    assert_eq!(frames(LIMIT, lines.chunks(1)), frames(LIMIT, [&lines[..]]));
}

#[test]
fn every_two_splits_give_the_same() {
    let lines = lines();
    let whole = frames(LIMIT, [&lines[..]]);
    for first in 0..lines.len() {
        for second in first..lines.len() {
            let pieces = [&lines[..first], &lines[first..second], &lines[second..]];
            assert_eq!(frames(LIMIT, pieces), whole, "split at {first} and {second}");
        }
    }
}

#[test]
fn limit_counts_the_line_without_its_end() {
    for (length, fits) in [(LIMIT - 1, true), (LIMIT, true), (LIMIT + 1, false)] {
        let line = "x".repeat(length);
        for text in [format!("{line}\nnext\n"), format!("{line}\nnext")] {
            for size in [1, 7, text.len()] {
                let found = frames(LIMIT, text.as_bytes().chunks(size));
                assert_eq!(found[0] == line, fits, "{length} bytes, {size} at a time");
                assert_eq!(found[1..], ["next"]);
            }
        }
    }
}

#[test]
fn line_that_never_ends_takes_no_memory() {
    let mut framer = Framer::new(LIMIT);
    let mut most = 0;
    let mut bytes = 0;
    for _ in 0..100 {
        let spare = framer.spare();
        spare.fill(b'x');
        let count = spare.len();
        bytes += count as u64;
        framer.mark_filled(count);
        assert_eq!(framer.next_line(), None);
        most = most.max(framer.buffer_size());
    }
    assert!(most <= LIMIT + 2 * 64 * 1024, "{most} bytes held");
    framer.finish();
    assert_eq!(framer.next_line(), Some(Err(LongLine(Outline::default(), bytes))));
    assert_eq!(framer.next_line(), None);
}

#[test]
fn long_line_gives_its_memory_back() {
    let line = "x".repeat(1 << 20);
    let mut framer = Framer::new(1 << 20);
    for piece in format!("{line}\n").as_bytes().chunks(4096) {
        framer.spare()[..piece.len()].copy_from_slice(piece);
        framer.mark_filled(piece.len());
    }
    assert!(matches!(framer.next_line(), Some(Ok(found)) if found.len() == line.len()));
    framer.spare();
    assert!(framer.buffer_size() <= 64 * 1024);
}

#[test]
fn outline_is_found_at_any_position() {
    let usable = |id: i64| Id::from_value(id.into());
    let long = "y".repeat(5000);
    for (line, id, method, answer) in [
        (r#"{"id":1,"method":"m"}"#.to_owned(), usable(1), true, false),
        (
            format!(r#" {{ "method" : "m" , "params" : "{long}" , "id" : 2 }} "#),
            usable(2),
            true,
            false,
        ),
        (r#"{"jsonrpc":"2.0","id":6,"result":{"a"#.to_owned(), usable(6), false, true),
        (
            r#"{"id":"a\"b,}","result":{"id":3}}"#.to_owned(),
            Id::from_value("a\"b,}".into()),
            false,
            true,
        ),
        (r#"{"error":{"method":"m"},"id":-4}"#.to_owned(), usable(-4), false, true),
        (r#"{"id":{"id":5},"method":6}"#.to_owned(), Id::Unusable, false, false),
        (r#"{"id":null,"method":"m"}"#.to_owned(), Id::Unusable, true, false),
        (format!(r#"{{"id":"{long}","method":"m"}}"#), Id::Unusable, true, false),
        (r#"[{"id":7,"method":"m"}]"#.to_owned(), Id::Absent, false, false),
        (r#"{"params":[{"id":8}],"x":"\\","method":"m"}"#.to_owned(), Id::Absent, true, false),
        ("no json at all }]{,:".to_owned(), Id::Absent, false, false),
    ] {
        let expected = Outline { id, versioned: line.contains("jsonrpc"), method, answer };
        for size in [1, 3, line.len()] {
            let mut scanner = Scanner::default();
            line.as_bytes().chunks(size).for_each(|piece| scanner.scan(piece));
            assert_eq!(scanner.finish(b""), expected, "{line} by {size}");
        }
    }
}
