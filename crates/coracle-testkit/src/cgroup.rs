//! Cgroup files of every shape that a node shows.
//!
//! A shape, a pod uid and a container id give the content of `/proc/<pid>/cgroup` ([`file()`]) and what a
//! correct reader makes of it ([`expected`]). The same input gives the same output, always.
//!
//! ```
//! use coracle_testkit::cgroup::{Shape, expected, file};
//!
//! let (uid, id) = ("2c48913c-b29f-11e7-9350-020968147796", "0123456789abcdef".repeat(4));
//! let text = file(Shape::V2SystemdContainerd, uid, &id);
//! assert!(text.starts_with("0::/kubepods.slice/"));
//! let found = expected(Shape::V2SystemdContainerd, uid, &id).unwrap();
//! assert_eq!(found.pod_uid.as_deref(), Some(uid));
//! ```

use std::fmt::Write;

/// The container of a node that itself runs in one (kind).
pub const NODE_CONTAINER_ID: &str = "93529524695bb00d91c1f6dba692ea8d3550c3b94fb2463af7bc9ec82f992d26";
/// The pod that a hostile workload claims to be.
pub const VICTIM_POD_UID: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/// The container that a hostile workload claims to be.
pub const VICTIM_CONTAINER_ID: &str = "deadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef";

/// The controllers of cgroup version 1, in the order in which a kernel lists them.
const V1_CONTROLLERS: [&str; 11] = [
    "hugetlb",
    "perf_event",
    "net_cls,net_prio",
    "freezer",
    "devices",
    "pids",
    "cpu,cpuacct",
    "blkio",
    "cpuset",
    "memory",
    "name=systemd",
];

/// Who wrote the cgroup file, and how. The names start with the cgroup version where it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Version 1, driver `cgroupfs`, a guaranteed pod: 11 equal paths.
    V1CgroupfsGuaranteed,
    /// The same for a burstable pod.
    V1CgroupfsBurstable,
    /// The same for a best-effort pod.
    V1CgroupfsBestEffort,
    /// Version 1, driver `systemd`, docker.
    V1SystemdDocker,
    /// Version 1, driver `systemd`, CRI-O, with lines that carry no id after those that do.
    V1SystemdCrio,
    /// Version 2, driver `cgroupfs`, a burstable pod.
    V2CgroupfsBurstable,
    /// Version 2, driver `systemd`, a guaranteed pod, docker.
    V2SystemdDocker,
    /// Version 2, driver `systemd`, a burstable pod, containerd.
    V2SystemdContainerd,
    /// Version 2, driver `systemd`, a best-effort pod, CRI-O.
    V2SystemdCrio,
    /// Version 2, driver `systemd`, podman's prefix.
    V2SystemdPodman,
    /// Version 2, the kubelet with its own `kubelet.slice`.
    V2KubeletSlice,
    /// containerd told to use systemd while the kubelet does not: joined with colons.
    ContainerdColonJoined,
    /// Version 1 in kind: the pod is below the node's container, and the last line names only the latter.
    V1Kind,
    /// Version 1 in kind, where lines that name only the node come first.
    V1KindNodeFirst,
    /// Version 2 in kind.
    V2Kind,
    /// crun puts the processes into a sub-cgroup `container`.
    CrunSubCgroup,
    /// systemd is the first process of the container, and has services of its own.
    SystemdInContainer,
    /// Seen from another cgroup namespace: the left part is `/../..`.
    NamespaceRelative,
    /// A static pod, whose uid is a hash without dashes; driver `cgroupfs`.
    StaticPodCgroupfs,
    /// The same with driver `systemd`.
    StaticPodSystemd,
    /// Another container of the reader's own pod: the pod is cut off.
    Sibling,
    /// The same with CRI-O's prefix, and no newline at the end.
    SiblingCrio,
    /// CRI-O's monitor of a container, on version 1; other lines carry no id.
    CrioConmon,
    /// A docker container outside of Kubernetes, on version 1; the last lines carry no id.
    DockerOutsidePods,
    /// An ordinary process of the host, version 1 and 2 together.
    HostProcessV1,
    /// An ordinary process of the host.
    HostProcessV2,
    /// A process in the pod's cgroup, but in none of its containers.
    PodLevel,
    /// A container runtime in a pod (dind): the outer container is what the kubelet knows.
    NestedRuntime,
    /// A workload made cgroups below its own, named after a victim.
    NestedSpoofV2,
    /// The same on version 1, in one hierarchy only.
    NestedSpoofV1,
    /// An unprivileged user of the host made cgroups in its session, named after a victim.
    UserSessionSpoof,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 31] = [
        Self::V1CgroupfsGuaranteed,
        Self::V1CgroupfsBurstable,
        Self::V1CgroupfsBestEffort,
        Self::V1SystemdDocker,
        Self::V1SystemdCrio,
        Self::V2CgroupfsBurstable,
        Self::V2SystemdDocker,
        Self::V2SystemdContainerd,
        Self::V2SystemdCrio,
        Self::V2SystemdPodman,
        Self::V2KubeletSlice,
        Self::ContainerdColonJoined,
        Self::V1Kind,
        Self::V1KindNodeFirst,
        Self::V2Kind,
        Self::CrunSubCgroup,
        Self::SystemdInContainer,
        Self::NamespaceRelative,
        Self::StaticPodCgroupfs,
        Self::StaticPodSystemd,
        Self::Sibling,
        Self::SiblingCrio,
        Self::CrioConmon,
        Self::DockerOutsidePods,
        Self::HostProcessV1,
        Self::HostProcessV2,
        Self::PodLevel,
        Self::NestedRuntime,
        Self::NestedSpoofV2,
        Self::NestedSpoofV1,
        Self::UserSessionSpoof,
    ];
}

