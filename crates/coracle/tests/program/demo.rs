//! `coracle demo`: it shows every process, and leaves nothing behind.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{command, coracle, exists, skip};

const PLACES: [&str; 12] = [
    "containerd, systemd",
    "containerd, cgroupfs",
    "guaranteed, cgroupfs",
    "CRI-O, sub-cgroup",
    "docker, systemd",
    "static pod, systemd",
    "ephemeral container",
    "sidecar",
    "init container",
    "no pod in its path",
    "tried to pass for ",
    "host process",
];

#[track_caller]
fn is_complete(stdout: &str) {
    let rows: Vec<&str> = stdout.lines().skip_while(|line| !line.starts_with("PID ")).collect();
    assert!(rows[0].ends_with("SELECTORS"), "{stdout}");
    let (rows, closing) = rows[1..].split_at(PLACES.len());
    for (row, place) in rows.iter().zip(PLACES) {
        assert!(row.contains(place), "{row}");
        let told = if place == "host process" { "not a pod: a process of the host" } else { " sa:" };
        assert!(row.contains(told), "{row}");
    }
    assert_eq!(closing.len(), 2, "{closing:?}");
    for part in ["read ", " in 11 lists · kept ", " · peak heap ", " · peak RSS ", " s"] {
        assert!(closing[1].contains(part), "{}", closing[1]);
    }
}

/// What a running or finished demo has made: its cgroups, its children, its directory.
struct Traces {
    cgroup: Option<PathBuf>,
    children: Vec<u32>,
    directory: Option<PathBuf>,
}

impl Traces {
    /// From the line that tells where the processes are.
    fn of(node_line: &str, children: Vec<u32>) -> Self {
        let below = |marker| node_line.split_once(marker).map(|(_, path)| PathBuf::from(path.trim_end()));
        let directory = below("files are below ").and_then(|path: PathBuf| path.parent().map(Path::to_owned));
        Self { cgroup: below("in cgroups below "), children, directory }
    }

    #[track_caller]
    fn are_gone(&self) {
        for path in self.cgroup.iter().chain(&self.directory) {
            assert!(!exists(path), "{} is left", path.display());
        }
        for child in &self.children {
            assert!(!exists(Path::new(&format!("/proc/{child}"))), "process {child} is left");
        }
    }
}

fn children_of(pid: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().map(|pid| pid.parse().expect("a pid")).collect()
}

#[test]
fn the_demo_in_cgroups_shows_every_process_and_leaves_nothing() {
    let run = coracle(&["demo"]);
    let stdout = run.output();
    is_complete(stdout);
    let node = stdout.lines().next().expect("a line");
    if !node.contains("in cgroups below") {
        skip(&format!("no cgroups here: {node}"));
    }
    Traces::of(node, Vec::new()).are_gone();
}

#[test]
fn the_demo_without_cgroups_says_so_and_shows_every_process() {
    let run = coracle(&["demo", "--no-cgroups", "--pods", "60", "--seed", "9"]);
    is_complete(run.output());
    let node = run.stdout.lines().next().expect("a line");
    assert!(node.contains("without cgroups of their own (--no-cgroups)"), "{node}");
    assert!(run.stdout.contains(" 60 pods "), "{}", run.stdout);
    Traces::of(node, Vec::new()).are_gone();
}

/// A demo whose lists are so long that it is still at work when it is interrupted.
fn long_demo(arguments: &[&str]) -> (Child, Traces) {
    let mut child = command()
        .args(["demo", "--pods", "10000"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut node = String::new();
    BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut node).expect("it tells where");
    let children = children_of(child.id());
    assert!(children.is_empty() || children.len() == 13, "12 processes and a kubelet: {children:?}");
    let traces = Traces::of(&node, children);
    (child, traces)
}

fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a pid");
    kill_process(pid, signal).expect("ours to end");
}

#[test]
fn an_interrupted_demo_leaves_no_cgroup_and_no_process() {
    let cases = [(Signal::INT, 130, "SIGINT"), (Signal::TERM, 143, "SIGTERM"), (Signal::HUP, 129, "SIGHUP")];
    for arguments in [&[] as &[&str], &["--no-cgroups"]] {
        for (number, code, name) in cases {
            let (child, traces) = long_demo(arguments);
            assert!(traces.cgroup.iter().chain(&traces.directory).all(|path| exists(path)), "made by now");
            signal(&child, number);
            let output = child.wait_with_output().expect("it ends");
            let stderr = String::from_utf8(output.stderr).expect("UTF-8");
            assert_eq!(output.status.code(), Some(code), "{stderr}");
            assert!(stderr.contains(name) && stderr.lines().count() == 1, "{stderr}");
            traces.are_gone();
        }
    }
}

#[test]
fn a_killed_demo_leaves_no_process() {
    let (mut child, traces) = long_demo(&["--no-cgroups"]);
    child.kill().expect("killed");
    child.wait().expect("it ends");
    let deadline = Instant::now() + Duration::from_secs(10);
    let is_gone = |pid: &u32| {
        // Whoever adopts it may not have asked for its end yet.
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    while !traces.children.iter().all(is_gone) {
        assert!(Instant::now() < deadline, "children outlive the demo");
        std::thread::sleep(Duration::from_millis(10));
    }
    // Nobody was left to remove the directory; that is what a killed program cannot do.
    fs::remove_dir_all(traces.directory.expect("a directory")).expect("removed");
}

#[test]
fn a_reader_that_has_gone_does_not_keep_the_demo_from_clearing_up() {
    let (mut child, traces) = long_demo(&[]);
    drop(child.stdout.take());
    signal(&child, Signal::TERM);
    child.wait().expect("it ends");
    traces.are_gone();
}
