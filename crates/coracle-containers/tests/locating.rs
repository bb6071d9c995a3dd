//! From a pid to a location: the process's own files, trees that stand for `/proc`, and what goes wrong.

use coracle_containers::{
    CgroupError, Error, Location, MAX_FILE_BYTES, Outside, locate, parse_cgroup, start_time,
};
use std::error::Error as _;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PROC: &str = "/proc";
/// Larger than the largest pid a kernel gives.
const NO_PID: u32 = 4_194_305;
const IN_POD: &str = "0::/kubepods/pod2c48913c-b29f-11e7-9350-020968147796/\
                      9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961\n";
const KERNEL_THREAD: &str = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 17 0 0 1\n";
const PROCESS: &str = "7 (a) b) S 1 7 7 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 17 0 0 1\n";

/// A tree with process 7, which has these files.
fn proc_with(files: &[(&str, &[u8])]) -> TempDir {
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path().join("7");
    fs::create_dir(&dir).expect("a directory");
    for (name, content) in files {
        fs::write(dir.join(name), content).expect("a file");
    }
    root
}

fn located(files: &[(&str, &[u8])]) -> Result<Location, Error> {
    locate(proc_with(files).path(), 7)
}

#[test]
fn the_own_process_is_where_its_cgroup_file_says() {
    let file = fs::read("/proc/self/cgroup").expect("a cgroup file");
    let expected = parse_cgroup(&file).expect("the kernel's own file");
    let location = locate(Path::new(PROC), std::process::id()).expect("our own process");
    assert_eq!(location.container(), expected.as_ref());
}

#[test]
fn the_own_process_has_a_start_time_that_stays() {
    let first = start_time(Path::new(PROC), std::process::id()).expect("our own process");
    let second = start_time(Path::new(PROC), std::process::id()).expect("our own process");
    assert!(first.is_some());
    assert_eq!(first, second);
}

#[test]
fn a_process_that_does_not_exist_is_gone() {
    let error = locate(Path::new(PROC), NO_PID).expect_err("no such process");
    assert!(matches!(error, Error::ProcessGone { pid: NO_PID, .. }), "{error}");
    assert!(error.to_string().starts_with("process 4194305 is gone: /proc/4194305 does not exist;"));
}

#[test]
fn a_process_that_has_ended_and_been_waited_for_is_gone() {
    let mut child = std::process::Command::new("true").spawn().expect("a child");
    let pid = child.id();
    child.wait().expect("its end");
    let error = locate(Path::new(PROC), pid).expect_err("no such process");
    assert!(matches!(error, Error::ProcessGone { .. }), "{error}");
}

#[test]
fn a_kernel_thread_is_told_from_a_process() {
    let files: [(&str, &[u8]); 2] = [("cgroup", b"0::/\n"), ("stat", KERNEL_THREAD.as_bytes())];
    let location = located(&files).expect("located");
    assert_eq!(location, Location::NotInContainer(Outside::KernelThread));
}

#[test]
fn the_kernels_first_thread_is_a_kernel_thread() {
    let stat = fs::read_to_string("/proc/2/stat").unwrap_or_default();
    if !stat.starts_with("2 (kthreadd) ") {
        return; // In a PID namespace of its own the kernel's threads are not seen.
    }
    let location = locate(Path::new(PROC), 2).expect("located");
    assert_eq!(location, Location::NotInContainer(Outside::KernelThread));
}

#[test]
fn a_kernel_thread_in_the_cgroup_of_a_container_is_the_containers() {
    let files: [(&str, &[u8]); 2] = [("cgroup", IN_POD.as_bytes()), ("stat", KERNEL_THREAD.as_bytes())];
    assert!(located(&files).expect("located").container().is_some());
}

#[test]
fn a_process_of_the_host_is_not_in_a_container() {
    let files: [(&str, &[u8]); 2] = [("cgroup", b"0::/user.slice\n"), ("stat", PROCESS.as_bytes())];
    let location = located(&files).expect("located");
    assert_eq!(location, Location::NotInContainer(Outside::Process));
}

#[test]
fn a_process_in_a_users_session_is_told_as_such() {
    let path = b"0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope\n";
    let location = located(&[("cgroup", path)]).expect("located");
    assert_eq!(location, Location::NotInContainer(Outside::UserSession));
}

