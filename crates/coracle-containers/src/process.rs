//! What `/proc/<pid>/stat` says about a process: when it started, and whether it is a kernel thread.

use std::fmt;

/// `PF_KTHREAD` of the kernel's `include/linux/sched.h`, as it appears in the flags field.
const KERNEL_THREAD: u64 = 0x0020_0000;

// Positions after the command, which is field 2 of proc_pid_stat(5).
const FLAGS: usize = 9 - 3;
const START_TIME: usize = 22 - 3;

/// When a process started, in clock ticks after boot (usually of 10 ms).
///
/// A pid and a start time together name one process: a pid is not used again before all others were, which
/// takes longer than a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StartTime(u64);

impl StartTime {
    /// The number as the kernel writes it.
    #[must_use]
    pub fn ticks(self) -> u64 {
        self.0
    }
}

impl fmt::Display for StartTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ticks after boot", self.0)
    }
}

/// The fields of a `stat` file that are of use here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) start_time: StartTime,
    pub(crate) is_kernel_thread: bool,
}

/// Reads a `stat` file; `None` if it is not one.
///
/// A process chooses its command, which may hold spaces, parentheses and newlines. What comes after it are
/// numbers and one letter, so the last `)` of the file is the one that ends the command.
pub(crate) fn parse_stat(file: &[u8]) -> Option<Stat> {
    let command_end = file.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(&file[command_end + 1..]).ok()?.split_ascii_whitespace();
    let flags: u64 = fields.nth(FLAGS)?.parse().ok()?;
    let start_time = fields.nth(START_TIME - FLAGS - 1)?.parse().ok()?;
    Some(Stat { start_time: StartTime(start_time), is_kernel_thread: flags & KERNEL_THREAD != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str =
        "S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 389951 3133440 395 1844674407370955161\n";

    fn stat(command: &[u8], rest: &str) -> Vec<u8> {
        [b"7 (".as_slice(), command, b") ", rest.as_bytes()].concat()
    }

    #[test]
    fn a_command_cannot_hide_the_start_time() {
        let commands: [&[u8]; 7] = [b"cat", b"a b", b") S 1 1", b"((", b"x)\ny", b"\xff\xfe", b""];
        for command in commands {
            let read = parse_stat(&stat(command, REST)).expect("a stat file");
            assert_eq!((read.start_time.ticks(), read.is_kernel_thread), (389_951, false));
        }
    }

    #[test]
    fn the_flags_tell_a_kernel_thread() {
        let read = parse_stat(&stat(b"kthreadd", &REST.replace("4194304", "2129984"))).expect("a stat file");
        assert!(read.is_kernel_thread);
    }

    #[test]
    fn what_is_not_a_stat_file_is_refused() {
        let files: [&[u8]; 6] = [b"", b"7 cat S 1", b"7 (cat)", b"7 (cat) S 1 2 3", b"7 (cat) \xff", b")"];
        for file in files {
            assert_eq!(parse_stat(file), None);
        }
        assert_eq!(parse_stat(&stat(b"cat", &REST.replace("389951", "-1"))), None);
        assert_eq!(parse_stat(&stat(b"cat", &REST.replace("389951", "99999999999999999999999"))), None);
    }
}