/// What a correct reader finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The uid as the kubelet lists it; `None` where the file does not name a pod.
    pub pod_uid: Option<String>,
    /// The container id.
    pub container_id: String,
}

/// The container that `file(shape, pod_uid, container_id)` stands for; `None` if it is in none.
#[must_use]
pub fn expected(shape: Shape, pod_uid: &str, container_id: &str) -> Option<Expected> {
    let pod_uid = match shape {
        Shape::HostProcessV1 | Shape::HostProcessV2 | Shape::PodLevel | Shape::UserSessionSpoof => {
            return None;
        }
        Shape::Sibling | Shape::SiblingCrio | Shape::CrioConmon | Shape::DockerOutsidePods => None,
        Shape::StaticPodCgroupfs | Shape::StaticPodSystemd => Some(undashed(pod_uid)),
        _ => Some(pod_uid.to_owned()),
    };
    Some(Expected { pod_uid, container_id: container_id.to_owned() })
}

/// The content of the cgroup file. `pod_uid` has the form 8-4-4-4-12, `container_id` has 64 digits.
#[must_use]
pub fn file(shape: Shape, pod_uid: &str, container_id: &str) -> String {
    let path = path(shape, pod_uid, container_id);
    match shape {
        Shape::V1CgroupfsGuaranteed
        | Shape::V1CgroupfsBurstable
        | Shape::V1CgroupfsBestEffort
        | Shape::V1SystemdDocker
        | Shape::StaticPodCgroupfs => v1(&path),
        Shape::V1SystemdCrio => v1(&path) + "3:rdma:/\n0::/system.slice/crio.service\n",
        Shape::V1Kind => v1(&path) + &node_line(),
        Shape::V1KindNodeFirst => node_line() + &v1(&path),
        Shape::CrioConmon => format!("12:pids:{path}\n11:hugetlb:/\n0::/system.slice/crio.service\n"),
        Shape::DockerOutsidePods => v1(&path) + "0::/system.slice/containerd.service\n",
        Shape::HostProcessV1 => v1("/user.slice") + "0::/user.slice/user-1000.slice/session-1.scope\n",
        Shape::NestedSpoofV1 => {
            let honest = path.split("/pod").take(2).collect::<Vec<_>>().join("/pod");
            v1(&honest).replace(&format!("devices:{honest}"), &format!("devices:{path}"))
        }
        Shape::SiblingCrio => v2(&path).trim_end().to_owned(),
        _ => v2(&path),
    }
}