#[test]
fn a_kernel_without_control_groups_has_no_containers() {
    let location = located(&[("stat", PROCESS.as_bytes())]).expect("located");
    assert_eq!(location, Location::NotInContainer(Outside::NoCgroups));
}

#[test]
fn a_process_missing_from_a_tree_of_processes_is_gone() {
    let root = proc_with(&[("cgroup", IN_POD.as_bytes())]);
    let error = locate(root.path(), 8).expect_err("no such process");
    assert!(matches!(error, Error::ProcessGone { pid: 8, .. }), "{error}");
}

#[test]
fn a_proc_root_that_is_missing_or_a_file_or_holds_no_processes_is_named() {
    let root = tempfile::tempdir().expect("a temporary directory");
    fs::create_dir(root.path().join("sys")).expect("a directory");
    fs::write(root.path().join("file"), "").expect("a file");
    for place in ["", "sys", "file", "missing"] {
        let proc_root = root.path().join(place);
        let error = locate(&proc_root, 7).expect_err("not a proc file system");
        let Error::NoProc { pid: 7, proc_root: named } = error else { panic!("{place}: {error}") };
        assert_eq!(named, proc_root);
    }
}

#[test]
fn pid_zero_says_that_the_pid_namespace_is_another() {
    for error in [
        locate(Path::new(PROC), 0).expect_err("no process"),
        start_time(Path::new(PROC), 0).expect_err("no process"),
    ] {
        assert!(matches!(error, Error::PidZero));
        assert!(error.to_string().contains("hostPID"));
    }
}

#[test]
fn a_file_larger_than_the_kernel_writes_is_refused() {
    let limit = usize::try_from(MAX_FILE_BYTES).expect("a size");
    let mut content = format!("0::/{}\n", "x".repeat(limit - 5)).into_bytes();
    assert_eq!(content.len(), limit);
    let location = located(&[("cgroup", &content)]).expect("located");
    assert_eq!(location, Location::NotInContainer(Outside::Process));

    content.insert(4, b'x');
    let error = located(&[("cgroup", &content)]).expect_err("too large");
    assert!(matches!(error, Error::TooLarge { limit_bytes: MAX_FILE_BYTES, .. }), "{error}");
}

#[test]
fn a_stat_file_that_is_not_one_is_an_error() {
    for content in [b"".as_slice(), b"7 (a", b"\xff\xff", b"7 (a) S 1 2"] {
        let error = located(&[("cgroup", IN_POD.as_bytes()), ("stat", content)]).expect_err("malformed");
        assert!(matches!(error, Error::MalformedStat { pid: 7, .. }), "{error}");
    }
}

#[test]
fn a_file_that_cannot_be_read_keeps_its_cause() {
    let root = proc_with(&[]);
    fs::create_dir(root.path().join("7/cgroup")).expect("a directory");
    let error = locate(root.path(), 7).expect_err("a directory");
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert!(error.source().is_some());
}

#[test]
fn a_fault_in_the_cgroup_file_names_the_process_the_place_and_the_line() {
    let root = proc_with(&[("cgroup", b"0::/\n11:huge\x1btlb\n")]);
    let error = locate(root.path(), 7).expect_err("malformed");
    let path = root.path().join("7/cgroup");
    let expected = format!("cannot tell the container of process 7 from {}", path.display());
    assert_eq!(error.to_string(), expected);
    let Error::Cgroup { source, .. } = error else { panic!("another error") };
    let expected = CgroupError::Malformed { line_number: 2, fields: 2, line: r"11:huge\x1btlb".to_owned() };
    assert_eq!(source, expected);
    assert_eq!(
        source.to_string(),
        "line 2 of the cgroup file has 2 fields where `hierarchy:controllers:path` was expected: \
         \"11:huge\\x1btlb\"; check that the proc root is the kernel's own /proc"
    );
}

#[test]
fn a_conflict_names_both_sides() {
    let other = IN_POD.replace("pod2c48913c", "podffffffff");
    let error = parse_cgroup(format!("{IN_POD}{other}").as_bytes()).expect_err("a conflict");
    let text = error.to_string();
    assert!(text.contains("2c48913c-b29f-11e7-9350-020968147796"), "{text}");
    assert!(text.contains("ffffffff-b29f-11e7-9350-020968147796"), "{text}");
}
