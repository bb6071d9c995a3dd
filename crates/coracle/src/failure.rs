//! How a run fails: one line on standard error, and an exit code.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use coracle_attest::{AttestError, SourceError, Status, UrlError};
use coracle_containers::Outside;

use crate::demo::DemoError;
use crate::escape;

/// The exit code for what cannot be read or trusted.
pub(crate) const FAILED: u8 = 1;
/// The exit code for a command line that cannot be used.
pub(crate) const USAGE: u8 = 2;
/// The exit code for a process or a container that is not there, or not in a pod.
pub(crate) const NOT_FOUND: u8 = 3;

/// Why a subcommand did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Attest(#[from] AttestError),
    #[error("process {pid} is not in a pod: {why}")]
    NotInPod { pid: u32, why: Outside },
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Url(#[from] UrlError),
    #[error(
        "{option} does nothing here: the pod list comes from {place}, not from a kubelet; leave it away, or give \
         --pods a URL"
    )]
    NoKubelet { option: &'static str, place: String },
    #[error("there is no manual page {page:?}; name one of {}", crate::teaching::SUBCOMMANDS.join(", "))]
    NoSuchPage { page: String },
    #[error("cannot write {}; check that the directory exists and may be written to", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
    #[error("cannot start: the system gives no event queue")]
    Runtime(#[source] io::Error),
    #[error(transparent)]
    Demo(#[from] DemoError),
}

impl Failure {
    /// Tells it, and returns the code to end with.
    pub(crate) fn report(&self) -> ExitCode {
        if self.is_closed_pipe() {
            // Whoever read has seen enough: `coracle pods | head` is no failure.
            return ExitCode::SUCCESS;
        }
        print(&chain(self));
        ExitCode::from(self.exit_code())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::NotInPod { .. } => NOT_FOUND,
            Self::Attest(error) => match error.status() {
                Status::NotFound | Status::DeadlineExceeded => NOT_FOUND,
                _ => FAILED,
            },
            Self::Url(_) | Self::NoKubelet { .. } | Self::NoSuchPage { .. } => USAGE,
            _ => FAILED,
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// An error and its causes, from the outermost; a cause that the one before it already tells is left out.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut last = text.clone();
    let mut next = error.source();
    while let Some(cause) = next {
        let told = cause.to_string();
        if !told.is_empty() && !last.contains(&told) {
            text.push_str(": ");
            text.push_str(&told);
            last = told;
        }
        next = cause.source();
    }
    text
}

/// Writes one line to standard error. If that fails there is nobody left to tell.
pub(crate) fn print(message: &str) {
    use io::Write;
    let line = format!("coracle: {}\n", escape::message(message));
    let _ = io::stderr().write_all(line.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Link {
        text: &'static str,
        source: Option<Box<Link>>,
    }

    fn link(text: &'static str, source: Option<Link>) -> Link {
        Link { text, source: source.map(Box::new) }
    }

    #[test]
    fn the_whole_chain_is_told_and_nothing_twice() {
        let error = link("cannot read x", Some(link("broken: at byte 7", Some(link("at byte 7", None)))));
        assert_eq!(chain(&error), "cannot read x: broken: at byte 7");
        let error = link("cannot read x", Some(link("at byte 7", Some(link("truncated", None)))));
        assert_eq!(chain(&error), "cannot read x: at byte 7: truncated");
    }

    #[test]
    fn a_process_outside_of_pods_is_not_found_and_a_closed_pipe_is_no_failure() {
        let failure = Failure::NotInPod { pid: 2, why: Outside::KernelThread };
        assert_eq!(failure.exit_code(), NOT_FOUND);
        assert_eq!(chain(&failure), "process 2 is not in a pod: a kernel thread");
        assert!(Failure::Output(io::ErrorKind::BrokenPipe.into()).is_closed_pipe());
        assert!(!Failure::Output(io::ErrorKind::StorageFull.into()).is_closed_pipe());
    }
}
