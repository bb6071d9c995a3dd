use coracle_attest::{PodIndex, PodView, SELECTOR_TYPE, selectors};
use coracle_podlist::{ContainerKind, Owner, Pod, Reader};

use crate::pods::{self, BLOG_CONTAINER, BLOG_UID, blog, status};

const BLOG_POD: [&str; 15] = [
    "sa:default",
    "ns:default",
    "node-name:k8s-node-1",
    "pod-uid:2c48913c-b29f-11e7-9350-020968147796",
    "pod-name:blog-24ck7",
    "pod-image-count:2",
    "pod-init-image-count:0",
    "pod-image:docker-pullable://localhost/spiffe/blog@sha256:0cfd",
    "pod-image:docker-pullable://localhost/spiffe/ghostunnel@sha256:b2fc",
    "pod-image:localhost/spiffe/blog:latest",
    "pod-image:localhost/spiffe/ghostunnel:latest",
    "pod-label:k8s-app:blog",
    "pod-label:version:v0",
    "pod-owner:ReplicationController:blog",
    "pod-owner-uid:ReplicationController:2c401175-b29f-11e7-9350-020968147796",
];

const BLOG_CONTAINER_ONLY: [&str; 3] = [
    "container-name:blog",
    "container-image:docker-pullable://localhost/spiffe/blog@sha256:0cfd",
    "container-image:localhost/spiffe/blog:latest",
];

#[test]
fn a_pod_and_its_container_have_fifteen_and_three_selectors_in_one_order() {
    let pod = blog();
    assert_eq!(selectors(&pod, None), BLOG_POD);
    let container = pod.container(BLOG_CONTAINER).expect("blog runs");
    let all: Vec<_> = BLOG_POD.into_iter().chain(BLOG_CONTAINER_ONLY).collect();
    assert_eq!(selectors(&pod, Some(&container)), all);
    assert_eq!(SELECTOR_TYPE, "k8s");
}

#[test]
fn a_pod_of_the_index_has_the_selectors_of_the_pod_in_the_stream() {
    let mut index = PodIndex::new();
    index.insert(&blog());
    let pod = index.by_uid(BLOG_UID).expect("inserted");
    let container = pod.container(BLOG_CONTAINER).expect("blog runs");
    assert_eq!(selectors(&pod, None), BLOG_POD);
    assert_eq!(selectors(&pod, Some(&container))[15..], BLOG_CONTAINER_ONLY);
}

#[test]
fn empty_fields_still_make_selectors() {
    let containers = vec![status(ContainerKind::Container, "c", ["", ""], "")];
    let pod = Pod { uid: "u".into(), containers, ..Pod::default() };
    let expected = [
        "sa:",
        "ns:",
        "node-name:",
        "pod-uid:u",
        "pod-name:",
        "pod-image-count:1",
        "pod-init-image-count:0",
        "pod-image:",
        "container-name:c",
        "container-image:",
    ];
    assert_eq!(selectors(&pod, Some(&pod.containers[0])), expected);
}

#[test]
fn a_pod_without_containers_has_no_image_selectors() {
    let pod = Pod { uid: "u".into(), ..Pod::default() };
    let values = selectors(&pod, None);
    assert_eq!(values.len(), 7);
    assert_eq!(values[5..], ["pod-image-count:0", "pod-init-image-count:0"]);
}

#[test]
fn an_image_that_is_its_own_id_is_told_once_and_counts_are_of_containers() {
    let same = |name, id| status(ContainerKind::Container, name, ["sha256:1", "sha256:1"], id);
    let pod = Pod { uid: "u".into(), containers: vec![same("a", "1"), same("b", "2")], ..Pod::default() };
    let values = selectors(&pod, Some(&pod.containers[1]));
    assert_eq!(
        values[5..],
        [
            "pod-image-count:2",
            "pod-init-image-count:0",
            "pod-image:sha256:1",
            "container-name:b",
            "container-image:sha256:1"
        ]
    );
}

#[test]
fn init_containers_have_their_own_count_and_images_and_ephemeral_ones_have_none() {
    let containers = vec![
        status(ContainerKind::Container, "c", ["main", "main@1"], "1"),
        status(ContainerKind::Init, "i", ["setup", "setup@1"], "2"),
        status(ContainerKind::Ephemeral, "e", ["busybox", "busybox@1"], "3"),
    ];
    let pod = Pod { uid: "u".into(), containers, ..Pod::default() };
    let debugger = pod.container("3").expect("ephemeral containers are found");
    assert_eq!(
        selectors(&pod, Some(&debugger))[5..],
        [
            "pod-image-count:1",
            "pod-init-image-count:1",
            "pod-image:main",
            "pod-image:main@1",
            "pod-init-image:setup",
            "pod-init-image:setup@1",
            "container-name:e",
            "container-image:busybox",
            "container-image:busybox@1",
        ]
    );
}

#[test]
fn owners_keep_the_order_of_the_list_in_pairs() {
    let owner = |kind: &'static str, name: &'static str, uid: &'static str| Owner {
        kind: kind.into(),
        name: name.into(),
        uid: uid.into(),
    };
    let owners = vec![owner("ReplicaSet", "z", "2"), owner("Job", "a", "1")];
    let pod = Pod { uid: "u".into(), owners, ..Pod::default() };
    assert_eq!(
        selectors(&pod, None)[7..],
        ["pod-owner:ReplicaSet:z", "pod-owner-uid:ReplicaSet:2", "pod-owner:Job:a", "pod-owner-uid:Job:1"]
    );
}

#[test]
fn labels_are_sorted_by_key() {
    let label = |key: &'static str, value: &'static str| (key.into(), value.into());
    let labels = vec![label("b", "0"), label("a", "x:y"), label("a.b", "")];
    let pod = Pod { labels, ..pods::pod("u", &[]) };
    assert_eq!(selectors(&pod, None)[7..], ["pod-label:a:x:y", "pod-label:a.b:", "pod-label:b:0"]);
}

#[test]
fn a_label_key_has_one_selector_even_if_a_pod_made_by_hand_repeats_it() {
    let labels = vec![("b".into(), "1".into()), ("b".into(), "0".into())];
    let pod = Pod { labels, ..pods::pod("u", &[]) };
    assert_eq!(selectors(&pod, None)[7..], ["pod-label:b:0"]);
}

#[test]
fn a_document_that_repeats_a_label_key_is_refused() {
    let json = br#"{"items":[{"metadata":{"uid":"u","labels":{"b":"1","b":"0"}}}]}"#;
    let mut index = PodIndex::new();
    let mut reader = Reader::new();
    let read = reader.push(json, &mut index).and_then(|_| reader.finish(&mut index));
    let error = read.expect_err("a key that stands twice");
    assert!(matches!(error, coracle_podlist::Error::Pod { .. }), "{error}");
}
