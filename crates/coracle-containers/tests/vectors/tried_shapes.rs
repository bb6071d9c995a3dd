//! Further shapes. Most were tried on upstream's code; the others are marked as derived from it.

use crate::Row;

const POD: &str = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{U2_}.slice";
const SIBLING: &str = "5b21e3cc0d1f4a6b8c2e7f9013579bdf2468ace013579bdf2468ace0f00dfb19";
const CONMON: &str = "20d8f00d0d1f4a6b8c2e7f9013579bdf2468ace013579bdf2468ace0f00dfb19";

const WHY_STATIC: &str = "a static pod's uid has no dashes, and the kubelet lists it so; upstream does not \
                          recognise it, while its older locator did";
const WHY_SKIPPED: &str = "a line without an id says nothing; upstream takes it for a second, empty id if it \
                           comes after a line with one";
const WHY_LEFT: &str = "read from the left: what stands to the right of the container is the workload's \
                        choice; upstream reads from the right";
const WHY_CLIMBS: &str = "a path that climbs shows neither its beginning nor who made the id on its left: this is \
                          what a container whose pod is cut off can make as well, so it is refused; upstream \
                          reads from the right, and believes both";
const WHY_NESTED: &str =
    "of two ids without a pod none is better than the other; upstream takes the right one";
const WHY_SLASH: &str = "an empty segment does not hide what is left of it; upstream's walk from the right \
                         ends there. The kernel writes no such path";

pub(crate) fn rows() -> Vec<Row> {
    [ordinary(), lines_without_ids(), nested(), slashes()].into_iter().flatten().collect()
}

fn pod(rest: &str) -> String {
    format!("0::{POD}/{rest}\n")
}

fn ordinary() -> Vec<Row> {
    vec![
        Row::same("crun sub-cgroup", &pod("crio-{C9}.scope/container"), "{U2} {C9}"),
        Row::same(
            "systemd in a container",
            &pod("cri-containerd-{C9}.scope/system.slice/foo.service"),
            "{U2} {C9}",
        ),
        Row::same("sibling", &format!("0::/../{SIBLING}\n"), &format!("- {SIBLING}")),
        Row::differs(
            "static pod, cgroupfs",
            "0::/kubepods/burstable/pod{UH}/{C9}\n",
            "- {C9}",
            "{UH} {C9}",
            WHY_STATIC,
        ),
        Row::differs(
            "static pod, systemd",
            "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UH}.slice/\
             cri-containerd-{C9}.scope\n",
            "- {C9}",
            "{UH} {C9}",
            WHY_STATIC,
        ),
        Row::differs(
            "uid without separators",
            "0::/kubepods/pod2c48913cb29f11e79350020968147796/{C9}\n",
            "- {C9}",
            "2c48913cb29f11e79350020968147796 {C9}",
            WHY_STATIC,
        ),
        Row::same(
            "pod level only",
            "0::/kubepods/besteffort/pode3d9a4f5-578a-48b7-9d98-92dc6108ecf1\n",
            "none",
        ),
        Row::same("upper case", "0::/kubepods/pod{U2^}/{C9^}\n", "{U2^} {C9^}"),
        Row::same("an id after an underscore", &pod("foo_{C9}"), "none"),
        Row::same("65 digits", &pod("{C9}0"), "none").derived(),
        Row::same("pod in the middle of a word", "0::/x_pod{U2}/{C9}\n", "- {C9}").derived(),
        Row::same("a removed cgroup", &pod("cri-containerd-{C9}.scope (deleted)"), "{U2} {C9}").derived(),
    ]
}

fn lines_without_ids() -> Vec<Row> {
    let found = format!("- {CONMON}");
    vec![
        Row::differs(
            "crio-conmon, lines without an id after it",
            &format!(
                "12:pids:/system.slice/crio-conmon-{CONMON}.scope\n11:hugetlb:/\n\
                 0::/system.slice/crio.service\n"
            ),
            &format!("two containers: {CONMON}, "),
            &found,
            WHY_SKIPPED,
        ),
        Row::differs(
            "docker, a line without an id after it",
            "12:pids:/docker/{Cnode}\n11:rdma:/\n",
            "two containers: {Cnode}, ",
            "- {Cnode}",
            WHY_SKIPPED,
        ),
        Row::same("the same two lines swapped", "11:rdma:/\n12:pids:/docker/{Cnode}\n", "- {Cnode}"),
    ]
}

fn nested() -> Vec<Row> {
    vec![
        Row::differs(
            "spoof, systemd",
            &pod("cri-containerd-{C9}.scope/pod{UF}/{CD}"),
            "{UF} {CD}",
            "{U2} {C9}",
            WHY_LEFT,
        ),
        Row::differs(
            "spoof, cgroupfs",
            "0::/kubepods/pod{U2}/{C9}/kubepods/pod{UF}/{CD}\n",
            "{UF} {CD}",
            "{U2} {C9}",
            WHY_LEFT,
        ),
        Row::differs(
            "spoof by a sibling whose pod the namespace cuts off",
            "0::/../{C9}/pod{UF}/{CD}\n",
            "{UF} {CD}",
            "two containers: {C9}, {CD}",
            WHY_LEFT,
        )
        .derived(),
        Row::differs(
            "a pod of a node in a container, seen from another cgroup namespace (kind)",
            "0::/../../docker/{Cnode}/kubepods/pod{U2}/{C9}\n",
            "{U2} {C9}",
            "two containers: {Cnode}, {C9}",
            WHY_CLIMBS,
        )
        .derived(),
        Row::differs(
            "spoof by a user of the host in its own session",
            "0::/user.slice/user-1000.slice/user@1000.service/pod{UF}/{CD}\n",
            "{UF} {CD}",
            "none",
            "below user@<uid>.service an unprivileged user names the cgroups, after any pod it likes",
        )
        .derived(),
        Row::differs(
            "a container runtime in a pod",
            "0::/kubepods/pod{U2}/{C9}/docker/{CD}\n",
            "{U2} {CD}",
            "{U2} {C9}",
            "read from the left: the outer container is the one the kubelet knows",
        ),
        Row::differs(
            "a container in a container, no pod",
            "0::/docker/{C9}/docker/{CD}\n",
            "- {CD}",
            "two containers: {C9}, {CD}",
            WHY_NESTED,
        ),
        Row::differs(
            "the pod's own cgroup on a node in a container",
            "0::/docker/{Cnode}/kubepods/pod{U2}\n",
            "- {Cnode}",
            "none",
            "an id to the left of the pod is the node, not the pod's container",
        )
        .derived(),
    ]
}

fn slashes() -> Vec<Row> {
    vec![
        Row::differs("slash at the end", "0::/pod{U2}/{C9}/\n", "none", "{U2} {C9}", WHY_SLASH).derived(),
        Row::differs("two slashes", "0::/pod{U2}//{C9}\n", "- {C9}", "{U2} {C9}", WHY_SLASH).derived(),
    ]
}
