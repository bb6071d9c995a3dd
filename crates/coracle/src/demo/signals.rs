//! Signals that end the demo.

use std::io;

use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// A signal that has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signal {
    pub(super) name: &'static str,
    number: u8,
}

impl Signal {
    /// As a shell reports a process that a signal ended.
    pub(super) fn exit_code(self) -> u8 {
        128 + self.number
    }
}

/// Waits for those that ask a program to end.
pub(super) struct Signals {
    hangup: Stream,
    interrupt: Stream,
    quit: Stream,
    terminate: Stream,
}

impl Signals {
    /// From now on they no longer end the process by themselves.
    pub(super) fn watch() -> io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.hangup.recv() => Signal { name: "SIGHUP", number: 1 },
            _ = self.interrupt.recv() => Signal { name: "SIGINT", number: 2 },
            _ = self.quit.recv() => Signal { name: "SIGQUIT", number: 3 },
            _ = self.terminate.recv() => Signal { name: "SIGTERM", number: 15 },
        }
    }
}
