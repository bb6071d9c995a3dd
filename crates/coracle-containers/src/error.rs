//! Why a process could not be located.

use crate::cgroup::CgroupError;
use crate::process::StartTime;
use std::io;
use std::path::PathBuf;

/// Why a process could not be located. No variant means "not in a container"; that is an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Pid 0 was asked for. The kernel gives it for the peer of a socket that lives in another PID namespace.
    #[error(
        "cannot locate pid 0: it stands for a process outside of this PID namespace; run in the PID \
         namespace of the host (`hostPID: true`)"
    )]
    PidZero,
    /// The proc root is not there, or holds no processes.
    #[error(
        "cannot look up process {pid}: no proc file system at {}; mount the host's /proc there, or name \
         the place where it is mounted", proc_root.display()
    )]
    NoProc {
        /// The process asked for.
        pid: u32,
        /// Where `/proc` was looked for.
        proc_root: PathBuf,
    },
    /// There is no such process, or no longer.
    #[error(
        "process {pid} is gone: {} does not exist; if it still runs, /proc is mounted with `hidepid` or \
         belongs to another PID namespace: use the host's, as root", path.display()
    )]
    ProcessGone {
        /// The process asked for.
        pid: u32,
        /// What was read.
        path: PathBuf,
    },
    /// The process is not ours to read.
    #[error("may not read {} of process {pid}; run as root, or mount /proc without `hidepid`", path.display())]
    PermissionDenied {
        /// The process asked for.
        pid: u32,
        /// What was read.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// Reading failed for another reason. `ENAMETOOLONG` means that the process sits in cgroups nested so
    /// deep that the kernel does not write their path.
    #[error("cannot read {} of process {pid}; check the mount of the proc file system", path.display())]
    Io {
        /// The process asked for.
        pid: u32,
        /// What was read.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// A file is larger than a kernel makes it, see [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES).
    #[error(
        "{} of process {pid} is larger than {limit_bytes} bytes, more than a kernel writes; check that \
         the proc root is the kernel's own /proc", path.display()
    )]
    TooLarge {
        /// The process asked for.
        pid: u32,
        /// What was read.
        path: PathBuf,
        /// The limit.
        limit_bytes: u64,
    },
    /// The `stat` file has no start time.
    #[error(
        "{} of process {pid} has no start time in field 22; check that the proc root is the kernel's own \
         /proc", path.display()
    )]
    MalformedStat {
        /// The process asked for.
        pid: u32,
        /// What was read.
        path: PathBuf,
    },
    /// While its cgroup was read, the process ended and another one got its pid.
    #[error(
        "pid {pid} changed hands while its cgroup was read (started {} before, {} after); the process that \
         was asked for is gone", or_unknown(*before), or_unknown(*after)
    )]
    PidReused {
        /// The process asked for.
        pid: u32,
        /// The start time before; `None` if there was no `stat` file.
        before: Option<StartTime>,
        /// The start time after; `None` if there was no `stat` file.
        after: Option<StartTime>,
    },
    /// The cgroup file was read, but it does not name one container.
    #[error("cannot tell the container of process {pid} from {}", path.display())]
    Cgroup {
        /// The process asked for.
        pid: u32,
        /// What was read.
        path: PathBuf,
        /// The fault.
        source: CgroupError,
    },
}

fn or_unknown(start_time: Option<StartTime>) -> String {
    start_time.map_or_else(|| "at an unknown time".to_owned(), |time| time.to_string())
}
