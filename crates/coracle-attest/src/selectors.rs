//! What is said about a workload: SPIRE's `k8s` selectors, in one order.

use std::collections::{BTreeMap, BTreeSet};

use coracle_podlist::{ContainerKind, ContainerStatus};

use crate::view::PodView;

/// The type that SPIRE puts before each value: `k8s:ns:default`.
pub const SELECTOR_TYPE: &str = "k8s";

/// The selector values of a pod and, if given, of one of its containers; without the type.
///
/// The values are those of SPIRE's built-in attestor, as a set. The order is always the same: `sa`, `ns`,
/// `node-name`, `pod-uid`, `pod-name`, `pod-image-count`, `pod-init-image-count`, then `pod-image` and
/// `pod-init-image` sorted, `pod-label` sorted by key, owners as listed, `container-name`, `container-image` sorted.
///
/// An empty field still makes a selector (`sa:`). The counts are of containers, not of distinct images; ephemeral
/// containers are in neither count and in no `pod-image`, because debugging a pod must not change what it is.
#[must_use]
pub fn selectors(pod: &impl PodView, container: Option<&ContainerStatus<'_>>) -> Vec<String> {
    let mut values = scalars(pod);
    push_images(&mut values, "pod-image", of_kind(pod, ContainerKind::Container));
    push_images(&mut values, "pod-init-image", of_kind(pod, ContainerKind::Init));
    push_labels(&mut values, pod);
    for owner in pod.owners() {
        values.push(format!("pod-owner:{}:{}", owner.kind, owner.name));
        values.push(format!("pod-owner-uid:{}:{}", owner.kind, owner.uid));
    }
    if let Some(status) = container {
        values.push(format!("container-name:{}", status.name));
        push_images(&mut values, "container-image", std::iter::once(status.clone()));
    }
    values
}

fn scalars(pod: &impl PodView) -> Vec<String> {
    vec![
        format!("sa:{}", pod.service_account()),
        format!("ns:{}", pod.namespace()),
        format!("node-name:{}", pod.node_name()),
        format!("pod-uid:{}", pod.uid()),
        format!("pod-name:{}", pod.name()),
        format!("pod-image-count:{}", of_kind(pod, ContainerKind::Container).count()),
        format!("pod-init-image-count:{}", of_kind(pod, ContainerKind::Init).count()),
    ]
}

fn of_kind(pod: &impl PodView, kind: ContainerKind) -> impl Iterator<Item = ContainerStatus<'_>> {
    pod.containers().filter(move |status| status.kind == kind)
}

/// The set of both names of every image: the runtime may give the same one twice.
fn push_images<'a>(
    values: &mut Vec<String>,
    selector: &str,
    statuses: impl Iterator<Item = ContainerStatus<'a>>,
) {
    let images: BTreeSet<_> = statuses.flat_map(|status| [status.image, status.image_id]).collect();
    values.extend(images.iter().map(|image| format!("{selector}:{image}")));
}

fn push_labels(values: &mut Vec<String>, pod: &impl PodView) {
    // No document repeats a key, the reader refuses that. Of a pod made by hand that does, a map keeps the last value.
    let labels: BTreeMap<_, _> = pod.labels().collect();
    values.extend(labels.iter().map(|(key, value)| format!("pod-label:{key}:{value}")));
}
