//! What a reader of a pod list has to find in it.

use std::collections::BTreeMap;

/// The facts that identify one pod, as a reader of the list must report them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PodFacts {
    /// `metadata.uid`: a UUID, or the 32 hexadecimal digits of its configuration's hash for a static pod.
    pub uid: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `spec.serviceAccountName`.
    pub service_account: String,
    /// `spec.nodeName`.
    pub node_name: String,
    /// `status.phase`.
    pub phase: Phase,
    /// `spec.hostNetwork`; absent from the document where false.
    pub host_network: bool,
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `metadata.ownerReferences`, in their order.
    pub owners: Vec<OwnerFacts>,
    /// All containers: first those with an init status, then the main ones, then the ephemeral ones, as a reader
    /// finds them in [`ContainerKind`]'s arrays.
    pub containers: Vec<ContainerFacts>,
}

impl PodFacts {
    /// The containers whose status stands in the array `field`, in its order.
    pub fn statuses(&self, field: &str) -> impl Iterator<Item = &ContainerFacts> {
        self.containers.iter().filter(move |container| container.kind.status_field() == field)
    }

    pub(super) fn is_static(&self) -> bool {
        self.owner_kind() == "Node"
    }

    pub(super) fn owner_kind(&self) -> &str {
        self.owners.first().map_or("", |owner| &owner.kind)
    }
}

/// One entry of `metadata.ownerReferences`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OwnerFacts {
    /// `apiVersion`, such as `apps/v1`.
    pub api_version: String,
    /// `kind`, such as `ReplicaSet`.
    pub kind: String,
    /// `name`.
    pub name: String,
    /// `uid`.
    pub uid: String,
}

/// One container of a pod, as its status shows it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ContainerFacts {
    /// Which of the pod's arrays it stands in.
    pub kind: ContainerKind,
    /// `name`, unique in the pod.
    pub name: String,
    /// `image`.
    pub image: String,
    /// `imageID`; empty while the image is not there yet.
    pub image_id: String,
    /// `containerID` with its scheme; empty, and absent from the document, while there is no container yet.
    pub container_id: String,
}

impl ContainerFacts {
    /// The 64 digits of the container's id, without the scheme; empty if there is no container yet.
    #[must_use]
    pub fn bare_id(&self) -> &str {
        self.container_id.split_once("://").map_or("", |(_, id)| id)
    }
}

/// The role of a container in its pod.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ContainerKind {
    /// Runs to its end before the main containers start.
    Init,
    /// An init container with `restartPolicy: Always`: it stands among the init containers and runs on.
    Sidecar,
    /// A main container.
    Main,
    /// Added to a running pod, for a look inside.
    Ephemeral,
}

impl ContainerKind {
    /// The array of `status` in which containers of this kind stand.
    #[must_use]
    pub fn status_field(self) -> &'static str {
        match self {
            Self::Init | Self::Sidecar => "initContainerStatuses",
            Self::Main => "containerStatuses",
            Self::Ephemeral => "ephemeralContainerStatuses",
        }
    }

    /// The array of `spec` in which containers of this kind stand.
    #[must_use]
    pub fn spec_field(self) -> &'static str {
        match self {
            Self::Init | Self::Sidecar => "initContainers",
            Self::Main => "containers",
            Self::Ephemeral => "ephemeralContainers",
        }
    }
}

/// `status.phase`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Phase {
    /// Its containers are not created yet.
    Pending,
    /// At least one container runs.
    Running,
    /// All containers ended well.
    Succeeded,
    /// All containers ended, at least one of them badly.
    Failed,
}

impl Phase {
    /// The word in the document.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
        }
    }

    /// Whether no container of the pod will run again.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}
