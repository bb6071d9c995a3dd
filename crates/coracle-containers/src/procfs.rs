//! Reads the few files of a process below a proc root, and tells what a failure means.

use crate::error::Error;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// `ESRCH`: an open file of a process that has ended since.
const NO_SUCH_PROCESS: i32 = 3;
/// Holds the `stat` file, and nearly every cgroup file, in one read.
const FIRST_READ_BYTES: usize = 4096;

/// The files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcFile {
    Cgroup,
    Stat,
}

impl ProcFile {
    fn name(self) -> &'static str {
        match self {
            Self::Cgroup => "cgroup",
            Self::Stat => "stat",
        }
    }
}

/// The directory of one process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessDir<'a> {
    pub(crate) proc_root: &'a Path,
    pub(crate) pid: u32,
}

impl ProcessDir<'_> {
    pub(crate) fn path(self, file: ProcFile) -> PathBuf {
        self.dir().join(file.name())
    }

    /// The content; `None` if the process is there but the file is not.
    pub(crate) fn read(self, file: ProcFile, limit_bytes: u64) -> Result<Option<Vec<u8>>, Error> {
        let path = self.path(file);
        let content = match read_up_to(&path, limit_bytes) {
            Ok(content) => content,
            Err(error) if is_missing(&error) => return self.explain_missing_file().map(|()| None),
            Err(error) => return Err(self.explain(path, error)),
        };
        if content.len() as u64 > limit_bytes {
            return Err(Error::TooLarge { pid: self.pid, path, limit_bytes });
        }
        Ok(Some(content))
    }

    fn dir(self) -> PathBuf {
        self.proc_root.join(self.pid.to_string())
    }

    /// Ok if the process is there, so that only the file is missing.
    fn explain_missing_file(self) -> Result<(), Error> {
        let dir = self.dir();
        match fs::metadata(&dir) {
            Ok(_) => Ok(()),
            Err(error) if is_missing(&error) && !holds_processes(self.proc_root) => {
                Err(Error::NoProc { pid: self.pid, proc_root: self.proc_root.to_owned() })
            }
            Err(error) => Err(self.explain(dir, error)),
        }
    }

    fn explain(self, path: PathBuf, source: io::Error) -> Error {
        let pid = self.pid;
        if is_missing(&source) || source.raw_os_error() == Some(NO_SUCH_PROCESS) {
            return Error::ProcessGone { pid, path };
        }
        match source.kind() {
            io::ErrorKind::PermissionDenied => Error::PermissionDenied { pid, path, source },
            _ => Error::Io { pid, path, source },
        }
    }
}

/// One byte more than the limit is read, so that the breach shows.
fn read_up_to(path: &Path, limit_bytes: u64) -> io::Result<Vec<u8>> {
    // In a tree that is no real /proc: opening a pipe would wait for whoever writes to it, for ever.
    if fs::metadata(path)?.file_type().is_fifo() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe, not a file"));
    }
    let mut content = Vec::with_capacity(FIRST_READ_BYTES);
    File::open(path)?.take(limit_bytes + 1).read_to_end(&mut content)?;
    Ok(content)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A proc file system always shows at least the process that reads it. A directory that may not be listed
/// gets the benefit of the doubt.
fn holds_processes(proc_root: &Path) -> bool {
    match fs::read_dir(proc_root) {
        Ok(mut entries) => entries.any(|entry| entry.is_ok_and(|entry| is_number(&entry.file_name()))),
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    }
}

fn is_number(name: &std::ffi::OsStr) -> bool {
    let name = name.as_encoded_bytes();
    !name.is_empty() && name.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPERM: i32 = 1;
    const ENAMETOOLONG: i32 = 36;

    fn explained(errno: i32) -> Error {
        let dir = ProcessDir { proc_root: Path::new("/proc"), pid: 7 };
        dir.explain(dir.path(ProcFile::Cgroup), io::Error::from_raw_os_error(errno))
    }

    #[test]
    fn a_process_that_ends_between_open_and_read_is_gone() {
        assert!(matches!(explained(NO_SUCH_PROCESS), Error::ProcessGone { pid: 7, .. }));
    }

    #[test]
    fn a_process_hidden_by_the_mount_option_is_not_ours_to_read() {
        let error = explained(EPERM);
        assert!(matches!(error, Error::PermissionDenied { .. }));
        assert_eq!(
            error.to_string(),
            "may not read /proc/7/cgroup of process 7; run as root, or mount /proc without `hidepid`"
        );
    }

    #[test]
    fn any_other_failure_keeps_its_cause() {
        let Error::Io { source, .. } = explained(ENAMETOOLONG) else { panic!("not an I/O error") };
        assert_eq!(source.raw_os_error(), Some(ENAMETOOLONG));
    }
}
