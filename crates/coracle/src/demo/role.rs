//! The parts that this binary plays in its own demo.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::{DemoError, kubelet};
use crate::failure::Failure;

/// Not an option and not a subcommand: a person never types it.
pub(super) const PROCESS: &str = "__demo-process";
pub(super) const KUBELET: &str = "__demo-kubelet";

/// What this process is, if it is a part of a demo.
pub(crate) enum Role {
    /// A workload: it waits.
    Process,
    /// The kubelet.
    Kubelet { pods: u32, seed: u64, directory: PathBuf },
}

impl Role {
    /// From the arguments; `None` for a command line that a person wrote.
    pub(crate) fn of_this_process() -> Option<Self> {
        let mut arguments = std::env::args_os().skip(1);
        let name = arguments.next()?;
        if name == PROCESS {
            return Some(Self::Process);
        }
        if name != KUBELET {
            return None;
        }
        let mut number = || arguments.next()?.into_string().ok();
        let (pods, seed) = (number()?.parse().ok()?, number()?.parse().ok()?);
        Some(Self::Kubelet { pods, seed, directory: arguments.next()?.into() })
    }

    /// Plays it until standard input ends: the demo holds the other end, so that even killed it leaves nobody behind.
    pub(crate) fn play(self) -> Result<ExitCode, Failure> {
        let _kubelet = match self {
            Self::Process => None,
            Self::Kubelet { pods, seed, directory } => {
                let kubelet = kubelet::serve(pods, seed, &directory)?;
                let mut out = io::stdout();
                writeln!(out, "{}", kubelet.url()).and_then(|()| out.flush()).map_err(Failure::Output)?;
                Some(kubelet)
            }
        };
        let waited = wait_for_end(&mut io::stdin());
        waited.map_err(|source| DemoError::Start { what: "a process that waits", source })?;
        Ok(ExitCode::SUCCESS)
    }
}

fn wait_for_end(input: &mut impl Read) -> io::Result<()> {
    let mut byte = [0];
    loop {
        match input.read(&mut byte) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
