//! Several paths together, the files behind the tests of the whole attestor, and the parser of lines.

use crate::{Row, v1};

pub(crate) fn rows() -> Vec<Row> {
    [several_paths(), attestor_files(), lines()].into_iter().flatten().collect()
}

fn several_paths() -> Vec<Row> {
    vec![
        Row::same("no cgroups", "", "none"),
        Row::same("only a user's slice", "0::/user.slice", "none"),
        Row::same("one", "11:a:/user.slice\n10:b:/kubepods/pod{U2}/{C9}\n", "{U2} {C9}"),
        Row::same("uid canonicalised", "11:a:/user.slice\n10:b:/kubepods/pod{U2_}/{C9}\n", "{U2} {C9}"),
        Row::same("uid written in two ways", "2:a:/pod{U2}/{C9}\n1:b:/pod{U2_}/{C9}\n", "{U2} {C9}")
            .derived(),
        Row::same("cri-o", "0::/../crio-{Ccrio}.scope\n", "- {Ccrio}"),
        Row::same(
            "two ids",
            "2:a:/kubepods/pod{U2}/{C9}\n1:b:/kubepods/kubepods/besteffort/pod{U2}/{Cdesk}\n",
            "two containers: {C9}, {Cdesk}",
        ),
        Row::same(
            "two uids",
            "2:a:/kubepods/pod11111111-b29f-11e7-9350-020968147796/{C9}\n\
             1:b:/kubepods/kubepods/besteffort/pod22222222-b29f-11e7-9350-020968147796/{C9}\n",
            "two pods: 11111111-b29f-11e7-9350-020968147796, 22222222-b29f-11e7-9350-020968147796",
        ),
        Row::same(
            "a line with a pod after one with another id (kind on macOS)",
            "2:a:/docker/{Cnode}\n1:b:/docker/{Cnode}/kubepods/pod{Ua}/{Ca}\n",
            "{Ua} {Ca}",
        )
        .derived(),
        Row::same(
            "a line with a pod before one with another id",
            "2:a:/docker/{Cnode}/kubepods/pod{Ua}/{Ca}\n1:b:/docker/{Cnode}\n",
            "{Ua} {Ca}",
        ),
        Row::differs(
            "two ids without pods before a line with a pod",
            "3:a:/docker/{Cnode}\n2:b:/docker/{C9}\n1:c:/kubepods/pod{Ua}/{Ca}\n",
            "two containers: {Cnode}, {C9}",
            "{Ua} {Ca}",
            "lines that name a pod decide, whatever the order; upstream accepts these if the last is first",
        )
        .derived(),
    ]
}

fn attestor_files() -> Vec<Row> {
    let kind = v1("/docker/{Cnode}/kubepods/besteffort/pod{Ua}/{Ca}");
    let crio = v1("/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod{Ua_}.slice/\
                   crio-{Ca}.scope");
    let systemd = v1("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{U2_}.slice/\
                      docker-{C9}.scope");
    vec![
        Row::same("pid in pod", &v1("/kubepods/burstable/pod{U2}/{C9}"), "{U2} {C9}"),
        Row::same("init pid in pod", &v1("/kubepods/burstable/pod{Uinit}/{Cinit}"), "{Uinit} {Cinit}"),
        Row::same(
            "pid in kind pod",
            &format!(
                "13:rdma:/docker/{{Cnode}}/kubepods/besteffort/pod{{Ua}}/{{Ca}}\n{kind}\
                      0::/docker/{{Cnode}}/system.slice/containerd.service\n"
            ),
            "{Ua} {Ca}",
        ),
        Row::same("pid in cri-o pod, no newline at the end", "0::/../crio-{Ca}.scope", "- {Ca}"),
        Row::same("systemd, pid in pod", &systemd, "{U2} {C9}"),
        Row::same(
            "systemd, pid in cri-o pod",
            &format!("{crio}3:rdma:/\n0::/system.slice/crio.service\n"),
            "{Ua} {Ca}",
        ),
        Row::same(
            "pid not in pod",
            "11:hugetlb:/\n10:devices:/user.slice\n1:name=systemd:/user.slice/\
                   user-1000.slice/session-3.scope\n",
            "none",
        ),
    ]
}

fn lines() -> Vec<Row> {
    vec![
        Row::same("two fields", "11:hugetlb", "malformed"),
        Row::same("one field", "hugetlb\n", "malformed").derived(),
        Row::same("an empty line in between", "2:a:/pod{U2}/{C9}\n\n1:b:/pod{U2}/{C9}\n", "malformed")
            .derived(),
        Row::same("an empty line alone", "\n", "malformed").derived(),
        Row::same("eleven lines of version 1", &v1("/"), "none"),
        Row::same(
            "version 1 and 2 together, no newline at the end",
            &format!("{}0::/user.slice/user-1000.slice/session-3.scope", v1("/user.slice")),
            "none",
        ),
        Row::same("colons in the path", "0::/a:b:pod{U2}:c:{C9}:d\n", "{U2} {C9}").derived(),
    ]
}
