use coracle_attest::{PodIndex, PodView};
use coracle_podlist::{ContainerKind, ContainerStatus, Pod};

use crate::pods::{BLOG_CONTAINER, BLOG_UID, blog, pod, status, wanted};

fn index(pods: &[Pod<'_>]) -> PodIndex {
    let mut index = PodIndex::new();
    for pod in pods {
        index.insert(pod);
    }
    index
}

#[test]
fn a_pod_is_found_by_its_uid_and_by_each_of_its_containers() {
    let index = index(&[pod("u-1", &["aa", "bb"]), blog(), pod("u-3", &[])]);
    assert_eq!((index.len(), index.containers()), (3, 4));
    assert_eq!(index.by_uid("u-3").map(|pod| pod.name().to_owned()).as_deref(), Some("pod-u-3"));
    assert!(index.by_uid("u-2").is_none());
    let (pod, container) = index.by_container(BLOG_CONTAINER).expect("unique").expect("known");
    assert_eq!((pod.uid(), &*container.name), (BLOG_UID, "blog"));
    assert_eq!(pod.labels().collect::<Vec<_>>(), [("version", "v0"), ("k8s-app", "blog")]);
    let (pod, container) = index.by_container("bb").expect("unique").expect("known");
    assert_eq!((pod.uid(), &*container.name), ("u-1", "c-bb"));
    assert_eq!(index.by_container("cc"), Ok(None));
}

#[test]
fn an_ephemeral_and_an_init_container_are_found() {
    let containers = vec![
        status(ContainerKind::Init, "sidecar", ["i", "i@1"], "ii"),
        status(ContainerKind::Ephemeral, "debugger", ["e", "e@1"], "ee"),
    ];
    let index = index(&[Pod { containers, ..pod("u", &[]) }]);
    let kind = |id| index.by_container(id).expect("unique").map(|(_, status)| status.kind);
    assert_eq!(kind("ii"), Some(ContainerKind::Init));
    assert_eq!(kind("ee"), Some(ContainerKind::Ephemeral));
}

#[test]
fn a_container_in_two_pods_is_an_error_that_names_both_whatever_their_order() {
    let (one, two) = (pod("u-1", &["aa"]), pod("u-2", &["bb", "aa"]));
    for pods in [[one.clone(), two.clone()], [two, one]] {
        let index = index(&pods);
        let error = index.by_container("aa").expect_err("two pods have it");
        assert_eq!(error.container_id, "aa");
        assert_eq!(error.first_pod.uid, "u-1");
        assert_eq!(error.second_pod.to_string(), "shop/pod-u-2 (u-2)");
        assert!(index.by_container("bb").expect("unique").is_some());
    }
}

#[test]
fn where_the_uid_is_known_another_pod_with_the_same_container_does_not_matter() {
    let index = index(&[pod("u-1", &["aa"]), pod("u-2", &["aa"])]);
    let (found, container) = index.find(&wanted(Some("u-2"), "aa")).expect("no claim").expect("known");
    assert_eq!(found.uid(), "u-2");
    assert_eq!(container.map(|status| status.name.to_string()).as_deref(), Some("c-aa"));
    assert!(index.find(&wanted(None, "aa")).is_err());
}

#[test]
fn a_container_that_one_pod_lists_twice_is_no_duplicate_and_the_main_one_is_meant() {
    let containers = vec![
        status(ContainerKind::Init, "init", ["i", "i"], "aa"),
        status(ContainerKind::Container, "main", ["m", "m"], "aa"),
    ];
    let index = index(&[Pod { containers, ..pod("u", &[]) }]);
    let (_, container) = index.by_container("aa").expect("one pod").expect("known");
    assert_eq!(container.name, "main");
}

#[test]
fn a_later_pod_with_the_same_uid_takes_the_place_of_the_earlier_and_of_its_containers() {
    let mut index = index(&[pod("u-1", &["aa", "bb"]), pod("u-2", &["cc"])]);
    let before = index.bytes_kept();
    index.insert(&pod("u-1", &["bb", "dd"]));
    assert_eq!((index.len(), index.containers(), index.replaced()), (2, 3, 1));
    assert_eq!(index.by_container("aa"), Ok(None));
    for id in ["bb", "dd"] {
        assert_eq!(index.by_container(id).expect("unique").expect("known").0.uid(), "u-1");
    }
    assert_eq!(index.bytes_kept(), before, "same lengths, same bytes");
    let order: Vec<_> = index.iter().map(|pod| pod.uid().to_owned()).collect();
    assert_eq!(order, ["u-1", "u-2"]);
}

#[test]
fn replacing_one_claimant_ends_a_duplicate() {
    let mut index = index(&[pod("u-1", &["aa"]), pod("u-2", &["aa"])]);
    index.insert(&pod("u-1", &["bb"]));
    assert_eq!(index.by_container("aa").expect("unique now").expect("known").0.uid(), "u-2");
}

#[test]
fn container_ids_that_are_no_url_are_counted_and_empty_ones_are_not() {
    let with_id =
        |id: &'static str| ContainerStatus { container_id: id.into(), ..ContainerStatus::default() };
    let containers = vec![with_id(""), with_id("aa"), with_id("docker://"), with_id("docker://bb")];
    let mut index = index(&[Pod { containers, ..pod("u", &[]) }]);
    assert_eq!((index.containers(), index.malformed_container_ids()), (4, 2));
    assert_eq!(index.by_container(""), Ok(None));
    assert_eq!(index.by_container("aa"), Ok(None));
    assert!(index.by_container("bb").expect("unique").is_some());
    index.insert(&pod("u", &[]));
    assert_eq!((index.containers(), index.malformed_container_ids()), (0, 0));
}

#[test]
fn ten_thousand_pods_are_all_found_after_the_tables_have_grown() {
    let mut index = PodIndex::new();
    for n in 0..10_000 {
        index.insert(&pod(&format!("u-{n}"), &[&format!("{n:064x}")]));
    }
    for n in 0..10_000 {
        let (pod, _) = index.by_container(&format!("{n:064x}")).expect("unique").expect("known");
        assert_eq!(pod.uid(), format!("u-{n}"));
    }
}
