//! The answer: a container, or why there is none.

use std::fmt;

/// A container, and its pod where the cgroup path names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContainerRef {
    /// The pod's uid as the kubelet lists it; `None` where the path names only the container.
    ///
    /// The underscores of systemd's slice names are dashes here. The uid of a static pod is a hash of its
    /// configuration, 32 hexadecimal digits without dashes, and stays so. Upper case is preserved; the
    /// kubelet never writes it, so such a uid matches no pod.
    pub pod_uid: Option<String>,
    /// 64 hexadecimal digits, their case preserved.
    pub container_id: String,
}

/// Where a process is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Location {
    /// In this container.
    Container(ContainerRef),
    /// In no container, and why.
    NotInContainer(Outside),
}

impl Location {
    /// The container, if the process is in one.
    #[must_use]
    pub fn container(&self) -> Option<&ContainerRef> {
        match self {
            Self::Container(container) => Some(container),
            Self::NotInContainer(_) => None,
        }
    }
}

/// Why a process is in no container. Its `Display` is a sentence part for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outside {
    /// No line of the cgroup file carries a container id: an ordinary process of the host.
    Process,
    /// A kernel thread. It has no program and no container. A kernel thread that works on behalf of a
    /// container, in that container's cgroup, is reported as the container.
    KernelThread,
    /// The process runs below `user@<uid>.service`. The owner of that session names the cgroups there, and
    /// could name them after any pod, so ids below it are not believed; that includes rootless containers.
    UserSession,
    /// The process has no cgroup file: this kernel has no control groups, hence no containers.
    NoCgroups,
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Process => "a process of the host: its cgroup file has no container id",
            Self::KernelThread => "a kernel thread",
            Self::UserSession => {
                "a process in a user's session, whose owner names its cgroups, so they are not believed"
            }
            Self::NoCgroups => "it has no cgroup file: the kernel has no control groups",
        })
    }
}
