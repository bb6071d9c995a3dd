//! Everything that the fuzzer found worth keeping, once more; and a bounded run of our own on damaged input.

use std::fs;
use std::path::Path;

use coracle_testkit::cgroup::{self, Shape};
use coracle_testkit::fuzz;
use coracle_testkit::podlist::PodList;

/// Runs a target over its corpus, and returns how many inputs there were.
fn replay(target: &str, run: fn(&[u8])) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let inputs = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut count = 0;
    for input in inputs {
        let path = input.unwrap().path();
        let data = fs::read(&path).unwrap();
        println!("{}", path.display());
        run(&data);
        count += 1;
    }
    count
}

/// A small source of numbers; the run must be the same each time.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap()
}

/// Changes a few bytes of an input, in many ways.
fn damage(input: &[u8], runs: usize, run: fn(&[u8])) {
    const BYTES: &[u8] = b"{}[]:,\"\\ \n09-.etfnu\x00\x1f\x80\xc3\xe2\xff/po_";
    let mut state = input.len() as u64;
    for _ in 0..runs {
        let mut damaged = input.to_vec();
        for _ in 0..=next(&mut state) % 3 {
            let at = next(&mut state) % damaged.len().max(1);
            if damaged.is_empty() {
                break;
            }
            let byte = BYTES[next(&mut state) % BYTES.len()];
            match next(&mut state) % 4 {
                0 => damaged[at] = byte,
                1 => drop(damaged.remove(at)),
                2 => damaged.insert(at, byte),
                _ => damaged.truncate(at.max(1)),
            }
        }
        run(&damaged);
    }
}

#[test]
fn the_corpus_of_the_json_reader_passes() {
    assert!(replay("json", fuzz::json) >= 10);
}

#[test]
fn the_corpus_of_the_pod_list_passes() {
    assert!(replay("podlist", fuzz::podlist) >= 5);
}

#[test]
fn the_corpus_of_the_cgroup_file_passes() {
    assert!(replay("cgroup", fuzz::cgroup) >= 5);
}

#[test]
fn damaged_documents_break_no_invariant_of_the_json_reader() {
    let document = br#"7{"items":[{"a":[1,2.5e-3,{"x":null}],"b":{"c":"\u00e9\n\"\\","d":[]}},"plain",{"b":[{"c":{}},{"c":1}]}],"z":true}"#;
    damage(document, 4000, fuzz::json);
}

#[test]
fn damaged_pod_lists_break_no_invariant() {
    let mut document = vec![63];
    PodList::new(1, 5).write_to(&mut document).unwrap();
    damage(&document, 60, fuzz::podlist);
}

#[test]
fn damaged_cgroup_files_break_no_invariant() {
    for shape in Shape::ALL {
        let file = cgroup::file(shape, "2c48913c-b29f-11e7-9350-020968147796", &"9bca8d63".repeat(8));
        damage(file.as_bytes(), 200, fuzz::cgroup);
    }
}
