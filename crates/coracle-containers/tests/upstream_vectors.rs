//! SPIRE's own test data for its container locator, and shapes tried on it, each with its result (the
//! locator that is the default since 1.11, in release 1.15.3) and ours. Where the two differ, the last column
//! says where and why; a test below holds that it does so there, and nowhere else. Of a row that is
//! `derived` upstream's result was told from its code and documented rules, and not tried.
//!
//! `{NAME}` in a row stands for one of `NAMES`; `{NAME_}` is the same with underscores for dashes.
//! An outcome is `<uid> <id>`, with `-` for an unknown pod, or `none`, `malformed`, `two pods: <a>, <b>`, or
//! `two containers: <a>, <b>`.

mod vectors {
    pub(crate) mod cgroup_files;
    pub(crate) mod mountinfo_trees;
    pub(crate) mod other_runtimes;
    pub(crate) mod single_paths;
    pub(crate) mod tried_shapes;
}

use coracle_containers::{CgroupError, ContainerRef, Error, Location, locate, parse_cgroup};
use std::fs;

const NAMES: [(&str, &str); 17] = [
    ("C0", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ("U0", "00000000-1111-2222-3333-444444444444"),
    ("C1", "7654321089abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ("U1", "76543210-89ab-cdef-0123-456789abcdef"),
    ("C9", "9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961"),
    ("U2", "2c48913c-b29f-11e7-9350-020968147796"),
    ("Ca", "09bc3d7ade839efec32b6bec4ec79d099027a668ddba043083ec21d3c3b8f1e6"),
    ("Ua", "a2830d0d-b0f0-4ff0-81b5-0ee4e299cf80"),
    ("CD", "deadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef"),
    ("UF", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    ("Cinit", "34a2062fd26c805aa8cf814cdfe479322b791f80afb9ea4db02d50375df14b41"),
    ("Uinit", "d488cae9-b2a0-11e7-9350-020968147796"),
    ("Cdesk", "a55d9ac3b312d8a2627824b6d6dd8af66fbec439bf4e0ec22d6d9945ad337a38"),
    ("Ccrio", "45490e76e0878aaa4d9808f7d2eefba37f093c3efbba9838b6d8ab804d9bd814"),
    ("Cnode", "93529524695bb00d91c1f6dba692ea8d3550c3b94fb2463af7bc9ec82f992d26"),
    ("UH", "2732ca68f6358eba7703fb6f82a25c94"),
    ("X", "6469646e742065787065637420616e796f6e6520746f20726561642074686973"),
];

/// One row of a table.
pub(crate) struct Row {
    name: &'static str,
    /// The content of the cgroup file; `None` if there is no such file.
    cgroup: Option<String>,
    mountinfo: Option<String>,
    upstream: String,
    ours: String,
    differs: Option<&'static str>,
    is_derived: bool,
}

impl Row {
    /// A cgroup file on which both agree.
    pub(crate) fn same(name: &'static str, cgroup: &str, outcome: &str) -> Self {
        Self {
            name,
            cgroup: Some(expand(cgroup)),
            mountinfo: None,
            upstream: expand(outcome),
            ours: expand(outcome),
            differs: None,
            is_derived: false,
        }
    }

    /// A cgroup file on which they do not.
    pub(crate) fn differs(
        name: &'static str,
        cgroup: &str,
        upstream: &str,
        ours: &str,
        why: &'static str,
    ) -> Self {
        Self { ours: expand(ours), differs: Some(why), ..Self::same(name, cgroup, upstream) }
    }

    /// The same row, whose upstream column was not tried.
    pub(crate) fn derived(self) -> Self {
        Self { is_derived: true, ..self }
    }

    /// The same row with a mountinfo file.
    pub(crate) fn with_mountinfo(self, mountinfo: &str) -> Self {
        Self { mountinfo: Some(expand(mountinfo)), ..self }
    }

    /// The same row without a cgroup file.
    pub(crate) fn without_cgroup(self) -> Self {
        Self { cgroup: None, ..self }
    }
}

/// The eleven lines of version 1, all with one path.
pub(crate) fn v1(path: &str) -> String {
    let controllers = "hugetlb perf_event net_cls,net_prio freezer devices pids cpu,cpuacct blkio cpuset \
                       memory name=systemd";
    let lines = controllers.split(' ').enumerate().map(|(at, names)| format!("{}:{names}:{path}\n", 11 - at));
    lines.collect()
}

fn expand(text: &str) -> String {
    NAMES.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
            .replace(&format!("{{{name}_}}"), &value.replace('-', "_"))
            .replace(&format!("{{{name}^}}"), &value.to_uppercase())
    })
}

fn show(result: Result<Option<ContainerRef>, CgroupError>) -> String {
    match result {
        Ok(None) => "none".to_owned(),
        Ok(Some(found)) => format!("{} {}", found.pod_uid.as_deref().unwrap_or("-"), found.container_id),
        Err(CgroupError::Malformed { .. }) => "malformed".to_owned(),
        Err(CgroupError::PodUidConflict { first, second }) => format!("two pods: {first}, {second}"),
        Err(CgroupError::ContainerIdConflict { first, second }) => {
            format!("two containers: {first}, {second}")
        }
        Err(other) => other.to_string(),
    }
}

/// Locates pid 123 in a tree that holds just the files of the row.
fn show_located(row: &Row) -> String {
    let proc_root = tempfile::tempdir().expect("a temporary directory");
    let dir = proc_root.path().join("123");
    fs::create_dir(&dir).expect("a directory");
    for (name, content) in [("cgroup", &row.cgroup), ("mountinfo", &row.mountinfo)] {
        if let Some(content) = content {
            fs::write(dir.join(name), content).expect("a file");
        }
    }
    match locate(proc_root.path(), 123) {
        Ok(Location::Container(found)) => show(Ok(Some(found))),
        Ok(Location::NotInContainer(_)) => show(Ok(None)),
        Err(Error::Cgroup { source, .. }) => show(Err(source)),
        Err(other) => other.to_string(),
    }
}

#[track_caller]
fn assert_table(rows: &[Row]) {
    assert!(!rows.is_empty());
    for row in rows {
        for text in [&row.upstream, &row.ours].into_iter().chain(&row.cgroup).chain(&row.mountinfo) {
            assert!(!text.contains('{'), "{}: an unknown name in {text}", row.name);
        }
        if let Some(cgroup) = &row.cgroup {
            assert_eq!(show(parse_cgroup(cgroup.as_bytes())), row.ours, "{}", row.name);
        }
        assert_eq!(show_located(row), row.ours, "{}, located", row.name);
        let how = if row.is_derived { "derived" } else { "tried" };
        let differs = row.upstream != row.ours;
        assert_eq!(row.differs.is_some(), differs, "{}: is the {how} column right?", row.name);
    }
}

#[test]
fn single_paths_give_what_upstream_finds_or_the_column_says_why_not() {
    assert_table(&vectors::single_paths::rows());
}

#[test]
fn several_paths_and_whole_files_give_what_upstream_finds_or_the_column_says_why_not() {
    assert_table(&vectors::cgroup_files::rows());
}

#[test]
fn mountinfo_is_never_read() {
    assert_table(&vectors::mountinfo_trees::rows());
}

#[test]
fn containers_outside_of_pods_give_what_upstream_finds_or_the_column_says_why_not() {
    assert_table(&vectors::other_runtimes::rows());
}

#[test]
fn shapes_tried_on_upstream_give_what_it_finds_or_the_column_says_why_not() {
    assert_table(&vectors::tried_shapes::rows());
}
