//! Cgroup directories of the demo: made below one top directory, and removed in reverse.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure;

/// How long a cgroup may stay busy after its last process has ended.
const PATIENCE: Duration = Duration::from_secs(2);
const GLANCE: Duration = Duration::from_millis(5);
/// `EBUSY`.
const BUSY: i32 = 16;

/// Directories that were made, in the order in which they were.
pub(super) struct Cgroups {
    top: PathBuf,
    made: Vec<PathBuf>,
}

impl Cgroups {
    /// Makes the top directory in one hierarchy.
    pub(super) fn make(mount: &Path, name: &str) -> Result<Self, String> {
        let top = mount.join(name);
        let mut cgroups = Self { top: top.clone(), made: Vec::new() };
        cgroups.make_one(top)?;
        Ok(cgroups)
    }

    pub(super) fn top(&self) -> &Path {
        &self.top
    }

    /// Makes the directories of `path` and moves the process into the last.
    pub(super) fn place(&mut self, path: &str, pid: u32) -> Result<(), String> {
        let mut directory = self.top.clone();
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            directory.push(segment);
            if !self.made.contains(&directory) {
                self.make_one(directory.clone())?;
            }
        }
        let file = directory.join("cgroup.procs");
        fs::write(&file, pid.to_string()).map_err(|error| format!("cannot write {}: {error}", file.display()))
    }

    fn make_one(&mut self, directory: PathBuf) -> Result<(), String> {
        fs::create_dir(&directory)
            .map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
        self.made.push(directory);
        Ok(())
    }

    /// Removes them, the deepest first; names those that stay. A cgroup stays busy for a moment after its last
    /// process has ended.
    pub(super) fn remove(&mut self) -> Vec<String> {
        let patience_ends = Instant::now() + PATIENCE;
        let mut left = Vec::new();
        while let Some(directory) = self.made.pop() {
            if let Err(error) = remove_one(&directory, patience_ends) {
                left.push(format!("{} ({error})", directory.display()));
            }
        }
        left
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        // After `remove` there is nothing left to do; otherwise an error is on its way, and nobody else would tell.
        for name in self.remove() {
            failure::print(&format!("left behind, to be removed by hand: {name}"));
        }
    }
}

fn remove_one(directory: &Path, patience_ends: Instant) -> io::Result<()> {
    loop {
        match fs::remove_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.raw_os_error() == Some(BUSY) && Instant::now() < patience_ends => {
                thread::sleep(GLANCE);
            }
            done => return done,
        }
    }
}

/// Where hierarchies are mounted that a process can be moved in: version 2 first, then those of version 1 that limit
/// nothing as long as nobody tells them to.
pub(super) fn mounts() -> Vec<PathBuf> {
    let table = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    mounts_of(&table)
}

fn mounts_of(table: &str) -> Vec<PathBuf> {
    let mut ranked: Vec<(u8, PathBuf)> = table.lines().filter_map(ranked_mount).collect();
    ranked.sort();
    ranked.into_iter().map(|(_, mount)| mount).collect()
}

/// A line of fstab(5): source, place, type, options.
fn ranked_mount(line: &str) -> Option<(u8, PathBuf)> {
    let mut fields = line.split(' ').skip(1);
    let (place, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
    let mut options = options.split(',');
    let rank = match kind {
        "cgroup2" => 0,
        "cgroup" if options.clone().any(|option| option == "name=systemd") => 1,
        "cgroup" if options.any(|option| option == "pids") => 2,
        _ => return None,
    };
    // A blank in the place is written as an octal escape; nobody mounts cgroups at such a place.
    (!place.contains('\\')).then(|| (rank, PathBuf::from(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_2_is_preferred_and_a_memory_hierarchy_is_left_alone() {
        let table = "tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0\n\
                     cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n\
                     cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0\n\
                     cgroup /sys/fs/cgroup/systemd cgroup rw,xattr,name=systemd 0 0\n\
                     cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";
        let expected = ["unified", "systemd", "pids"].map(|name| Path::new("/sys/fs/cgroup").join(name));
        assert_eq!(mounts_of(table), expected);
        assert!(mounts_of("").is_empty());
    }

    #[test]
    fn directories_are_removed_in_reverse_and_what_is_in_use_is_named() {
        let mount = tempfile::tempdir().expect("a directory");
        let mut cgroups = Cgroups::make(mount.path(), "demo.slice").expect("made");
        // In an ordinary directory the file of processes is made, and keeps its directory from being removed.
        cgroups.place("/a/b", 1).expect("placed");
        let left = cgroups.remove();
        assert_eq!(left.len(), 3, "{left:?}");
        assert!(left[0].contains("demo.slice/a/b"), "{left:?}");
        let mut cgroups = Cgroups::make(mount.path(), "other.slice").expect("made");
        assert_eq!(cgroups.remove(), Vec::<String>::new());
        assert!(!mount.path().join("other.slice").exists());
    }
}
