//! From a pid to a container.

use crate::cgroup;
use crate::container::{Location, Outside};
use crate::error::Error;
use crate::process::{StartTime, Stat, parse_stat};
use crate::procfs::{ProcFile, ProcessDir};
use std::path::Path;

/// The largest file that is read below the proc root, in bytes.
///
/// The kernel writes one line for each cgroup hierarchy, with a path shorter than a page (4096 bytes). The
/// files of real nodes are a few kilobytes; the limit has room for 15 paths of the greatest length.
pub const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Tells in which container the process `pid` is.
///
/// `proc_root` stands for `/proc`; in a container that sees the host's processes elsewhere it is that place.
/// Only `cgroup` and `stat` of the process are read, the latter before and after: if the start time changed,
/// the pid was given to another process meanwhile, and the answer would be about the wrong one
/// ([`Error::PidReused`]). In a tree without `stat` files, as tests build them, that check is skipped.
///
/// This guards the time of this call only. Who got the pid from elsewhere, such as the peer of a socket,
/// compares [`start_time`] over the whole time in which the pid is used.
///
/// Three small files are read; at most [`MAX_FILE_BYTES`] are held at a time.
pub fn locate(proc_root: &Path, pid: u32) -> Result<Location, Error> {
    let dir = ProcessDir { proc_root, pid };
    locate_with(dir, |file| dir.read(file, MAX_FILE_BYTES))
}

/// When the process started; `None` in a tree without `stat` files.
pub fn start_time(proc_root: &Path, pid: u32) -> Result<Option<StartTime>, Error> {
    let dir = ProcessDir { proc_root, pid };
    refuse_pid_zero(pid)?;
    Ok(read_stat(dir, &mut |file| dir.read(file, MAX_FILE_BYTES))?.map(|stat| stat.start_time))
}

/// The reads go through `read`, so that a test can change a process between two of them.
fn locate_with(
    dir: ProcessDir<'_>,
    mut read: impl FnMut(ProcFile) -> Result<Option<Vec<u8>>, Error>,
) -> Result<Location, Error> {
    refuse_pid_zero(dir.pid)?;
    let before = read_stat(dir, &mut read)?;
    let cgroup = read(ProcFile::Cgroup)?;
    let after = read_stat(dir, &mut read)?;
    check_same_process(dir.pid, before, after)?;

    let Some(cgroup) = cgroup else { return Ok(Location::NotInContainer(Outside::NoCgroups)) };
    let reading = cgroup::read(&cgroup).map_err(|source| Error::Cgroup {
        pid: dir.pid,
        path: dir.path(ProcFile::Cgroup),
        source,
    })?;
    Ok(match reading.container {
        Some(container) => Location::Container(container),
        None => Location::NotInContainer(outside(before, reading.in_user_session)),
    })
}

fn outside(stat: Option<Stat>, in_user_session: bool) -> Outside {
    if stat.is_some_and(|stat| stat.is_kernel_thread) {
        Outside::KernelThread
    } else if in_user_session {
        Outside::UserSession
    } else {
        Outside::Process
    }
}

fn refuse_pid_zero(pid: u32) -> Result<(), Error> {
    if pid == 0 { Err(Error::PidZero) } else { Ok(()) }
}

fn read_stat(
    dir: ProcessDir<'_>,
    read: &mut impl FnMut(ProcFile) -> Result<Option<Vec<u8>>, Error>,
) -> Result<Option<Stat>, Error> {
    let Some(content) = read(ProcFile::Stat)? else { return Ok(None) };
    match parse_stat(&content) {
        Some(stat) => Ok(Some(stat)),
        None => Err(Error::MalformedStat { pid: dir.pid, path: dir.path(ProcFile::Stat) }),
    }
}

/// A `stat` that appears or vanishes is a change too: the process was on its way out when it was missing.
fn check_same_process(pid: u32, before: Option<Stat>, after: Option<Stat>) -> Result<(), Error> {
    let before = before.map(|stat| stat.start_time);
    let after = after.map(|stat| stat.start_time);
    if before == after { Ok(()) } else { Err(Error::PidReused { pid, before, after }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CGROUP: &str = "0::/kubepods/pod2c48913c-b29f-11e7-9350-020968147796/\
                          9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961\n";

    fn stat(start_time: u64) -> Vec<u8> {
        format!("7 (a) S 1 7 7 0 -1 0 1 0 0 0 0 0 0 0 20 0 1 0 {start_time} 1 1\n").into_bytes()
    }

    /// Locates a process whose three reads give `before`, `cgroup` and `after`.
    fn locate_among(
        before: Option<Vec<u8>>,
        cgroup: &str,
        after: Option<Vec<u8>>,
    ) -> Result<Location, Error> {
        let mut reads = [
            (ProcFile::Stat, before),
            (ProcFile::Cgroup, Some(cgroup.as_bytes().to_vec())),
            (ProcFile::Stat, after),
        ]
        .into_iter();
        locate_with(ProcessDir { proc_root: Path::new("/proc"), pid: 7 }, |file| {
            let (expected, content) = reads.next().expect("three reads");
            assert_eq!(file, expected);
            Ok(content)
        })
    }

    #[test]
    fn a_process_that_stays_the_same_is_located() {
        let location = locate_among(Some(stat(5)), CGROUP, Some(stat(5))).expect("located");
        assert!(location.container().is_some());
    }

    #[test]
    fn a_pid_that_changes_hands_while_it_is_read_is_an_error() {
        let error = locate_among(Some(stat(5)), CGROUP, Some(stat(6))).expect_err("reused");
        assert_eq!(
            error.to_string(),
            "pid 7 changed hands while its cgroup was read (started 5 ticks after boot before, 6 ticks after \
             boot after); the process that was asked for is gone"
        );
    }

    #[test]
    fn a_change_of_process_is_told_before_a_fault_of_its_cgroup_file() {
        let error = locate_among(Some(stat(5)), "nonsense", Some(stat(6))).expect_err("reused");
        assert!(matches!(error, Error::PidReused { .. }));
    }

    #[test]
    fn a_stat_file_that_appears_or_vanishes_is_a_change() {
        for (before, after) in [(None, Some(stat(5))), (Some(stat(5)), None)] {
            let error = locate_among(before, CGROUP, after).expect_err("reused");
            assert!(matches!(error, Error::PidReused { pid: 7, .. }));
        }
    }

    #[test]
    fn a_tree_without_stat_files_skips_the_check() {
        let location = locate_among(None, CGROUP, None).expect("located");
        assert!(location.container().is_some());
    }
}
