//! Docker and podman without Kubernetes, from the tests of upstream's docker attestor. It never looks for
//! pods, and no path here has one.

use crate::Row;

const WHY_SESSION: &str = "below user@<uid>.service an unprivileged user names the cgroups, after any \
                           container it likes; what is there is not believed, rootless podman included";

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row::same("docker scope", "0::/system.slice/docker-{X}.scope\n", "- {X}"),
        Row::same(
            "one id twice in a path",
            "0::/docker/{X}/docker/{X}/system.slice/containerd.service\n",
            "- {X}",
        ),
        Row::same("scope without a prefix", "0::/system.slice/{X}.scope\n", "- {X}"),
        Row::same(
            "two containers",
            "2:a:/system.slice/docker-{X}.scope\n1:b:/system.slice/docker-{CD}.scope\n",
            "two containers: {X}, {CD}",
        ),
        Row::same("podman of root", "0::/machine.slice/libpod-{X}.scope\n", "- {X}"),
        Row::differs(
            "podman of a user, systemd",
            "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-{X}.scope\n",
            "- {X}",
            "none",
            WHY_SESSION,
        ),
        Row::differs(
            "podman of a user, cgroupfs",
            "0::/user.slice/user-2000.slice/user@2000.service/user.slice/libpod/{X}\n",
            "- {X}",
            "none",
            WHY_SESSION,
        ),
        Row::differs(
            "podman of a user whose number is too large for a uid",
            "0::/user.slice/user-4294967296.slice/user@4294967296.service/user.slice/libpod-{X}.scope\n",
            "- {X}",
            "none",
            WHY_SESSION,
        ),
    ]
}
