//! Tests of matching URIs.

use genkit_uri_template::{MAX_URI_BYTES, UriSearch};
use serde_json::{Value, json};

use super::{template, values};

#[test]
fn tables() {
    let none = || json!(null);
    for (text, uri, expected) in [
        // Plain URIs.
        ("note://all", "note://all", json!({})),
        ("note://all", "note://all/", none()),
        ("note://all", "note://ALL", none()),
        ("note://all", "note://all?a=1", none()),
        ("note://café", "note://caf%c3%a9", json!({})),
        ("note://café", "note://café", json!({})),
        ("note://~a", "note://%7e%61", json!({})),
        ("a%2Fb", "a/b", none()),
        // One value.
        ("note://{id}", "note://7", json!({ "id": "7" })),
        ("note://{id}", "note://", none()),
        ("note://{id}", "note://7/8", none()),
        ("note://{id}", "note://7?a=1", none()),
        ("note://{id}", "note://7#a", none()),
        ("note://{id}", "note://ab:b@c,d;e=f", json!({ "id": "ab:b@c,d;e=f" })),
        ("note://{id}", "note://caf%C3%A9%20%26%25", json!({ "id": "café &%" })),
        ("note://{id}", "note://café", json!({ "id": "café" })),
        ("note://{id}", "note://%FF", none()),
        ("note://{id}", "note://%", none()),
        ("note://{id}", "note://%4", none()),
        ("note://{id}", "note://a+b", json!({ "id": "a+b" })),
        ("test://template/{id}/data", "test://template/123/data", json!({ "id": "123" })),
        ("test://template/{id}/data", "test://template//data", none()),
        ("{id}", "anything", json!({ "id": "anything" })),
        // Several variables match as much as possible, from left to right.
        ("{a}-{b}", "1-2-3", json!({ "a": "1-2", "b": "3" })),
        ("{name}.{ext}", "a.tar.gz", json!({ "name": "a.tar", "ext": "gz" })),
        ("{a}2{b}", "x%2Fy2z", none()),
        ("{a}2{b}", "x%252y", json!({ "a": "x%", "b": "y" })),
        ("{a}2{b}", "x%2522y", json!({ "a": "x%2", "b": "y" })),
        ("geo:{lat,lon}", "geo:1.5,-2", json!({ "lat": "1.5", "lon": "-2" })),
        ("geo:{lat,lon}", "geo:1.5", none()),
        ("geo:{lat,lon}", "geo:1,2,3", none()),
        ("geo:{lat,lon}", "geo:1%2C5,2", json!({ "lat": "1,5", "lon": "2" })),
        ("tags/{t*}", "tags/a,b%2Cc", json!({ "t": ["a", "b,c"] })),
        ("tags/{t*}", "tags/a", json!({ "t": ["a"] })),
        ("tags/{t*}", "tags/a,,b", none()),
        ("tags/{x,t*}", "tags/a,b,c", json!({ "x": "a", "t": ["b", "c"] })),
        // Paths.
        ("file:///{+path}", "file:///a/b%20c.txt", json!({ "path": "a/b c.txt" })),
        ("file:///{+path}", "file:///a?b#c", json!({ "path": "a?b#c" })),
        ("file:///{+path}", "file:///", none()),
        ("{+dir}/{file}", "a/b/c", json!({ "dir": "a/b", "file": "c" })),
        ("r{/a,b}", "r/1/2", json!({ "a": "1", "b": "2" })),
        ("r{/a,b}", "r/1", json!({ "a": "1" })),
        ("r{/a,b}", "r", json!({})),
        ("r{/a,b}", "r/", none()),
        ("r{/a,b}", "r/1/2/3", none()),
        ("r{/p*}", "r/1/2%2F3", json!({ "p": ["1", "2/3"] })),
        ("r{/p*}", "r", json!({})),
        ("r{/p*}", "r/1//2", none()),
        ("r{/p*}/raw", "r/1/2/raw", json!({ "p": ["1", "2"] })),
        ("r{/p*}/{last}", "r/1/2/3", json!({ "p": ["1", "2"], "last": "3" })),
        ("f{.ext}", "f.tar.gz", json!({ "ext": "tar.gz" })),
        ("f{.ext}", "f", json!({})),
        ("f{.ext}", "f.", none()),
        // Parameters.
        ("m/{id};v=1", "m/7;v=1", json!({ "id": "7" })),
        ("m/{id}{;x,y}", "m/7;x=1;y=2", json!({ "id": "7", "x": "1", "y": "2" })),
        ("m/{id}{;x,y}", "m/7;y=2", json!({ "id": "7", "y": "2" })),
        ("m/{id}{;x,y}", "m/7;x;y=", json!({ "id": "7", "x": "", "y": "" })),
        ("m/{id}{;x,y}", "m/7;y=2;x=1", none()),
        ("m/{id}{;x,xy}", "m/7;xy=1", json!({ "id": "7", "xy": "1" })),
        ("m{;x*}/z", "m;x=1;x;x=a%3Bb/z", json!({ "x": ["1", "", "a;b"] })),
        // Queries.
        ("s{?q,n}", "s?q=a%20b&n=1", json!({ "q": "a b", "n": "1" })),
        ("s{?q,n}", "s?n=1&q=a/b?c", json!({ "q": "a/b?c", "n": "1" })),
        ("s{?q,n}", "s", json!({})),
        ("s{?q,n}", "s?", json!({})),
        ("s{?q,n}", "s?q=", json!({ "q": "" })),
        ("s{?q,n}", "s?q", json!({ "q": "" })),
        ("s{?q,n}", "s?&q=a=b&", json!({ "q": "a=b" })),
        ("s{?q,n}", "s?utm=x&q=1", json!({ "q": "1" })),
        ("s{?q,n}", "s?Q=1", json!({})),
        ("s{?q,n}", "s?q=1&q=2", none()),
        ("s{?q,n}", "s?q=1#top", none()),
        ("s{?q,n}", "s?%71=1", json!({ "q": "1" })),
        ("s{?q,n}", "s?q=%FF", none()),
        ("s{?q,n}", "t?q=1", none()),
        ("s{?q*}", "s?q=1&q=2", json!({ "q": ["1", "2"] })),
        ("s{?q*}", "s?q=1", json!({ "q": ["1"] })),
        ("s{?%C3%A9}", "s?é=1", json!({ "%C3%A9": "1" })),
        ("s?kind=note{&q}", "s?q=1&kind=note", json!({ "q": "1" })),
        ("s?kind=note{&q}", "s?kind=note", json!({})),
        ("s?kind=note{&q}", "s?q=1", none()),
        ("s?kind=note{&q}", "s?kind=other&q=1", none()),
        ("s?q={q}", "s?q=1", json!({ "q": "1" })),
        ("s?q={q}", "s?q=1&n=2", json!({ "q": "1&n=2" })),
        ("{+path}{?q}", "a/b?q=1", json!({ "path": "a/b", "q": "1" })),
        // Fragments.
        ("d{#part}", "d#a/b%20c", json!({ "part": "a/b c" })),
        ("d{#part}", "d", json!({})),
        ("d{#part}", "d#", json!({})),
        ("d{?q}{#part}", "d?q=1#x?y", json!({ "q": "1", "part": "x?y" })),
        ("{+path}{#part}", "a/b#c", json!({ "path": "a/b", "part": "c" })),
    ] {
        assert_eq!(values(text, uri), expected, "{text} against {uri}");
    }
}

