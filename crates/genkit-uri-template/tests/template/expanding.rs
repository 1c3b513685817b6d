//! Tests with the examples of RFC 6570, section 3.2, except those that `UriTemplate` rejects.

use serde_json::json;

use super::{map, template};

#[test]
fn expansion_matches_the_rfc_examples() {
    let values = map(json!({
        "count": ["one", "two", "three"], "dom": ["example", "com"], "dub": "me/too", "hello": "Hello World!",
        "half": "50%", "var": "value", "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar",
        "list": ["red", "green", "blue"], "v": "6", "x": "1024", "y": "768", "empty": "", "empty_list": [],
        "undef": null,
    }));
    for (text, expected) in [
        // 3.2.1
        ("{count}", "one,two,three"),
        ("{count*}", "one,two,three"),
        ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"),
        ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"),
        ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"),
        ("?a{&count*}", "?a&count=one&count=two&count=three"),
        // 3.2.2
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("?{undef,y}", "?768"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        // 3.2.3
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("up{+path}-{var}/here", "up/foo/bar-value/here"),
        ("{+list}", "red,green,blue"),
        // 3.2.4
        ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"),
        ("{#half}", "#50%25"),
        ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#list}", "#red,green,blue"),
        // 3.2.5
        ("{.who}", ".fred"),
        ("{.half}", ".50%25"),
        ("www{.dom}", "www.example,com"),
        ("X{.var}", "X.value"),
        ("X{.empty}", "X."),
        ("X{.undef}", "X"),
        // 3.2.6
        ("{/who}", "/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/list*}", "/red/green/blue"),
        // 3.2.7
        ("{;who}", ";who=fred"),
        ("{;half}", ";half=50%25"),
        ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;v,bar,who}", ";v=6;who=fred"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;list*}", ";list=red;list=green;list=blue"),
        // 3.2.8
        ("{?who}", "?who=fred"),
        ("{?half}", "?half=50%25"),
        ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?empty_list*}", ""),
        // 3.2.9
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("?a{&x,y,empty}", "?a&x=1024&y=768&empty="),
        ("?a{&list}", "?a&list=red,green,blue"),
    ] {
        assert_eq!(template(text).expand(&values), expected, "{text}");
    }
}

#[test]
fn values_for_unknown_names_are_ignored() {
    let values = map(json!({ "other": "1", "a": "2", "A": "3" }));
    assert_eq!(template("x:{a}{/b}{;c}").expand(&values), "x:2");
    let first = [("a", "1".into()), ("a", "2".into())];
    assert_eq!(template("x:{a}").expand(&first), "x:1");
}

#[test]
fn reserved_characters_are_percent_encoded() {
    assert_eq!(template("note://café/%7euser").expand(&map(json!({}))), "note://caf%C3%A9/~user");
}
