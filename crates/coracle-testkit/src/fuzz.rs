//! The bodies of the fuzz targets: what must hold for any bytes at all.
//!
//! `fuzz/fuzz_targets/` calls them with what the fuzzer makes up, `tests/corpus.rs` with what it found before. Each
//! panics where an invariant is broken, so a plain return is a pass.

use coracle_containers::parse_cgroup;
use coracle_json::{Element, Elements, Error, Flow, Keep, Limits, Token, Tokens};
use coracle_podlist::{Pod, Reader, Sink, Summary};

/// Small caps, so that short inputs reach them.
const LIMITS: Limits = Limits { depth: 24, item_bytes: 600 };

/// The JSON reader: where chunks are cut changes neither tokens nor elements nor errors; what it takes, `serde_json`
/// takes, and the other way round, caps aside.
///
/// # Panics
///
/// If one of these does not hold.
pub fn json(data: &[u8]) {
    let (chunk, document) = cut(data);
    let whole = tokens(document, document.len().max(1), LIMITS);
    assert_eq!(tokens(document, chunk, LIMITS), whole, "tokens depend on the chunks");
    assert_eq!(
        elements(document, chunk),
        elements(document, document.len().max(1)),
        "elements depend on the chunks"
    );

    let no_caps = Limits { depth: 1000, item_bytes: usize::MAX };
    let ours = tokens(document, chunk, no_caps);
    let theirs = std::str::from_utf8(document).is_ok()
        && serde_json::from_slice::<serde::de::IgnoredAny>(document).is_ok();
    let too_deep =
        matches!(&ours.1, Err(error) if matches!(error.kind, coracle_json::ErrorKind::TooDeep { .. }));
    assert!(too_deep || ours.1.is_ok() == theirs, "{:?} but serde_json says {theirs}", ours.1);
    if let Err(error) = ours.1 {
        assert!(error.offset <= document.len() as u64, "{error} lies behind the end");
    }
}

/// The pod list: the same pods or the same error for any cut, and no pod without a uid.
///
/// # Panics
///
/// If one of these does not hold.
pub fn podlist(data: &[u8]) {
    let (chunk, document) = cut(data);
    let whole = pods(document, document.len().max(1));
    assert_eq!(pods(document, chunk), whole, "pods depend on the chunks");
}

/// The cgroup file: never a panic; an id is 64 hexadecimal digits, and stands in the file.
///
/// # Panics
///
/// If one of these does not hold.
pub fn cgroup(data: &[u8]) {
    if let Ok(Some(found)) = parse_cgroup(data) {
        assert_eq!(found.container_id.len(), 64);
        assert!(found.container_id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(data.windows(64).any(|window| window == found.container_id.as_bytes()));
        if let Some(uid) = found.pod_uid {
            assert!(matches!(uid.len(), 32 | 36), "{uid}");
        }
    }
}

/// The first byte says how the rest is cut.
fn cut(data: &[u8]) -> (usize, &[u8]) {
    match data {
        [first, rest @ ..] => (usize::from(*first).max(1), rest),
        [] => (1, data),
    }
}

fn tokens(document: &[u8], chunk: usize, limits: Limits) -> (Vec<String>, Result<u64, Error>) {
    let mut seen = Vec::new();
    let mut sink = |offset: u64, token: Token<'_>| {
        seen.push(format!("{offset} {token:?}"));
        Flow::Continue
    };
    let mut reader = Tokens::with_limits(limits);
    let pushed = document.chunks(chunk).try_for_each(|chunk| reader.push(chunk, &mut sink).map(drop));
    let end = pushed.and_then(|()| reader.finish(&mut sink));
    (seen, end)
}

fn elements(document: &[u8], chunk: usize) -> (Vec<String>, Result<coracle_json::Read, Error>) {
    static KEEP: Keep<'_> = Keep::Members(&[("a", Keep::Whole), ("b", Keep::Members(&[("c", Keep::Whole)]))]);
    let mut seen = Vec::new();
    let mut sink = |element: Element<'_>| {
        let kept = serde_json::from_slice::<serde::de::IgnoredAny>(element.bytes);
        assert!(
            kept.is_ok(),
            "what is kept of an element is no JSON: {:?}",
            String::from_utf8_lossy(element.bytes)
        );
        seen.push(format!("{element:?}"));
        Flow::Continue
    };
    let mut reader = Elements::with_limits(&["items"], KEEP, LIMITS);
    let pushed = document.chunks(chunk).try_for_each(|chunk| reader.push(chunk, &mut sink).map(drop));
    let end = pushed.and_then(|()| reader.finish(&mut sink));
    (seen, end)
}

fn pods(document: &[u8], chunk: usize) -> (Vec<String>, Result<Summary, String>) {
    struct Seen(Vec<String>);
    impl Sink for Seen {
        fn pod(&mut self, pod: &Pod<'_>) -> Flow {
            assert!(!pod.uid.is_empty());
            self.0.push(format!("{pod:?} {:?}", pod.containers.first().and_then(|first| first.bare_id())));
            Flow::Continue
        }
    }
    let mut seen = Seen(Vec::new());
    let mut reader = Reader::new();
    let pushed = document.chunks(chunk).try_for_each(|chunk| reader.push(chunk, &mut seen).map(drop));
    let end = pushed.and_then(|()| reader.finish(&mut seen)).map_err(|error| error.to_string());
    (seen.0, end)
}
