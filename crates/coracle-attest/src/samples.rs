//! Pods for tests.

use coracle_podlist::{ContainerKind, ContainerStatus, Owner, Pod};
use proptest::prelude::*;

/// A container status; the id is bare and gets containerd's scheme.
pub(crate) fn status(
    kind: ContainerKind,
    name: &str,
    image: &str,
    image_id: &str,
    id: &str,
) -> ContainerStatus<'static> {
    ContainerStatus {
        kind,
        name: name.to_owned().into(),
        image: image.to_owned().into(),
        image_id: image_id.to_owned().into(),
        container_id: format!("containerd://{id}").into(),
    }
}

/// A pod with nothing but a uid and started containers with these ids.
pub(crate) fn pod(uid: &str, container_ids: &[&str]) -> Pod<'static> {
    let containers = container_ids
        .iter()
        .map(|id| status(ContainerKind::Container, &format!("c-{id}"), "img", "img@sha256:0", id))
        .collect();
    Pod {
        uid: uid.to_owned().into(),
        namespace: "shop".into(),
        name: format!("pod-{uid}").into(),
        containers,
        ..Pod::default()
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z0-9./@:-]{0,20}", 1 => ".{0,80}", 1 => "x{60,200}"]
}

fn any_status() -> impl Strategy<Value = ContainerStatus<'static>> {
    let kind = prop_oneof![
        Just(ContainerKind::Container),
        Just(ContainerKind::Init),
        Just(ContainerKind::Ephemeral)
    ];
    let id = prop_oneof![
        4 => "[ab][cd]".prop_map(|id| format!("containerd://{id}")),
        1 => text(),
    ];
    (kind, text(), text(), text(), id).prop_map(|(kind, name, image, image_id, container_id)| {
        ContainerStatus {
            kind,
            name: name.into(),
            image: image.into(),
            image_id: image_id.into(),
            container_id: container_id.into(),
        }
    })
}

fn any_owner() -> impl Strategy<Value = Owner<'static>> {
    (text(), text(), text()).prop_map(|(kind, name, uid)| Owner {
        kind: kind.into(),
        name: name.into(),
        uid: uid.into(),
    })
}

/// Any pod; uids and container ids are from so few that they often coincide.
pub(crate) fn any_pod() -> impl Strategy<Value = Pod<'static>> {
    let scalars = (text(), text(), text(), text(), text());
    let labels = prop::collection::vec((text(), text()), 0..4);
    let owners = prop::collection::vec(any_owner(), 0..3);
    let containers = prop::collection::vec(any_status(), 0..4);
    ("[uvw]-[0-2]", scalars, any::<bool>(), labels, owners, containers).prop_map(
        |(uid, scalars, host_network, labels, owners, containers)| Pod {
            uid: uid.into(),
            namespace: scalars.0.into(),
            name: scalars.1.into(),
            service_account: scalars.2.into(),
            node_name: scalars.3.into(),
            phase: scalars.4.into(),
            host_network,
            labels: labels.into_iter().map(|(key, value)| (key.into(), value.into())).collect(),
            owners,
            containers,
        },
    )
}
