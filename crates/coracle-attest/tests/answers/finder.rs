use std::fmt::Write;

use coracle_attest::{Answer, DuplicateContainer, Finder, PodIndex, PodView, selectors};
use coracle_containers::ContainerRef;
use coracle_podlist::{ContainerKind, Pod, Reader, Sink, Summary};
use proptest::prelude::*;

use crate::pods::{BLOG_CONTAINER, BLOG_UID, blog, pod, status, wanted};

/// Gives the pods to a finder without asking it first.
fn answer(
    pods: &[Pod<'_>],
    wanted: ContainerRef,
    no_container_selectors: bool,
) -> Result<Answer, DuplicateContainer> {
    let mut finder = Finder::new(wanted, no_container_selectors);
    for pod in pods {
        finder.pod(pod);
    }
    finder.finish()
}

#[test]
fn a_container_is_found_with_its_pod_and_selectors() {
    for uid in [Some(BLOG_UID), None] {
        let pods = [pod("u-1", &["aa"]), blog()];
        let Ok(Answer::Found(found)) = answer(&pods, wanted(uid, BLOG_CONTAINER), false) else {
            panic!("{uid:?}: not found");
        };
        assert_eq!(found.pod.to_string(), format!("default/blog-24ck7 ({BLOG_UID})"));
        assert_eq!(found.container_name.as_deref(), Some("blog"));
        assert_eq!(found.selectors, selectors(&blog(), blog().container(BLOG_CONTAINER).as_ref()));
    }
}

#[test]
fn without_container_selectors_a_known_pod_is_enough() {
    let uid = wanted(Some("u-1"), "zz");
    let Ok(Answer::Found(found)) = answer(&[pod("u-1", &["aa"])], uid.clone(), true) else {
        panic!("not found")
    };
    assert_eq!(found.container_name, None);
    assert_eq!(found.selectors, selectors(&pod("u-1", &["aa"]), None));
    let waiting = answer(&[pod("u-1", &["aa"])], uid, false);
    assert!(matches!(waiting, Ok(Answer::PodWithoutContainer { phase, .. }) if phase == "Running"));
    assert_eq!(answer(&[pod("u-1", &["aa"])], wanted(None, "zz"), true), Ok(Answer::NotFound));
}

#[test]
fn without_container_selectors_a_found_container_is_named_but_not_told() {
    let Ok(Answer::Found(found)) = answer(&[pod("u-1", &["aa"])], wanted(None, "aa"), true) else {
        panic!("not found");
    };
    assert_eq!(found.container_name.as_deref(), Some("c-aa"));
    assert_eq!(found.selectors, selectors(&pod("u-1", &["aa"]), None));
}

#[test]
fn a_later_pod_with_the_same_uid_replaces_the_answer() {
    let pods = [pod("u-1", &["aa"]), pod("u-1", &["bb"])];
    assert_eq!(answer(&pods, wanted(None, "aa"), false), Ok(Answer::NotFound));
    let known = answer(&pods, wanted(Some("u-1"), "aa"), false);
    assert!(matches!(known, Ok(Answer::PodWithoutContainer { .. })));
    assert!(matches!(answer(&pods, wanted(None, "bb"), false), Ok(Answer::Found(_))));
}

#[test]
fn once_a_pod_matched_later_elements_with_its_uid_are_wanted() {
    let mut finder = Finder::new(wanted(None, "aa"), false);
    assert!(!finder.wants(br#"{"metadata":{"uid":"u-1"}}"#));
    assert!(finder.wants(br#"{"status":"containerd://aa"}"#));
    finder.pod(&pod("u-1", &["aa"]));
    assert!(finder.wants(br#"{"metadata":{"uid":"u-1"}}"#));
    assert!(!finder.wants(br#"{"metadata":{"uid":"u-2"}}"#));
}

#[test]
fn an_escape_anywhere_makes_a_pod_wanted() {
    let mut finder = Finder::new(wanted(Some("u-1"), "aa"), false);
    assert!(finder.wants(br#"{"metadata":{"uid":"\u0075-1"}}"#));
    assert!(!finder.wants(br#"{"metadata":{"uid":"u-2","name":"a\nb"}}"#));
    // A uid with a character that JSON may escape in other ways proves nothing by its absence.
    let mut finder = Finder::new(wanted(Some("u/1"), "aa"), false);
    assert!(finder.wants(br#"{"metadata":{"uid":"u\/1"}}"#));
}

#[test]
fn a_container_in_two_pods_is_an_error_even_if_many_pods_claim_it() {
    for claims in [2, 3, 8, 50] {
        let pods: Vec<_> = (0..claims).rev().map(|n| pod(&format!("u-{n:02}"), &["aa"])).collect();
        let error = answer(&pods, wanted(None, "aa"), false).expect_err("two pods have it");
        assert!(error.first_pod < error.second_pod);
        if claims <= 8 {
            assert_eq!((&*error.first_pod.uid, &*error.second_pod.uid), ("u-00", "u-01"));
        }
        assert!(answer(&pods, wanted(Some("u-01"), "aa"), false).is_ok());
    }
}

#[test]
fn a_duplicate_of_seven_pods_can_be_replaced_away_and_one_of_eight_stays() {
    for (claims, is_found) in [(7, true), (8, false)] {
        let mut pods: Vec<_> = (0..claims).map(|n| pod(&format!("u-{n}"), &["aa"])).collect();
        pods.extend((1..claims).map(|n| pod(&format!("u-{n}"), &["bb"])));
        let answer = answer(&pods, wanted(None, "aa"), false);
        assert_eq!(matches!(answer, Ok(Answer::Found(_))), is_found, "{claims}: {answer:?}");
    }
}

#[test]
fn a_declined_pod_is_checked_as_json_and_its_types_are_not() {
    let table = [
        (r#"{"metadata":{"uid":"u-2","name":7}}"#, true),
        (r#"{"metadata":{"uid":"u-2","name":}}"#, false),
        (r#"{"metadata":{"uid":"u-2","name":"a","name":"b"}}"#, false),
    ];
    for (declined, is_accepted) in table {
        let json = format!(r#"{{"items":[{declined}]}}"#);
        let mut finder = Finder::new(wanted(Some("u-1"), "aa"), false);
        let mut reader = Reader::new();
        let pushed = reader.push(json.as_bytes(), &mut finder).and_then(|_| reader.finish(&mut finder));
        assert_eq!(pushed.is_ok(), is_accepted, "{declined}: {pushed:?}");
    }
}

#[test]
fn an_ephemeral_container_is_found() {
    let containers = vec![status(ContainerKind::Ephemeral, "debugger", ["e", "e@1"], "ee")];
    let pods = [Pod { containers, ..pod("u", &[]) }];
    let Ok(Answer::Found(found)) = answer(&pods, wanted(None, "ee"), false) else { panic!("not found") };
    assert_eq!(found.container_name.as_deref(), Some("debugger"));
}

/// The answer that an index of the whole list gives.
fn answer_of_index(
    index: &PodIndex,
    wanted: &ContainerRef,
    bare: bool,
) -> Result<Answer, DuplicateContainer> {
    let Some((pod, container)) = index.find(wanted)? else { return Ok(Answer::NotFound) };
    let phase = pod.phase().to_owned();
    if container.is_none() && !bare {
        return Ok(Answer::PodWithoutContainer { pod: pod.id(), phase });
    }
    Ok(Answer::Found(coracle_attest::Match {
        pod: pod.id(),
        phase,
        container_name: container.as_ref().map(|status| status.name.to_string()),
        selectors: selectors(&pod, container.as_ref().filter(|_| !bare)),
    }))
}

/// A pod list of few uids and ids, so that they often coincide; some characters are written as escapes.
fn document(pods: &[(u8, Vec<u8>, bool)]) -> String {
    let mut json = r#"{"kind":"PodList","items":["#.to_owned();
    for (position, (uid, ids, escaped)) in pods.iter().enumerate() {
        let comma = if position == 0 { "" } else { "," };
        let u = if *escaped { "\\u0075" } else { "u" };
        let c = if *escaped { "\\u0063" } else { "c" };
        write!(json, r#"{comma}{{"metadata":{{"uid":"{u}-{uid}","name":"n{position}"}},"status":{{"containerStatuses":["#)
            .expect("a string takes text");
        for (position, id) in ids.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            write!(json, r#"{comma}{{"name":"k{position}","containerID":"docker://{c}{id}"}}"#)
                .expect("a string takes text");
        }
        json.push_str("]}}");
    }
    json.push_str("]}");
    json
}

fn read(json: &str, chunk: usize, sink: &mut impl Sink) -> Summary {
    let mut reader = Reader::new();
    for piece in json.as_bytes().chunks(chunk) {
        reader.push(piece, sink).expect("well-formed");
    }
    reader.finish(sink).expect("whole")
}

proptest! {
    #[test]
    fn the_stream_gives_the_answer_of_the_index(
        pods in prop::collection::vec((0_u8..4, prop::collection::vec(0_u8..5, 0..3), any::<bool>()), 0..8),
        uid in prop::option::of(0_u8..4),
        id in 0_u8..5,
        bare: bool,
        chunk in 1_usize..200,
    ) {
        let json = document(&pods);
        let wanted = ContainerRef { pod_uid: uid.map(|n| format!("u-{n}")), container_id: format!("c{id}") };
        let mut index = PodIndex::new();
        let all = read(&json, chunk, &mut index);
        prop_assert_eq!(all.pods, pods.len() as u64);
        let mut finder = Finder::new(wanted.clone(), bare);
        let some = read(&json, chunk, &mut finder);
        prop_assert_eq!(some.pods + some.filtered, all.pods);
        prop_assert_eq!(finder.finish(), answer_of_index(&index, &wanted, bare));
    }
}
