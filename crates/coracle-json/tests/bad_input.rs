//! What is refused, with which words, at which byte.

use coracle_json::{Element, Elements, Error, ErrorKind, Flow, Keep, Limits, Token, Tokens};

fn tokens(document: &[u8]) -> Result<u64, Error> {
    let sink = |_: u64, _: Token<'_>| Flow::Continue;
    let mut tokens = Tokens::new();
    tokens.push(document, sink)?;
    tokens.finish(sink)
}

fn items(document: &[u8], limits: Limits) -> Result<coracle_json::Read, Error> {
    let sink = |_: Element<'_>| Flow::Continue;
    let mut elements = Elements::with_limits(&["items"], Keep::Whole, limits);
    elements.push(document, sink)?;
    elements.finish(sink)
}

/// Document, offset of the error, its words.
const REFUSED: &[(&str, u64, &str)] = &[
    ("", 0, "the document ends here, inside white space, before any value"),
    ("   ", 3, "the document ends here, inside white space, before any value"),
    ("{", 1, "the document ends here, inside an object"),
    (r#"{"a":[1,"#, 8, "the document ends here, inside an array"),
    (r#"{"a":"b"#, 7, "the document ends here, inside a string"),
    ("tru", 3, "the document ends here, inside a number or literal"),
    ("-", 1, "the document ends here, inside a number or literal"),
    ("{]", 1, "expected a key or '}', found ']'"),
    ("[}", 1, "expected a value or ']', found '}'"),
    ("[1}", 2, "expected ',' or ']', found '}'"),
    (r#"{"a":1]"#, 6, "expected ',' or '}', found ']'"),
    ("[1,]", 3, "expected a value, found ']'"),
    (r#"{"a":1,}"#, 7, "expected a key, found '}'"),
    (r#"{"a":1,2}"#, 7, "expected a key, found '2'"),
    (r#"{"a":1,{}}"#, 7, "expected a key, found an object"),
    (r#"{"a"}"#, 4, "expected ':' after the key, found '}'"),
    (r#"{"a","b":1}"#, 4, "expected ':' after the key, found ','"),
    (r#"{"a":"b":1}"#, 8, "expected ',' or '}', found ':'"),
    (r#"["a":1]"#, 4, "expected ',' or ']', found ':'"),
    (r#"[1,"a":1]"#, 6, "expected ',' or ']', found ':'"),
    ("[1 2]", 3, "expected ',' or ']', found '2'"),
    ("[1] []", 4, "expected nothing more after the document's value, found an array"),
    ("1,2", 1, "expected nothing more after the document's value, found ','"),
    ("[01]", 2, "not a number nor one of true, false, null: '1' is out of place"),
    ("[1.]", 3, "not a number nor one of true, false, null: ']' is out of place"),
    ("[+1]", 1, "not a number nor one of true, false, null: '+' is out of place"),
    ("[nul]", 4, "not a number nor one of true, false, null: ']' is out of place"),
    ("[truely]", 5, "not a number nor one of true, false, null: 'l' is out of place"),
    ("['a']", 1, "not a number nor one of true, false, null: ''' is out of place"),
    ("[\\\"a\"]", 1, "not a number nor one of true, false, null: '\\' is out of place"),
    ("[\"a\nb\"]", 3, "control character 0x0a inside a string: it must be escaped"),
    (r#"["\x"]"#, 3, "a backslash must be followed by one of \" \\ / b f n r t u"),
    (r#"["\u12g4"]"#, 6, "\\u must be followed by four hexadecimal digits"),
    ("hello", 0, "not a number nor one of true, false, null: 'h' is out of place"),
    ("<html>", 0, "not a number nor one of true, false, null: '<' is out of place"),
    ("\u{feff}{}", 0, "not a number nor one of true, false, null: the byte 0xef is out of place"),
];

#[test]
fn what_is_no_json_is_refused_at_its_byte_and_in_words() {
    for &(document, offset, words) in REFUSED {
        let error = tokens(document.as_bytes()).expect_err(document);
        assert_eq!((error.offset, error.kind.to_string().as_str()), (offset, words), "{document:?}");
        // The same behind a block and a half of white space, so that the error lies in another block.
        let shifted = format!("{}{document}", " ".repeat(97));
        let error = tokens(shifted.as_bytes()).expect_err(document);
        assert_eq!(
            (error.offset, error.kind.to_string().as_str()),
            (offset + 97, words),
            "{document:?} shifted"
        );
    }
}

#[test]
fn an_error_says_the_byte_first() {
    assert_eq!(tokens(b"[1 2]").unwrap_err().to_string(), "at byte 3: expected ',' or ']', found '2'");
}

#[test]
fn invalid_utf_8_in_a_skipped_string_is_refused_wherever_a_block_ends() {
    for padding in 0..130 {
        for bad in [
            &b"\xff"[..],
            b"\xc3(",
            b"\xe2\x82",
            b"\xf0\x9f\x98",
            b"\xed\xa0\x80",
            b"\xc0\xaf",
            b"\xf4\x90\x80\x80",
        ] {
            let mut document = format!(r#"{{"{}"#, "x".repeat(padding)).into_bytes();
            let at = document.len() as u64;
            document.extend_from_slice(bad);
            document.extend_from_slice(br#"":1,"items":[]}"#);
            let error = items(&document, Limits::default()).expect_err("not UTF-8");
            assert_eq!((error.offset, &error.kind), (at, &ErrorKind::Utf8), "{bad:x?} after {padding}");
        }
    }
}

#[test]
fn valid_utf_8_is_taken_wherever_a_block_ends() {
    for padding in 0..130 {
        let document = format!(r#"{{"{}éžლ🛶\u20ac":1,"items":["🛶é"]}}"#, "x".repeat(padding));
        assert_eq!(
            items(document.as_bytes(), Limits::default()).map(|read| read.elements),
            Ok(1),
            "{padding}"
        );
    }
}

#[test]
fn nesting_deeper_than_the_cap_is_refused_without_recursion() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(tokens(deep(128).as_bytes()), Ok(256));
    for levels in [129, 130, 100_000] {
        let error = tokens(deep(levels).as_bytes()).unwrap_err();
        assert_eq!((error.offset, error.kind), (128, ErrorKind::TooDeep { cap: 128 }), "{levels}");
    }
    // The pair of brackets that is not walked is counted too, wherever it lies in a block.
    for padding in 0..70 {
        let document = format!("{}{}[{{}}]{}", " ".repeat(padding), "[".repeat(127), "]".repeat(127));
        let error = tokens(document.as_bytes()).unwrap_err();
        assert_eq!((error.offset, error.kind), (padding as u64 + 128, ErrorKind::TooDeep { cap: 128 }));
    }
}

#[test]
fn an_element_may_span_exactly_the_cap() {
    let limits = Limits { item_bytes: 1000, ..Limits::default() };
    for padding in 0..130 {
        let document =
            |len: usize| format!(r#"{}{{"items":[1,"{}"]}}"#, " ".repeat(padding), "x".repeat(len - 2));
        assert_eq!(items(document(1000).as_bytes(), limits).map(|read| read.elements), Ok(2));
        let error = items(document(1001).as_bytes(), limits).unwrap_err();
        assert_eq!(error.kind, ErrorKind::ElementTooLarge { index: 1, cap: 1000 });
        assert_eq!(error.offset, 12 + padding as u64);
    }
}

#[test]
fn a_string_of_200_mb_is_refused_long_before_its_end() {
    let mut elements = Elements::new(&["items"]);
    let sink = |_: Element<'_>| Flow::Continue;
    assert_eq!(elements.push(br#"{"items":[{"metadata":{"annotations":{"a":""#, sink), Ok(Flow::Continue));
    let chunk = vec![b'x'; 1 << 16];
    let error = (0..200 * 16).find_map(|_| elements.push(&chunk, sink).err()).expect("over the cap");
    assert_eq!(error.kind, ErrorKind::ElementTooLarge { index: 0, cap: 4 << 20 });
    assert!(elements.bytes() < 5 << 20, "{}", elements.bytes());
    // And the answer stays the same.
    assert_eq!(elements.push(b"]", sink), Err(error.clone()));
    assert_eq!(elements.finish(sink), Err(error));
}

#[test]
fn a_token_may_be_exactly_as_long_as_the_cap() {
    let limits = Limits { item_bytes: 100, ..Limits::default() };
    for (len, fits) in [(100, true), (101, false)] {
        let document = format!("[\"{}\"]", "x".repeat(len));
        let sink = |_: u64, _: Token<'_>| Flow::Continue;
        let mut tokens = Tokens::with_limits(limits);
        let outcome = tokens.push(document.as_bytes(), sink).and_then(|_| tokens.finish(sink));
        assert_eq!(outcome.is_ok(), fits, "{outcome:?}");
    }
}

#[test]
fn the_way_to_the_array_must_be_there_once_and_of_the_right_type() {
    let refused: &[(&str, u64, &str)] = &[
        ("[]", 0, "the document must be an object, but an array starts here"),
        ("7", 0, "the document must be an object, but '7' starts here"),
        ("{}", 2, "the document has no \"items\""),
        (r#"{"items":{}}"#, 9, "\"items\" must be an array, but an object starts here"),
        (r#"{"items":"x"}"#, 9, "\"items\" must be an array, but a string starts here"),
        (r#"{"items":true}"#, 9, "\"items\" must be an array, but 't' starts here"),
        (r#"{"items":[],"items":[1]}"#, 20, "this is the second value of the key \"items\" in one object"),
        (
            r#"{"items":null,"it\u0065ms":[1]}"#,
            27,
            "this is the second value of the key \"it\\u0065ms\" in one object",
        ),
    ];
    for &(document, offset, words) in refused {
        let error = items(document.as_bytes(), Limits::default()).expect_err(document);
        assert_eq!((error.offset, error.kind.to_string().as_str()), (offset, words), "{document}");
    }
    let null = items(br#"{"items":null}"#, Limits::default()).unwrap();
    assert_eq!((null.elements, null.null), (0, true));
}

#[test]
fn a_sink_can_stop_in_the_middle_and_what_follows_is_not_looked_at() {
    let document = format!(r#"{{"items":[1,2,3{}, this is no JSON"#, " ".repeat(64));
    let mut seen = 0;
    let mut sink = |_: Element<'_>| {
        seen += 1;
        if seen == 2 { Flow::Stop } else { Flow::Continue }
    };
    let mut elements = Elements::new(&["items"]);
    assert_eq!(elements.push(document.as_bytes(), &mut sink), Ok(Flow::Stop));
    assert_eq!(elements.push(b"more", &mut sink), Ok(Flow::Stop));
    let read = elements.finish(&mut sink).unwrap();
    assert_eq!((read.elements, read.stopped), (2, true));
    assert_eq!(seen, 2);
}
