//! Pods by hand.

use coracle_containers::ContainerRef;
use coracle_podlist::{ContainerKind, ContainerStatus, Owner, Pod};

pub(crate) const BLOG_UID: &str = "2c48913c-b29f-11e7-9350-020968147796";
pub(crate) const BLOG_CONTAINER: &str = "9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961";

/// A container status; `id` is bare, and empty for a container that has not started.
pub(crate) fn status(
    kind: ContainerKind,
    name: &str,
    images: [&str; 2],
    id: &str,
) -> ContainerStatus<'static> {
    let container_id = if id.is_empty() { String::new() } else { format!("containerd://{id}") };
    ContainerStatus {
        kind,
        name: name.to_owned().into(),
        image: images[0].to_owned().into(),
        image_id: images[1].to_owned().into(),
        container_id: container_id.into(),
    }
}

/// A pod with one started container per id, called `c-<id>`.
pub(crate) fn pod(uid: &str, ids: &[&str]) -> Pod<'static> {
    let container =
        |id: &&str| status(ContainerKind::Container, &format!("c-{id}"), ["img", "img@sha256:0"], id);
    Pod {
        uid: uid.to_owned().into(),
        namespace: "shop".into(),
        name: format!("pod-{uid}").into(),
        phase: "Running".into(),
        containers: ids.iter().map(container).collect(),
        ..Pod::default()
    }
}

/// A web log: two containers of a replication controller, as clusters of 2017 ran them.
pub(crate) fn blog() -> Pod<'static> {
    let container = ContainerKind::Container;
    let owner = Owner {
        kind: "ReplicationController".into(),
        name: "blog".into(),
        uid: "2c401175-b29f-11e7-9350-020968147796".into(),
    };
    Pod {
        uid: BLOG_UID.into(),
        namespace: "default".into(),
        name: "blog-24ck7".into(),
        service_account: "default".into(),
        node_name: "k8s-node-1".into(),
        phase: "Running".into(),
        host_network: false,
        labels: vec![("version".into(), "v0".into()), ("k8s-app".into(), "blog".into())],
        owners: vec![owner],
        containers: vec![
            status(
                container,
                "blog",
                ["localhost/spiffe/blog:latest", "docker-pullable://localhost/spiffe/blog@sha256:0cfd"],
                BLOG_CONTAINER,
            ),
            status(
                container,
                "ghostunnel",
                [
                    "localhost/spiffe/ghostunnel:latest",
                    "docker-pullable://localhost/spiffe/ghostunnel@sha256:b2fc",
                ],
                "4ff8be7c5d7a0c9d02b1d5ee1ddbbd7dbdff1c0d1c6e5a2b6a3a0b5d93a8e7f1",
            ),
        ],
    }
}

/// What a cgroup path says.
pub(crate) fn wanted(pod_uid: Option<&str>, container_id: &str) -> ContainerRef {
    ContainerRef { pod_uid: pod_uid.map(str::to_owned), container_id: container_id.to_owned() }
}
