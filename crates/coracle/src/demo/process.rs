//! Processes that end when they are told to, or when their parent is gone.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a process may take to notice that it shall end.
const PATIENCE: Duration = Duration::from_secs(2);
const GLANCE: Duration = Duration::from_millis(2);

/// A child that waits for the end of its standard input.
pub(super) struct Process {
    child: Child,
}

impl Process {
    /// Starts this binary again. In a process group of its own: a Ctrl-C at the terminal is for the demo, which then
    /// ends its children in order.
    pub(super) fn start(arguments: &[&OsStr]) -> io::Result<Self> {
        let child = Command::new(std::env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .process_group(0)
            .spawn()?;
        Ok(Self { child })
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its standard output; once.
    pub(super) fn output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Asks it to end, without waiting for it.
    pub(super) fn dismiss(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Waits for its end, and enforces it after a while.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.dismiss();
        let patience_ends = Instant::now() + PATIENCE;
        while self.child.try_wait()?.is_none() {
            if Instant::now() >= patience_ends {
                self.child.kill()?;
                return self.child.wait().map(drop);
            }
            thread::sleep(GLANCE);
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Whoever wants to hear of a failure has called `end`.
        let _ = self.end();
    }
}
