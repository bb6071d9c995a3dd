//! What the program promises about its memory.

#[path = "program/harness.rs"]
#[allow(dead_code, reason = "most of it is for the tests beside it")]
mod harness;

use coracle_testkit::podlist::{ContainerKind, Phase, PodList};

use harness::{Generated, Place, Run, Served};

/// The figure after `name` in a line of stats, in bytes.
fn figure(run: &Run, name: &str) -> f64 {
    let (_, rest) = run.stderr.split_once(&format!(" · {name} ")).expect(name);
    let mut words = rest.split(' ');
    let number: f64 = words.next().and_then(|word| word.parse().ok()).expect("a number");
    match words.next() {
        Some("B") => number,
        Some("kB") => number * 1e3,
        Some("MB") => number * 1e6,
        unit => panic!("unit {unit:?}"),
    }
}

/// Attests a container of a list of at least `bytes`, over HTTPS.
fn attest(bytes: u64) -> Run {
    let list = PodList::of_size(bytes, 1);
    // The middle one: what comes before and after it is read all the same.
    let pod = list
        .facts()
        .skip(list.pods() as usize / 2)
        .find(|pod| pod.phase == Phase::Running)
        .expect("one runs");
    let container =
        pod.containers.iter().find(|c| c.kind == ContainerKind::Main).expect("it has a container");
    let place = Place::with(b"", &format!("0::/kubepods/pod{}/{}\n", pod.uid, container.bare_id()));
    let run = Served::new(Generated(list)).attest(&place, &["--stats", "-o", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains(&pod.uid), "{run:?}");
    println!("{}", run.stderr.trim_end());
    run
}

#[test]
fn attesting_holds_little_heap_however_long_the_list() {
    let (short, long) = (attest(300_000), attest(6_000_000));
    assert!(figure(&long, "peak heap") < 512e3, "{}", long.stderr);
    let growth = figure(&long, "peak heap") - figure(&short, "peak heap");
    assert!(growth < 64e3, "{growth} bytes more for a list of 20 times the length");
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "resident memory is a promise of the release build: cargo test --release"
)]
fn attesting_against_a_list_of_30_mb_over_https_stays_within_6_mb_resident() {
    let run = attest(30_000_000);
    assert!(figure(&run, "peak RSS") <= 6e6, "{}", run.stderr);
}