fn path(shape: Shape, uid: &str, id: &str) -> String {
    let slice = |class: &str, leaf: &str| systemd(class, uid, leaf);
    match shape {
        Shape::V1CgroupfsGuaranteed => format!("/kubepods/pod{uid}/{id}"),
        Shape::V1CgroupfsBurstable | Shape::V2CgroupfsBurstable => {
            format!("/kubepods/burstable/pod{uid}/{id}")
        }
        Shape::V1CgroupfsBestEffort => format!("/kubepods/besteffort/pod{uid}/{id}"),
        Shape::V1SystemdDocker => slice("-burstable", &format!("docker-{id}.scope")),
        Shape::V1SystemdCrio | Shape::V2SystemdCrio => slice("-besteffort", &format!("crio-{id}.scope")),
        Shape::V2SystemdDocker => slice("", &format!("docker-{id}.scope")),
        Shape::V2SystemdContainerd => slice("-burstable", &format!("cri-containerd-{id}.scope")),
        Shape::V2SystemdPodman => slice("", &format!("libpod-{id}.scope")),
        Shape::V2KubeletSlice => kubelet_slice("/kubelet.slice/kubelet-kubepods.slice", uid, id),
        Shape::ContainerdColonJoined => {
            let uid = underscored(uid);
            format!("/system.slice/containerd.service/kubepods-besteffort-pod{uid}.slice:cri-containerd:{id}")
        }
        Shape::V1Kind | Shape::V1KindNodeFirst => {
            format!("/docker/{NODE_CONTAINER_ID}/kubepods/besteffort/pod{uid}/{id}")
        }
        Shape::V2Kind => {
            let node = format!("/docker/{NODE_CONTAINER_ID}/kubelet.slice/kubelet-kubepods.slice");
            kubelet_slice(&node, uid, id)
        }
        Shape::CrunSubCgroup => slice("-burstable", &format!("crio-{id}.scope/container")),
        Shape::SystemdInContainer => {
            slice("-burstable", &format!("cri-containerd-{id}.scope/system.slice/foo.service"))
        }
        Shape::NamespaceRelative => kubelet_slice("/../..", uid, id),
        Shape::StaticPodCgroupfs => format!("/kubepods/burstable/pod{}/{id}", undashed(uid)),
        Shape::StaticPodSystemd => {
            systemd("-burstable", &undashed(uid), &format!("cri-containerd-{id}.scope"))
        }
        Shape::Sibling => format!("/../{id}"),
        Shape::SiblingCrio => format!("/../crio-{id}.scope"),
        Shape::CrioConmon => format!("/system.slice/crio-conmon-{id}.scope"),
        Shape::DockerOutsidePods => format!("/docker/{id}"),
        Shape::HostProcessV1 | Shape::HostProcessV2 => "/system.slice/sshd.service".to_owned(),
        Shape::PodLevel => format!("/kubepods/besteffort/pod{uid}"),
        Shape::NestedRuntime => format!("/kubepods/pod{uid}/{id}/docker/{VICTIM_CONTAINER_ID}"),
        Shape::NestedSpoofV1 => {
            format!("/kubepods/pod{uid}/{id}/pod{VICTIM_POD_UID}/{VICTIM_CONTAINER_ID}")
        }
        Shape::NestedSpoofV2 => {
            let leaf = format!("cri-containerd-{id}.scope/pod{VICTIM_POD_UID}/{VICTIM_CONTAINER_ID}");
            slice("-burstable", &leaf)
        }
        Shape::UserSessionSpoof => {
            format!("/user.slice/user-1000.slice/user@1000.service/pod{VICTIM_POD_UID}/{VICTIM_CONTAINER_ID}")
        }
    }
}

/// `class` is empty for a guaranteed pod, or starts with a dash.
fn systemd(class: &str, uid: &str, leaf: &str) -> String {
    let class_slice = if class.is_empty() { String::new() } else { format!("/kubepods{class}.slice") };
    format!("/kubepods.slice{class_slice}/kubepods{class}-pod{}.slice/{leaf}", underscored(uid))
}

fn kubelet_slice(above: &str, uid: &str, id: &str) -> String {
    format!("{above}/kubelet-kubepods-pod{}.slice/cri-containerd-{id}.scope", underscored(uid))
}

/// A line of the node's own services, with no pod in it.
fn node_line() -> String {
    v2(&format!("/docker/{NODE_CONTAINER_ID}/system.slice/containerd.service"))
}

fn v1(path: &str) -> String {
    let mut text = String::new();
    for (index, controllers) in V1_CONTROLLERS.iter().enumerate() {
        let hierarchy = V1_CONTROLLERS.len() - index;
        writeln!(text, "{hierarchy}:{controllers}:{path}").expect("a String accepts every write");
    }
    text
}

fn v2(path: &str) -> String {
    format!("0::{path}\n")
}

/// A dash in the name of a slice would mean a level, so systemd's names have underscores.
fn underscored(uid: &str) -> String {
    uid.replace('-', "_")
}

fn undashed(uid: &str) -> String {
    uid.replace('-', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const UID: &str = "2c48913c-b29f-11e7-9350-020968147796";
    const ID: &str = "9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961";

    #[test]
    fn every_shape_is_listed_once_and_gives_a_file_of_its_own() {
        let files: std::collections::HashSet<String> =
            Shape::ALL.iter().map(|shape| file(*shape, UID, ID)).collect();
        assert_eq!(files.len(), Shape::ALL.len());
    }

    #[test]
    fn every_line_has_three_fields_and_an_absolute_path() {
        for shape in Shape::ALL {
            for line in file(shape, UID, ID).lines() {
                let path = line.splitn(3, ':').nth(2).expect("three fields");
                assert!(path.starts_with('/'), "{shape:?}: {line}");
            }
        }
    }

    #[test]
    fn what_is_expected_is_in_the_file() {
        for shape in Shape::ALL {
            let text = file(shape, UID, ID);
            let Some(found) = expected(shape, UID, ID) else { continue };
            assert!(text.contains(&found.container_id), "{shape:?}");
            if let Some(uid) = found.pod_uid {
                assert!(text.contains(&uid) || text.contains(&underscored(&uid)), "{shape:?}");
            }
        }
    }

    #[test]
    fn a_file_of_version_1_has_eleven_lines() {
        assert_eq!(file(Shape::V1CgroupfsBurstable, UID, ID).lines().count(), 11);
    }

    #[test]
    fn the_spoof_on_version_1_is_in_one_hierarchy() {
        let text = file(Shape::NestedSpoofV1, UID, ID);
        assert_eq!(text.lines().filter(|line| line.contains(VICTIM_POD_UID)).count(), 1);
        assert_eq!(text.lines().count(), 11);
    }
}
