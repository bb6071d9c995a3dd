//! One pod, reduced to the fields that identify a workload.

use std::borrow::Cow;

/// A pod of the list: the fields that attestation and enrichment need, nothing else.
///
/// Strings borrow from the reader's element buffer where JSON allows it (no escapes inside), so a `Pod` lives as
/// long as one call of [`Sink::pod`](crate::Sink::pod).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pod<'a> {
    /// `metadata.uid`: never empty here; pods without one are counted and skipped.
    pub uid: Cow<'a, str>,
    /// `metadata.namespace`.
    pub namespace: Cow<'a, str>,
    /// `metadata.name`.
    pub name: Cow<'a, str>,
    /// `spec.serviceAccountName`.
    pub service_account: Cow<'a, str>,
    /// `spec.nodeName`.
    pub node_name: Cow<'a, str>,
    /// `status.phase`: `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown`, or empty.
    pub phase: Cow<'a, str>,
    /// `spec.hostNetwork`.
    pub host_network: bool,
    /// `metadata.labels`, in the order of the document.
    pub labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// `metadata.ownerReferences`, in the order of the document.
    pub owners: Vec<Owner<'a>>,
    /// `status.containerStatuses`, then `initContainerStatuses`, then `ephemeralContainerStatuses`.
    pub containers: Vec<ContainerStatus<'a>>,
}

/// One entry of `metadata.ownerReferences`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner<'a> {
    /// `kind`, such as `ReplicaSet`.
    pub kind: Cow<'a, str>,
    /// `name`.
    pub name: Cow<'a, str>,
    /// `uid`.
    pub uid: Cow<'a, str>,
}

/// Which list of `status` a container came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ContainerKind {
    /// `status.containerStatuses`.
    #[default]
    Container,
    /// `status.initContainerStatuses`, native sidecars included.
    Init,
    /// `status.ephemeralContainerStatuses`, made by `kubectl debug`.
    Ephemeral,
}

/// One container's status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContainerStatus<'a> {
    /// Which list it came from.
    pub kind: ContainerKind,
    /// `name`.
    pub name: Cow<'a, str>,
    /// `image`, as the runtime names it; may be empty while the container is being created.
    pub image: Cow<'a, str>,
    /// `imageID`, usually with the digest; may be empty.
    pub image_id: Cow<'a, str>,
    /// `containerID` as the kubelet wrote it, with its scheme: `containerd://0123…`; empty before the first start.
    pub container_id: Cow<'a, str>,
}

impl ContainerStatus<'_> {
    /// The id without its scheme: the host part of the `containerID` URL, as SPIRE compares it.
    ///
    /// `None` when the field is empty or is no URL with a host.
    #[must_use]
    pub fn bare_id(&self) -> Option<&str> {
        let (_, rest) = self.container_id.split_once("://")?;
        let host = rest.split(['/', '?', '#']).next()?;
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        (!host.is_empty()).then_some(host)
    }
}
