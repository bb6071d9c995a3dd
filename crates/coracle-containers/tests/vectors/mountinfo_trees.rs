//! Trees of the newer locator's tests. Most have only a mountinfo file; upstream stopped reading it after
//! 1.15.3, because a process that makes its own mount namespace can mount what it likes there.
//!
//! Upstream's separate tests of lines of mountinfo have no rows here: no such line is ever parsed.

use crate::Row;

const WHY: &str = "mountinfo is not read: forgeable";
const SLICE: &str = "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod{U0_}.slice/\
                     cri-containerd-{C0}.scope";
const BEST_EFFORT: &str = "/../../kubelet-kubepods-besteffort.slice/\
                           kubelet-kubepods-besteffort-pod{U0_}.slice/cri-containerd-{C0}.scope";

/// One line of mountinfo.
fn mount(root: &str, kind: &str) -> String {
    format!("1543 1542 0:32 {root} /sys/fs/cgroup ro,nosuid,nodev - {kind} cgroup rw,nsdelegate\n")
}

fn mounts(roots: &[&str]) -> String {
    roots.iter().map(|root| mount(root, "cgroup2")).collect()
}

/// A tree without a cgroup file.
fn only_mountinfo(name: &'static str, mountinfo: &str, upstream: &str) -> Row {
    let row = if upstream == "none" {
        Row::same(name, "", upstream)
    } else {
        Row::differs(name, "", upstream, "none", WHY)
    };
    row.without_cgroup().with_mountinfo(mountinfo)
}

pub(crate) fn rows() -> Vec<Row> {
    [pods(), containers(), both_files()].into_iter().flatten().collect()
}

fn pods() -> Vec<Row> {
    let v1 = mount("/", "tmpfs") + &mount(SLICE, "cgroup").repeat(12);
    let other_pod = BEST_EFFORT.replace("{U0_}", "{U1_}");
    let other_container = BEST_EFFORT.replace("{C0}", "{C1}");
    let fake = "/fake/just/to/test/condition/\
                cri-containerd-fedcba98765432100123456789abcdef0123456789abcdef0123456789abcdef.scope";
    vec![
        only_mountinfo("k8s/v1", &v1, "{U0} {C0}"),
        only_mountinfo("k8s/v2", &mounts(&[BEST_EFFORT]), "{U0} {C0}"),
        only_mountinfo("k8s/no-cgroup-mount", &mount(BEST_EFFORT, "not-a-cgroup-type"), "none"),
        only_mountinfo("k8s/pod-uid-conflict", &mounts(&[BEST_EFFORT, &other_pod]), "two pods: {U0}, {U1}"),
        only_mountinfo("k8s/pod-uid-override", &mounts(&[SLICE, fake]), "{U0} {C0}"),
        only_mountinfo(
            "k8s/container-id-conflict",
            &mounts(&[BEST_EFFORT, &other_container]),
            "two containers: {C0}, {C1}",
        ),
        Row::same(
            "k8s/pod-uid-override, as a cgroup file",
            &format!("2:a:{SLICE}\n1:b:{fake}\n"),
            "{U0} {C0}",
        )
        .derived(),
        Row::same(
            "k8s/pod-uid-conflict, as a cgroup file",
            &format!("2:a:{BEST_EFFORT}\n1:b:{other_pod}\n"),
            "two pods: {U0}, {U1}",
        )
        .derived(),
        Row::same(
            "k8s/container-id-conflict, as a cgroup file",
            &format!("2:a:{BEST_EFFORT}\n1:b:{other_container}\n"),
            "two containers: {C0}, {C1}",
        )
        .derived(),
    ]
}

fn containers() -> Vec<Row> {
    let at_slash = mount("/", "cgroup2").replace("/sys/fs/cgroup", "/var/lib/docker/overlay2/{CD}/merged");
    let empty_source = "119 206 0:68 / /local rw,relatime - tmpfs  rw,size=8192k\n";
    vec![
        only_mountinfo("docker/v1", &mount("/docker/{C0}", "cgroup").repeat(12), "- {C0}"),
        only_mountinfo("docker/v2", &mounts(&["/../{C0}"]), "- {C0}"),
        only_mountinfo(
            "docker/cgroup-mount-at-slash/v1",
            &(at_slash.clone() + &mount("/docker/{C0}", "cgroup")),
            "- {C0}",
        ),
        only_mountinfo("docker/cgroup-mount-at-slash/v2", &(at_slash + &mounts(&["/../{C0}"])), "- {C0}"),
        only_mountinfo(
            "docker/container-id-conflict",
            &mounts(&["/../{C0}", "/../{C1}"]),
            "two containers: {C0}, {C1}",
        ),
        only_mountinfo("docker/no-cgroup-mount", &mount("/../{C0}", "not-a-cgroup-type"), "none"),
        only_mountinfo("docker/tmpfs-empty-source", &(mounts(&["/../{C0}"]) + empty_source), "- {C0}"),
        only_mountinfo("other/malformed", &mounts(&["/not-a-match"]), "none"),
        Row::same("no files of the process at all", "", "none").without_cgroup(),
    ]
}

fn both_files() -> Vec<Row> {
    let forged = "/kubepods.slice/kubepods-pod{UF_}.slice/cri-containerd-{CD}.scope";
    vec![
        Row::same("other/cgroup-primary", "0::/../{C0}\n", "- {C0}").with_mountinfo(&mounts(&["/"])),
        Row::differs("other/mountinfo-fallback", "0::/\n", "{U0} {C0}", "none", WHY)
            .with_mountinfo(&mounts(&[BEST_EFFORT])),
        Row::same("other/mountinfo-impersonation", "0::/../{C0}\n", "- {C0}")
            .with_mountinfo(&mounts(&[forged])),
    ]
}