#[test]
fn path_traversal_does_not_match() {
    for uri in ["..", "%2e%2e", "%2E.", "a%2F..%2Fb", "..%5Ca", "a%5C..", "a%00b"] {
        for text in
            ["note://{id}", "note://{+id}", "note://x{/id*}", "note://x{;id}", "note://x{.id}"]
        {
            let uri = match text {
                "note://x{/id*}" => format!("note://x/{uri}"),
                "note://x{;id}" => format!("note://x;id={uri}"),
                "note://x{.id}" => format!("note://x.{uri}"),
                _ => format!("note://{uri}"),
            };
            if (text, uri.as_str()) == ("note://x{.id}", "note://x...%5Ca") {
                continue;
            }
            assert_eq!(values(text, &uri), Value::Null, "{text} against {uri}");
        }
    }
    assert_eq!(values("note://{+id}", "note://a/../b"), Value::Null);
    assert_eq!(values("note://{/id*}", "note:///a/.."), Value::Null);
    // Dots that do not lead to a parent folder.
    for id in [".", "...", "..a", "a.."] {
        assert_eq!(values("note://{id}", &format!("note://{id}")), json!({ "id": id }));
    }
    // Only `{+id}` and `{/id*}` may contain a slash, and so may a query.
    assert_eq!(values("note://{id}", "note://a%2Fb"), Value::Null);
    assert_eq!(values("note://x{/id}", "note://x/a%2Fb"), Value::Null);
    assert_eq!(values("note://{id*}", "note://a%2Fb"), Value::Null);
    assert_eq!(values("note://{+id}", "note://a%2Fb"), json!({ "id": "a/b" }));
    assert_eq!(values("note://{?id}", "note://?id=a%2F..%2Fb"), json!({ "id": "a/../b" }));
}

