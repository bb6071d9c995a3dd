//! The one way in which a pod is looked at, wherever it is stored.

use std::borrow::Cow;
use std::fmt;

use coracle_podlist::{ContainerKind, ContainerStatus, Owner, Pod};

/// The facts of a pod, whether it borrows from the stream ([`Pod`]) or from the index ([`PodRef`](crate::PodRef)).
///
/// Selectors are made through this trait, so that both ways to find a pod give the same ones.
pub trait PodView {
    /// `metadata.uid`.
    fn uid(&self) -> &str;
    /// `metadata.namespace`.
    fn namespace(&self) -> &str;
    /// `metadata.name`.
    fn name(&self) -> &str;
    /// `spec.serviceAccountName`.
    fn service_account(&self) -> &str;
    /// `spec.nodeName`.
    fn node_name(&self) -> &str;
    /// `status.phase`.
    fn phase(&self) -> &str;
    /// `spec.hostNetwork`.
    fn host_network(&self) -> bool;
    /// `metadata.labels`, in the order of the document.
    fn labels(&self) -> impl Iterator<Item = (&str, &str)>;
    /// `metadata.ownerReferences`, in the order of the document.
    fn owners(&self) -> impl Iterator<Item = Owner<'_>>;
    /// The container statuses of all three kinds; no strings are copied.
    fn containers(&self) -> impl Iterator<Item = ContainerStatus<'_>>;

    /// Uid, namespace and name as owned strings.
    fn id(&self) -> PodId {
        PodId {
            uid: self.uid().to_owned(),
            namespace: self.namespace().to_owned(),
            name: self.name().to_owned(),
        }
    }

    /// The first container of this pod whose bare id is `id`, in the order containers, init, ephemeral.
    fn container(&self, id: &str) -> Option<ContainerStatus<'_>> {
        first_with_id(self.containers(), id)
    }
}

/// [`PodView::container`], with the lifetime of what is iterated over.
pub(crate) fn first_with_id<'a>(
    containers: impl Iterator<Item = ContainerStatus<'a>>,
    id: &str,
) -> Option<ContainerStatus<'a>> {
    containers.filter(|status| status.bare_id() == Some(id)).min_by_key(|status| match status.kind {
        ContainerKind::Container => 0,
        ContainerKind::Init => 1,
        ContainerKind::Ephemeral => 2,
    })
}

impl PodView for Pod<'_> {
    fn uid(&self) -> &str {
        &self.uid
    }
    fn namespace(&self) -> &str {
        &self.namespace
    }
    fn name(&self) -> &str {
        &self.name
    }
    fn service_account(&self) -> &str {
        &self.service_account
    }
    fn node_name(&self) -> &str {
        &self.node_name
    }
    fn phase(&self) -> &str {
        &self.phase
    }
    fn host_network(&self) -> bool {
        self.host_network
    }
    fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.labels.iter().map(|(key, value)| (&**key, &**value))
    }
    fn owners(&self) -> impl Iterator<Item = Owner<'_>> {
        self.owners.iter().map(|owner| Owner {
            kind: Cow::Borrowed(&owner.kind),
            name: Cow::Borrowed(&owner.name),
            uid: Cow::Borrowed(&owner.uid),
        })
    }
    fn containers(&self) -> impl Iterator<Item = ContainerStatus<'_>> {
        self.containers.iter().map(|status| ContainerStatus {
            kind: status.kind,
            name: Cow::Borrowed(&status.name),
            image: Cow::Borrowed(&status.image),
            image_id: Cow::Borrowed(&status.image_id),
            container_id: Cow::Borrowed(&status.container_id),
        })
    }
}

/// What a pod is called: shown as `namespace/name (uid)`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodId {
    /// `metadata.uid`. First, because pods are ordered by it.
    pub uid: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

impl fmt::Display for PodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { uid, namespace, name } = self;
        write!(f, "{namespace}/{name} ({uid})")
    }
}
