//! The reader against `serde_json`, on documents that are right and on documents that are nearly right.

use coracle_json::{Elements, Error, Flow, Keep, Limits, Token, Tokens};
use proptest::prelude::*;
use serde::de::IgnoredAny;

/// Whether `serde_json` takes the document for JSON, UTF-8 included. It does not limit depth here, since what is
/// ignored is not descended into recursively.
fn oracle(document: &[u8]) -> bool {
    std::str::from_utf8(document).is_ok() && serde_json::from_slice::<IgnoredAny>(document).is_ok()
}

fn read_tokens(document: &[u8], chunk: usize) -> Result<Vec<(u64, String)>, Error> {
    let mut seen = Vec::new();
    let mut tokens = Tokens::new();
    let mut sink = |offset: u64, token: Token<'_>| {
        seen.push((offset, format!("{token:?}")));
        Flow::Continue
    };
    for chunk in document.chunks(chunk) {
        tokens.push(chunk, &mut sink)?;
    }
    tokens.finish(&mut sink)?;
    Ok(seen)
}

/// A document written by hand: random values with random white space, so that everything the grammar allows occurs.
fn value() -> impl Strategy<Value = String> {
    let space = prop::sample::select(vec![
        "",
        "",
        "",
        " ",
        "\n",
        "\t ",
        "\r\n    ",
        "                                   ",
    ]);
    let string = prop::sample::select(vec![
        r#""""#,
        r#""a""#,
        r#""\"""#,
        r#""\\""#,
        r#""\\\\\"\\""#,
        r#""caf\u00e9""#,
        r#""\ud83d""#,
        "\"žluťoučký kůň 🛶\"",
        r#""{[,:]}""#,
        r#""a long string that is longer than one block of sixty-four bytes, so that it crosses at least one""#,
        r#""\n\r\t\b\f\/""#,
    ]);
    let leaf = prop_oneof![
        string.clone().prop_map(str::to_owned),
        prop::sample::select(vec![
            "0",
            "-0",
            "12",
            "-3.25",
            "1e9",
            "1E-7",
            "0.5e+3",
            "123456789012345678901234567890"
        ])
        .prop_map(str::to_owned),
        prop::sample::select(vec!["true", "false", "null", "{}", "[]", "{ }", "[ ]"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(6, 96, 6, move |inner| {
        let array =
            (prop::collection::vec((space.clone(), inner.clone(), space.clone()), 0..6)).prop_map(|items| {
                let items: Vec<_> = items.into_iter().map(|(a, v, b)| format!("{a}{v}{b}")).collect();
                format!("[{}]", items.join(","))
            });
        let member = (space.clone(), string.clone(), space.clone(), inner, space.clone());
        let object = prop::collection::vec(member, 0..6).prop_map(|members| {
            let members: Vec<_> =
                members.into_iter().map(|(a, k, b, v, c)| format!("{a}{k}{b}:{v}{c}")).collect();
            format!("{{{}}}", members.join(","))
        });
        prop_oneof![array, object]
    })
}

/// One byte of the document is replaced, removed or doubled, with what is likely to matter.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop::sample::select(b"{}[]:,\"\\ \n0-.eutfn\x00\x1f\x7f\x80\xc3\xe2\xf0\xff".to_vec());
    (value(), any::<prop::sample::Index>(), byte, 0..4_u8).prop_map(|(value, index, byte, how)| {
        let mut document = value.into_bytes();
        let at = index.index(document.len());
        match how {
            0 => document[at] = byte,
            1 => drop(document.remove(at)),
            2 => document.insert(at, byte),
            _ => document.truncate(at),
        }
        document
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn what_serde_json_takes_is_taken(document in value()) {
        prop_assert!(oracle(document.as_bytes()), "{document}");
        prop_assert!(read_tokens(document.as_bytes(), 7).is_ok(), "{document}: {:?}", read_tokens(document.as_bytes(), 7));
    }

    #[test]
    fn a_damaged_document_is_judged_as_serde_json_judges_it(document in damaged()) {
        let ours = read_tokens(&document, 64);
        prop_assert_eq!(ours.is_ok(), oracle(&document), "{}: {:?}", String::from_utf8_lossy(&document), ours);
    }

    #[test]
    fn where_chunks_are_cut_changes_nothing(document in prop_oneof![value().prop_map(String::into_bytes), damaged()]) {
        let whole = read_tokens(&document, document.len().max(1));
        for chunk in [1, 2, 3, 5, 63, 64, 65] {
            prop_assert_eq!(&read_tokens(&document, chunk), &whole, "chunks of {}", chunk);
        }
    }

    #[test]
    fn tokens_say_the_same_as_serde_json(document in value()) {
        let mut strings = Vec::new();
        let mut tokens = Tokens::new();
        let mut sink = |_: u64, token: Token<'_>| {
            if let Token::String(text) = token {
                strings.push(text.decode().map(std::borrow::Cow::into_owned));
            }
            Flow::Continue
        };
        tokens.push(document.as_bytes(), &mut sink).unwrap();
        tokens.finish(&mut sink).unwrap();
        // A lone surrogate is grammar, but no string that serde_json could return.
        if let Ok(value) = serde_json::from_str::<serde_json::Value>(&document) && !has_duplicate_keys(&document) {
            let mut expected = Vec::new();
            collect_strings(&value, &mut expected);
            strings.sort();
            expected.sort();
            prop_assert_eq!(strings, expected);
        }
    }

    #[test]
    fn elements_are_the_slices_of_the_document(items in prop::collection::vec(value(), 0..8), chunk in 1_usize..200) {
        let document = format!(r#"{{"skipped":{{"items":[1,2]}},"items":[{}],"after":[{{}}]}}"#, items.join(" , "));
        let mut seen = Vec::new();
        let mut reader = Elements::new(&["items"]);
        let mut sink = |element: coracle_json::Element<'_>| {
            let start = usize::try_from(element.offset).unwrap();
            assert_eq!(&document.as_bytes()[start..start + element.bytes.len()], element.bytes);
            assert_eq!(element.index, seen.len() as u64);
            seen.push(String::from_utf8(element.bytes.to_vec()).unwrap());
            Flow::Continue
        };
        for chunk in document.as_bytes().chunks(chunk) {
            reader.push(chunk, &mut sink).unwrap();
        }
        let end = reader.finish(&mut sink).unwrap();
        prop_assert_eq!(end.bytes, document.len() as u64);
        prop_assert_eq!(seen, items);
    }

    #[test]
    fn what_is_kept_decodes_to_what_the_whole_element_has_there(
        a in value(), b in value(), c in value(), d in value(), chunk in 1_usize..200,
    ) {
        static KEEP: Keep<'_> = Keep::Members(&[
            ("name", Keep::Whole),
            ("spec", Keep::Members(&[("node", Keep::Whole), ("list", Keep::Members(&[("id", Keep::Whole)]))])),
        ]);
        let element = format!(
            r#"{{"x":{a},"name" : {b},"spec":{{"other":[{c}],"list":[{{"id":{d},"no":{a}}},{{}},{c}], "nod\u0065": {c} }},"z":{d}}}"#
        );
        let expected = format!(
            r#"{{"name":{b},"spec":{{"list":[{{"id":{d}}},{{}},{}],"node":{c}}}}}"#,
            keep_ids(&c),
        );
        let document = format!("[{element}]");
        let mut kept = Vec::new();
        let mut reader = Elements::with_limits(&[], KEEP, Limits::default());
        let mut sink = |element: coracle_json::Element<'_>| { kept.extend_from_slice(element.bytes); Flow::Continue };
        for chunk in document.as_bytes().chunks(chunk) {
            reader.push(chunk, &mut sink).unwrap();
        }
        reader.finish(&mut sink).unwrap();
        let kept = String::from_utf8(kept).unwrap();
        match (serde_json::from_str::<serde_json::Value>(&kept), serde_json::from_str::<serde_json::Value>(&expected)) {
            (Ok(kept), Ok(expected)) => prop_assert_eq!(kept, expected),
            // Lone surrogates: no values to compare, but what is kept is JSON all the same.
            (kept_value, _) => prop_assert!(oracle(kept.as_bytes()), "{kept} {kept_value:?}"),
        }
    }
}

proptest! {
    // Each case is read some hundred times.
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_document_cut_in_two_anywhere_has_the_same_elements(a in value(), b in value()) {
        static KEEP: Keep<'_> = Keep::Members(&[("a", Keep::Whole), ("b", Keep::Members(&[("c", Keep::Whole)]))]);
        let document = format!(r#"{{"x":{b},"items":[{{"a":{a},"n":{b},"b":[{{"c":{a}}},{b}]}},{a},{{"b":{{"c":{b}}}}}]}}"#);
        let read = |at: usize| {
            let mut seen = Vec::new();
            let mut sink = |element: coracle_json::Element<'_>| {
                seen.push((element.offset, element.bytes.to_vec()));
                Flow::Continue
            };
            let mut reader = Elements::with_limits(&["items"], KEEP, Limits::default());
            let outcome = reader
                .push(&document.as_bytes()[..at], &mut sink)
                .and_then(|_| reader.push(&document.as_bytes()[at..], &mut sink))
                .and_then(|_| reader.finish(&mut sink));
            (seen, outcome)
        };
        let whole = read(document.len());
        for at in 0..document.len() {
            prop_assert_eq!(&read(at), &whole, "cut at {}", at);
        }
    }
}

/// What the `list` of the test above keeps of one element that may be anything.
fn keep_ids(value: &str) -> String {
    fn keep(value: serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Object(members) => {
                members.into_iter().filter(|(key, _)| key == "id").collect::<serde_json::Map<_, _>>().into()
            }
            serde_json::Value::Array(items) => items.into_iter().map(keep).collect(),
            other => other,
        }
    }
    serde_json::from_str::<serde_json::Value>(value)
        .map_or_else(|_| "{}".to_owned(), |value| keep(value).to_string())
}

fn collect_strings(value: &serde_json::Value, out: &mut Vec<Option<String>>) {
    match value {
        serde_json::Value::String(text) => out.push(Some(text.clone())),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect_strings(item, out)),
        serde_json::Value::Object(members) => members.values().for_each(|value| collect_strings(value, out)),
        _ => {}
    }
}

fn has_duplicate_keys(document: &str) -> bool {
    let mut stack = Vec::new();
    let mut duplicate = false;
    let mut tokens = Tokens::new();
    let sink = |_: u64, token: Token<'_>| {
        match token {
            Token::ObjectStart => stack.push(std::collections::HashSet::new()),
            Token::ObjectEnd => drop(stack.pop()),
            Token::Key(key) => {
                let key = key.decode().map_or_else(|| key.raw().to_owned(), std::borrow::Cow::into_owned);
                duplicate |= !stack.last_mut().unwrap().insert(key);
            }
            _ => {}
        }
        Flow::Continue
    };
    tokens.push(format!("{document}{}", " ".repeat(64)).as_bytes(), sink).unwrap();
    duplicate
}
