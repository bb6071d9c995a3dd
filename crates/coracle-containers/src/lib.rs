//! Which container and pod is this process?
#![forbid(unsafe_code)]

/// A container, and its pod where the cgroup path names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerRef {
    /// The pod's uid; `None` where the path names only the container.
    pub pod_uid: Option<String>,
    /// 64 hexadecimal digits.
    pub container_id: String,
}
