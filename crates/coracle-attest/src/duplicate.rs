//! Two pods that claim the same container.

use crate::view::PodId;

/// One container id stands in the status of two pods: neither may have its identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "container {container_id} is in the status of two pods, {first_pod} and {second_pod}, so neither is its \
     identity; the kubelet's list is inconsistent, look at both with kubectl get pod"
)]
pub struct DuplicateContainer {
    /// The container's bare id.
    pub container_id: String,
    /// The claimant whose uid sorts first.
    pub first_pod: Box<PodId>,
    /// The claimant whose uid sorts second.
    pub second_pod: Box<PodId>,
}

impl DuplicateContainer {
    /// The error for two claimants, in the order of their uids: it must not depend on the order of the list.
    pub(crate) fn new(container_id: &str, one: PodId, other: PodId) -> Self {
        let (first_pod, second_pod) = if one <= other { (one, other) } else { (other, one) };
        Self {
            container_id: container_id.to_owned(),
            first_pod: Box::new(first_pod),
            second_pod: Box::new(second_pod),
        }
    }
}
