//! The demo's node: processes, and cgroups or a proc tree that says where they are.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use coracle_containers::{Location, locate};

use super::cgroups::{self, Cgroups};
use super::process::Process;
use super::scene::Part;
use super::{DemoError, kubelet, role};

/// Processes, one for each part. Dropped, they end, and then their cgroups are removed.
pub(super) struct Node {
    processes: Vec<Process>,
    ground: Ground,
}

/// What tells where the processes are.
enum Ground {
    Cgroups(Cgroups),
    /// A directory in place of /proc, and why there are no cgroups.
    ProcTree {
        root: PathBuf,
        reason: String,
    },
}

impl Node {
    pub(super) fn set_up(parts: &[Part], no_cgroups: bool, directory: &Path) -> Result<Self, DemoError> {
        let processes = parts.iter().map(|_| Process::start(&[OsStr::new(role::PROCESS)]));
        let processes: Vec<Process> = processes
            .collect::<Result<_, _>>()
            .map_err(|source| DemoError::Start { what: "a process of the node", source })?;
        let made = if no_cgroups { Err("--no-cgroups".to_owned()) } else { make_cgroups(parts, &processes) };
        let ground = match made {
            Ok(cgroups) => Ground::Cgroups(cgroups),
            Err(reason) => Ground::ProcTree { root: make_proc_tree(parts, &processes, directory)?, reason },
        };
        Ok(Self { processes, ground })
    }

    /// What stands for /proc.
    pub(super) fn proc_root(&self) -> &Path {
        match &self.ground {
            Ground::Cgroups(_) => Path::new("/proc"),
            Ground::ProcTree { root, .. } => root,
        }
    }

    /// The processes' ids, in the order of the parts.
    pub(super) fn pids(&self) -> impl Iterator<Item = u32> {
        self.processes.iter().map(Process::pid)
    }

    /// Where the processes are, and what could not be done.
    pub(super) fn describe(&self) -> String {
        match &self.ground {
            Ground::Cgroups(cgroups) => format!("in cgroups below {}", cgroups.top().display()),
            Ground::ProcTree { root, reason } => {
                format!(
                    "without cgroups of their own ({reason}): their cgroup files are below {}",
                    root.display()
                )
            }
        }
    }

    /// Ends and removes all; names what stays.
    pub(super) fn clear(mut self) -> Vec<String> {
        let mut left = self.end();
        if let Ground::Cgroups(cgroups) = &mut self.ground {
            left.extend(cgroups.remove());
        }
        left
    }

    fn end(&mut self) -> Vec<String> {
        // All are told before one is waited for.
        self.processes.iter_mut().for_each(Process::dismiss);
        let ended = self.processes.iter_mut().map(|process| (process.pid(), process.end()));
        ended.filter_map(|(pid, end)| Some(format!("process {pid} ({})", end.err()?))).collect()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // The cgroups go with the ground, after this: by then they must be empty.
        self.end();
    }
}

/// Moves the processes into cgroups of the first hierarchy that takes them, or says why none does.
fn make_cgroups(parts: &[Part], processes: &[Process]) -> Result<Cgroups, String> {
    if !matches!(locate(Path::new("/proc"), std::process::id()), Ok(Location::NotInContainer(_))) {
        return Err("this process is in a container itself, and every path would name that too".to_owned());
    }
    let name = format!("coracle-demo-{}.slice", std::process::id());
    let mut reason = None;
    for mount in cgroups::mounts() {
        match make_in(&mount, &name, parts, processes) {
            Ok(cgroups) => return Ok(cgroups),
            // The first is the hierarchy that should have worked.
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    Err(reason.unwrap_or_else(|| "no hierarchy of cgroups is mounted".to_owned()))
}

fn make_in(mount: &Path, name: &str, parts: &[Part], processes: &[Process]) -> Result<Cgroups, String> {
    let mut cgroups = Cgroups::make(mount, name)?;
    for (part, process) in parts.iter().zip(processes) {
        if let Err(reason) =
            cgroups.place(&part.path, process.pid()).and_then(|()| check(process.pid(), name))
        {
            // Those already moved must go before their cgroups can.
            for process in processes {
                let _ = fs::write(mount.join("cgroup.procs"), process.pid().to_string());
            }
            return Err(reason);
        }
    }
    Ok(cgroups)
}

/// Some sandboxes take the write and move nothing.
fn check(pid: u32, name: &str) -> Result<(), String> {
    let file = format!("/proc/{pid}/cgroup");
    let is_there = fs::read_to_string(&file).is_ok_and(|text| text.contains(name));
    if is_there {
        Ok(())
    } else {
        Err(format!("{file} does not show the cgroup that the process was moved to"))
    }
}

/// Writes `PID/cgroup` and `PID/stat` for each process.
fn make_proc_tree(parts: &[Part], processes: &[Process], directory: &Path) -> Result<PathBuf, DemoError> {
    let root = directory.join("proc");
    for (part, process) in parts.iter().zip(processes) {
        let pid = process.pid().to_string();
        let directory = root.join(&pid);
        fs::create_dir_all(&directory)
            .map_err(|source| DemoError::Write { path: directory.clone(), source })?;
        kubelet::write(directory.join("cgroup"), &format!("0::{}\n", part.path))?;
        let stat = Path::new("/proc").join(&pid).join("stat");
        let stat = fs::read_to_string(&stat).map_err(|source| DemoError::Write { path: stat, source })?;
        kubelet::write(directory.join("stat"), &stat)?;
    }
    Ok(root)
}