#[test]
fn no_value_is_an_absolute_path() {
    let absolute = [
        "/etc/passwd",
        "%2Fetc%2Fpasswd",
        "%2fetc",
        "//host/share",
        "%5C%5Cevil%5Cshare",
        "%5cWindows",
        "C:%5CWindows",
        "C%3A%5CWindows",
        "c:/Windows",
        "z%3a",
        "C:",
    ];
    for value in absolute {
        for (text, before) in [
            ("note://{id}", "note://"),
            ("note://{+id}", "note://"),
            ("note://{id*}", "note://"),
            ("note://x{/id}", "note://x/"),
            ("note://x{/id*}", "note://x/"),
            ("note://x{;id}", "note://x;id="),
            ("note://x{;id*}", "note://x;id="),
            ("note://x{.id}", "note://x."),
            ("note://{a,b}", "note://x,"),
        ] {
            assert_eq!(values(text, &format!("{before}{value}")), Value::Null, "{text} {value}");
        }
    }
    assert_eq!(values("file:///{+path}", "file:////etc/passwd"), Value::Null);
    assert_eq!(values("file:///{/path*}", "file:////a//b"), Value::Null);
    // Without a drive letter the value is kept; a query can be any text.
    for id in ["ab:c", "1:2", "a", "a.b:c", "x/C:"] {
        assert_eq!(values("note://{+id}", &format!("note://{id}")), json!({ "id": id }));
    }
    assert_eq!(values("note://{?id}", "note://?id=%2Fetc"), json!({ "id": "/etc" }));
}

#[test]
fn search_of_many_templates_has_one_limit() {
    let start = std::time::Instant::now();
    let hostile: Vec<_> = (0..15_000)
        .map(|n| {
            let variables: String = (0..14).map(|v| format!("{{v{v}}}-")).collect();
            template(&format!("x:{variables}{{last}}/{n}"))
        })
        .collect();
    let fixed: String = (0..300).map(|n| format!("k{n}=1&")).collect();
    let queries: Vec<_> = (0..15_000).map(|_| template(&format!("x:?{fixed}{{&q}}"))).collect();
    let dashes = format!("x:{}", "a-".repeat(MAX_URI_BYTES / 2 - 2));
    let pairs = format!("x:?{}", "q&".repeat(MAX_URI_BYTES / 2 - 2));
    for (templates, uri, is_exhausted) in [
        (&hostile, dashes.as_str(), false),
        (&hostile, &format!("{dashes}/"), false),
        (&queries, &pairs, true),
    ] {
        let mut search = UriSearch::new(uri).expect("a URI");
        assert!(templates.iter().all(|template| search.matches(template).is_none()));
        assert_eq!(search.is_exhausted(), is_exhausted, "{}", &uri[..9]);
    }
    let slow: Vec<_> =
        (0..15_000).map(|_| template(&hostile[0].to_string().replace("/0", ""))).collect();
    let uri = format!("x:{}/", "a-".repeat(4_000));
    let mut search = UriSearch::new(&uri).expect("a URI");
    assert!(slow.iter().all(|template| search.matches(template).is_none()));
    assert!(search.is_exhausted());
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn long_uris_do_not_match() {
    let template = template("x:{+all}");
    let uri = |length: usize| format!("x:{}", "a".repeat(length - 2));
    assert!(template.match_uri(&uri(MAX_URI_BYTES)).is_some());
    assert!(template.match_uri(&uri(MAX_URI_BYTES + 1)).is_none());
    // The limit applies to the encoded form as well.
    assert!(template.match_uri(&format!("x:{}", "é".repeat(MAX_URI_BYTES / 6))).is_some());
    assert!(template.match_uri(&format!("x:{}", "é".repeat(MAX_URI_BYTES / 3))).is_none());
}

#[test]
fn hostile_uris_take_bounded_time() {
    let start = std::time::Instant::now();
    let greedy: String = (0..16).map(|n| format!("{{+v{n}}}a")).collect();
    let lists: String = (0..8).map(|n| format!("{{/v{n}*}}/a{{;p{n}*}}/")).collect();
    for (text, uri) in [
        (greedy.as_str(), "a".repeat(MAX_URI_BYTES - 1) + "b"),
        (lists.as_str(), "/a".repeat(MAX_URI_BYTES / 2)),
        (lists.as_str(), ";p0".repeat(MAX_URI_BYTES / 3)),
        ("s{?q*}", format!("s?{}", "q&".repeat(MAX_URI_BYTES / 2 - 1))),
    ] {
        template(text).match_uri(&uri);
    }
    // Without a bound, this would practically never end.
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}
